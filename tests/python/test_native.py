"""The border to the simulator: order, workers, progress, errors."""

import json

import pytest

from flowstart import RequestError, _native


def scenario(size: str = "10kB", **fields: object) -> str:
    path = {"rate": "10Mbps", "rtt": "20ms", "loss": "1%"}
    flow = {"startup": "slow-start", "size": size}
    return json.dumps({"path": path, "flows": [flow], **fields})


MANY = [scenario(f"{size}kB", seed=seed) for size in (300, 3, 30) for seed in range(20)]


def test_results_come_in_order_whatever_the_number_of_workers() -> None:
    one, four = (_native.run_many(MANY, workers) for workers in (1, 4))
    assert one == four
    assert one["runs"]["run"] == list(range(len(MANY)))
    assert one["flows"]["size_bytes"] == [s * 1000 for s in (300, 3, 30) for _ in range(20)]


def test_one_run_is_the_same_alone() -> None:
    alone = _native.run(MANY[5])
    together = _native.run_many(MANY)
    row = {name: column[0] for name, column in alone["flows"].items() if name != "run"}
    assert row == {name: together["flows"][name][5] for name in row}


def test_progress_reaches_the_end() -> None:
    seen: list[tuple[int, int]] = []
    _native.run_many(MANY, 2, lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (len(MANY), len(MANY))


def test_an_error_in_progress_comes_through() -> None:
    def fail(done: int, total: int) -> None:
        raise ZeroDivisionError(f"{done} of {total}")

    with pytest.raises(ZeroDivisionError):
        _native.run_many(MANY, 2, fail)


def test_nothing_runs_when_one_scenario_is_wrong() -> None:
    calls: list[int] = []
    with pytest.raises(RequestError, match=r"flows\[0\]\.size"):
        _native.run_many([scenario(), scenario("10")], 1, lambda *_: calls.append(1))
    assert not calls


def test_no_scenarios_are_no_results() -> None:
    batch = _native.run_many([])
    assert not batch["interrupted"]
    assert batch["runs"] == {}


@pytest.mark.parametrize("workers", [0, -1])
def test_at_least_one_worker_is_needed(workers: int) -> None:
    with pytest.raises(RequestError, match=f"workers = {workers}: at least one"):
        _native.run_many([scenario()], workers)


def test_a_trace_is_columns_of_equal_length() -> None:
    trace = _native.run(scenario(trace=True))["trace"]
    assert trace is not None
    for samples in trace.values():
        assert len({len(column) for column in samples.values()}) == 1
        assert (samples["time_ns"][1:] >= samples["time_ns"][:-1]).all()
    assert _native.run(scenario())["trace"] is None


def test_a_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(RequestError):
        _native.run("{")


def test_an_unknown_schema_is_refused() -> None:
    with pytest.raises(RequestError, match="no schema is called"):
        _native.schema("poem")
