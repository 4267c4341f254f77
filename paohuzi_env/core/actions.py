"""The action table: one fixed numbering for every rule set (version 1).

    0..19   discard of that kind                                   20
    20..25  chi, or bi, by the shape of the eaten tile's group      6   LOW MIDDLE HIGH RED_RUN XXY XYY
    26      peng                                                    1
    27      pao (only where a rule set makes it a choice)           1
    28      hu                                                      1
    29      pass                                                    1
    30..31  reserved                                                2
                                                                  ---
                                                                   32

A decision's legal actions are one int32 with a bit for each action (`GAME.legal`).
"""

from __future__ import annotations

from typing import Final

from paohuzi_env.core.tiles import KINDS, SHAPES

TABLE_VERSION: Final = 1

DISCARD: Final = 0
CHI: Final = DISCARD + KINDS
PENG: Final = CHI + SHAPES
PAO: Final = PENG + 1
HU: Final = PAO + 1
PASS: Final = HU + 1
NUM_ACTIONS: Final = 32
"""Two numbers above PASS are kept free for the choices of rule sets to come."""
