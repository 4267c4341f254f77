"""Every clause of RULES.md has a test, and every clause that is named exists.

How to name a clause
--------------------
In a test
    The mark ``rule``, with the clauses as literal texts, on a function, a class or a
    module (``pytestmark``)::

        @pytest.mark.rule("5.8", "6.5(b)")
        def test_a_pair_of_a_stale_kind_becomes_a_chouwei() -> None: ...

    Only these count as tests of a clause, and only in files named ``test_*.py``.
In a docstring or a comment
    ``rules 5.8`` or ``rules 4.2, 4.4 to 4.5``, or a bare list in brackets: ``(5.8)``,
    ``(6.1-6.4, 9.3)``, ``(10.3: ting_hu)``. Any other number is not read as a clause,
    so write version numbers without brackets.

A lettered clause is a clause of its own: ``6.5(a)`` (``6.5 (a)`` and ``6.5 a`` are read
as well). Testing it does not test 6.5, and testing 6.5 does not test it. A chapter is
named as ``rules, chapter 10``; chapter 11 is a clause too, ``rule("11")``.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "paohuzi_env"
RULES = PACKAGE / "RULES.md"

# Clauses that no test can fail on, each with the reason. Keep it short.
NOT_TESTABLE = {
    "10.7": "a game that is not covered yet",
    "10.8": "a game that is not covered yet",
}

_CHAPTER = re.compile(r"^## (\d+) ", re.MULTILINE)
_CLAUSE = re.compile(r"^(?:- )?\*\*(\d+(?:\.\d+)?(?:\([a-z]+\))?)\*\* ", re.MULTILINE)

_NUMBER = r"[1-9]\d*\.\d+(?: ?\([a-z]{1,3}\)| [a-e]\b)?"
_JOINT = r"(?:, | and |, and | or | to | ?[-\u2013] ?|; )"
_LIST = rf"{_NUMBER}(?:{_JOINT}{_NUMBER})*"
_NAMED = re.compile(rf"\brules?,? (?:({_LIST})|chapter (\d+))", re.IGNORECASE)
_BRACKETED = re.compile(rf"\(({_LIST})(?=[),:;])")
_PIECE = re.compile(_NUMBER + r"|\d+")


class Citation(NamedTuple):
    """A clause that a file names, and where."""

    clause: str
    place: str


# --- reading ---------------------------------------------------------------------


def chapters_of(rules: str) -> list[str]:
    """The chapters of the rules, in the order written."""
    return _CHAPTER.findall(rules)


def clauses_of(rules: str) -> list[str]:
    """The clauses of the rules, in the order written."""
    return _CLAUSE.findall(rules)


def normal(clause: str) -> str:
    """The one way to write a clause: ``6.5 (a)`` and ``6.5 a`` become ``6.5(a)``."""
    number, letters = re.fullmatch(r"([\d.]+)(.*)", clause, re.DOTALL).groups()  # type: ignore[union-attr]
    letters = letters.strip(" ()")
    return f"{number}({letters})" if letters else number


def marks_in(source: str, name: str) -> Iterator[Citation]:
    """The clauses that the ``rule`` marks of a test file name."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and _is_rule_mark(node.func)):
            continue
        place = f"{name}:{node.lineno}"
        if not node.args or node.keywords:
            yield Citation("a mark without clauses", place)
        for argument in node.args:
            value = argument.value if isinstance(argument, ast.Constant) else None
            yield Citation(
                value if isinstance(value, str) else "no literal text", place
            )


def _is_rule_mark(node: ast.expr) -> bool:
    return ast.unparse(node) in ("pytest.mark.rule", "mark.rule")


def mentions_in(source: str, name: str) -> Iterator[Citation]:
    """The clauses that the docstrings and comments of a file name."""
    for line, text in _prose(source):
        joined = re.sub(r"\s*\n[\s#]*", " ", text)
        for pattern in (_NAMED, _BRACKETED):
            for match in pattern.finditer(joined):
                for piece in _PIECE.findall(match[0]):
                    yield Citation(normal(piece), f"{name}:{line}")


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Docstrings (texts that stand alone) and blocks of comments, with their lines."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
    block: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != last + 1:
                yield start, "\n".join(block)
                block = []
            start = start if block else token.start[0]
            last = token.start[0]
            block.append(token.string.lstrip("# "))
    if block:
        yield start, "\n".join(block)


# --- judging ---------------------------------------------------------------------


def unknown(citations: Iterable[Citation], known: Iterable[str]) -> list[str]:
    """The citations whose clause does not exist, as lines for a message."""
    there = set(known)
    return sorted(
        f"{c.place}: {c.clause!r}" for c in citations if c.clause not in there
    )


def untested(
    clauses: Iterable[str], tested: Iterable[Citation], excused: Iterable[str]
) -> list[str]:
    """The clauses that no mark names and that are not excused, in their order."""
    done = {citation.clause for citation in tested} | set(excused)
    return [clause for clause in clauses if clause not in done]


def _files(folder: Path, pattern: str) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob(pattern)):
        name = path.relative_to(folder.parent).as_posix()
        yield path.read_text(encoding="utf-8"), name


@pytest.fixture(scope="module")
def rules() -> str:
    """The text of RULES.md."""
    return RULES.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def marks() -> list[Citation]:
    """Every clause that a test names."""
    return [
        c for source, name in _files(TESTS, "test_*.py") for c in marks_in(source, name)
    ]


# --- the rules and the code agree ------------------------------------------------


def test_every_clause_has_a_test(rules: str, marks: list[Citation]) -> None:
    missing = untested(clauses_of(rules), marks, NOT_TESTABLE)
    assert not missing, f"{len(missing)} clauses without a test: {', '.join(missing)}"


def test_every_clause_that_a_test_names_exists(
    rules: str, marks: list[Citation]
) -> None:
    lines = unknown(marks, clauses_of(rules))
    assert not lines, "marks of clauses that do not exist:\n" + "\n".join(lines)


def test_every_clause_that_a_comment_names_exists(rules: str) -> None:
    known = [*clauses_of(rules), *chapters_of(rules)]
    files = [*_files(PACKAGE, "*.py"), *_files(TESTS, "*.py")]
    found = [
        citation
        for source, name in files
        if name != f"tests/{Path(__file__).name}"  # its examples are made up
        for citation in mentions_in(source, name)
    ]
    assert len(found) > 5, "the package names hardly any clause: is the reader broken?"
    lines = unknown(found, known)
    assert not lines, "named clauses that do not exist:\n" + "\n".join(lines)


def test_the_excuses_are_few_and_still_needed(
    rules: str, marks: list[Citation]
) -> None:
    assert len(NOT_TESTABLE) <= 4
    assert not set(NOT_TESTABLE) - set(clauses_of(rules))
    assert not set(NOT_TESTABLE) & {citation.clause for citation in marks}
    assert all(len(reason.split()) >= 4 for reason in NOT_TESTABLE.values())


# --- the readers read ------------------------------------------------------------


def test_the_rules_have_all_their_chapters_and_clauses(rules: str) -> None:
    assert chapters_of(rules) == [str(chapter) for chapter in range(1, 12)]
    numbered = {1: 3, 2: 5, 3: 5, 4: 5, 5: 9, 6: 6, 7: 6, 8: 8, 9: 4, 10: 8}
    plain = [f"{c}.{n}" for c, last in numbered.items() for n in range(1, last + 1)]
    lettered = [f"6.5({x})" for x in "abc"] + [f"7.3({x})" for x in ("i", "ii", "iii")]
    clauses = clauses_of(rules)
    assert sorted(clauses) == sorted([*plain, *lettered, "11"])
    assert clauses.index("6.5(a)") == clauses.index("6.5") + 1


def test_references_inside_the_rules_exist(rules: str) -> None:
    known = {*clauses_of(rules), *chapters_of(rules)}
    found = [
        piece
        for match in _BRACKETED.finditer(rules)
        for piece in _PIECE.findall(match[1])
    ]
    assert len(found) > 40
    assert not {normal(piece) for piece in found} - known


def test_a_bold_number_inside_a_sentence_is_no_clause() -> None:
    text = "## 4 Chi\n\n**4.1** See **4.9** there.\n\n- **4.1(a)** Two.\n **4.7** No.\n"
    assert chapters_of(text) == ["4"]
    assert clauses_of(text) == ["4.1", "4.1(a)"]


def test_marks_are_found_wherever_pytest_takes_them() -> None:
    source = """
import pytest
pytestmark = pytest.mark.rule("1.1")

@pytest.mark.rule("2.2", "6.5(a)")
class TestDeal:
    @pytest.mark.rule("2.3")
    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.rule("2.4"))])
    def test_it(self, x): "pytest.mark.rule('9.9') in a text is none"

@other.rule("3.1")
def test_none(): ...
"""
    clauses = sorted(citation.clause for citation in marks_in(source, "t.py"))
    assert clauses == ["1.1", "2.2", "2.3", "2.4", "6.5(a)"]


@pytest.mark.parametrize("mark", ["rule()", "rule(5.8)", "rule(CLAUSE)", "rule(*ALL)"])
def test_a_mark_that_cannot_be_read_is_reported(mark: str) -> None:
    found = list(marks_in(f"@pytest.mark.{mark}\ndef test_it(): ...\n", "t.py"))
    assert unknown(found, ["5.8"])


def test_a_fake_clause_is_caught() -> None:
    marked = marks_in('@pytest.mark.rule("5.8", "5.88")\ndef test_it(): ...\n', "t.py")
    assert unknown(marked, ["5.8"]) == ["t.py:1: '5.88'"]
    named = mentions_in('"""Stale (rules 5.8, 5.88)."""\nx = 1  # (7.77)\n', "m.py")
    assert unknown(named, ["5.8"]) == ["m.py:1: '5.88'", "m.py:2: '7.77'"]


def test_a_clause_without_a_test_is_caught() -> None:
    tested = [Citation("5.8", "t.py:1"), Citation("6.5", "t.py:2")]
    clauses = ["5.8", "6.5", "6.5(a)", "10.1", "10.7"]
    assert untested(clauses, tested, ["10.7"]) == ["6.5(a)", "10.1"]


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Stale tiles, rules 5.8.", ["5.8"]),
        ("See rule 5.8 and (rules 4.2, 4.4)", ["4.2", "4.4", "5.8"]),
        ("no discard (6.1\u20136.4)", ["6.1", "6.4"]),
        ("a ti (6.5 a), a wei (6.5(b))", ["6.5(a)", "6.5(b)"]),
        (
            "roles (7.3 (iii)), (10.3, ting_hu), (8.6: forced)",
            ["10.3", "7.3(iii)", "8.6"],
        ),
        ("rules, chapter 11; rules chapter 10; the rules 3 seats know", ["10", "11"]),
        (
            "split over (rules 4.2,\n    4.4) a line, rules\n# 9.9",
            ["4.2", "4.4", "9.9"],
        ),
        ("needs 2.5 s, Python 3.11, 1.2 million, f(1.5 * x), (0.5 s), v1.2", []),
        ("(5.8) twice (5.8)", ["5.8", "5.8"]),
    ],
)
def test_clauses_are_read_from_prose(text: str, clauses: list[str]) -> None:
    found = [citation.clause for citation in mentions_in(f'"""{text}"""\n', "m.py")]
    assert sorted(set(found)) == sorted(set(clauses))


def test_comments_and_docstrings_are_read_but_code_is_not() -> None:
    source = '''
"""Module (1.1)."""
x = "rules 9.9"  # trailing (2.2)
# a block that names (rules 3.3,
# 4.4) over two lines
LIMIT: int = 1
"""An attribute's docstring (5.5)."""
def f() -> None:
    """Promise (rules 6.6)."""
    raise ValueError("(8.8)")
'''
    found = {citation.clause for citation in mentions_in(source, "m.py")}
    assert found == {"1.1", "2.2", "3.3", "4.4", "5.5", "6.6"}
