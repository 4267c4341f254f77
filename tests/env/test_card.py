"""README's card of the environment is what the code says."""

from __future__ import annotations

from tools.card import BEGIN, END, README, card, parts_of

from paohuzi_env.core.observe import PLANES
from paohuzi_env.env import OPTIONS


def test_the_card_in_the_readme_is_made_from_the_code() -> None:
    assert README.exists(), f"no {README.name}; it must have {BEGIN.strip()} and {END.strip()}"
    _, between, _ = parts_of(README.read_text(encoding="utf-8"))
    assert between == card(), "run: python tests/tools/card.py --write"


def test_the_card_has_every_option_and_plane() -> None:
    text = card()
    for option in OPTIONS:
        assert f"| `{option}` | " in text
    for row in PLANES:
        assert row.meaning in text
        assert f"`{row.names[0]}`" in text
