"""Paths known by name, and what startups make of them."""

import dataclasses
import pathlib
import shlex
import statistics
from collections.abc import Callable
from typing import Any

import pytest

import flowstart as fs
from flowstart.model.path import named_paths

Cli = Callable[..., Any]
NAMES = list(named_paths())
PLAIN = ("rate", "rtt", "buffer", "reverse_rate", "reverse_buffer")


def without_ingredients(path: fs.NetworkPath) -> fs.NetworkPath:
    """The line, the round trip and the buffer of a path, and nothing else."""
    return fs.NetworkPath(**{name: getattr(path, name) for name in PLAIN})


def rows(path: fs.NetworkPath, startup: str, repeat: int) -> list[dict[str, Any]]:
    found = fs.compare(path, startups=[startup], sizes=["10MB"], stack="linux", repeat=repeat)
    assert not found.failures
    return found.records


def exits(path: fs.NetworkPath) -> list[float]:
    """The windows at which HyStart leaves under ten seeds, by the path's capacity."""
    return [
        row["startup_exit_cwnd_segments"] / row["bdp_pkts"] for row in rows(path, "hystart", 10)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_named_path_says_what_it_is(name: str) -> None:
    about = named_paths()[name]["about"]
    assert len(about) > 20 and not about.endswith(".")


@pytest.mark.parametrize("name", NAMES)
def test_transfers_end_on_every_named_path_whatever_the_seed(name: str) -> None:
    found = fs.compare(
        fs.NetworkPath.named(name),
        startups=["slow-start", "hystart", "jump-start"],
        sizes=["1MB"],
        stack="linux",
        repeat=5,
    )
    assert all(row["complete"] for row in found.records)


@pytest.mark.parametrize("name", ["leo", "geo", "lte"])
def test_hystart_leaves_early_where_the_round_trip_varies(name: str) -> None:
    path = fs.NetworkPath.named(name)
    assert statistics.median(exits(path)) < 0.5
    assert min(exits(without_ingredients(path))) > 1


def test_hystart_leaves_early_half_of_the_time_behind_wi_fi() -> None:
    path = fs.NetworkPath.named("wifi")
    early = sum(share < 0.9 for share in exits(path))
    assert early >= 5
    assert min(exits(without_ingredients(path))) > 1


def test_hystart_starts_half_as_fast_over_a_geostationary_satellite() -> None:
    # Peters, Zhao, Chung, Claypool: TCP HyStart Performance over a Satellite Network, 2021.
    path = fs.NetworkPath.named("geo")
    with_, without = (
        statistics.median(row["fct_s"] for row in rows(path, startup, 5))
        for startup in ("hystart", "slow-start")
    )
    assert 1.7 < with_ / without < 2.7


def test_a_comparison_on_a_named_path_can_be_repeated_by_its_command(
    cli: Cli,
) -> None:
    for name in NAMES:
        words = ("compare", "--path", name, "--startup", "slow-start", "--size", "100kB")
        first = cli(*words)
        again = first.out.rsplit("Reproduce: flowstart ", 1)[1].replace("\\\n", "")
        assert cli(*shlex.split(again)).out == first.out, again


def test_a_headline_says_what_a_path_is_made_of() -> None:
    path = dataclasses.replace(
        fs.NetworkPath.named("leo"),
        loss="1%",
        loss_burst="5",
        policer_rate="90Mbps",
        policer_burst="1MB",
        aggregation="4ms",
        reordering=True,
    )
    found = fs.compare(path, startups=["slow-start"], sizes=["10kB"]).headline
    for words in (
        "rate steps:every=15s",
        "policer 90Mbps after 1MB",
        "loss 1% in bursts of 5",
        "bursts every 4ms",
        "jitter uniform:most=4ms held for 10ms with reordering",
        "ripple 10ms in 100ms",
    ):
        assert words in found


def test_a_trace_is_looked_for_beside_the_scenario_that_names_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    # A packet a millisecond: 12 Mbit/s.
    (tmp_path / "there" / "line.trace").write_text("1\n2\n3\n")
    file = tmp_path / "there" / "a.toml"
    file.write_text(
        'path = { rate_trace = "line.trace", rtt = "40ms" }\nflows = [{ size = "1MB" }]\n'
    )
    monkeypatch.chdir(tmp_path)
    found = fs.run(file).records[0]
    assert found["complete"] and found["bdp_pkts"] == 40
    compared = fs.compare(file, startups=["slow-start", "hystart"])
    assert compared.headline.startswith("trace there/line.trace, 40ms, BDP 40 packets")


def test_a_trace_or_steps_take_the_place_of_a_named_paths_rate(tmp_path: pathlib.Path) -> None:
    path = fs.NetworkPath.named("lte")
    trace = tmp_path / "trace"
    trace.write_text("10\n20\n")
    traced = path.replace(rate_trace=str(trace))
    assert traced.rate is traced.rate_variation is None
    assert path.replace(rate="9Mbps").rate_variation == path.rate_variation
    assert path.replace(reverse_rate_trace=str(trace)).reverse_rate is None
    changed = path.replace(buffer="9pkt")
    assert (changed.rate, changed.buffer, changed.ripple) == (path.rate, "9pkt", path.ripple)


def test_a_path_of_steps_is_written_as_one_word(cli: Cli) -> None:
    steps = [
        fs.spec.RateStep(rate="9Mbps", lasts="1s"),
        fs.spec.RateStep(rate="0bps", lasts="100ms"),
    ]
    compared = fs.compare(
        fs.NetworkPath(rate_steps=steps, rtt="20ms"), startups=["slow-start"], sizes=["100kB"]
    )
    command = compared.plan.command
    assert command and "--rate-steps 9Mbps:1s,0bps:100ms" in command
    answer = cli(*shlex.split(command)[1:])
    assert answer.status == 0 and answer.out.startswith("9Mbps for 1s → 0bps for 100ms, 20ms")
    assert compared.headline.startswith("9Mbps for 1s → 0bps for 100ms, 20ms, BDP 13 packets")


def test_wrong_values_of_ingredients_are_the_simulators_to_refuse(
    cli: Cli,
) -> None:
    path = ("compare", "--rate", "5Mbps", "--rtt", "64ms")
    for words, complaint in (
        (("--rate-variation", "stps"), "variation `stps`: unknown; did you mean `steps`?"),
        (("--reordering",), "--reordering: there is no jitter"),
        (("--ripple", "5ms"), "--ripple-period: missing"),
        (("--loss-burst", "5"), "--loss-burst: there is no loss"),
        (("--rate-trace", "none"), "--rate-trace: contradicts `--rate`"),
    ):
        answer = cli(*path, *words)
        assert answer.status != 0 and complaint in answer.err, answer
    for steps, complaint in (
        ("5Mbps", "`5Mbps` should be written RATE:TIME, such as 50Mbps:10s"),
        (",", "empty; a step such as 50Mbps:10s is needed"),
        ("5:1s", "--rate-steps[0].rate: `5` is not a rate with a unit"),
    ):
        answer = cli("compare", "--rtt", "64ms", "--rate-steps", steps)
        assert answer.status != 0 and complaint in answer.err, answer


def test_no_two_paths_differ_by_punctuation_alone() -> None:
    names = ["".join(filter(str.isalnum, name)) for name in named_paths()]
    assert len(set(names)) == len(names)
