"""The errors that this package raises on purpose.

    PaohuziError
    ├── NotationError        (ValueError)    a text, tile, meld or choice that is none
    ├── RuleSetError         (ValueError)    a rule field unknown or contradictory
    ├── IllegalActionError   (ValueError)    an action the rules do not allow now
    ├── GameOverError        (RuntimeError)  an action after the hand has ended
    ├── RecordError          (ValueError)    a game record that breaks format or rules
    └── StateError           (ValueError)    bytes of another version or rule set

Catch `PaohuziError` for all of them, or the builtin in brackets where code should not
know this package. A message names the thing, its value and what is allowed; the value,
which may be anything, by `shown`.
"""

from __future__ import annotations

from typing import Final

MOST_SHOWN: Final = 60
"""Characters of a value that a message shows."""
MOST_PATH: Final = 300
"""The same of a file's name, of which the end matters."""
MOST_WORDS: Final = 500
"""The same of a message that is part of another one, or that another library has made."""


def brief(text: str, most: int = MOST_SHOWN) -> str:
    """Shorten a text to its first `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"


def shown(value: object, most: int = MOST_SHOWN) -> str:
    """Write any value for a message: as Python does, but short, in one line and safe to print."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply; a number of too many digits
        return f"of type {type(value).__name__}"
    if not text.isprintable():  # an array's lines, whatever a class has made up
        text = " ".join("".join(char if char.isprintable() else " " for char in text[: 10 * most]).split())
    return brief(text, most)


class PaohuziError(Exception):
    """Base of every error that this package raises on purpose."""


class NotationError(PaohuziError, ValueError):
    """A text, tile, meld or choice that the notation does not know."""


class RuleSetError(PaohuziError, ValueError):
    """A field of a rule set that is unknown, out of range or contradicts another."""


class IllegalActionError(PaohuziError, ValueError):
    """An action that the rules do not allow now; the game is as it was before."""


class GameOverError(PaohuziError, RuntimeError):
    """An action, or a question about the seat to act, after the hand has ended."""


class StateError(PaohuziError, ValueError):
    """Saved bytes that another version or another rule set wrote."""


class RecordError(PaohuziError, ValueError):
    """A game record that breaks the format or the rules of the game.

    The message reads ``FILE:LINE: event N: reason``; parts that are not known are left
    out. Nothing of a refused record is taken.

    Parameters
    ----------
    reason
        What is wrong, with the value and what is allowed.
    file
        Name of the file, or None.
    line
        Line in the file, counted from 1, or None.
    event
        The event's number as the raiser counts them, or None where no event is meant.
    """

    reason: str
    file: str | None
    line: int | None
    event: int | None

    def __init__(
        self,
        reason: str,
        *,
        file: str | None = None,
        line: int | None = None,
        event: int | None = None,
    ) -> None:
        # All four go into `args`, in order, so that copies and pickles keep them.
        super().__init__(reason, file, line, event)
        self.reason = reason
        self.file = file
        self.line = line
        self.event = event

    def __str__(self) -> str:
        """Give ``FILE:LINE: event N: reason`` without the parts that are unknown."""
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        event = "" if self.event is None else f"event {self.event}"
        return ": ".join(part for part in (place, event, self.reason) if part)

    def __reduce__(self) -> tuple[object, ...]:
        """Rebuild from all four parts (three of them are keyword-only)."""
        return _record_error, (self.reason, self.file, self.line, self.event)


def _record_error(
    reason: str, file: str | None, line: int | None, event: int | None
) -> RecordError:
    """Rebuild a `RecordError` from a pickle or a copy."""
    return RecordError(reason, file=file, line=line, event=event)
