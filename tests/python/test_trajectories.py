"""What flows do over time, binned while they run."""

import json
import math
import threading
import time
from typing import Any

import numpy as np
import pytest

from flowstart import RequestError, Startup, _native
from flowstart.model.custom import CustomStartups
from flowstart.simulation.batch import run_many
from flowstart.simulation.trajectories import (
    Cancel,
    Cancelled,
    StepLine,
    TimeWindow,
    Traced,
    trajectories,
)

NONE = CustomStartups()


def scenario(startup: str = "slow-start", size: str = "1MB", **more: Any) -> str:
    """One flow over 50 Mbit/s and 80 ms."""
    flows = [{"startup": startup, "size": size}]
    return json.dumps({"path": {"rate": "50Mbps", "rtt": "80ms"}, "flows": flows} | more)


def numbers(line: StepLine) -> tuple[list[int], list[float]]:
    """Bins and values."""
    bins, values = np.frombuffer(line.bins, "<u2"), np.frombuffer(line.values, "<f4")
    return bins.tolist(), values.tolist()


def traced(*scenarios: str, window: TimeWindow | None = None) -> Traced:
    """The first flow of each."""
    flows = [[0]] * len(scenarios)
    return trajectories(scenarios, flows, window or TimeWindow(columns=300), NONE, workers=2)


def test_the_rows_are_those_of_the_same_runs_without_lines() -> None:
    scenarios = [scenario(name) for name in ("slow-start", "jump-start", "hystart")]
    found, plain = traced(*scenarios), run_many(scenarios, 2, None, NONE)
    for table in ("runs", "flows", "links"):
        assert found.batch[table].lists() == plain[table].lists()


def test_bins_are_no_more_than_columns_and_no_fewer_than_two_thirds_of_them() -> None:
    found = traced(scenario(), scenario("jump-start"))
    last = max(numbers(of[0].lines["acked"])[0][-1] for of in found.found)
    assert 200 <= last + 1 <= 300
    assert found.from_s == 0


def test_a_line_ends_where_the_flow_did() -> None:
    lines = traced(scenario()).found[0][0].lines
    assert numbers(lines["sent"])[1][-1] == 1e6
    assert numbers(lines["acked"])[1][-1] == 1e6
    assert numbers(lines["flight"])[1][-1] == 0
    assert numbers(lines["queue"])[1][-1] == 0
    assert numbers(lines["pacing"]) == ([], [])


def test_events_are_counted_and_have_a_point_each_while_there_is_room() -> None:
    jumps = [scenario("jump-start", size, stack={"preset": "rfc"}) for size in ("10MB", "1MB")]
    found = traced(*jumps)
    for row, of in zip(found.batch["flows"].lists()["packets_dropped"], found.found, strict=True):
        drops = of[0].events["drop"]
        assert drops.total == row > 0
        assert len(drops.bins) // 2 <= min(row, 2 * 300)
    assert len(drops.bins) // 2 == drops.total


def test_a_window_stops_the_run_and_its_lines_begin_with_what_was_before() -> None:
    whole = scenario("slow-start", "10MB")
    found = traced(whole, window=TimeWindow(columns=100, from_s=0.5, to_s=0.6))
    assert found.from_s == 0.5
    assert found.bin_s == pytest.approx(0.001)
    assert found.batch["runs"].lists()["simulated_s"] == [0.6]
    trace = _native.run(json.dumps(json.loads(whole) | {"trace": True}))["trace"]
    assert trace is not None
    samples = trace["flow_samples"]
    at_sender = samples["event"] < 6
    times, cwnd = samples["time_ns"][at_sender] / 1e9, samples["cwnd"][at_sender]
    bins, values = numbers(found.found[0][0].lines["cwnd"])
    assert bins[0] == 0
    assert values[0] == cwnd[times < 0.5][-1]
    assert values[-1] == cwnd[times < 0.6][-1]


def test_a_rate_that_ends_is_not_a_number_from_then_on() -> None:
    _, values = numbers(traced(scenario("jump-start")).found[0][0].lines["pacing"])
    assert values[0] > 0
    assert math.isnan(values[-1])


class Doubling(Startup):
    """Slow start, in Python."""

    def on_ack(self, w: _native.Window, ack: Any) -> None:
        w.cwnd += ack.acked / w.mss


def test_a_startup_in_python_has_lines_too() -> None:
    custom = CustomStartups()
    name = custom.name(Doubling)
    found = trajectories([scenario(name), scenario()], [[0], [0]], TimeWindow(100), custom)
    mine, theirs = (numbers(of[0].lines["acked"])[1][-1] for of in found.found)
    assert mine == theirs == 1e6


@pytest.mark.parametrize("startup", ["slow-start", "Doubling"])
def test_cancelled_runs_end_soon_and_raise(startup: str) -> None:
    custom = CustomStartups()
    if startup == "Doubling":
        startup = custom.name(Doubling)
    cancel = Cancel()
    long = scenario(startup, "10TB")
    threading.Timer(0.2, cancel.cancel).start()
    begin = time.monotonic()
    with pytest.raises(Cancelled):
        trajectories([long] * 3, [[0]] * 3, TimeWindow(300), custom, 2, cancel)
    assert time.monotonic() - begin < 60


@pytest.mark.parametrize(
    ("window", "says"),
    [
        (TimeWindow(0), "columns: `0` is out of range; 1 to 10000 is needed"),
        (TimeWindow(10_001), "columns: `10001` is out of range; 1 to 10000 is needed"),
        (TimeWindow(10**12), "columns: `1000000000000` is out of range; 1 to 10000 is needed"),
        (TimeWindow(10, from_s=-1), "from_s: `-1` is out of range; seconds from 0 are needed"),
        (
            TimeWindow(10, from_s=math.nan),
            "from_s: `NaN` is out of range; seconds from 0 are needed",
        ),
        (
            TimeWindow(10, 0.5, 0.5),
            "to_s: `0.5` is out of range; more than from_s, `0.5`, is needed",
        ),
        (TimeWindow(10, to_s=math.inf), "to_s: `inf` is out of range; seconds from 0 are needed"),
    ],
)
def test_a_window_that_cannot_be_is_refused(window: TimeWindow, says: str) -> None:
    with pytest.raises(RequestError) as refused:
        traced(scenario(), window=window)
    assert str(refused.value) == says


def test_a_flow_that_is_not_there_is_refused() -> None:
    with pytest.raises(RequestError, match="flow 3: the run has one flow, number 0"):
        trajectories([scenario()], [[3]], TimeWindow(10), NONE)
    with pytest.raises(RequestError, match="flows: 2 lists of numbers; one for each scenario"):
        trajectories([scenario()], [[0], [0]], TimeWindow(10), NONE)


def steepest(line: StepLine, bins: int, bin_s: float) -> float:
    """The most that a line of bytes gains over so many bins, in bits per second."""
    places, values = numbers(line)
    held = np.zeros(places[-1] + 1)
    for place, value in zip(places, values, strict=True):
        held[place:] = value
    gained = held[bins:] - held[:-bins]
    return float(8 * gained.max() / (bins * bin_s))


def test_what_sack_reports_counts_when_it_is_reported_and_not_when_the_hole_is_repaired() -> None:
    run = traced(scenario("jump-start", size="3MB", stack={"preset": "linux"}))
    lines, bins = run.found[0][0].lines, round(0.08 / run.bin_s)
    assert steepest(lines["acked"], bins, run.bin_s) > 90e6
    # The link has 50 Mbit/s, and acknowledgements come in pairs.
    assert steepest(lines["delivered"], bins, run.bin_s) < 51e6
    ends = {name: numbers(lines[name])[1][-1] for name in ("acked", "delivered")}
    assert ends == {"acked": 3e6, "delivered": 3e6}
