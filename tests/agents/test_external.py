"""External programs: every way to fail has its name, ends in time and leaves nothing behind."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import BOTS, ROOT, hostile, left, new_mark, soon_gone

import agents
from agents.base import FAULT_OF, decision_words
from agents.external import External
from agents.play import play_match
from agents.program import Fault, Program
from paohuzi_env.core.log import FAULTS
from paohuzi_env.game import Game
from paohuzi_env.record import replay
from paohuzi_env.rules import preset_names, rule_set

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

FAILS = {
    "timeout": [
        "hangs", "ignores SIGTERM", "busy", "half a line", "blank lines", "closes its input", "stops itself",
        "never reads", "hello: hangs",
    ],
    "crash": ["fails", "status 3", "killed", "kills its supervisor", "takes memory", "hello: fails"],
    "early_end": ["ends", "closes its output", "ends, a child holds the output", "hello: ends"],
    "illegal": [
        'action "discard *"', 'action "hu a"', 'action "fly"', 'action ""', 'action "pass"', 'action "DISCARD a"',
        'action "\\ud800"', 'action "打 一"',
    ],
    "garbage": [
        "action 7", "action null", 'action ["discard a"]', 'bytes "discard a"', 'bytes "[1]"', 'bytes "{}"',
        'bytes "7"', 'bytes "\\u00ff\\u00fe\\u0000"', 'bytes "{\\"action\\": "', "nested",
        "says more than asked", "two answers", "hello: not JSON", "hello: no name", "hello: other version",
    ],
    "flood": ["endless line", "10 MB line", "floods standard error"],
}  # fmt: skip
LIMITS: dict[str, Any] = {"move": 20.0, "start": 20.0, "memory": 64}


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark of its own; when the test is over no process may have it."""
    text = new_mark()
    yield text
    assert left(text) == []


def asked(agent: External, game: Game, times: int = 1, hand: int = 0) -> list[int]:
    """Its answers to the same question."""
    assert game.actor is not None
    view = game.view(game.actor, agent.history)
    word = decision_words(agent.seed, 0, 0, 0, 0)
    return [int(agent.choose(view, word, np.array([hand]))[0]) for _ in range(times)]


@pytest.mark.parametrize(("kind", "way"), [(kind, way) for kind, ways in FAILS.items() for way in ways])
def test_each_way_to_fail_is_a_named_fault_in_time(kind: str, way: str, mark: str) -> None:
    hurry = {} if kind != "timeout" else {"start": 0.5} if way.startswith("hello") else {"move": 0.3}
    agent = External("hunan", hostile(way, mark), **(LIMITS | hurry))
    game = Game.deal("hunan", 3)
    answers = asked(agent, game)
    if way == "two answers":  # the first is good, the second stands in the way of the next
        assert answers[0] in game.legal_actions
        answers = asked(agent, game)
    assert answers[0] == FAULT_OF[kind], agent.fault
    assert left(mark) == []  # while the agent lives
    assert agent.fault is not None
    assert agent.fault.kind == kind
    assert str(agent.fault).isprintable()
    assert len(str(agent.fault)) < 700
    assert way != "takes memory" or "MemoryError" in str(agent.fault)
    if way == FAILS[kind][0]:
        assert asked(agent, game)[0] == FAULT_OF[kind]  # it was started again
    agent.close()


def test_what_it_writes_after_its_answer_is_a_flood_for_the_next_question(mark: str) -> None:
    agent = External("hunan", hostile("floods after its answer", mark))
    game = Game.deal("hunan", 3)
    assert asked(agent, game)[0] in game.legal_actions
    time.sleep(0.5)
    assert asked(agent, game)[0] == FAULT_OF["flood"]
    agent.close()


def test_every_kind_of_fault_is_tried() -> None:
    assert set(FAILS) == set(FAULTS)


@pytest.mark.parametrize("way", ["talks", "in pieces", "in Chinese", "good"])
def test_an_unusual_program_that_keeps_to_the_protocol_plays(way: str, mark: str) -> None:
    agent = External("hunan", hostile(way, mark))
    game = Game.deal("hunan", 3)
    first = game.action_of(game.legal_texts()[0])
    assert asked(agent, game, 3) == [first] * 3
    assert agent.fault is None
    assert agent.program_name == "hostile 敌"
    agent.close()
    agent.close()


@pytest.mark.parametrize("way", ["does not end", "children", "children in a session of their own", "children, orphans"])
@pytest.mark.parametrize("politely", [True, False])
def test_nothing_is_left_of_a_program_that_was_closed(way: str, politely: bool, mark: str) -> None:
    agent = External("hunan", hostile(way, mark))
    game = Game.deal("hunan", 3)
    assert asked(agent, game)[0] in game.legal_actions
    assert len(left(mark)) > 1  # the program, its supervisor, what else it started
    if politely:
        agent.close()
    else:
        agent.failed(Fault("crash", "killed by the test"))
    assert left(mark) == []


PARENT = """
import os, sys, time
sys.path.insert(0, "agents")  # what it needs imports nothing else of the package
from program import Program
program = Program(sys.argv[1:])
assert b"name" in program.ask(b'{"hello": {}}\\n', 10)
if "ASK" in os.environ:
    program._exchange(memoryview(b'{"move": {"legal": ["x"]}}\\n'), 1)
if "FORK" in os.environ and os.fork() == 0:
    time.sleep(6)  # it holds all pipes
    os._exit(0)
print("started", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    ("way", "then"), [("does not end", ""), ("hangs", "ASK"), ("children, orphans", ""), ("children, orphans", "FORK")]
)
def test_nothing_outlives_whoever_runs_it_killed_with_9(way: str, then: str, mark: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *shlex.split(hostile(way, mark))], stdout=subprocess.PIPE,
        env={**os.environ, **({then: "1"} if then else {})}, cwd=ROOT,
    )  # fmt: skip
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"started\n"
    assert len(left(mark)) > 1
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert soon_gone(mark, 4), left(mark)


def test_the_program_dies_with_its_supervisor(mark: str) -> None:
    program = Program(shlex.split(hostile("ignores SIGTERM", mark)))
    program.ask(b'{"hello": {}}\n', 10)
    os.kill(program.pid, signal.SIGKILL)
    assert soon_gone(mark)
    program.close()


def test_a_supervisor_that_is_told_to_end_kills_the_program(mark: str) -> None:
    program = Program(shlex.split(hostile("children, orphans", mark)))
    program.ask(b'{"hello": {}}\n', 10)
    os.kill(program.pid, signal.SIGTERM)
    assert soon_gone(mark)
    program.close()


# --- limits -----------------------------------------------------------------------------------------------------------


def test_the_time_for_a_hand_is_counted_by_hand_and_seat(mark: str) -> None:
    agent = External("hunan", hostile("slow", mark), move=20, hand=1.4)
    game = Game.deal("hunan", 3)
    answers = asked(agent, game, 4, hand=7)
    assert answers[:2] == [answers[0]] * 2
    assert answers[2:] == [FAULT_OF["timeout"]] * 2
    assert asked(agent, game, 1, hand=8) == answers[:1]  # another hand has its own
    agent.close()


@pytest.mark.parametrize("at", ["hello", "move"])
def test_after_an_interrupt_no_answer_is_taken_for_that_of_a_later_question(
    at: str, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = External("hunan", hostile("good", mark))
    game = Game.deal("hunan", 3)
    ask = Program.ask

    def interrupted(program: Program, line: bytes, seconds: float) -> bytes:
        answer = ask(program, line, seconds)
        if line.startswith(f'{{"{at}"'.encode()):
            raise KeyboardInterrupt
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(Program, "ask", interrupted)
        with pytest.raises(KeyboardInterrupt):
            asked(agent, game)
    assert left(mark) == []
    assert asked(agent, game)[0] in game.legal_actions
    agent.close()


def test_memory_is_no_limit_where_none_is_wanted(mark: str) -> None:
    agent = External("hunan", hostile("good", mark), memory=0)
    assert asked(agent, Game.deal("hunan", 3))[0] >= 0
    agent.close()


def test_after_so_many_restarts_it_is_started_no_more(mark: str) -> None:
    agent = External("hunan", hostile("status 3", mark), restarts=2)
    game = Game.deal("hunan", 3)
    assert asked(agent, game, 3) == [FAULT_OF["crash"]] * 3
    started = time.monotonic()
    assert asked(agent, game, 100) == [FAULT_OF["crash"]] * 100
    assert time.monotonic() - started < 1
    assert "not started any more, after 3 faults" in str(agent.fault)
    agent.close()


def test_a_hung_program_does_not_stop_a_match_and_its_records_replay(mark: str) -> None:
    rules = rule_set("hunan")
    players = [External(rules, hostile("hangs", mark), move=0.1, restarts=1), *(agents.make("uniform") for _ in "ab")]
    played = list(play_match(players, rules, seed=5, hands=6))
    players[0].close()
    results = [replay(hand.record(["hung", "b", "c"])).record["result"] for hand in played]
    faults = [(hand, result["fault"]) for hand, result in zip(played, results, strict=True) if "fault" in result]
    assert len(faults) > 3
    for hand, fault in faults:
        assert (hand.players[fault["seat"]], fault["kind"]) == (0, "timeout")
        assert hand.game.scores[fault["seat"]] == -20
    assert sum(played[-1].totals) == 0


# --- what it is made from ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("external", "no command; allowed: external:COMMAND"),
        ("external:", "no command"),
        ("external: ''", "no such program"),
        ("external:no-such-program --x", "command 'no-such-program': no such program"),
        ("external:sh 'x", "No closing quotation"),
        ("external[move=0]:sh", "move = 0.0; allowed: seconds, more than 0"),
        ("external[move=nan]:sh", "move = nan"),
        ("external[hand=x]:sh", "hand = 'x': Expected `float`"),
        ("external[memory=-1]:sh", "memory = -1; allowed: 0 to"),
        ("external[restarts=-1]:sh", "restarts = -1"),
        ("external[cpu=1]:sh", "unknown option 'cpu'; allowed: move, hand, start, memory, restarts, seed"),
        ("external[command=sh]:sh", "unknown option 'command'"),
        ("external[5]:sh", "unknown option '5'"),
        ("external[move=1", "unknown agent"),
        ("uniform[seed=1]", "unknown agent"),
    ],
)
def test_a_text_that_names_no_program_says_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_the_text_is_the_command_with_limits_before_it() -> None:
    agent = agents.make("external[move=1.5,memory=100,seed=4]:sh -c 'a, b=c:d'", seed=9)
    assert isinstance(agent, External)
    assert agent.command == ["sh", "-c", "a, b=c:d"]
    assert (agent.move, agent.hand, agent.memory, agent.seed) == (1.5, 60.0, 100, 4)


def test_the_fingerprint_knows_the_program_file(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("pass")
    before = agents.make(f"external:{sys.executable} {bot}").fingerprint
    assert agents.make(f"external:{sys.executable} {bot}").fingerprint == before
    bot.write_text("pass  # better")
    assert agents.make(f"external:{sys.executable} {bot}").fingerprint != before


# --- the bots and the page --------------------------------------------------------------------------------------------

PAGE = (BOTS.parent / "PROTOCOL.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"```(python|sh)\n(.*?)```", PAGE, re.DOTALL))


def plays(command: str, rules: Any, hands: int, seed: int = 0) -> External:
    """Play some hands with the program in every seat; it makes no fault."""
    agent = External(rules, command)
    for hand in play_match([agent] * rule_set(rules).seats, rule_set(rules), seed, hands):
        assert hand.game.record["fault_seat"] < 0, agent.fault
    agent.close()
    return agent


@pytest.mark.parametrize("rules", [*preset_names(), '{"preset": "hunan", "players": 2}'])
def test_the_python_bot_plays_every_rule_set(rules: str) -> None:
    assert plays(f"{sys.executable} {BOTS / 'bot.py'}", rules, 2).program_name == "example bot 例"


def test_the_shell_bot_plays() -> None:
    assert plays(f"sh {BOTS / 'bot.sh'}", "hunan", 2).program_name == "first"


@pytest.mark.parametrize(("language", "command"), [("python", sys.executable), ("sh", "sh")])
def test_the_bots_of_the_page_play(language: str, command: str, tmp_path: Path) -> None:
    file = tmp_path / "bot"
    file.write_text(BLOCKS[language])
    plays(f"{command} {file}", "hunan", 1)


def test_the_shell_bot_of_the_page_is_the_file() -> None:
    assert BLOCKS["sh"].strip() in (BOTS / "bot.sh").read_text()


def test_the_page_tells_the_limits_and_faults_as_they_are() -> None:
    (limits,) = re.findall(r"external\[([^]]+)\]:COMMAND", PAGE)
    told = {key: float(value) for key, _, value in (part.partition("=") for part in limits.split(","))}
    parameters = inspect.signature(External).parameters
    assert told == {key: parameters[key].default for key in ("move", "hand", "start", "memory", "restarts")}
    assert set(re.findall(r"^\| `([a-z_]+)` \|", PAGE.partition("## Limits")[2], re.MULTILINE)) == set(FAULTS)
    assert len(PAGE.splitlines()) < 120


def test_same_seeds_same_questions() -> None:
    """A program that draws from the seed of each question plays the same again, whatever was before."""
    code = (
        "import json, random, sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if 'hello' in m: print('{\"name\": \"r\", \"protocol\": 1}', flush=True)\n"
        "    if 'move' in m:\n"
        "        text = random.Random(m['move']['seed']).choice(m['move']['legal'])\n"
        "        print(json.dumps({'action': text}), flush=True)\n"
    )
    rules = rule_set("hunan")

    def scores(hands: int) -> list[Any]:
        agent = External(rules, shlex.join([sys.executable, "-c", code]))
        logs = [hand.game.record["log"].tolist() for hand in play_match([agent] * 3, rules, 1, hands)]
        agent.close()
        return logs

    assert scores(3)[:2] == scores(2)


def test_notices_come_after_a_hand(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    script = tmp_path / "bot.sh"
    script.write_text(f'tee {heard} | sh {BOTS / "bot.sh"}\n')
    plays(f"sh {script}", "mini", 2)
    messages = [json.loads(line) for line in heard.read_text(encoding="utf-8").splitlines()]
    ends = [message["end"] for message in messages if "end" in message]
    assert len(ends) == 4  # two hands, two seats
    assert all(sum(end["scores"]) == 0 for end in ends)
    assert "hello" in messages[0]
    assert "quit" in messages[-1]
    numbers = {message["move"]["number"] for message in messages if "move" in message}
    assert numbers <= {0, 1}
