"""Saved episodes: the books of an environment (JSON) and GAME records as bytes that only their like takes back."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from paohuzi_env.core import state as st
from paohuzi_env.errors import StateError
from paohuzi_env.game import STATE_VERSION
from paohuzi_env.rules import RuleSet

_HEAD: Final = struct.Struct("<4sHHQ8s16s")  # magic, versions here and of GAME, length of the books, rules, digest
_MAGIC: Final = b"PHZE"
_VERSION: Final = 1


def pack(rules: RuleSet, books: Mapping[str, Any], games: Iterable[bytes]) -> bytes:
    """Books and the bytes of GAME records as one piece."""
    text = json.dumps(books, default=_plain).encode()
    payload = text + b"".join(games)
    head = _HEAD.pack(_MAGIC, _VERSION, STATE_VERSION, len(text), bytes.fromhex(rules.hash), _digest(payload))
    return head + payload


def unpack(rules: RuleSet, data: bytes) -> tuple[dict[str, Any], Any]:
    """The books, and all GAME records in one array.

    Raises
    ------
    StateError
        The bytes are none that `pack` made, damaged, of another version or another rule set.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"a saved episode of type {type(data).__name__}; allowed: bytes")
    data = bytes(data)
    if len(data) < _HEAD.size or data[:4] != _MAGIC:
        raise StateError("these are no bytes of a saved episode")
    _, version, layout, length, saved, digest = _HEAD.unpack(data[: _HEAD.size])
    if (version, layout) != (_VERSION, STATE_VERSION):
        raise StateError(f"saved episode of version {version}.{layout}; allowed: {_VERSION}.{STATE_VERSION}")
    if saved.hex() != rules.hash:
        raise StateError(f"saved episode of rule set {saved.hex()}; allowed: {rules.hash} ({rules})")
    payload = data[_HEAD.size :]
    if _digest(payload) != digest:
        raise StateError("a damaged saved episode: its bytes do not match their digest")
    books: dict[str, Any] = json.loads(payload[:length])
    count, rest = divmod(len(payload) - length, st.GAME.itemsize)
    if rest:
        raise StateError("saved episode of another layout: interpreted and compiled runs differ")
    games = st.allocate(count, st.GAME)
    write_bytes(games, payload[length:])
    return books, games


def write_bytes(array: Any, data: bytes) -> None:
    """Fill an array of records with the bytes of another."""
    array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8)


def _digest(payload: bytes) -> bytes:
    return hashlib.sha256(payload).digest()[:16]


def _plain(value: Any) -> Any:
    """NumPy's numbers as plain ones: wrappers may have put some into the books."""
    return value.item()
