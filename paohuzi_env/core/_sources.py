"""What a module depends on: the sources of all it imports, found without importing anything.

Followed are modules of the same top-level package, of this package, and the user's own files; not the
standard library and not installed packages, whose versions are the cache's business (see `_compile`).
Imports by a computed name cannot be seen. A module that has no readable source has no closure.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, NamedTuple

Closure = tuple[tuple[str, bytes], ...]
"""Names of modules with the digests of their sources, sorted by name."""


class _Source(NamedTuple):
    spec: object
    digest: bytes
    imports: frozenset[str]


_known: dict[str, _Source] = {}
"""Modules as read right after their import: a digest is that of the code that runs, not of a later edit."""


def closure(module: str) -> Closure | None:
    """The sources of a loaded module and of all it imports, transitively; None when its own is missing."""
    home = _top(getattr(_spec(module), "name", module))  # of `python -m package.module` too
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        source = None if name in found else _source(name)
        if source is not None:
            found[name] = source.digest
            waiting += [wanted for wanted in source.imports if _is_followed(_top(wanted), home)]
    return tuple(sorted(found.items())) if module in found else None


def _top(name: str) -> str:
    return name.partition(".")[0]


def _source(name: str) -> _Source | None:
    spec = _spec(name)
    known = _known.get(name)
    if known is not None and known.spec is spec:  # a reload makes a new spec: then the source is read again
        return known
    text = _read(name, spec)
    if text is None:
        return None
    package = getattr(sys.modules.get(name), "__package__", None) or getattr(spec, "parent", None) or ""
    imports = frozenset(_imports(ast.parse(text), package))
    _known[name] = source = _Source(spec, hashlib.sha256(text).digest(), imports)
    return source


def _spec(name: str) -> Any:
    """The spec of a module; for a script, which has none, its module; None when there is no such module."""
    module = sys.modules.get(name)
    if module is not None:
        return getattr(module, "__spec__", None) or module
    parent, _, _ = name.rpartition(".")
    path = getattr(_spec(parent), "submodule_search_locations", None) if parent else None
    if parent and path is None:
        return None
    try:
        return PathFinder.find_spec(name, path)
    except (ImportError, ValueError):
        return None


def _read(name: str, spec: Any) -> bytes | None:
    """The source with plain line ends, the same in each checkout."""
    file = getattr(spec, "origin", None) or getattr(spec, "__file__", None)
    loader = getattr(spec, "loader", None) or getattr(spec, "__loader__", None)
    try:
        if file is not None and file.endswith(".py") and os.path.isfile(file):
            text = Path(file).read_bytes()
        elif loader is not None and hasattr(loader, "get_source"):  # a zip file, for example
            source = loader.get_source(getattr(spec, "name", name))
            if source is None:
                return None
            text = source.encode()
        else:
            return None
    except (OSError, ImportError):
        return None
    return text.replace(b"\r\n", b"\n")


def _imports(tree: ast.AST, package: str) -> Iterator[str]:
    """Names of the modules that a source imports anywhere, and of packages whose own names it takes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
                if alias.asname is None:  # `import a.b` binds a, whose own names can be used too
                    parts = alias.name.split(".")
                    yield from (".".join(parts[:end]) for end in range(1, len(parts)))
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                base = ".".join(part for part in [*above[: len(above) - node.level + 1], base] if part)
            for alias in node.names:
                is_module = alias.name != "*" and _spec(f"{base}.{alias.name}") is not None
                yield f"{base}.{alias.name}" if is_module else base


def _is_followed(top: str, home: str) -> bool:
    return top in (home, _top(__name__)) or not _is_foreign(top)


@functools.cache
def _is_foreign(top: str) -> bool:
    """Whether a top-level name is the standard library's or an installed package's."""
    if top in sys.stdlib_module_names:
        return True
    spec = _spec(top)
    places = [getattr(spec, "origin", None), getattr(spec, "__file__", None)]
    places += getattr(spec, "submodule_search_locations", None) or []
    paths = [Path(place) for place in places if place]
    installed = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    return not paths or any(
        {"site-packages", "dist-packages"} & set(path.parts)
        or any(path.is_relative_to(root) for root in installed)
        for path in paths
    )
