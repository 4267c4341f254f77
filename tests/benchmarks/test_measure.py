"""Cases take turns, and medians are taken over rounds."""

from __future__ import annotations

import pytest

from benchmarks.measure import Case, CaseError, Figure, Tally, figures_of, interleave, ratio_runs, repeating


def counted(name: str, order: list[str], rates: list[int]) -> Case:
    """A case of the given rates: the first is the warm-up's."""
    left = iter(rates)

    def run(seconds: float) -> Tally:
        order.append(f"{name} {seconds:g}")
        return Tally(next(left), 1.0, 2.0)

    return Case(name, "group", "things", run)


def test_cases_take_turns_after_a_warm_up_that_does_not_count() -> None:
    order: list[str] = []
    cases = [counted("a", order, [9, 1, 3]), counted("b", order, [9, 2, 4])]
    tallies = interleave(cases, 2, 0.5)
    assert order == ["a 0.05", "b 0.05", "a 0.5", "b 0.5", "a 0.5", "b 0.5"]
    assert [t.units for t in tallies["a"]] == [1, 3]
    assert [t.units for t in tallies["b"]] == [2, 4]


def test_a_case_that_fails_is_left_out_with_its_reason() -> None:
    def run(_: float) -> Tally:
        raise CaseError("gone")

    failures: dict[str, str] = {}
    cases = [Case("bad", "group", "things", run), counted("good", [], [1, 1])]
    tallies = interleave(cases, 1, 1.0, failures=failures)
    assert list(tallies) == ["good"]
    assert failures == {"bad": "gone"}
    assert [f.name for f in figures_of(cases, tallies, {})] == ["good"]


def test_names_are_unique() -> None:
    with pytest.raises(ValueError, match="one name"):
        interleave([counted("a", [], [1]), counted("a", [], [1])], 1, 1.0)


def test_a_figure_is_the_median_of_its_runs() -> None:
    assert Figure("a", "g", "u", (1.0, 100.0, 3.0)).value == 3.0


@pytest.mark.parametrize(
    ("target", "smaller", "reached"), [(None, False, None), (2.0, False, True), (4.0, False, False), (2.0, True, False)]
)
def test_a_target_is_reached_from_its_side(target: float | None, smaller: bool, reached: bool | None) -> None:
    assert Figure("a", "g", "u", (3.0,), target, smaller).reached is reached


def test_a_rate_is_units_a_cpu_second() -> None:
    tally = repeating(lambda: 7)(0.01)
    assert tally.cpu >= 0.01
    assert tally.units % 7 == 0
    assert tally.rate == tally.units / tally.cpu


def test_ratios_are_taken_within_a_round() -> None:
    assert ratio_runs((2.0, 30.0), (1.0, 10.0)) == (2.0, 3.0)
    with pytest.raises(ValueError, match="argument 2 is longer"):
        ratio_runs((1.0,), (1.0, 2.0))
