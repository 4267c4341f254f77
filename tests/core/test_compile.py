"""The compiler module: what is compiled again after an edit, where it is kept, and what the user is told.

Each case runs small packages in processes of their own, with a cache folder of their own.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import paohuzi_env
from paohuzi_env.core import _compile
from paohuzi_env.core._sources import closure

PACKAGE_ROOT = Path(paohuzi_env.__file__).parent.parent
NOTICE = "paohuzi: compiling the rules"

MODULES = {
    "__init__": "",
    "constants": "STEP = 3\n",
    "low": """
        from paohuzi_env.core._compile import kernel
        from . import constants
        @kernel
        def add(x: int) -> int:
            return x + constants.STEP
    """,
    "other": """
        from paohuzi_env.core._compile import kernel
        @kernel
        def double(x: int) -> int:
            return 2 * x
    """,
    "high": """
        import numpy as np
        from paohuzi_env.core._compile import entry
        from mini.low import add
        from mini.other import double
        @entry
        def run(x: int) -> int:
            return double(add(x))
        @entry
        def first(row: np.ndarray, i: int) -> int:
            return row[i]
    """,
    "__main__": """
        import sys
        from mini.high import run
        print(run(int(sys.argv[1])), sum(run.stats.cache_misses.values()))
    """,
}


class Mini:
    """A package `mini` of four modules: high imports low and other, low imports constants."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        (folder / "mini").mkdir()
        for name, text in MODULES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        lines = text.strip("\n").split("\n")
        indent = len(lines[0]) - len(lines[0].lstrip())
        (self.folder / "mini" / f"{name}.py").write_text("\n".join(line[indent:] for line in lines) + "\n")

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[str]:
        settings = {"PAOHUZI_CACHE_DIR": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **settings}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "PAOHUZI_", "PYTHON"))}
        path = os.pathsep.join([str(self.folder), str(PACKAGE_ROOT)])
        command = [sys.executable, *(arguments or ("-m", "mini", "1"))]
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env={**kept, "PYTHONPATH": path, **settings},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, **settings: str) -> tuple[str, str]:
        """Standard output and standard error of a process that must end well."""
        process = self.start(*arguments, **settings)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
        return out.strip(), err

    def kept(self) -> dict[str, int]:
        """Compiled functions in the cache, by module."""
        files = self.cache.glob("kernels/*/*/*.nbc")
        names = [file.parent.parent.name.removeprefix("mini.") for file in files]
        return {name: names.count(name) for name in names}


@pytest.fixture
def mini(tmp_path: Path) -> Mini:
    return Mini(tmp_path)


# ---- What is compiled again ----


def test_second_process_loads_what_the_first_compiled(mini: Mini) -> None:
    assert mini.run()[0] == "8 1"
    assert mini.kept() == {"high": 1, "low": 1, "other": 1}
    assert mini.run()[0] == "8 0"


def test_edit_recompiles_what_depends_on_it_and_nothing_else(mini: Mini) -> None:
    mini.run()
    mini.write("constants", "STEP = 4")
    assert mini.run()[0] == "10 1"
    assert mini.kept() == {"high": 2, "low": 2, "other": 1}


def test_edit_of_a_module_that_nothing_imports_recompiles_nothing(mini: Mini) -> None:
    mini.run()
    mini.write("unused", "STEP = 9")
    mini.write("__init__", "VERSION = 2")
    assert mini.run()[0] == "8 0"


def test_undone_edit_finds_the_old_code(mini: Mini) -> None:
    mini.run()
    mini.write("constants", "STEP = 4")
    mini.run()
    mini.write("constants", MODULES["constants"])
    assert mini.run()[0] == "8 0"


def test_a_function_that_closes_over_a_kernel_is_kept_and_follows_its_edits(mini: Mini) -> None:
    mini.write(
        "maker",
        """
        from paohuzi_env.core._compile import entry
        def twice_of(inner):
            @entry
            def twice(x: int) -> int:
                return inner(inner(x))
            return twice
        """,
    )
    program = """
from mini.low import add
from mini.maker import twice_of
from mini.other import double
found = [twice_of(inner) for inner in (add, double)]
print(*(f(1) for f in found), sum(sum(f.stats.cache_misses.values()) for f in found))
"""
    assert mini.run("-c", program)[0] == "7 4 2"
    assert mini.run("-c", program)[0] == "7 4 0"
    mini.write("constants", "STEP = 4")
    assert mini.run("-c", program)[0] == "9 4 1"


def test_another_checkout_with_equal_sources_shares_the_cache(mini: Mini, tmp_path: Path) -> None:
    mini.run()
    (tmp_path / "clone").mkdir()
    clone = Mini(tmp_path / "clone")  # other paths, newer file times
    file = clone.folder / "mini" / "low.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert clone.run(PAOHUZI_CACHE_DIR=str(mini.cache))[0] == "8 0"


def test_bounds_check_has_a_cache_of_its_own(mini: Mini) -> None:
    program = "import numpy as np; from mini.high import first; print(first(np.zeros(3, np.int8), 3) * 0)"
    assert mini.run("-c", program)[0] == "0"
    process = mini.start("-c", program, NUMBA_BOUNDSCHECK="1")
    assert "IndexError" in process.communicate(timeout=300)[1]
    assert mini.run("-c", program)[0] == "0"


def test_code_reloaded_in_a_process_is_kept_under_its_new_sources(mini: Mini) -> None:
    program = """
import importlib, pathlib, mini.low
print(mini.low.add(1))
pathlib.Path("mini/constants.py").write_text("STEP = 40")
importlib.reload(mini.constants); importlib.reload(mini.low)
print(mini.low.add(1))
"""
    assert mini.run("-c", program)[0].split() == ["4", "41"]
    assert mini.run("-c", "import mini.low; print(mini.low.add(1))")[0] == "41"


def test_code_edited_after_its_import_is_not_kept_as_the_new_code(mini: Mini) -> None:
    program = """
import pathlib, mini.high
pathlib.Path("mini/constants.py").write_text("STEP = 40")
print(mini.high.run(1))
"""
    assert mini.run("-c", program)[0] == "8"
    assert mini.run()[0] == "82 1"


def test_script_and_its_neighbours_are_cached(mini: Mini) -> None:
    (mini.folder / "neighbour.py").write_text("STEP = 1\n")
    script = mini.folder / "script.py"
    script.write_text(
        "from paohuzi_env.core._compile import entry\nfrom neighbour import STEP\n"
        "@entry\ndef f(x: int) -> int:\n    return x + STEP\nprint(f(1), sum(f.stats.cache_hits.values()))\n"
    )
    assert [mini.run(str(script))[0] for _ in range(2)] == ["2 0", "2 1"]
    (mini.folder / "neighbour.py").write_text("STEP = 10\n")
    assert mini.run(str(script))[0] == "11 0"


def test_function_without_a_source_file_is_compiled_without_cache(mini: Mini) -> None:
    program = "from paohuzi_env.core._compile import entry\nprint(entry(lambda x: x + 1)(1))"
    assert mini.run("-c", program)[0] == "2"
    assert mini.kept() == {}


def test_nested_functions_are_told_apart_by_the_numbers_they_close_over(mini: Mini) -> None:
    mini.write(
        "nested",
        """
        from paohuzi_env.core._compile import entry
        def adder(step):
            @entry
            def add(x):
                return x + step
            return add
        """,
    )
    program = "from mini.nested import adder; print(adder(1)(1), adder(2)(1))"
    assert [mini.run("-c", program)[0] for _ in range(2)] == ["2 3", "2 3"]


def test_kernel_is_compiled_once_whatever_integers_its_callers_have(mini: Mini) -> None:
    mini.write(
        "wide",
        """
        import numpy as np
        from paohuzi_env.core._compile import entry, kernel
        @kernel
        def shifted(x: int, by: int = 1) -> int:
            return x << by
        @entry
        def run(row: np.ndarray) -> int:
            return shifted(row[0], 2) + shifted(1, row[1]) + shifted(np.int8(100), by=row[1]) + shifted(7, 3)
        print(run(np.array([100, 1], np.int8)), len(shifted.overloads))
        """,
    )
    assert mini.run("-m", "mini.wide")[0] == f"{400 + 2 + 200 + 56} 1"


def test_damaged_file_is_compiled_again(mini: Mini) -> None:
    mini.run()
    for file in mini.cache.glob("kernels/*/*/*.nbc"):
        file.write_bytes(file.read_bytes()[:-100])
    assert mini.run()[0] == "8 1"
    assert mini.run()[0] == "8 0"


def test_two_processes_at_once_fill_one_cold_cache(mini: Mini) -> None:
    processes = [mini.start("-m", "mini", number) for number in ("1", "2")]
    outputs = [process.communicate(timeout=300)[0].split()[0] for process in processes]
    assert outputs == ["8", "10"]
    assert mini.run()[0] == "8 0"
    assert not list(mini.cache.rglob("*.tmp"))


# ---- Where it is kept ----


def test_import_compiles_nothing_and_writes_nothing(mini: Mini) -> None:
    out, err = mini.run("-c", "import mini.high; print(len(mini.high.run.overloads))")
    assert (out, err) == ("0", "")
    assert not mini.cache.exists()


def test_unwritable_folder_is_named_once_and_a_private_temporary_one_used(mini: Mini) -> None:
    blocked = mini.folder / "file" / "cache"
    blocked.parent.touch()
    (mini.folder / "tmp").mkdir()
    settings = {"PAOHUZI_CACHE_DIR": str(blocked), "TMPDIR": str(mini.folder / "tmp")}
    out, err = mini.run(**settings)
    assert out == "8 1"
    assert err.count("RuntimeWarning") == 1
    assert str(blocked) in err
    (folder,) = (mini.folder / "tmp").iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    assert mini.run(**settings)[0] == "8 0"


def test_temporary_folder_that_others_can_write_to_is_refused(mini: Mini) -> None:
    (mini.folder / "file").touch()
    (mini.folder / "tmp").mkdir()
    settings = {"PAOHUZI_CACHE_DIR": str(mini.folder / "file"), "TMPDIR": str(mini.folder / "tmp")}
    mini.run(**settings)
    (folder,) = (mini.folder / "tmp").iterdir()
    folder.chmod(0o777)
    out, err = mini.run(**settings)
    assert out == "8 1"
    assert "without a cache" in err
    assert "in each process" in err


def test_warm_cache_is_read_without_asking_for_a_writable_folder(mini: Mini) -> None:
    mini.run()
    program = """
from mini.high import run
from paohuzi_env.core import _compile
print(run(1), _compile._writable_root.cache_info().misses)
"""
    assert mini.run("-c", program) == ("8 0", "")


def test_cache_folder_follows_the_conventions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("PAOHUZI_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert _compile.cache_root() == tmp_path / ".cache" / "paohuzi"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert _compile.cache_root() == tmp_path / "Library" / "Caches" / "paohuzi"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))
    assert _compile.cache_root() == tmp_path / "Local" / "paohuzi"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert _compile.cache_root() == tmp_path / "Local" / "paohuzi"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert _compile.cache_root() == tmp_path / "xdg" / "paohuzi"
    monkeypatch.setenv("PAOHUZI_CACHE_DIR", str(tmp_path / "named"))
    assert _compile.cache_root() == tmp_path / "named"


def test_old_folders_are_removed_and_recent_ones_stay(tmp_path: Path) -> None:
    def make(name: str, age: float) -> Path:
        folder = tmp_path / "kernels" / "module" / name
        folder.mkdir(parents=True)
        (folder / "f.nbc").touch()
        os.utime(folder, (time.time() - age,) * 2)
        return folder

    day = 86400.0
    used_now = [make(f"now{i}", 60.0 * i) for i in range(_compile.FOLDERS_KEPT + 3)]
    beyond = [make(f"day{i}", day + i) for i in range(3)]
    _compile._prune(tmp_path)
    assert all(folder.is_dir() for folder in used_now)
    assert not any(folder.exists() for folder in beyond)
    for folder in used_now:
        os.utime(folder, (time.time() - 61 * day,) * 2)
    _compile._prune(tmp_path)
    assert not any(folder.exists() for folder in used_now)


# ---- What the user is told ----


def test_notice_comes_once_before_a_cold_cache_fills(mini: Mini) -> None:
    program = "import numpy as np; from mini.high import run, first; run(1); first(np.zeros(3, np.int8), 0)"
    assert mini.run("-c", program)[1].count(NOTICE) == 1
    assert mini.run("-c", program)[1] == ""


def test_notice_is_for_entries_not_for_kernels_or_loads(mini: Mini) -> None:
    assert mini.run("-c", "from mini.low import add; add(1)")[1] == ""


def test_notice_can_be_silenced(mini: Mini) -> None:
    assert mini.run(PAOHUZI_QUIET="1")[1] == ""


# ---- Without the compiler ----


@pytest.mark.interpreted
def test_interpreted_mode_runs_the_same_source_without_numba(mini: Mini) -> None:
    program = "import sys; from mini.high import run; print(run(1), 'numba' in sys.modules)"
    assert mini.run("-c", program, NUMBA_DISABLE_JIT="1") == ("8 False", "")
    assert not mini.cache.exists()


@pytest.mark.interpreted
def test_import_of_the_package_is_light(mini: Mini) -> None:
    program = "import sys, paohuzi_env; print(*{'numba', 'pettingzoo', 'torch'} & set(sys.modules), 'none')"
    started = time.perf_counter()
    assert mini.run("-c", program)[0] == "none"
    assert time.perf_counter() - started < 1.5


# ---- What a module depends on ----


@pytest.mark.interpreted
def test_core_imports_only_the_standard_library_numpy_numba_and_itself() -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "numba"}
    for file in sorted((PACKAGE_ROOT / "paohuzi_env" / "core").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            foreign = [
                name
                for name in names
                if name.partition(".")[0] not in allowed and not name.startswith("paohuzi_env.core")
            ]
            assert not foreign, f"{file.name} imports {foreign}"


def test_closure_follows_each_form_of_import(
    mini: Mini, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forms = {
        "a": "import forms.b as b",
        "b": "from . import c",
        "c": "from .d import X",
        "d": "def late():\n    from forms import e\nX = 1",
        "e": "from .sub import *",
        "sub/__init__": "from ..f import *",
        "f": "import numpy, os.path, pytest, no_such_module",
    }
    (tmp_path / "forms" / "sub").mkdir(parents=True)
    for name, text in forms.items():
        (tmp_path / "forms" / f"{name}.py").write_text(text + "\n")
    (tmp_path / "forms" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    found = closure("forms.a")
    assert found is not None
    names = [name for name, _ in found]
    assert names == ["forms.a", "forms.b", "forms.c", "forms.d", "forms.e", "forms.f", "forms.sub"]


@pytest.mark.parametrize("module", ["builtins", "no_such_module", "sys"])
def test_module_without_readable_source_has_no_closure(module: str) -> None:
    assert closure(module) is None


def test_entry_survives_pickling(mini: Mini) -> None:
    mini.write(
        "pool",
        """
        import pickle
        from mini.high import run
        print(pickle.loads(pickle.dumps(run))(1))
        """,
    )
    assert mini.run("-m", "mini.pool")[0] == "8"
