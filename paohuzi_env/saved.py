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

_HEAD: Final = struct.Struct("<4sHHQ8s")  # magic, versions here and of GAME, length of the books, rule set
_DIGEST: Final = 16  # bytes of the digest of all the rest, which stands between the head and the books
_MAGIC: Final = b"PHZE"
_VERSION: Final = 2


def pack(rules: RuleSet, books: Mapping[str, Any], games: Iterable[bytes]) -> bytes:
    """Books and the bytes of GAME records as one piece."""
    text = json.dumps(books, default=_plain).encode()
    payload = text + b"".join(games)
    head = _HEAD.pack(_MAGIC, _VERSION, STATE_VERSION, len(text), bytes.fromhex(rules.hash))
    return head + _digest(head, payload) + payload


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
    head = data[: _HEAD.size]
    _, version, layout, length, saved = _HEAD.unpack(head)
    if (version, layout) != (_VERSION, STATE_VERSION):
        raise StateError(f"saved episode of version {version}.{layout}; allowed: {_VERSION}.{STATE_VERSION}")
    if saved.hex() != rules.hash:
        raise StateError(f"saved episode of rule set {saved.hex()}; allowed: {rules.hash} ({rules})")
    payload = data[_HEAD.size + _DIGEST :]
    if data[_HEAD.size : _HEAD.size + _DIGEST] != _digest(head, payload):
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


def _digest(head: bytes, payload: bytes) -> bytes:
    return hashlib.sha256(head + payload).digest()[:_DIGEST]


def _plain(value: Any) -> Any:
    """NumPy's numbers as plain ones: wrappers may have put some into the books."""
    return value.item()
