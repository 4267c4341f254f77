"""The module that knows the compiler (but for what `core._lanes` tells it to do).

`kernel` marks an inner function, `entry` one that Python calls. Both are compiled by Numba at their first
call, without the interpreter lock, and kept on disk. With `NUMBA_DISABLE_JIT=1` the same functions run
interpreted and Numba is not imported (`COMPILED` is then False).

Numba's own cache looks at the file of the function only: after an edit in another module it keeps serving
the old machine code (numba#1833). Here the folder of a kernel is named by a hash of

- the source of its module and of every module that it imports, transitively, as far as those are this
  package's or the user's own (not the standard library, not installed packages);
- the versions of Python, NumPy and Numba, the bounds-check flag and the optimisation level.

So an edit compiles again what depends on it and nothing else, equal sources in two checkouts share one
cache, and file times do not matter. The processor's name and features are part of a key, as in Numba.

    <cache>/kernels/<module>/<hash>/<function>-<line>-<hash of signature and processor>.nbc

`<cache>` is `PAOHUZI_CACHE_DIR`, else the user's cache folder. What the hash cannot see, a kernel must not
use: modules imported by a computed name, module-level values that change later or come from the environment.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from paohuzi_env.core._sources import Closure, closure

P = ParamSpec("P")
R = TypeVar("R")

COMPILED: bool = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
"""False when the kernels run as plain Python."""

if COMPILED:
    import numba
    from numba.core import config
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps

    COMPILED = not config.DISABLE_JIT  # .numba_config.yaml can say it too

FOLDERS_KEPT: Final = 8
"""Cache folders that a module keeps, newest use first; versions and flags have folders of their own."""
GRACE_SECONDS: Final = 3600.0
"""A folder used within this time is never removed: another process may be reading it."""
DAYS_KEPT: Final = 60
"""A folder unused for this long is removed, also when its module has few."""
SECONDS_PER_LINE: Final = 0.02
"""Compile time, for the notice only: about 30 ms a statement and what a signature costs."""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile an inner function: called by kernels and entries, and by tests.

    It must not make arrays: kernels run without Numba's reference counts, which cost an atomic step (and threads
    each other's) for each array that is passed on.
    """
    return _compile(function, is_entry=False)


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that Python calls; announces a cold cache before it fills it.

    Pass `(games, i)` with a plain structured array, never a record: a record costs 21 us a call.
    """
    return _compile(function, is_entry=True)


def cache_root() -> Path | None:
    """The folder that compiled kernels are kept in, whether or not it exists; None when there is no home."""
    named = os.environ.get("PAOHUZI_CACHE_DIR")
    if named:
        return Path(os.path.expanduser(named)).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG standard: a relative path is to be ignored
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        elif sys.platform == "darwin":
            base = os.path.expanduser("~/Library/Caches")
        else:
            base = os.path.expanduser("~/.cache")
    return Path(base, "paohuzi") if os.path.isabs(base) else None


def _compile(function: Callable[P, R], *, is_entry: bool) -> Callable[P, R]:
    if not COMPILED:
        return _wrapping_around(function) if is_entry else function
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    if not is_entry:
        dispatcher.get_call_template = functools.partial(_one_signature, dispatcher)
    sources = closure(function.__module__)
    # No cache for what has no source file (a prompt, `python -c`) or closes over a plain function.
    if sources is not None and _has_plain_cells(function):
        dispatcher._cache = _KernelCache(function, _module(function.__module__, sources), is_entry)
    return cast(Callable[P, R], dispatcher)


def _wrapping_around(function: Callable[P, R]) -> Callable[P, R]:
    """An interpreted entry in which uint64 words wrap around as compiled ones do, without NumPy's warning."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        with np.errstate(over="ignore"):
            return function(*args, **kwargs)

    return call


def _one_signature(dispatcher: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> tuple[Any, ...]:
    """Compile a kernel once: every integer argument is taken as int64, whatever the caller has.

    Numba would compile a kernel anew for each mix of int8, int64 and constants that a caller passes, and all
    that it calls as well; that took half of the time to the first hand. The caller converts (a free sign
    extension).
    """
    pysig, folded = dispatcher._compiler.fold_argument_types(args, kws)
    wide = tuple(_widened(arg) for arg in folded)
    if dispatcher._can_compile:
        dispatcher.compile(wide)
    name = dispatcher.py_func.__name__
    template = numba.core.typing.make_concrete_template(
        f"CallTemplate({name})", key=name, signatures=dispatcher.nopython_signatures
    )
    return template, pysig, wide, {}


def _widened(arg: Any) -> Any:
    plain = numba.types.unliteral(arg)
    return numba.types.int64 if isinstance(plain, numba.types.Integer) and plain.signed else plain


def _has_plain_cells(function: Callable[..., Any]) -> bool:
    """Whether what a nested function closes over can be part of a key."""
    try:
        return None not in _cell_names(function)
    except ValueError:  # a cell that is not filled yet
        return False


def _cell_names(function: Callable[..., Any]) -> tuple[str | None, ...]:
    """What a nested function closes over, as text: plain values, and kernels that are kept themselves."""
    return tuple(_cell_name(cell.cell_contents) for cell in function.__closure__ or ())


def _cell_name(value: Any) -> str | None:
    if isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    cache = getattr(value, "_cache", None)
    return cache.identity() if isinstance(cache, _KernelCache) else None


class _Module:
    """A module with kernels: its folder's name, what it depends on, and how much there is to compile."""

    def __init__(self, folder: str, sources: Closure) -> None:
        self.folder = folder
        self.sources = [name for name, _ in sources]
        self.lines = 0
        self.is_touched = False


_modules: dict[str, _Module] = {}


def _module(name: str, sources: Closure) -> _Module:
    folder = _folder_name(sources)
    known = _modules.get(name)
    if known is None or known.folder != folder:  # new, or reloaded after an edit
        known = _modules[name] = _Module(folder, sources)
    return known


def _folder_name(sources: Closure) -> str:
    settings = (
        sys.implementation.cache_tag,
        numba.__version__,
        np.__version__,
        str(config.BOUNDSCHECK),
        str(config.OPT),
        str(config.DEBUGINFO_DEFAULT),
    )
    return hashlib.sha256(repr((settings, sources)).encode()).hexdigest()[:24]


# ---- The cache of one kernel ----


class _KernelCache:
    """What Numba's dispatcher asks of a cache (`numba.core.caching._Cache`), one file an overload.

    No index file: two processes that fill one cold cache can at worst compile the same thing twice. A file is
    written whole or not at all; a damaged one is compiled again.
    """

    def __init__(self, function: Callable[..., Any], module: _Module, is_entry: bool) -> None:
        self._function = function
        self._module = module
        self._is_entry = is_entry
        self._folder = Path("kernels", function.__module__, module.folder)
        plain = re.sub(r"[^\w.]", "_", function.__qualname__)
        self._name = f"{plain}-{function.__code__.co_firstlineno}"
        module.lines += len({line for _, _, line in function.__code__.co_lines()})

    @property
    def cache_path(self) -> str | None:
        root = cache_root()
        return None if root is None else str(root / self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        for root in _roots():
            overload = self._load(root / self._folder, key, target_context)
            if overload is not None:
                return overload
        if self._is_entry:
            _announce(self._module)
        return None

    def save_overload(self, sig: Any, overload: Any) -> None:
        if overload.library.has_dynamic_globals or any(not lifted.can_cache for lifted in overload.lifted):
            _warn(
                f"cannot keep {self._name}: its code holds addresses of this process (a large global array?)"
            )
            return
        root = _writable_root()
        if root is None:
            return
        key = self._key(sig, overload.codegen)
        content = dumps((key, overload._reduce()))
        try:
            folder = root / self._folder
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                _prune(root)
            _write(folder / self._file(key), hashlib.sha256(content).digest() + content)
        except OSError as error:  # a full disk, a folder that another process has just removed
            _warn(f"cannot keep compiled kernels in {root}: {error}")

    def _load(self, folder: Path, key: tuple[Any, ...], target_context: Any) -> Any:
        try:
            data = (folder / self._file(key)).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            return None
        stored, payload = pickle.loads(data[32:])
        if stored != key:
            return None
        if not self._module.is_touched:  # pruning goes by the time of the last use
            self._module.is_touched = True
            with contextlib.suppress(OSError):
                os.utime(folder)
        return CompileResult._rebuild(target_context, *payload)

    def _key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return sig, codegen.magic_tuple(), self.identity()

    def identity(self) -> str:
        """What is compiled, the types of its arguments aside."""
        code = hashlib.sha256(self._function.__code__.co_code).hexdigest()
        return f"{self._folder}/{self._name}/{code}{_cell_names(self._function)}"

    def _file(self, key: tuple[Any, ...]) -> str:
        return f"{self._name}-{hashlib.sha256(str(key).encode()).hexdigest()[:16]}.nbc"

    def enable(self) -> None:
        """Nothing to do: the cache is always on."""

    def disable(self) -> None:
        """Nothing to do: the cache is always on."""

    def flush(self) -> None:
        """Forget every overload of this function (`Dispatcher.recompile` asks for it)."""
        for root in _roots():
            for file in (root / self._folder).glob(f"{self._name}-*.nbc"):
                with contextlib.suppress(OSError):
                    file.unlink()


def _write(file: Path, data: bytes) -> None:
    temporary = file.with_name(f"{file.name[:60]}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if not file.exists():  # Windows does not replace a file that another process is reading
            raise


# ---- Folders ----


def _roots() -> Iterator[Path]:
    """Where to look: the cache folder, writable or not, and then where this process writes, if elsewhere."""
    root = cache_root()
    if root is not None:
        yield root
    other = _writable_root()  # asked on a miss only: a warm cache may be read-only
    if other is not None and other != root:
        yield other


@functools.cache
def _writable_root() -> Path | None:
    """Where this process keeps what it compiles; warns once when that is not the cache folder."""
    root = cache_root()
    reason: object = "there is no home folder"
    if root is not None:
        try:
            root.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=root).close()
            return root
        except OSError as error:
            reason = error
    other = _private_temporary_root()
    instead = "without a cache: each process compiles again" if other is None else f"in {other} instead"
    _warn(f"cannot keep compiled kernels in {root or 'a cache folder'} ({reason}); working {instead}")
    return other


def _private_temporary_root() -> Path | None:
    """A folder of this user's under the temporary one, or None where that cannot be had.

    What is read from it is run, so a folder that another user could have made or can write to is refused.
    """
    user = os.getuid() if hasattr(os, "getuid") else None
    try:
        name = "paohuzi-cache" if user is None else f"paohuzi-cache-{user}"
        root = Path(tempfile.gettempdir(), name)
        with contextlib.suppress(FileExistsError):
            root.mkdir(mode=0o700)
        info = root.lstat()
        is_private = user is None or (info.st_uid == user and not info.st_mode & 0o077)
        if not stat.S_ISDIR(info.st_mode) or not is_private:
            return None
        tempfile.TemporaryFile(dir=root).close()
        return root
    except OSError:
        return None


def _prune(root: Path) -> None:
    """Remove folders of old sources: all but the newest few of a module, and what was not used for long."""
    now = time.time()
    for module in (root / "kernels").glob("*"):
        dated: list[tuple[float, Path]] = []
        for folder in module.glob("*"):
            with contextlib.suppress(OSError):  # another process may prune at the same time
                dated.append((folder.stat().st_mtime, folder))
        dated.sort(reverse=True)
        for place, (used, folder) in enumerate(dated):
            age = now - used
            if (place >= FOLDERS_KEPT and age > GRACE_SECONDS) or age > DAYS_KEPT * 86400:
                shutil.rmtree(folder, ignore_errors=True)


# ---- Words to the user ----


def _warn(message: str) -> None:
    if message not in _said:
        _said.add(message)
        warnings.warn(f"paohuzi: {message}", RuntimeWarning, stacklevel=2)


def _announce(module: _Module) -> None:
    """Say once a process, before the first entry compiles, that it takes time."""
    if "notice" in _said or os.environ.get("PAOHUZI_QUIET", "0") not in ("", "0"):
        return
    _said.add("notice")
    root = _writable_root()
    cold = [
        _modules[name].lines
        for name in module.sources
        if name in _modules and not (root and (root / "kernels" / name / _modules[name].folder).is_dir())
    ]
    seconds = max(1, round(SECONDS_PER_LINE * sum(cold)))
    if sys.stderr is not None:
        once = "once" if root else "in each process"
        print(f"paohuzi: compiling the rules, about {seconds} s, {once}", file=sys.stderr, flush=True)


_said: set[str] = set()
