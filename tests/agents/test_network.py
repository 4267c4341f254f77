"""The network as a player: it plays what its weights say, everywhere the same, and refuses files of others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from safetensors.numpy import save_file

import agents
from agents import network
from agents.base import decision_words
from agents.inputs import ENCODING_VERSION, MOST_ACTIVE, NUM_INPUTS, PAD, encode_views, input_tables
from agents.network import NAMES, Network, NetworkError, Weights, answers, read_network, write_network
from benchmarks.arena import play_blocks
from benchmarks.blocks import margins
from benchmarks.deals import deal_set
from paohuzi_env.core import state as st
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set
from paohuzi_env.search import Rollouts


def weights(seed: int = 1, width: int = 16, inputs: int = NUM_INPUTS) -> Weights:
    chance = np.random.default_rng(seed)
    shapes = ((inputs, width), (width,), (1, width, width), (1, width), (width, 32), (32,))
    return tuple(chance.normal(0, 0.5, shape).astype(np.float32) for shape in shapes)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_network(tmp_path / "net.safetensors", weights(), rule_set("hunan"), "a test")
    return tmp_path / "net.safetensors"


def positions(count: int) -> list[Game]:
    """Positions with a choice."""
    uniform = agents.make("uniform")
    found: list[Game] = []
    for index in range(count):
        game = Game.deal("hunan", 4, index)
        for _ in range(index):
            if game.over or game.actor is None:
                break
            word = decision_words(0, index, 0, 0, len(found))
            game.step(int(uniform.choose(game.view(game.actor), word, np.zeros(1, np.int64))[0]))
        if not game.over and len(game.legal_actions) > 1:
            found.append(game)
    return found


def logits(game: Game) -> np.ndarray:
    assert game.actor is not None
    active, count = np.zeros((1, MOST_ACTIVE), np.int16), np.zeros(1, np.int16)
    encode_views(game.view(game.actor), game.rules.record, st.allocate(1, PAD), input_tables(game.rules), active, count)
    return answers(weights(), active, count)[0]


def test_it_plays_the_likeliest_legal_action(file: Path) -> None:
    player = agents.make(f"network:{file}")
    some = positions(40)
    assert len(some) > 20
    for game in some:
        assert game.actor is not None
        action = int(player.choose(game.view(game.actor), np.zeros(1, np.uint64), np.zeros(1, np.int64))[0])
        legal = game.legal_actions
        assert action == legal[int(np.argmax(logits(game)[legal]))]


def test_with_a_temperature_it_draws_actions_with_their_chances(file: Path) -> None:
    player = agents.make(f"network:{file},temperature=2")
    game = max(positions(20), key=lambda one: len(one.legal_actions))
    assert game.actor is not None
    n = 20_000
    views = st.allocate(n, st.VIEW)
    views[:] = game.view(game.actor)[0]
    drawn = player.choose(views, decision_words(3, np.arange(n), 0, 0, 0), np.zeros(n, np.int64))
    legal = game.legal_actions
    chances = np.exp(logits(game)[legal].astype(np.float64) / 2)
    chances /= chances.sum()
    found = np.bincount(drawn, minlength=32)[legal] / n
    assert found.sum() == 1
    np.testing.assert_allclose(found, chances, atol=4 * np.sqrt(0.25 / n))


def test_what_it_plays_does_not_depend_on_the_batch(file: Path) -> None:
    player = agents.make(f"network:{file},temperature=1")
    some = positions(30)
    views = st.allocate(len(some), st.VIEW)
    for i, game in enumerate(some):
        assert game.actor is not None
        views[i] = game.view(game.actor)[0]
    words = decision_words(1, np.arange(len(some)), 0, 0, 0)
    hands = np.zeros(len(some), np.int64)
    together = player.choose(views, words, hands)
    alone = [int(player.choose(views[i : i + 1], words[i : i + 1], hands[:1])[0]) for i in range(len(some))]
    assert together.tolist() == alone


def test_it_plays_in_the_arena_without_faults_and_in_rollouts(file: Path) -> None:
    player = agents.make(f"network:{file}")
    played = play_blocks([player, agents.make("uniform")], deal_set("tune", purpose="tuning"), range(20))
    assert (played.hands["fault_seat"] == -1).all()
    assert player.policy is not None
    rollouts = Rollouts("hunan", player.policy)
    games = positions(20)
    scores = rollouts(games)
    assert (scores.sum(axis=1) == 0).all()
    assert np.array_equal(scores, rollouts(games))  # it needs no chance


def test_the_file_holds_the_weights_and_says_what_it_is_for(file: Path) -> None:
    found, header = read_network(file)
    assert all(np.array_equal(a, b) for a, b in zip(found, weights(), strict=True))
    assert (header.rules, header.trained) == ("hunan", "a test")


def test_the_fingerprint_is_of_the_weights_too(file: Path, tmp_path: Path) -> None:
    before = agents.make(f"network:{file}").fingerprint
    assert before == agents.make(f"network:{file}").fingerprint
    write_network(file, weights(2), rule_set("hunan"))
    assert before != agents.make(f"network:{file}").fingerprint


def torn(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def foreign(file: Path) -> None:
    save_file({"a": np.zeros(3)}, file)


def header(**changes: object) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        fields = {"rules": "hunan", "rules_hash": rule_set("hunan").hash, "encoding": ENCODING_VERSION, "actions": 1}
        fields["digest"] = network.digest_of(weights())
        text = msgspec.json.encode(fields | changes).decode()
        save_file(dict(zip(NAMES, weights(), strict=True)), file, {"paohuzi": text})

    return write


def arrays(**changes: np.ndarray | None) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        fields = {"rules": "hunan", "rules_hash": rule_set("hunan").hash, "digest": "0" * 64}
        held = {**dict(zip(NAMES, weights(), strict=True)), **{k.replace("_", "."): v for k, v in changes.items()}}
        kept = {name: array for name, array in held.items() if array is not None}
        save_file(kept, file, {"paohuzi": msgspec.json.encode(fields).decode()})

    return write


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (torn, "no whole safetensors file"),
        (empty, "no whole safetensors file"),
        (foreign, "its header does not say what it is for"),
        (header(encoding=99), "encoding of version 99; allowed: 2"),
        (header(actions=99), "actions of version 99; allowed: 1"),
        (header(strange=1), "unknown field `strange`"),
        (header(rules="luzhou", rules_hash="ab"), r"trained for rule set luzhou \(ab\); allowed: hunan"),
        (arrays(), "damaged: its weights do not match their digest"),
        (arrays(last_bias=None), "it lacks last.bias"),
        (arrays(last_bias=np.zeros(31, np.float32)), r"last.bias of shape \(31,\); allowed: \(32,\)"),
        (arrays(last_bias=np.full(32, np.nan, np.float32)), "last.bias has values that are not finite"),
    ],
)
def test_a_file_that_is_no_network_for_these_rules_is_refused(
    file: Path, spoil: Callable[[Path], None], message: str
) -> None:  # fmt: skip
    spoil(file)
    with pytest.raises(NetworkError, match=message) as caught:
        agents.make(f"network:{file}")
    assert "net.safetensors" in str(caught.value)


def test_no_file_and_a_wrong_temperature_are_refused(file: Path) -> None:
    with pytest.raises(NetworkError, match="none comes with the project for mini; allowed: network:PATH, or rules "):
        agents.make("network", "mini")
    with pytest.raises(NetworkError, match="there is no such file"):
        agents.make("network:nowhere.safetensors")
    with pytest.raises(NetworkError, match="it is no regular file"):
        agents.make(f"network:{file.parent}")
    with pytest.raises(NetworkError, match="path is empty"):
        agents.make("network:path=")
    with pytest.raises(NetworkError, match="temperature = -1"):
        Network("hunan", str(file), -1.0)


def test_networks_too_wide_for_the_scratch_are_refused(file: Path) -> None:
    write_network(file, weights(width=network.MOST_WIDTH + 1), rule_set("hunan"))
    with pytest.raises(NetworkError, match=r"width 1025; allowed: 1 to 1024"):
        read_network(file)


def test_the_network_that_comes_with_the_project_plays_well() -> None:
    assert sum(file.stat().st_size for file in network.SHIPPED.glob("*")) < 5_000_000
    me = agents.make("network")
    deals = deal_set("validation", purpose="tuning")
    for other, least in (("greedy", 1.0), ("heuristic", 0.0)):
        by_block = margins(play_blocks([me, agents.make(other)], deals, range(1500)).hands, 0, 1)
        assert by_block.mean() > least + 3 * by_block.std(ddof=1) / 1500**0.5
