"""Threads that do what they are given, and can be interrupted with Ctrl-C at any moment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

NAP: Final = 5e-5
"""Seconds between looks at threads that take longer than the calling one."""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Crew:
    """Threads that do what they are given, by number.

    In place of `concurrent.futures`, whose locks an interrupt can leave locked: here all that the caller does between
    two threads is a single step of a `SimpleQueue`.
    """

    def __init__(self, numbers: Iterable[int]) -> None:
        self.process = os.getpid()
        self.is_torn = False  # a call was interrupted, and perhaps even its tidying up
        self._boxes: dict[int, SimpleQueue[Any]] = {t: SimpleQueue() for t in numbers}
        self._answers: dict[int, SimpleQueue[Any]] = {t: SimpleQueue() for t in self._boxes}
        self._owed = dict.fromkeys(self._boxes, 0)
        self._gone: list[None] = []
        for t, box in self._boxes.items():
            Thread(target=_do_what_is_given, args=(box, self._answers[t], self._gone), daemon=True).start()

    def give(self, t: int, work: Callable[..., Any], *arguments: Any) -> None:
        """Let thread `t` call `work`."""
        self._owed[t] += 1
        self._boxes[t].put((work, arguments))

    def answer(self, t: int) -> Any:
        """What thread `t` returned for what it was given last, when it has; or its error, or an earlier one's."""
        result = None
        while self._owed[t]:
            result, error = self._answers[t].get()
            self._owed[t] -= 1
            if error is not None:
                raise error
        return result

    def check(self) -> None:
        """Raise the error of a thread, if there is one by now."""
        for t, answers in self._answers.items():
            while not answers.empty():
                _, error = answers.get()
                self._owed[t] -= 1
                if error is not None:
                    raise error

    def end(self) -> None:
        """Let all threads end when they have done what they were given, and wait for that."""
        for box in self._boxes.values():
            box.put(None)
        while len(self._gone) < len(self._boxes):
            time.sleep(NAP)

    def __del__(self) -> None:
        for box in getattr(self, "_boxes", {}).values():
            box.put(None)


def _do_what_is_given(box: SimpleQueue[Any], answers: SimpleQueue[Any], gone: list[None]) -> None:
    while (call := box.get()) is not None:
        try:
            answers.put((call[0](*call[1]), None))
        except BaseException as error:
            answers.put((None, error))
        del call  # an environment that nobody else holds may go
    gone.append(None)
