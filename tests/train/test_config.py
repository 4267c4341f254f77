"""Settings: presets, files and the command line make them; what can't be is refused with what is allowed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from paohuzi_env.errors import PaohuziError
from train.config import PRESETS, Config, ConfigError, check_resumed, from_toml, preset


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_without_contradictions(name: str) -> None:
    assert preset(name).decisions > 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 4}, r"width = 4; allowed: 8 to 1024"),
        ({"lr": -1.0}, r"lr = -1.0; allowed: 0 to 1"),
        ({"batch": 1000, "streams": 16}, r"batch = 1000 is no multiple of streams = 16"),
        ({"minibatch": 65536}, r"minibatch = 65536 is more than batch = 32768"),
        ({"guest_share": 0.7, "opponent_share": 0.7}, r"more than 1 together"),
        ({"pool": 0}, r"pool = 0: there are no past selves"),
        ({"opponents": ()}, r"without opponents"),
        ({"opponents": (), "opponent_share": 0.0, "imitate": 10}, r"there is no teacher"),
        ({"evaluate_against": ()}, r"evaluate_against is empty"),
        ({"lr_end": 0.1}, r"lr_end = 0.1 is more than lr"),
        ({"entropy_end": 1.0}, r"entropy_end = 1.0 is more than entropy"),
        ({"decisions": 0}, r"nothing to do"),
        ({"rules": "nowhere"}, r"nowhere"),
    ],
)
def test_what_can_not_be_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(PaohuziError, match=message):
        dataclasses.replace(Config(), **wrong)  # type: ignore[arg-type]


def test_a_file_changes_what_it_names(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.write_text('lr = 0.001\nopponents = ["greedy", "uniform"]\n')
    config = from_toml(file, preset("quick"))
    assert (config.lr, config.opponents, config.width) == (0.001, ("greedy", "uniform"), 128)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rate = 1.0", r"a.toml: unknown setting 'learning_rate'; allowed: rules, seed"),
        ("lr = 'fast'", r"a.toml: lr = 'fast': Expected `float`"),
        ("objective = 'glory'", r"objective = 'glory'"),
        ("lr = ", r"a.toml"),
    ],
)
def test_a_wrong_file_is_refused_by_name(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "a.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        from_toml(file, Config())


def test_a_resumed_run_may_be_made_longer_and_nothing_that_makes_it_another() -> None:
    old = Config()
    check_resumed(old, dataclasses.replace(old, decisions=2 * old.decisions, threads=1))
    with pytest.raises(ConfigError, match=r"width = 128, and the run to resume has 256; may change: decisions"):
        check_resumed(old, dataclasses.replace(old, width=128))
