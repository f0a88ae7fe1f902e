"""Counting verdicts: what is printed and could have failed comes first."""

from dataclasses import replace

from flowstart_papers.counting import Counted, headline
from flowstart_papers.target import Target, TargetClass, Verdict

NUMBER = Target(id="a", paper="p", experiment="P-1", figure="1", what="w", unit="", expected=1,
                kind="value")  # fmt: skip
TREND = replace(NUMBER, kind="trend")


def counted(
    target: Target, verdict: str, kind: str = "printed", *, fitted: bool = False
) -> Counted:
    return Counted(replace(target, target_class=TargetClass(kind)), Verdict(verdict), fitted)


def test_only_what_is_printed_and_could_fail_counts_first() -> None:
    found = [
        counted(NUMBER, "met"),
        counted(NUMBER, "missed"),
        counted(TREND, "trend met", fitted=True),
        counted(NUMBER, "met", "prediction"),
        counted(NUMBER, "met", "identity"),
        counted(NUMBER, "met", "repeat"),
        counted(NUMBER, "refuted", "refutation"),
        counted(NUMBER, "not checkable"),
    ]
    assert headline(found) == (
        "Printed, and could have come out otherwise: 2 of 3 hold (numbers 1 of 2, statements "
        "1 of 1); 1 of them with an input fitted to them. Besides these: our predictions 1 of 1, "
        "identities 1 of 1, repeats 1 of 1, statements refuted 1 of 1, not checkable 1."
    )


def test_a_miss_with_a_fitted_input_is_no_success() -> None:
    assert headline([counted(NUMBER, "missed", fitted=True)]) == (
        "Printed, and could have come out otherwise: 0 of 1 hold (numbers 0 of 1, statements "
        "0 of 0)."
    )


def test_without_targets_there_is_nothing_to_count() -> None:
    assert headline([]) == "No targets."
