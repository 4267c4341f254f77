"""The suite in miniature: all its parts run, and what they write can be read again."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from benchmarks import cold_start, report, throughput
from benchmarks import speed as suite
from paohuzi_env.core._compile import COMPILED

pytestmark = pytest.mark.skipif(not COMPILED, reason="there is nothing to measure without the compiler")


@pytest.fixture(scope="module")
def measured() -> report.Report:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite.Options, "rounds", 2)
        patch.setattr(suite.Options, "seconds", 0.01)
        parts: tuple[suite.Part, ...] = ("play", "presets", "evaluator", "search", "threads", "memory")
        return suite.run(suite.Options(quick=True, parts=parts, peers=()))


def test_every_part_has_lines(measured: report.Report) -> None:
    groups = {line.group for line in measured.lines}
    assert groups == set(report.GROUPS) - {"peers", "ratios", "cold start"}
    assert all(line.value > 0 for line in measured.lines)
    assert all(line.low <= line.value <= line.high for line in measured.lines)


def test_each_target_stands_beside_a_line(measured: report.Report) -> None:
    names = {line.name for line in measured.lines if line.target is not None}
    assert names >= {
        *throughput.TARGETS,
        "verdicts",
        "waits",
        "determinizations",
        f"{throughput.vector_name(throughput.N)}, two threads to one",
    }


def test_rates_are_held_against_both_yardsticks(measured: report.Report) -> None:
    line = measured.line(throughput.vector_name(throughput.N))
    assert len(line.runs) == 2
    assert line.to_calibration is not None
    assert line.to_bare is not None
    assert 0 < line.to_bare < 1
    assert measured.line(throughput.CALIBRATION).to_calibration == 1


def test_presets_stand_beside_hunan(measured: report.Report) -> None:
    assert measured.line("hunan to hunan").value == 1
    yongzhou = measured.line("yongzhou to hunan")
    assert yongzhou.unit == "times"
    assert yongzhou.to_calibration is None


def test_the_json_says_machine_versions_and_commit_and_is_read_again(measured: report.Report, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "bench.json"
    measured.save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert {"processor", "cores", "memory_gib", "system", "python"} <= set(data["machine"])
    assert {"numpy", "numba"} <= set(data["versions"])
    assert {"hash", "changed"} == set(data["commit"])
    assert report.load(path) == measured


@pytest.mark.parametrize("text", ["{}", '{"format": 99}', "[]", "no json"])
def test_what_is_no_report_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((msgspec.ValidationError, msgspec.DecodeError)):
        report.load(path)


def test_the_table_has_every_figure(measured: report.Report, capsys: pytest.CaptureFixture[str]) -> None:
    report.show(measured, report.console())
    shown = capsys.readouterr().out
    for line in measured.lines:
        assert line.name in shown


def test_the_plot_is_a_picture(measured: report.Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    report.plot(measured, tmp_path / "bench.png")
    assert (tmp_path / "bench.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_readme_section_is_written_between_its_markers(measured: report.Report, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n", encoding="utf-8")
    report.write_readme(measured, path)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{report.BEGIN}\n| figure |")
    assert text.endswith(f"\n{report.END}\nafter\n")
    assert "\nold\n" not in text
    report.write_readme(measured, path)
    assert path.read_text(encoding="utf-8") == text


def test_a_readme_without_markers_is_refused(measured: report.Report, tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("nothing", encoding="utf-8")
    with pytest.raises(ValueError, match="bench:begin"):
        report.write_readme(measured, path)


def test_an_unknown_peer_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown peer 'chess'; allowed: open_spiel"):
        suite.run(suite.Options(peers=("chess",)))


# --- cold start -------------------------------------------------------------------------------------------------------

PRETENDS: str = """
import os, pathlib, sys
cache = pathlib.Path(os.environ["PAOHUZI_CACHE_DIR"])
if not cache.exists():
    cache.mkdir()
    print("paohuzi: compiling the rules, about 0 s, once", file=sys.stderr)
"""


def test_cold_start_has_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "HAND", PRETENDS)
    monkeypatch.setattr(cold_start, "BATCH", PRETENDS)
    figures = cold_start.cold_start_figures(1)
    assert len(figures) == 7 + len(cold_start.EDITED)
    assert all(f.smaller_is_better and f.value > 0 for f in figures)
    assert sum(f.target is not None for f in figures) == 5


@pytest.mark.parametrize(
    ("hand", "complaint"), [("pass", "no notice"), ("1/0", "ZeroDivisionError"), (PRETENDS.replace("if not", "if True or not").replace("mkdir()", "mkdir(exist_ok=True)"), "a notice of compiling")]  # noqa: E501 - a program a case
)  # fmt: skip
def test_a_start_that_is_not_as_it_should_be_is_an_error(
    hand: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_start, "HAND", hand)
    monkeypatch.setattr(cold_start, "BATCH", "pass")
    with pytest.raises(RuntimeError, match=complaint):
        cold_start.cold_start_figures(1)
