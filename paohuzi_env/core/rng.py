"""Random numbers: SplitMix64 (Steele, Lea and Flood 2014), keyed by what is being drawn.

Nothing here keeps a global state. A *word* is a uint64; `key` hashes integers into one, `advance` steps it, and
`below` turns it into a number. Interpreted runs wrap around as compiled ones do (`core._compile` mutes the warning).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import kernel

GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
MIX_1: Final = np.uint64(0xBF58476D1CE4E5B9)
MIX_2: Final = np.uint64(0x94D049BB133111EB)
S27: Final = np.uint64(27)
S30: Final = np.uint64(30)
S31: Final = np.uint64(31)
S32: Final = np.uint64(32)


@kernel
def mix(word: Any) -> Any:
    """SplitMix64's output function: a bijection of 64-bit words that spreads every bit."""
    z = (word ^ (word >> S30)) * MIX_1
    z = (z ^ (z >> S27)) * MIX_2
    return z ^ (z >> S31)


@kernel
def advance(word: Any) -> Any:
    """The generator's next state."""
    return word + GOLDEN


@kernel
def key(seed: Any, stream: int, index: int) -> Any:
    """A word for item `index` of `stream` under `seed` (a uint64)."""
    word = mix(seed + GOLDEN)
    word = mix(word + np.uint64(stream) * MIX_1 + GOLDEN)
    return mix(word + np.uint64(index) * MIX_2 + GOLDEN)


@kernel
def below(word: Any, n: int) -> Any:
    """A number (int64) in 0..n-1 from a state word; uneven by less than n / 2**32."""
    return np.int64(((mix(word) >> S32) * np.uint64(n)) >> S32)
