"""Scalable flows as users ask for them: the example, the stack's field, and what is refused."""

from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
import l4s
from flowstart.model import stack


def test_the_example_shows_equal_shares_and_unequal_delays() -> None:
    cubic, prague = l4s.shared("40Mbps", "10ms", seconds=25)
    assert 0.6 < prague.rate / cubic.rate < 1.67
    assert prague.rate + cubic.rate > 0.93 * 40e6
    assert 0 < prague.median < 0.0015 < 0.008 < cubic.median < 0.022


def scenario(**changes: Any) -> fs.Scenario:
    """A Prague flow over a DualPI2 queue."""
    path = fs.NetworkPath(rate="10Mbps", rtt="20ms", buffer="400pkt", queue="dualpi2")
    flow = fs.Flow(cc="prague", size="1MB")
    return fs.Scenario(**{"path": path, "flows": [flow], "stack": {"ecn": "l4s"}, **changes})


def test_marks_are_counted_where_the_stack_says_so() -> None:
    row = fs.run(scenario()).records[0]
    assert row["packets_marked"] > 0
    assert row["packets_dropped"] == 0
    assert row["startup_exit_reason"] == "ecn"


@pytest.mark.parametrize(("given", "said"), [("rfc", "off"), ({"ecn": True}, "classic")])
def test_elsewhere_prague_says_what_it_needs(given: object, said: str) -> None:
    needed = f'give `stack.ecn = "l4s"`, which is `{said}` here'
    with pytest.raises(ValueError, match=needed):
        fs.run(scenario(stack=given))


def test_the_command_line_takes_the_mode_as_a_word(
    cli: Callable[..., Any],
) -> None:
    assert stack.parse("linux:ecn=l4s") == {"preset": "linux", "ecn": "l4s"}
    path = ("--rate", "10Mbps", "--rtt", "20ms", "--buffer", "400pkt", "--queue", "dualpi2")
    flows = ("--size", "1MB", "--startup", "slow-start", "--cc", "prague")
    assert "slow-start" in cli("compare", *path, *flows, "--stack", "linux:ecn=l4s").out
    refused = cli("compare", *path, *flows, "--stack", "linux:ecn=true")
    assert refused.status == 2
    assert "`prague` needs marks that are counted" in refused.err
