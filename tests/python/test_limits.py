"""What a request is estimated to use, and how it is refused above a limit."""

import json
import pathlib
import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

import pytest

import flowstart as fs
from flowstart import _native
from flowstart.errors import LimitExceeded
from flowstart.simulation import bounds
from flowstart.simulation.bounds import Bounds
from flowstart.simulation.limits import RunEstimate, RunLimits, memory_of_machine

Cli = Callable[..., Any]
PATH = ("--rate", "50Mbps", "--rtt", "80ms")
RUNS: "dict[str, float]" = {
    "runs": 10,
    "packets": 1000.0,
    "python_packets": 0.0,
    "flows": 20.0,
    "largest_bytes": 1e6,
}
MILLION = 1_000_000


@pytest.fixture
def at_most(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replaces the limits of requests that set none."""

    def limited(**limits: float) -> None:
        usual = Bounds(RunLimits(**limits))
        monkeypatch.setattr(bounds, "_current", ContextVar("bounds", default=usual))

    return limited


def test_a_size_in_petabytes_is_refused_with_its_estimate_and_the_option(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    answer = cli("compare", *PATH, "--size", "1PB", "--no-uncertainty", "-o", out)
    assert answer.status == 2
    assert answer.out == ""
    assert not out.exists()
    # How long it takes depends on the number of cores.
    assert re.fullmatch(
        r"flowstart: this is estimated to take 5.4e\+10 data packets, 5 flows, 80.\d MB and "
        r"[\d.]+ (min|h), more than the limit of 3e\+10 packets; ask for less, or set a time after "
        r"which it ends, such as --max-time \d+h\n",
        answer.err,
    )


@pytest.mark.parametrize(
    ("limit", "said", "option"),
    [
        ({"packets": 10.0}, "to take 1,382 data packets, 2 flows", "--max-time 1h"),
        ({"flows": 1.0}, "more than the limit of 1 flows", "--max-time 1h"),
        ({"memory": 1e6}, "more than the limit of 1 MB of memory", "--max-memory 1GB"),
        ({"time": 1e-6}, "more than the limit of 1.000 µs", "--max-time 1h"),
    ],
)
def test_each_limit_refuses_and_the_option_that_it_names_lets_the_request_pass(
    cli: Cli,
    tmp_path: pathlib.Path,
    at_most: Callable[..., None],
    limit: dict[str, float],
    said: str,
    option: str,
) -> None:
    at_most(**limit)
    words = ("--size", "1MB", "--startup", "slow-start,hystart", "--no-uncertainty")
    answer = cli("compare", *PATH, *words, "-o", tmp_path / "out")
    assert answer.status == 2
    assert said in answer.err
    assert answer.err.endswith(f"{option}\n")
    assert not (tmp_path / "out").exists()
    assert cli("compare", *PATH, *words, *option.split()).status == 0


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("--max-memory=3pkt", "--max-memory: `3pkt`: a number of bytes above 0, such as 8GB"),
        ("--max-time=0s", "--max-time: `0s`: a time above 0, such as 30h, is needed"),
    ],
)
def test_a_wrong_limit_is_refused_with_what_is_right(cli: Cli, limit: str, said: str) -> None:
    answer = cli("compare", *PATH, "--size", "10kB", limit)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err


def test_every_function_of_python_has_the_same_limits(path: fs.NetworkPath) -> None:
    document = fs.Scenario(path=path, flows=[fs.Flow(size="1MB")])
    asked: list[Callable[[], object]] = [
        lambda: fs.run(document, max_memory=10),
        lambda: fs.run_many([document], max_memory=10),
        lambda: fs.compare(path, sizes=["1MB"], max_memory=10),
        lambda: fs.find_worst_paths("hystart", runs=1, max_memory=10),
    ]
    if "noq" in _native.BUILT_LIVE_STACKS:
        asked.append(lambda: fs.compare(path, sizes=["1MB"], max_memory=10, on="noq"))
    for ask in asked:
        with pytest.raises(fs.RequestError, match=r"raise the limit with max_memory='\d"):
            ask()


def test_the_repeats_of_intervals_count(path: fs.NetworkPath, at_most: Callable[..., None]) -> None:
    at_most(packets=100)

    def ask(*, uncertainty: bool) -> None:
        fs.compare(
            path,
            startups=["slow-start", "hystart"],
            sizes=["10kB"],
            uncertainty=uncertainty,
        )

    ask(uncertainty=False)
    with pytest.raises(fs.RequestError, match="packets"):
        ask(uncertainty=True)


def test_an_estimate_is_what_is_counted_and_what_that_costs() -> None:
    found = RunEstimate.of(RUNS, workers=2)  # type: ignore[arg-type] # as the simulator says it
    assert (found.packets, found.flows) == (1000.0, 20.0)
    assert found.bytes > 2 * RUNS["largest_bytes"]
    twice = RunEstimate.of(RUNS, workers=2, times=2.0)  # type: ignore[arg-type]
    assert (twice.packets, twice.seconds) == (2 * found.packets, 2 * found.seconds)


def test_limits_that_were_raised_do_not_outlast_their_request(path: fs.NetworkPath) -> None:
    fs.compare(path, sizes=["10kB"], startups=["hystart"], max_memory="2GB")
    assert bounds.current().limits == RunLimits()


@pytest.mark.parametrize(
    ("flow", "within"),
    [({"size": "10MB"}, 0.15), ({"size": "1MB", "count": 5}, 0.15), ({"size": "20kB"}, 0.01)],
)
def test_the_packets_of_an_estimate_are_those_of_the_run(
    flow: dict[str, Any], within: float
) -> None:
    seen: list[float] = []
    document = {"path": {"rate": "50Mbps", "rtt": "80ms", "buffer": "100000pkt"}, "flows": [flow]}
    from flowstart import _native

    _native.calls_python([json.dumps(document)], None, lambda one: seen.append(one["packets"]))
    sent = sum(row["packets_sent"] for row in fs.run(document).records)
    assert seen[0] == pytest.approx(sent, rel=within)


def test_memory_is_that_of_the_machine() -> None:
    memory = memory_of_machine()
    assert memory is None or memory > 100 * MILLION


BOMB = {
    "duration": "1s",
    "path": {"rate": "10Mbps", "rtt": "500ms", "buffer": "20pkt"},
    "stack": {"preset": "quic", "iw": MILLION},
    "flows": [{"count": 4000, "handshake": False, "size": "1GB"}],
}
"""It sends a thousand times what its path carries, which is what is estimated."""
REMEMBERED = BOMB | {
    "stack": "quic",
    "flows": [
        {"count": 40, "startup": "stateful-tcp", "cached_cwnd": "1000000pkt", "size": "1.4GB"}
    ],
}
SMALL = BOMB | {"duration": "10s", "stack": "quic", "flows": [{"size": "20kB"}]}


@pytest.mark.parametrize("document", [BOMB, REMEMBERED])
@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"packets": 1e5}, r"the limit of 100,000 packets \(raised with --max-time\)"),
        ({"memory": 1e8}, r"the limit of 100 MB of memory \(raised with --max-memory\)"),
        ({"time": 0.1}, r"the limit of 100.0 ms \(raised with --max-time\)"),
    ],
)
def test_a_run_that_sends_more_than_was_estimated_ends_at_the_limit(
    cli: Cli,
    tmp_path: pathlib.Path,
    at_most: Callable[..., None],
    document: dict[str, Any],
    limit: dict[str, float],
    said: str,
) -> None:
    at_most(**limit)
    file = tmp_path / "bomb.json"
    file.write_text(json.dumps(document))
    answer = cli("run", file)
    assert answer.status == 1
    assert re.fullmatch(rf"flowstart: (\S+: )?stopped by {said}\n", answer.err), answer.err


def test_a_limit_of_python_is_raised_as_what_it_is() -> None:
    with pytest.raises(LimitExceeded, match=r"raised with max_memory"):
        fs.run(BOMB, max_memory="100MB")


def test_runs_that_were_finished_before_a_limit_are_kept(at_most: Callable[..., None]) -> None:
    at_most(packets=1e5)
    batch = fs.run_many([SMALL, BOMB, SMALL], workers=1)
    assert batch.interrupted
    assert batch.runs["run"].to_list() == [0]
    assert batch.frame["complete"].to_list() == [True]


def test_the_packets_of_all_runs_of_a_request_count_together(
    at_most: Callable[..., None],
) -> None:
    at_most(packets=40)
    with bounds.bounded() as mine:
        fs.run_many([SMALL])
        sent = mine.packets
        assert sent == 14
        assert not fs.run_many([SMALL]).interrupted
        assert fs.run_many([SMALL]).interrupted


def test_a_sweep_keeps_its_rows_at_a_limit_and_goes_on_with_a_higher_one(
    cli: Cli, tmp_path: pathlib.Path, at_most: Callable[..., None]
) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'startups = ["slow-start"]\nstack = "quic:iw=20000"\n'
        '[path]\nrate = "10Mbps"\nrtt = "100ms"\nbuffer = "20pkt"\n'
        '[flow]\nsize = ["10kB", "30MB"]\n'
    )
    words = ("sweep", file, "-o", tmp_path / "out")
    at_most(packets=23000)
    for workers in ("1", "2"):
        answer = cli(*words, "--workers", workers)
        assert answer.status == 1, answer
        assert "stopped by the limit of 23,000 packets" in answer.err
    at_most()
    assert cli(*words, "--workers", "1").status == 0


@pytest.mark.parametrize(("workers", "status"), [("1", 0), ("2", 1)])
def test_the_workers_of_a_sweep_share_its_memory(
    cli: Cli, tmp_path: pathlib.Path, workers: str, status: int
) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        'startups = ["slow-start"]\nstack = "quic:iw=200000"\n'
        '[path]\nrate = "10Mbps"\nrtt = "100ms"\nbuffer = "20pkt"\n'
        '[flow]\nsize = ["10kB", "200MB"]\n'
    )
    words = ("sweep", file, "-o", tmp_path / "out", "--workers", workers)
    answer = cli(*words, "--max-memory", "86MB")
    assert answer.status == status, answer
    assert not status or "stopped by the limit of 86 MB of memory" in answer.err
