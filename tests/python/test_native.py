"""The border to the simulator: order, workers, progress, errors."""

import json
import pickle

import pytest

from flowstart import RequestError, _native
from flowstart.simulation import frames


def scenario(size: str = "10kB", **fields: object) -> str:
    path = {"rate": "10Mbps", "rtt": "20ms", "loss": "1%"}
    flow = {"startup": "slow-start", "size": size}
    return json.dumps({"path": path, "flows": [flow], **fields})


MANY = [scenario(f"{size}kB", seed=seed) for size in (300, 3, 30) for seed in range(20)]


def test_results_come_in_order_whatever_the_number_of_workers() -> None:
    one, four = (_native.run_many(MANY, workers) for workers in (1, 4))
    for table in ("runs", "flows", "links"):
        assert one[table].lists() == four[table].lists()
    assert one["runs"].lists()["run"] == list(range(len(MANY)))
    sizes = [size * 1000 for size in (300, 3, 30) for _ in range(20)]
    assert one["flows"].lists()["size_bytes"] == sizes


def test_one_run_is_the_same_alone() -> None:
    alone = _native.run(MANY[5])
    together = _native.run_many(MANY)
    (row,), rows = (frames.rows(outcomes["flows"]) for outcomes in (alone, together))
    assert rows[5] | {"run": 0} == row


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
    assert len(batch["runs"]) == 0


@pytest.mark.parametrize("workers", [0, -1])
def test_at_least_one_worker_is_needed(workers: int) -> None:
    with pytest.raises(RequestError, match=f"workers = {workers}: at least one"):
        _native.run_many([scenario()], workers)


def test_a_trace_is_columns_of_equal_length() -> None:
    trace = _native.run(scenario(trace=True))["trace"]
    assert trace is not None
    for name, samples in trace.items():
        assert len({len(column) for column in samples.values()}) == 1
        if name != "flows":  # one row a flow
            assert (samples["time_ns"][1:] >= samples["time_ns"][:-1]).all()
    assert _native.run(scenario())["trace"] is None


def test_a_table_is_the_same_when_it_comes_from_another_process() -> None:
    table = _native.run_many(MANY)["flows"]
    again = pickle.loads(pickle.dumps(table))
    assert (again.name, again.lists()) == ("flows", table.lists())


def test_tables_are_joined_in_the_order_of_their_runs() -> None:
    whole = _native.run_many(MANY)["links"]
    parts = []
    for numbers in ([1, 4, 5], [0, 2], [3]):
        texts = [MANY[number] for number in numbers]
        parts.append((numbers, _native.run_many(texts)["links"]))
    expected = [row for row in frames.rows(whole) if row["run"] < 6]
    assert frames.rows(_native.Table.joined("links", parts)) == expected


def test_columns_have_their_types_without_a_row_and_without_a_value() -> None:
    nothing = frames.frame(_native.run_many([])["flows"])
    without_end = frames.frame(_native.run_many([scenario()])["flows"])
    assert nothing.schema == without_end.schema
    assert without_end["startup_exit_s"].to_list() == [None]
    assert without_end["startup_exit_reason"].to_list() == [None]


def test_a_number_beyond_those_with_a_sign_is_kept() -> None:
    batch = _native.run_many([scenario(seed=2**64 - 1), scenario(seed=1)])
    assert frames.frame(batch["flows"])["seed"].to_list() == [2**64 - 1, 1]
    again = pickle.loads(pickle.dumps(batch["flows"]))
    assert again.lists()["seed"] == [2**64 - 1, 1]


def test_a_text_that_is_no_json_is_refused() -> None:
    with pytest.raises(RequestError):
        _native.run("{")
