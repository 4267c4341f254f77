"""The README: its generated sections are up to date, its code runs, and what it links to is there."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.tools.readme import SECTIONS, section  # noqa: E402  # the folder above is not on the path elsewhere

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("name", SECTIONS)
def test_a_generated_section_is_what_the_code_says(name: str) -> None:
    assert section(TEXT, name) == SECTIONS[name](), "run: python -m tests.tools.readme"


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_its_python_runs(number: int) -> None:
    exec(compile(BLOCKS[number], f"README block {number}", "exec"), {})


def test_there_are_examples_and_the_first_is_short() -> None:
    assert len(BLOCKS) >= 4
    assert len(BLOCKS[0].splitlines()) <= 12


def test_links_and_pictures_are_there() -> None:
    targets = [t for t in re.findall(r"\]\(([^)]+)\)", TEXT) if "://" not in t and not t.startswith("#")]
    assert targets
    assert [t for t in targets if not (ROOT / t.partition("#")[0]).exists()] == []


def test_every_command_and_target_that_it_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"make ([a-z]+)\b", TEXT):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    from paohuzi_env import cli

    source = Path(cli.__file__).read_text(encoding="utf-8")
    for command in re.findall(r"paohuzi ([a-z]+) ", TEXT):
        assert f'"{command}"' in source or f"def {command}" in source, command


COMMANDS = [c for c in re.findall(r"^\| `paohuzi ([^`]+)` \|", TEXT, re.MULTILINE) if "<" not in c]


def test_its_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from paohuzi_env.cli import main

    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) >= 4
    for command in COMMANDS:  # in order: one replays what another has recorded
        assert main(shlex.split(command)) == 0, command
    assert "hunan" in capsys.readouterr().out
