"""Verdicts: what is measured against what was published."""

import pathlib
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from flowstart_papers import published
from flowstart_papers.target import (
    Expected,
    Kind,
    Measured,
    Target,
    TargetClass,
    Value,
    Verdict,
    read,
)


def target(
    expected: Expected, kind: Kind = "value", *, within: float = 0.0, within_percent: float = 0.0
) -> Target:
    return Target(
        id="a.b",
        paper="a",
        experiment="A-1",
        figure="Fig. 1",
        what="something",
        unit="s",
        expected=expected,
        kind=kind,
        within=within,
        within_percent=within_percent,
    )


@pytest.mark.parametrize(
    ("expected", "tolerance", "value", "verdict"),
    [
        (71.4, {"within": 0.3}, 71.7, Verdict.MET),
        (71.4, {"within": 0.3}, 71.71, Verdict.MISSED),
        (0.3, {}, 0.1 + 0.2, Verdict.MET),
        (200, {"within_percent": 10}, 220, Verdict.MET),
        (200, {"within_percent": 10}, 179, Verdict.MISSED),
        (-200, {"within_percent": 10}, -181, Verdict.MET),
        ((9, 45), {"within": 1}, 46, Verdict.MET),
        ((9, 45), {"within": 1}, 7.9, Verdict.MISSED),
        ((4, None), {}, 1e9, Verdict.MET),
        ((None, 4), {}, 5, Verdict.MISSED),
        (7, {}, [7, 7, 7], Verdict.MET),
        (7, {}, [7, 8, 7], Verdict.MISSED),
        (7, {}, [], Verdict.MISSED),
        ("ack-train", {}, "ack-train", Verdict.MET),
        ("ack-train", {}, "delay", Verdict.MISSED),
        (7, {}, None, Verdict.MISSED),
    ],
)
def test_a_value_is_judged_by_its_tolerance(
    expected: Expected, tolerance: dict[str, Any], value: Value, verdict: Verdict
) -> None:
    assert target(expected, **tolerance).judge(Measured(value)) is verdict


@pytest.mark.parametrize(("holds", "verdict"), [(True, "trend met"), (False, "trend missed")])
def test_a_trend_holds_or_does_not(holds: bool, verdict: str) -> None:
    assert target("it falls", "trend").judge(Measured(3.0, holds=holds)) == verdict


def test_a_refutation_that_comes_true_refutes_the_paper() -> None:
    against = replace(target(7), target_class=TargetClass.REFUTATION, says="it is 8")
    assert against.judge(Measured(7)) is Verdict.REFUTED
    assert against.judge(Measured(8)) is Verdict.MISSED


def test_a_tolerance_that_was_widened_says_so() -> None:
    assert replace(target(7, within=2), widened_from="± 1").tolerance() == (
        "± 2 (widened from ± 1)"
    )


def test_a_name_with_a_gap_has_a_value_for_each_of_what_fills_it() -> None:
    group = {"figure": "1", "what": "w", "expected": {"a.{}.rtt": {"t1": 2, "oc1": 3}, "a.b": 1}}
    found = {one.id: one.expected for one in read({"group": {"T-1": [group]}}, "a")}
    assert found == {"a.t1.rtt": 2, "a.oc1.rtt": 3, "a.b": 1}


def test_a_field_that_no_target_has_is_refused() -> None:
    group = {"figure": "1", "what": "w", "klass": "printed", "expected": {"a.b": 1}}
    with pytest.raises(ValueError, match=r"a[.]b: no target has the field klass"):
        read({"group": {"T-1": [group]}}, "a")


def test_a_published_number_is_a_target_or_in_the_table_of_printed_ones(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "printed"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "targets.toml").write_text(
        '[paper]\nname = "a"\n[printed]\n"a.words" = 2\n'
        '[[group.T-1]]\nfigure = "1"\nwhat = "w"\n[group.T-1.expected]\n'
        '"a.one" = 7\n"a.open" = [4, "up"]\n"a.both" = [1, 2]\n"a.words" = "roughly twice"\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found = published.of("printed")
    numbers = [found.number(name) for name in ("a.one", "a.open", "a.words")]
    assert numbers == [7, 4, 2]
    with pytest.raises(ValueError, match=r"a[.]both: no number is published"):
        found.number("a.both")


def test_a_target_is_found_in_the_row_and_the_column_that_it_names() -> None:
    group = {
        "figure": "1", "what": "w", "kind": "trend", "column": "gain", "rows": "a.{size}",
        "holds": "gain < 0", "expected": {"a.2": "slower", "a.4": "slower"},
    }  # fmt: skip
    rows = {"size": [2, 4], "gain": [-3.0, 5.0], "gain_low": [-4.0, 4.0], "gain_high": [-2.0, 6.0]}
    found = [one.in_row(pl.DataFrame(rows)) for one in read({"group": {"T-1": [group]}}, "a")]
    assert [one.holds for one in found] == [True, False]
    assert found[0] == Measured(-3.0, holds=True, interval=(-4.0, -2.0))
    with pytest.raises(ValueError, match=r"a[.]2: 0 rows are of this target"):
        read({"group": {"T-1": [group]}}, "a")[0].in_row(pl.DataFrame({"size": [3], "gain": [1.0]}))


def test_what_cannot_be_checked_needs_no_measurement() -> None:
    assert target(7, "not checkable").judge(None) is Verdict.NOT_CHECKABLE


def test_an_experiment_cannot_say_of_a_value_that_it_holds() -> None:
    with pytest.raises(ValueError, match="a value is judged by its tolerance alone"):
        target(7).judge(Measured(8, holds=True))
    with pytest.raises(ValueError, match="a trend holds or does not"):
        target("it falls", "trend").judge(Measured(8))
    with pytest.raises(ValueError, match="nothing was measured"):
        target(7).judge(None)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (target(7, within=0.5), "± 0.5"),
        (target(7, within_percent=15), "± 15 %"),
        (target(7), "exact"),
        (target("delay"), "exact"),
        (target("it falls", "trend"), ""),
    ],
)
def test_tolerance_in_words(made: Target, words: str) -> None:
    assert made.tolerance() == words
