"""What `render` and `render_seat` give: the referee's table and a seat's, in every mode, without a display."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from aec import choose_at_random, decisions

from paohuzi_env.env import PaohuziEnv


def at_a_decision(**options: Any) -> PaohuziEnv:
    env = PaohuziEnv(**options)
    env.reset(seed=1)
    for _ in decisions(env, choose_at_random(random.Random(1)), 6):
        pass
    return env


def test_ansi_shows_all_hands_to_the_referee_and_only_its_own_to_a_seat() -> None:
    env = at_a_decision(render_mode="ansi")
    for seat, agent in enumerate(env.possible_agents):
        hands = [tiles(env.referee_game().hand(other)) for other in range(3)]
        everything, own = str(env.render()), str(env.render_seat(agent))
        assert all(hand in everything for hand in hands)
        assert [hand in own for hand in hands] == [other == seat for other in range(3)]
        assert all(name in own for name in env.possible_agents)


def tiles(kinds: list[int]) -> str:
    """Some tiles as the text form writes them, its spaces included."""
    glyphs = "一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾王"
    letters = "abcdefghijABCDEFGHIJ*"
    return " ".join(f"{glyphs[k]}{letters[k]}" for k in kinds)


def test_images_are_not_blank_and_need_no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    env = at_a_decision(render_mode="rgb_array")
    pictures: list[Any] = [env.render(), *(env.render_seat(agent) for agent in env.possible_agents)]
    for picture in pictures:
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5
    assert len({picture.tobytes() for picture in pictures}) == 4


def test_svg_is_well_formed() -> None:
    env = at_a_decision(render_mode="svg")
    for text in (env.render(), env.render_seat("player_0"), env.render_seat("player_2", "svg")):
        assert ET.fromstring(str(text)).tag.endswith("svg")


def test_human_prints_after_reset_and_every_step_and_gives_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    env = PaohuziEnv(render_mode="human")
    env.reset(seed=2)
    first = capsys.readouterr().out
    assert "player_0" in first
    env.step(env.legal_actions(env.agent_selection)[0])
    assert capsys.readouterr().out not in ("", first)
    assert env.render() is None
    assert env.render_seat("player_1") is None
    assert "player_1" in capsys.readouterr().out


def test_the_mode_of_a_seats_picture_can_be_chosen() -> None:
    env = at_a_decision()
    assert "player_0" in str(env.render_seat("player_0"))
    image: Any = env.render_seat("player_0", "rgb_array")
    assert image.shape[2] == 3


def test_who_sits_out_has_no_picture_and_names_are_those_of_the_table() -> None:
    env = at_a_decision(table=4, render_mode="ansi")
    (out,) = [agent for agent in env.possible_agents if env.seat_of(agent) < 0]
    text = str(env.render())
    assert [agent in text for agent in env.possible_agents] == [agent != out for agent in env.possible_agents]
    with pytest.raises(ValueError, match="sits this hand out"):
        env.render_seat(out)
