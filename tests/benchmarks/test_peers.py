"""Peers run in processes of their own, and one that can't is said to be unavailable."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import peers, throughput
from benchmarks import speed as suite
from paohuzi_env.core._compile import COMPILED

PLAY = """
import sys
PACKAGES = ("numpy",)
print("chatter of the peer")
def cases():
    def play(seconds):
        sum(range(100000))
        return 30, 3
    def die(seconds):
        sys.exit(3)
    return {"good": play, "bad": die}
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "toy"
    folder.mkdir()
    (folder / "play.py").write_text(PLAY, encoding="utf-8")
    (folder / "requirements.txt").write_text("./missing\n", encoding="utf-8")
    (tmp_path / "serve.py").write_bytes((peers.HERE / "serve.py").read_bytes())
    monkeypatch.setattr(peers, "HERE", tmp_path)
    monkeypatch.setattr(peers, "NAMES", ("toy",))
    return folder


def test_every_peer_pins_what_it_needs() -> None:
    assert set(peers.NAMES) == {"rlcard", "open_spiel", "pgx", "riichienv"}
    for name in peers.NAMES:
        lines = (peers.HERE / name / "requirements.txt").read_text(encoding="utf-8").splitlines()
        assert all("==" in line for line in lines if not line.startswith("#"))


def test_a_peer_measures_its_cases_in_its_own_process(toy: Path) -> None:
    with peers.Peer("toy", Path(sys.executable)) as peer:
        cases = peer.start()
        assert [case.name for case in cases] == ["toy: good", "toy: bad"]
        assert peer.versions["numpy"]
        for _ in range(2):
            tally = cases[0].run(0.1)
            assert (tally.units, tally.games) == (30, 3)
            assert tally.cpu > 0
        with pytest.raises(peers.PeerError, match="status 3"):
            cases[1].run(0.1)
        with pytest.raises(peers.PeerError, match="ended"):
            cases[0].run(0.1)


def test_a_peer_that_does_not_start_says_so(toy: Path) -> None:
    (toy / "play.py").write_text("import nothing_of_this_name", encoding="utf-8")
    with peers.Peer("toy", Path(sys.executable)) as peer, pytest.raises(peers.PeerError, match="status 1"):
        peer.start()


def test_a_peer_that_cannot_be_installed_says_why_and_leaves_no_stamp(toy: Path, tmp_path: Path) -> None:
    with pytest.raises(peers.PeerError, match=r"not installed: .*missing"):
        peers.install("toy", tmp_path / "cache")
    assert not (tmp_path / "cache" / "toy" / "installed.txt").exists()
    assert (tmp_path / "cache" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_an_installed_peer_is_taken_as_it_is(toy: Path, tmp_path: Path) -> None:
    home = tmp_path / "cache" / "toy"
    home.mkdir(parents=True)
    (home / "installed.txt").write_bytes((toy / "requirements.txt").read_bytes())
    assert peers.install("toy", tmp_path / "cache").is_relative_to(home)


@pytest.mark.skipif(not COMPILED, reason="there is nothing to measure without the compiler")
def test_the_suite_measures_itself_beside_a_peer(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (toy / "play.py").write_text(PLAY.replace(', "bad": die', ""), encoding="utf-8")
    monkeypatch.setattr(suite.Options, "rounds", 1)
    monkeypatch.setattr(suite.Options, "seconds", 0.01)
    monkeypatch.setattr(peers, "install", lambda _: Path(sys.executable))
    found = suite.run(suite.Options(parts=("play",), peers=("toy",)))
    ours, theirs = found.line(throughput.vector_name(throughput.N)), found.line("toy: good")
    assert found.line("to toy: good").value == ours.value / theirs.value
    assert found.peers["toy"].games == {"good": 10}


@pytest.mark.skipif(not COMPILED, reason="there is nothing to measure without the compiler")
def test_the_suite_goes_on_without_a_peer(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite.Options, "rounds", 1)
    monkeypatch.setattr(suite.Options, "seconds", 0.01)
    monkeypatch.setattr(peers, "install", lambda _: Path(sys.executable))
    found = suite.run(suite.Options(parts=("play",), peers=("toy",)))
    assert found.peers["toy"].unavailable
    assert not [line for line in found.lines if line.group in ("peers", "ratios")]
    assert found.line(throughput.vector_name(throughput.N)).value > 0
