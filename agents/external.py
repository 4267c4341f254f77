"""A player that is another program, in any language: lines of JSON on its standard input and output.

The protocol and the limits: `agents/PROTOCOL.md`. What the program does wrong is a named fault (`FAULT_OF`), never an
error here; afterwards it is started anew for the next hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents import told
from agents.base import FAULT_OF, Agent
from agents.program import GRACE, Fault, Program, quoted
from paohuzi_env.checks import whole
from paohuzi_env.core.state import HISTORY
from paohuzi_env.errors import NotationError
from paohuzi_env.notation import format_choice, parse_choice
from paohuzi_env.rules import RuleSet

LONGEST: Final = 86_400.0
MIB: Final = 1 << 20
MOST_NAME: Final = 60
_HANDS_KEPT: Final = 4096
_SEED_BITS: Final = 53  # every language's numbers hold so many


class External(Agent):
    """Any program that speaks the protocol of agents/PROTOCOL.md: external:python3 bot.py

    Parameters
    ----------
    rules
        The rule set that it plays by; it is told all of it.
    command
        The command line of the program; no shell looks at it.
    move
        Seconds that it has for a decision.
    hand
        Seconds that it has for all decisions of a seat in a hand.
    start
        Seconds that it has to say its name after it was started.
    memory
        MiB of data that each of its processes may have; 0 is no limit.
    restarts
        How often it is started again after a fault. After that every hand ends with the last one.

    Attributes
    ----------
    program_name : str
        What it calls itself, once it has been started.
    fault : Fault or None
        The last fault, with the reason.
    """

    history = HISTORY
    batch = 1

    def __init__(
        self, rules: RuleSet | str = "hunan", command: str = "", *, move: float = 5.0, hand: float = 60.0,
        start: float = 10.0, memory: int = 2048, restarts: int = 100, seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(rules, seed=seed)
        self.command = _checked_command(command)
        self.move, self.hand, self.start = _seconds("move", move), _seconds("hand", hand), _seconds("start", start)
        self.memory = whole("memory", memory, 0, 1 << 30)
        self.restarts = whole("restarts", restarts, 0, 1_000_000)
        self.program_name = ""
        self.fault: Fault | None = None
        self._program: Program | None = None
        self._starts_left = self.restarts + 1
        self._numbers: dict[int, int] = {}  # what the hands are called; not as the caller does, which might tell a deal
        self._count = 0
        self._used: dict[tuple[int, int], float] = {}  # seconds by hand and seat

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        actions = np.empty(len(views), np.int64)
        for i in range(len(views)):
            try:
                actions[i] = self._action(views[i], int(words[i]), int(hands[i]))
            except Fault as fault:
                actions[i] = FAULT_OF[fault.kind]
                self.failed(fault)
            except BaseException:  # an interrupt: the answer that is under way belongs to no later question
                self._kill()
                raise
        return actions

    def ended(self, views: Any, hands: NDArray[np.int64]) -> None:
        if self._program is None:
            return
        try:
            for view, hand in zip(views, hands.tolist(), strict=True):
                self._program.tell(told.line_of(told.end(view, self.rules, number=self._number(hand))))
        except Fault as fault:  # of no hand; it is started again for the next
            self.failed(fault)

    def close(self) -> None:
        self.stop(told.line_of(told.QUIT))

    def stop(self, last: bytes, seconds: float = GRACE) -> bool:
        """Send a last line and the end of input; whether the program then ended by itself, in time and with status 0.

        Nothing of it is left, in any case. The next question starts it again.
        """
        program, self._program = self._program, None
        return program is not None and program.quit(last, seconds)

    @property
    def fingerprint(self) -> str:
        """A hash that the contents of the files that its command names go into, too."""
        found = hashlib.sha256(super().fingerprint.encode())
        for word in self.command:
            path = Path(shutil.which(word) or word)
            found.update(word.encode())
            if path.is_file():
                found.update(hashlib.sha256(path.read_bytes()).digest())
        return found.hexdigest()[:16]

    # --- one decision -------------------------------------------------------------------------------------------------

    def _action(self, view: Any, word: int, hand: int) -> int:
        number, seed = self._number(hand), word >> (64 - _SEED_BITS)
        message, legal = told.move(view, self.rules, number=number, seed=seed)
        self.running()  # its start is not counted
        key = hand, int(view["seat"])
        left = self.hand - self._used.get(key, 0.0)
        if left <= 0:
            raise Fault("timeout", f"the {self.hand:g} s that it has for a hand are used up")
        started = time.monotonic()
        try:
            return self.answer(message, legal, min(self.move, left))
        finally:
            self._used[key] = self._used.get(key, 0.0) + time.monotonic() - started

    def answer(self, question: told.Told, legal: Mapping[str, int], seconds: float) -> int:
        """The program's answer to a question: a legal action, or a `Fault` is raised."""
        answer = self.running().ask(told.line_of(question), seconds)
        text = _object(answer).get("action")
        if not isinstance(text, str):
            raise Fault("garbage", f'{quoted(answer)}; allowed: {{"action": TEXT}}')
        action = legal.get(text, legal.get(_rewritten(text)))
        if action is None:
            raise Fault("illegal", f"{quoted(text.encode(errors='replace'))}; allowed: {', '.join(legal)}")
        return action

    def running(self) -> Program:
        """The program, started and greeted if it does not run; else a `Fault` is raised."""
        if self._program is not None:
            return self._program
        if not self._starts_left:
            kind = "crash" if self.fault is None else self.fault.kind
            raise Fault(kind, f"not started any more, after {self.restarts + 1} faults")
        self._starts_left -= 1
        program = self._program = Program(self.command, self.memory * MIB)
        limits = {"move": self.move, "hand": self.hand, "memory": self.memory}
        try:
            self._greeted(program.ask(told.line_of(told.hello(self.rules, limits)), self.start))
        except BaseException:
            self._kill()
            raise
        return program

    def _greeted(self, answer: bytes) -> None:
        greeting = _object(answer)
        name, protocol = greeting.get("name"), greeting.get("protocol")
        if not isinstance(name, str) or protocol != told.PROTOCOL or isinstance(protocol, bool):
            allowed = f'{{"name": TEXT, "protocol": {told.PROTOCOL}}}'
            raise Fault("garbage", f"{quoted(answer)} after hello; allowed: {allowed}")
        self.program_name = "".join(c if c.isprintable() else "?" for c in name)[:MOST_NAME]

    @property
    def failure(self) -> str:
        return "" if self.fault is None else str(self.fault)

    def failed(self, fault: Fault) -> None:
        """Note a fault and kill the program; it is started again when it is asked next."""
        self.fault = fault
        self._kill()

    def _kill(self) -> None:
        program, self._program = self._program, None
        if program is not None:
            program.close()

    def _number(self, hand: int) -> int:
        """What a hand is called: hands are counted as they come. What was used by long past ones is forgotten."""
        if hand not in self._numbers:
            self._numbers[hand] = self._count
            self._count += 1
            if len(self._numbers) > _HANDS_KEPT:
                old = next(iter(self._numbers))
                del self._numbers[old]
                for seat in range(self.rules.seats):
                    self._used.pop((old, seat), None)
        return self._numbers[hand]


def _checked_command(command: str) -> list[str]:
    if os.name != "posix":
        raise ValueError("external programs need a POSIX system (Linux, macOS)")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"command {quoted(command.encode(errors='replace'))}: {error}") from error
    if not words:
        raise ValueError("no command; allowed: external:COMMAND, such as external:python3 bot.py")
    if "\0" in command or shutil.which(words[0]) is None:
        raise ValueError(f"command {quoted(words[0].encode(errors='replace'))}: no such program")
    return words


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LONGEST:
        raise ValueError(f"{name} = {value!r}; allowed: seconds, more than 0, at most {LONGEST:.0f}")
    return float(value)


def _object(line: bytes) -> dict[str, Any]:
    """A line as a JSON object."""
    try:
        value = json.loads(line.decode())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Fault("garbage", f"{quoted(line)}; allowed: a line that is a JSON object")
    return value


def _rewritten(text: str) -> str:
    """A choice as records write it: tiles may be written as characters, and those of a group in any order."""
    try:
        return format_choice(parse_choice(text))
    except NotationError:
        return ""
