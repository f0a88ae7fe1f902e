"""Loads of several requests: what is asked for, what is refused, and the summary of both."""

from typing import Any

import pytest

import flowstart as fs
from flowstart import _native
from flowstart.comparison.live import load
from flowstart.comparison.live.load import decade, quantile

FLOWS = {
    "path": {"rate": "20Mbps", "rtt": "40ms"},
    "flows": [{"size": "100kB", "count": 3, "stagger": "100ms", "opener": "receiver"}],
}
WEB = {
    "path": {"rate": "20Mbps", "rtt": "40ms", "hosts": 1},
    "web": [{"size": "20", "pages": 2, "objects": 2, "request": "300B", "single_connection": True}],
}


def outcome(**of: Any) -> Any:
    """What one run in the kernel tells of as many requests as `number` has."""
    count = len(of["number"])
    late = {"median_s": 1e-6, "p99_s": 1e-5, "most_s": 1e-4}
    requests = {
        "size_bytes": [1000] * count,
        "asked_s": [0.0] * count,
        "fct_s": [0.1] * count,
        "packets_retransmitted": [0] * count,
        "startup_exit_reason": [None] * count,
        "startup_exit_cwnd_segments": [None] * count,
        "failure": [None] * count,
    }
    objects = of.pop("objects", [])
    return {"requests": requests | of, "objects": objects, "lateness": late, "stalls": 0}


def skipped(drives: bool) -> None:
    """Skips where this machine or build runs nothing in the kernel."""
    if "linux" not in _native.BUILT_LIVE_STACKS:
        pytest.skip("the module was built without the kernel's TCP (feature `linux`)")
    if missing := _native.live_prohibition("linux", drives):
        pytest.skip(missing)


def test_flows_and_objects_of_the_simulator_are_requests() -> None:
    rows = load.simulated(fs.run(FLOWS).outcome)
    assert [row["flow"] for row in rows] == [0, 1, 2]
    assert [row["asked_s"] for row in rows] == pytest.approx([0.0, 0.1, 0.2])
    assert {row["size_bytes"] for row in rows} == {100_000}
    objects = load.simulated(fs.run(WEB).outcome)
    assert [(row["page"], row["object"]) for row in objects] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert {row["flow"] for row in objects} == {None}
    assert all(row["size_bytes"] == 20 * 1448 for row in objects)
    assert all(row["fct_s"] > 0.06 for row in objects)


def test_requests_in_the_kernel_are_told_apart_as_the_simulators_are() -> None:
    told = outcome(number=[1, 0, 2], objects=[(0, 0, 0, 5)])
    rows = load.live(told, 1, 2)
    assert [load.key(row) for row in rows] == [
        (1, None, None, None, None),
        (0, None, None, None, None),
        (None, 0, 0, 0, 5),
    ]
    assert {row["repeat"] for row in rows} == {1}


def test_a_summary_has_a_row_for_each_decade_and_the_spread_of_the_runs() -> None:
    ours = load.simulated(fs.run(FLOWS).outcome)
    runs = [
        load.live(outcome(number=[0], size_bytes=[100_000], fct_s=[fct]), repeat, 1)
        for repeat, fct in enumerate([0.3, 0.1, None, 0.2])
    ]
    (row,) = load.summary([*ours, *(row for run in runs for row in run)])
    assert (row["above_bytes"], row["up_to_bytes"], row["requests"]) == (1e4, 1e5, 3)
    assert (row["live_median_s"], row["live_median_least_s"], row["live_median_most_s"]) == (
        0.2,
        0.1,
        0.3,
    )
    assert row["live_incomplete"] == 1
    assert row["median_difference"] == pytest.approx(0.2 / row["simulated_median_s"] - 1)


def test_a_class_of_sizes_ends_at_a_power_of_ten() -> None:
    assert [decade(size) for size in (0, 1, 10_000, 10_001, 100_000, 2_000_000)] == [
        (0.0, 1e4),
        (0.0, 1e4),
        (0.0, 1e4),
        (1e4, 1e5),
        (1e4, 1e5),
        (1e6, 1e7),
    ]


def test_a_quantile_lies_between_its_neighbours() -> None:
    assert quantile([], 0.5) is None
    assert quantile([3.0], 0.95) == 3.0
    assert quantile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert quantile([0.0, 10.0], 0.95) == pytest.approx(9.5)


def test_a_control_of_the_kernels_stands_for_what_it_is_in_the_simulator() -> None:
    document = load.prepared({**FLOWS}, "reno")
    assert document["stack"] == {"preset": "linux"}
    assert document["flows"][0]["startup"] == "slow-start"
    assert document["flows"][0]["cc"] == "reno"
    assert "web" not in document
    assert "startup" not in load.prepared(WEB, None)["web"][0]


@pytest.mark.parametrize(
    ("asked", "kernel", "message"),
    [
        ({}, "vegas", "kernel: `vegas`: the kernel's own are cubic, reno, bbr"),
        ({"stack": {"iw": 20}}, None, "stack: `iw=20`: the kernel has its own"),
        ({"stack": {"preset": "quic"}}, None, "stack: `preset=quic`: the kernel has its own"),
    ],
)
def test_what_the_kernel_cannot_be_is_refused(
    asked: dict[str, Any], kernel: str | None, message: str
) -> None:
    with pytest.raises(fs.RequestError) as refused:
        load.prepared(FLOWS | asked, kernel)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (FLOWS | {"flows": [{"size": "1kB"}]}, "flows[0].opener: `sender`"),
        (FLOWS | {"flows": [{"opener": "receiver"}]}, "flows[0].size: a load has transfers"),
        (
            WEB | {"web": [{**WEB["web"][0], "single_connection": False}]},  # type: ignore[index]
            "web[0].single_connection: `false`",
        ),
    ],
)
def test_a_scenario_that_is_no_load_is_refused(scenario: Any, message: str) -> None:
    skipped(drives=False)
    document = {**scenario, "duration": "1s"}
    with pytest.raises(fs.RequestError) as refused:
        fs.live_load(document, kernel="reno", repeat=1)
    assert message in str(refused.value)


def test_a_load_runs_in_the_kernel_beside_the_simulator() -> None:
    skipped(drives=False)
    found = fs.live_load(FLOWS, kernel="reno", repeat=1)
    assert found.failures == []
    assert found.frame["transport"].to_list() == ["simulated"] * 3 + ["linux"] * 3
    (row,) = found.summary
    assert row["live_incomplete"] == 0
    assert abs(row["median_difference"]) < 0.2
    assert "up to 100 kB" in str(found)


def test_startups_of_the_catalog_drive_the_senders_of_a_load() -> None:
    skipped(drives=True)
    found = fs.live_load(WEB, repeat=1)
    assert found.failures == []
    assert found.outcomes[0]["answered"] is not None
    assert [row["page"] for row in found.records if row["transport"] == "linux"] == [0, 0, 1, 1]


def test_without_the_kernels_tcp_a_load_is_refused_in_one_line() -> None:
    if "linux" in _native.BUILT_LIVE_STACKS:
        pytest.skip("the module was built with the kernel's TCP")
    with pytest.raises(fs.RequestError, match="stack: `linux`: is not in this build"):
        fs.live_load(FLOWS)
