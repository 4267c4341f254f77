"""A trained network as a player: weights from a file, and inference compiled with the rest (no torch).

`network` is the one that comes with the project for the rule set, `network:PATH` one from a file. It plays the action
that it holds most likely; with `temperature=1` it draws one, as it did while it learned. A file is what
`python -m train` writes: safetensors, with the encoding's version and the rule set in its header; a network of other
rules is refused.

One position takes about as many additions as it has inputs that are on, times the width, and is computed alone: what a
network plays does not depend on the batch. The numbers equal torch's within 1e-5.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.base import CompiledAgent
from agents.inputs import ENCODING_VERSION, NUM_INPUTS, PAD, encode, input_tables
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS, TABLE_VERSION
from paohuzi_env.core.rng import mix
from paohuzi_env.errors import PaohuziError
from paohuzi_env.files import write_whole
from paohuzi_env.rules import RuleSet, rule_set
from paohuzi_env.search import Policy

SHIPPED: Final = Path(__file__).parent / "networks"
"""Networks that come with the project, a file a rule set."""
MOST_WIDTH: Final = 1024
"""Widest hidden layer that the scratch has room for."""

SCRATCH: Final = np.dtype(
    [
        ("pad", st.allocate(0, PAD).dtype),
        ("hidden", "f4", (2, MOST_WIDTH)),  # a layer's values and the next one's
        ("which", "i8", (MOST_WIDTH + 1,)),  # places of the positive ones
        ("out", "f4", (NUM_ACTIONS,)),  # the last layer's
        ("chance", "f4", (NUM_ACTIONS,)),  # of each legal action
    ],
    align=True,
)
"""What a thread needs to ask a network."""

Weights = tuple[NDArray[np.float32], ...]
"""first (inputs, width), its bias, hidden (layers - 1, width, width), their biases, last (width, out), its bias."""
NAMES: Final = ("first.weight", "first.bias", "hidden.weight", "hidden.bias", "last.weight", "last.bias")


class NetworkError(PaohuziError, ValueError):
    """A file that holds no network, or one for other rules."""


# --- inference ----------------------------------------------------------------------------------------------------


@kernel
def first_layer(weight: Any, bias: Any, active: Any, n: int, y: Any) -> None:
    """`y` = bias + the rows that are on; four rows at a time."""
    for o in range(len(y)):
        y[o] = bias[o]
    j = 0
    while j + 4 <= n:
        a = weight[active[j]]
        b = weight[active[j + 1]]
        c = weight[active[j + 2]]
        d = weight[active[j + 3]]
        for o in range(len(y)):
            y[o] += (a[o] + b[o]) + (c[o] + d[o])
        j += 4
    while j < n:
        a = weight[active[j]]
        for o in range(len(y)):
            y[o] += a[o]
        j += 1


@kernel
def next_layer(weight: Any, bias: Any, x: Any, which: Any, y: Any) -> None:
    """`y` = bias + the positive values of `x` (ReLU) times their weights; four rows at a time."""
    n = 0
    for k in range(len(x)):
        which[n] = k
        n += x[k] > 0
    for o in range(len(y)):
        y[o] = bias[o]
    j = 0
    while j + 4 <= n:
        a = weight[which[j]]
        b = weight[which[j + 1]]
        c = weight[which[j + 2]]
        d = weight[which[j + 3]]
        xa = x[which[j]]
        xb = x[which[j + 1]]
        xc = x[which[j + 2]]
        xd = x[which[j + 3]]
        for o in range(len(y)):
            y[o] += (xa * a[o] + xb * b[o]) + (xc * c[o] + xd * d[o])
        j += 4
    while j < n:
        a = weight[which[j]]
        xa = x[which[j]]
        for o in range(len(y)):
            y[o] += xa * a[o]
        j += 1


@kernel
def forward(weights: Any, active: Any, n: int, s: Any) -> None:
    """A network's answer to a list of active inputs, into `s.out`."""
    first, first_bias, hidden, hidden_bias, last, last_bias = weights
    width = first.shape[1]
    x = s.hidden[0, :width]
    y = s.hidden[1, :width]
    first_layer(first, first_bias, active, n, x)
    for layer in range(hidden.shape[0]):
        next_layer(hidden[layer], hidden_bias[layer], x, s.which, y)
        x, y = y, x
    next_layer(last, last_bias, x, s.which, s.out[: last.shape[1]])


@kernel
def likeliest(legal: int, out: Any) -> int:
    """The legal action of the greatest value; the lowest of several."""
    best = -1
    for a in range(NUM_ACTIONS):
        if legal >> a & 1 and (best < 0 or out[a] > out[best]):
            best = a
    return best


@kernel
def chances(legal: int, out: Any, temperature: float, chance: Any) -> None:
    """Softmax over the legal actions; 0 for the others."""
    top = out[likeliest(legal, out)]
    total = 0.0
    for a in range(NUM_ACTIONS):
        chance[a] = 0.0
        if legal >> a & 1:
            chance[a] = np.exp((out[a] - top) / temperature)
            total += chance[a]
    for a in range(NUM_ACTIONS):
        chance[a] /= total


@kernel
def drawn(legal: int, chance: Any, word: Any) -> int:
    """An action drawn with the given chances; where their sum is rounded below 1, the last one that has any."""
    left = np.float64(mix(word) >> np.uint64(11)) / 9007199254740992.0
    last = -1
    for a in range(NUM_ACTIONS):
        if legal >> a & 1:
            if last < 0 or chance[a] > 0.0:
                last = a
            left -= chance[a]
            if left < 0.0:
                return a
    return last


@kernel
def network_policy(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    """A network as a `Policy`: data is its weights, the temperature and the tables of its inputs."""
    temperature = data[6][0]
    if v.legal & (v.legal - 1) == 0:  # a single legal action needs no thought
        return likeliest(v.legal, scratch.out)
    encode(v, r, scratch.pad, data[7:])
    forward(data[:6], scratch.pad.active, scratch.pad.n, scratch)
    if temperature == 0.0:
        return likeliest(v.legal, scratch.out)
    chances(v.legal, scratch.out, temperature, scratch.chance)
    return drawn(v.legal, scratch.chance, word)


@entry
def answer_rows(weights: Any, active: Any, counts: Any, scratches: Any, out: Any) -> None:
    """The network's answers to lists of active inputs."""
    s = scratches[0]
    for i in range(len(active)):
        forward(weights, active[i], counts[i], s)
        for o in range(out.shape[1]):
            out[i, o] = s.out[o]


def answers(weights: Weights, active: NDArray[np.int16], counts: NDArray[np.int16]) -> NDArray[np.float32]:
    """What a network says to each list of active inputs (`inputs.encode_views`): float32 (n, outputs)."""
    out = np.empty((len(active), weights[4].shape[1]), np.float32)
    answer_rows(weights, active, counts, st.allocate(1, SCRATCH), out)
    return out


# --- files --------------------------------------------------------------------------------------------------------


class Header(msgspec.Struct, forbid_unknown_fields=True):
    """What a network file says about itself."""

    rules: Any
    """The rule set: a preset's name, or all that differs from one."""
    rules_hash: str
    digest: str
    """SHA-256 of the weights, so that damage shows."""
    encoding: int = ENCODING_VERSION
    actions: int = TABLE_VERSION
    trained: str = ""
    """What made it, for people."""


def read_network(path: str | os.PathLike[str], rules: RuleSet | str | None = None) -> tuple[Weights, Header]:
    """The weights and the header of a network file.

    Raises
    ------
    NetworkError
        The file is no network, is torn, or is made for other rules, inputs or actions.
    """
    path = Path(path)
    if not path.is_file():
        what = "it is no regular file" if path.exists() else "there is no such file"
        raise NetworkError(f"network {path}: {what}")
    try:
        with safe_open(path, "numpy") as file:
            text = (file.metadata() or {}).get("paohuzi")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:  # or numpy lacks the type
        raise NetworkError(f"network {path}: no whole safetensors file ({error})") from error
    if text is None:
        raise NetworkError(f"network {path}: its header does not say what it is for (key 'paohuzi')")
    try:
        header = msgspec.json.decode(text, type=Header)
    except msgspec.MsgspecError as error:
        raise NetworkError(f"network {path}: header {text[:80]!r}: {error}") from error
    for name, have, want in (
        ("encoding", header.encoding, ENCODING_VERSION),
        ("actions", header.actions, TABLE_VERSION),
    ):
        if have != want:
            raise NetworkError(f"network {path}: {name} of version {have}; allowed: {want}")
    if rules is not None and header.rules_hash != rule_set(rules).hash:
        own = rule_set(rules)
        raise NetworkError(
            f"network {path}: trained for rule set {header.rules} ({header.rules_hash}); allowed: {own} ({own.hash})"
        )
    weights = checked_weights(arrays, f"network {path}", NUM_INPUTS, NUM_ACTIONS)
    if digest_of(weights) != header.digest:
        raise NetworkError(f"network {path}: damaged: its weights do not match their digest")
    return weights, header


def write_network(path: str | os.PathLike[str], weights: Weights, rules: RuleSet, trained: str = "") -> None:
    """Write a network file: all of it, or on any error none, the file being as it was."""
    header = Header(rules.spec, rules.hash, digest_of(weights), trained=trained)
    arrays = dict(zip(NAMES, weights, strict=True))
    write_whole(path, save(arrays, {"paohuzi": msgspec.json.encode(header).decode()}))


def digest_of(weights: Weights) -> str:
    """SHA-256 of a network's weights, in hexadecimal."""
    return hashlib.sha256(b"".join(array.tobytes() for array in weights)).hexdigest()


def checked_weights(arrays: Mapping[str, NDArray[Any]], what: str, inputs: int, outputs: int) -> Weights:
    """The arrays of a network in order, as kernels take them.

    Raises
    ------
    NetworkError
        One is missing, not finite, or of a shape that does not fit the others.
    """
    missing = [name for name in NAMES if name not in arrays]
    if missing:
        raise NetworkError(f"{what}: it lacks {', '.join(missing)}")
    with np.errstate(over="ignore"):  # what is too great for float32 becomes infinite, and is refused below
        weights = tuple(np.ascontiguousarray(arrays[name], np.float32) for name in NAMES)
    width = weights[0].shape[-1]
    layers = weights[2].shape[0] if weights[2].ndim == 3 else 0
    shapes = ((inputs, width), (width,), (layers, width, width), (layers, width), (width, outputs), (outputs,))
    for name, array, shape in zip(NAMES, weights, shapes, strict=True):
        if array.shape != shape:
            raise NetworkError(f"{what}: {name} of shape {array.shape}; allowed: {shape}")
        if not np.isfinite(array).all():
            raise NetworkError(f"{what}: {name} has values that are not finite")
    if not 1 <= width <= MOST_WIDTH:
        raise NetworkError(f"{what}: width {width}; allowed: 1 to {MOST_WIDTH}")
    return weights


def shipped(rules: RuleSet) -> Path:
    """The file of the network that comes with the project for a rule set.

    Raises
    ------
    NetworkError
        There is none for it.
    """
    own = {str(read_network(file)[1].rules_hash): file for file in sorted(SHIPPED.glob("*.safetensors"))}
    if rules.hash not in own:
        names = ", ".join(file.stem for file in own.values()) or "none"
        raise NetworkError(f"network: none comes with the project for {rules}; allowed: network:PATH, or rules {names}")
    return own[rules.hash]


# --- the player ---------------------------------------------------------------------------------------------------


def network_as_policy(weights: Weights, rules: RuleSet, temperature: float = 0.0) -> Policy:
    """A network as a compiled policy, for rollouts of search too."""
    return Policy(network_policy, (*weights, np.array([temperature], np.float64), *input_tables(rules)), SCRATCH)


class Network(CompiledAgent):
    """Plays as a trained network says.

    Parameters
    ----------
    rules
        The rule set; the network's own, or it is refused.
    path
        The file; without one, the network that comes with the project for the rule set.
    temperature
        0 plays the likeliest action; 1 draws as it did while it learned, less draws closer to the likeliest.
    """

    def __init__(
        self, rules: RuleSet | str = "hunan", path: str | None = None, temperature: float = 0.0, *, seed: int = 0
    ) -> None:  # fmt: skip
        if not 0 <= temperature <= 100:
            raise NetworkError(f"network: temperature = {temperature}; allowed: 0 to 100")
        if path == "":
            raise NetworkError("network: path is empty; allowed: a file, or no path for the one that comes along")
        weights, self.header = read_network(shipped(rule_set(rules)) if path is None else path, rules)
        super().__init__(rules, network_as_policy(weights, rule_set(rules), temperature), seed=seed)

    @property
    def fingerprint(self) -> str:
        """The agent's, and its weights'."""
        return hashlib.sha256((super().fingerprint + self.header.digest).encode()).hexdigest()[:16]

