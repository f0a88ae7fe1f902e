"""A receiver's window that limits the baseline is named first, with what a larger one changes."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import flowstart as fs
from flowstart.comparison import larger_window
from flowstart.comparison.result import Comparison

SLOW = fs.NetworkPath(rate="10Mbps", rtt="200ms")


def compared(
    stack: str,
    path: fs.NetworkPath = SLOW,
    size: str = "1MB",
    variants: Sequence[str] = (),
    *,
    uncertainty: bool = False,
) -> Comparison:
    return fs.compare(
        path,
        startups=["slow-start"],
        sizes=[size],
        stack=stack,
        variants=variants,
        uncertainty=uncertainty,
    )


@pytest.mark.parametrize(
    ("stack", "limit"),
    [("linux:window=30kB", "receive-window"), ("quinn:window=30kB", "stream-flow-control")],
)
def test_a_window_that_limits_is_compared_with_one_four_times_as_large(
    stack: str, limit: str
) -> None:
    found = compared(stack)
    assert found.plan.startups == ("slow-start", larger_window.NAME)
    base, larger = found.summaries
    assert base.limited_by == limit
    # A window a round trip: four times as much of the path is used.
    assert larger.fct_s and base.fct_s and larger.fct_s < 0.4 * base.fct_s
    assert larger.best
    answer = " ".join(found.summary().answer)
    share = round(100 * base.window_share)
    assert f"The receiver's window of 30 kB limits slow-start for {share} % of the time" in answer


def test_a_window_of_http2_has_no_larger_variant() -> None:
    found = compared("linux:receiver=node")
    (base,) = found.summaries
    assert base.limited_by == "stream-flow-control"
    assert "The flow control of node above TCP limits slow-start for" in " ".join(
        found.summary().answer
    )


def test_the_window_that_a_preset_ships_is_compared_with_one_four_times_as_large() -> None:
    found = compared("quinn", fs.NetworkPath(rate="1Gbps", rtt="150ms"), "20MB")
    variants = {variant.name: variant.stack for variant in found.plan.variants}
    assert variants[larger_window.NAME] == {"window": "5000000B"}
    assert "The receiver's window of 1.25 MB limits" in " ".join(found.summary().answer)


def test_a_window_that_does_not_limit_is_not_mentioned() -> None:
    found = compared("linux:window=10MB")
    assert found.plan.startups == ("slow-start",)
    assert "window" not in " ".join(found.summary().answer)


def test_a_larger_window_that_harms_is_not_chosen() -> None:
    path = fs.NetworkPath(rate="100Mbps", rtt="100ms")
    found = compared("quinn:window=1250000B", path, "10MB", uncertainty=True)
    answer = " ".join(found.summary().answer)
    assert "one 4 times as large is 3.0 % slower" in answer
    assert "keep slow-start" in answer


def test_a_baseline_with_a_name_of_its_own_is_compared_too() -> None:
    variants = ["now: startup=slow-start", "other: startup=hystart"]
    found = fs.compare(
        SLOW, sizes=["1MB"], stack="linux:window=30kB", variants=variants, uncertainty=False
    )
    assert larger_window.NAME in found.plan.startups
    assert "The receiver's window of 30 kB limits now for" in " ".join(found.summary().answer)


def test_variants_with_other_windows_are_left_as_they_are() -> None:
    found = compared("linux:window=30kB", variants=["wide: startup=slow-start window=90kB"])
    assert larger_window.NAME not in found.plan.startups


def test_shares_of_a_row_add_up_to_one() -> None:
    row = compared("linux:window=30kB").records[0]
    shares = [value for name, value in row.items() if name.endswith("_share")]
    assert len(shares) == 9
    assert sum(shares) == pytest.approx(1.0, abs=1e-12)
    assert row["limited_by"] == "receive-window"


def test_options_choose_the_receiver_and_its_window(cli: Callable[..., Any]) -> None:
    path = ("--rate", "1Gbps", "--rtt", "150ms", "--size", "20MB", "--startup", "slow-start")
    common = ("compare", "--stack", "quinn", *path, "--no-uncertainty")
    shipped = cli(*common).out
    unlimited = cli(*common, "--window", "unlimited").out
    chrome = cli(*common, "--receiver", "chrome").out
    assert "The receiver's window of 1.25 MB limits" in shipped
    assert "The receiver's window" not in unlimited
    assert "stack quinn:receiver=chrome" in chrome
    assert "1.25 MB" not in chrome
