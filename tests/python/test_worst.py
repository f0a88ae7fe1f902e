"""Where a startup does worst."""

import json
import pathlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import flowstart as fs
import worst
from flowstart.sweeps.language.parameters import endpoints
from flowstart.worst_paths.result import explained
from flowstart.worst_paths.search import Finding, Scored, best, search, shrunk
from flowstart.worst_paths.space import PathCase, SearchPoint, Space

Cli = Callable[..., Any]
LINUX = endpoints("linux")
OVER = "rate=10Mbps..40Mbps,rtt=20ms..80ms,buffer=10pkt..100pkt,size=50kB..200kB"


def space(text: str | None = OVER) -> Space:
    return Space.parse(text, LINUX)


# Over which paths.


def test_a_range_is_logarithmic_between_its_ends() -> None:
    point = SearchPoint(dict.fromkeys(("rate", "rtt", "buffer", "size", "competing"), 0.5))
    found = space().case(point)
    assert found == PathCase(
        {"rate": "20Mbps", "rtt": "40ms", "buffer": "31pkt"}, {"size": "100kB"}, "alone"
    )


def test_a_range_may_stand_within_text_and_a_choice_between_bars() -> None:
    given = space(f"{OVER},aggregation=exponential:mean=1ms..4ms,queue=codel|fq-codel")
    names = ("rate", "rtt", "buffer", "size", "aggregation", "queue", "competing")
    path = given.case(SearchPoint(dict.fromkeys(names, 0.5))).path
    assert (path["aggregation"], path["queue"]) == ("exponential:mean=2ms", "fq-codel")


def test_what_goes_with_a_field_is_there_where_the_field_is() -> None:
    drawn = random.Random(1)
    for _ in range(200):
        names = space(None).draw(drawn).coordinates
        assert ("policer_burst" in names) == ("policer_rate" in names)


def test_an_avoidance_that_there_is_not_is_refused() -> None:
    with pytest.raises(fs.RequestError, match="cc `foo`: unknown"):
        fs.find_worst_paths("hystart", against=["slow-start"], cc="foo", runs=1)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ("rate", "search_space `rate`: should be written field=least..most, or field=a|b"),
        ("rtt=1ms,rtt=2ms", "search_space `rtt=2ms`: `rtt` is given twice"),
        ("competing=nobody", "search_space.competing: `nobody` is unknown"),
        ("speed=1Mbps", "search_space `speed=1Mbps`: `speed` is unknown"),
        ("rate=1..2", "search_space.rate: `1` is not a rate with a unit"),
    ],
)
def test_ranges_that_mean_nothing_are_refused(over: str, message: str) -> None:
    with pytest.raises(fs.RequestError) as caught:
        space(over)
    assert str(caught.value).startswith(message)


# The search.


def test_the_search_climbs_to_the_greatest_score() -> None:
    def score(points: Sequence[SearchPoint]) -> list[float]:
        return [-abs(point.coordinates["rate"] - 0.3) for point in points]

    found = search(space(), score, tries=400, drawn=random.Random(1))
    assert found[0].score > -0.005


def test_the_same_seed_finds_the_same() -> None:
    def once() -> list[Scored]:
        def score(points: Sequence[SearchPoint]) -> list[float]:
            return [sum(point.coordinates.values()) for point in points]

        return search(space(), score, tries=100, drawn=random.Random("a"))

    assert once() == once()


def test_of_each_set_of_ingredients_the_best_is_kept() -> None:
    low, high = SearchPoint({"rate": 0.1}), SearchPoint({"rate": 0.9})
    other = SearchPoint({"rate": 0.1, "loss": 0.5})
    found = best([Scored(low, 1.0), Scored(high, 2.0), Scored(other, 1.5)])
    assert found == [Scored(high, 2.0), Scored(other, 1.5)]


# Plain findings.

CASE = PathCase(
    {
        "rate": "43.21Mbps",
        "rtt": "21ms",
        "buffer": "77pkt",
        "loss": "0.0123",
        "jitter": "uniform:most=3.21ms",
        "policer_rate": "9Mbps",
        "policer_burst": "31kB",
    },
    {"size": "123kB"},
    "short",
)


def scoring(good: Callable[[PathCase], bool]) -> Callable[[Sequence[PathCase]], list[float]]:
    return lambda cases: [3.0 if good(case) else 1.0 for case in cases]


def test_what_does_not_matter_is_dropped_with_what_goes_with_it() -> None:
    needs_loss = scoring(lambda case: "loss" in case.path)
    found = shrunk(Finding(CASE, 3.0), needs_loss, 1.0)
    assert found.case == PathCase(
        {"rate": "40Mbps", "rtt": "20ms", "buffer": "80pkt", "loss": "0.01"},
        {"size": "100kB"},
        "alone",
    )


def test_numbers_keep_the_digits_that_matter() -> None:
    exact = scoring(lambda case: case.path["rate"] in ("43.21Mbps", "43Mbps"))
    assert shrunk(Finding(CASE, 3.0), exact, 1.0).case.path["rate"] == "43Mbps"


def test_numbers_within_text_are_rounded_too() -> None:
    needs_jitter = scoring(lambda case: "jitter" in case.path)
    found = shrunk(Finding(CASE, 3.0), needs_jitter, 1.0)
    assert found.case.path["jitter"] == "uniform:most=3ms"


# What happened.

ROW = {
    "startup": "a",
    "competing": "alone",
    "startup_exit_reason": "delay",
    "startup_exit_cwnd_segments": 20.0,
    "exit_cwnd_bdp": 0.2,
    "buffer_bdp": 1.0,
    "retransmitted_share": 0.0,
    "timeouts": 0,
    "loss_rounds": 0,
    "idle_s": 1.5,
    "fct_s": 2.0,
}


def test_an_exit_below_the_bdp_is_told_as_too_early() -> None:
    told = explained(ROW, ROW | {"startup": "b", "fct_s": 1.0, "startup_exit_reason": None})
    assert told == (
        "It left its startup by delay at a window of 20 packets, 0.20 BDP: too early, and "
        "congestion control had to grow the rest; the bottleneck was idle for 75% of the "
        "transfer. It took 2 s, b 1 s"
    )


def test_a_bottleneck_is_never_idle_for_all_of_a_transfer() -> None:
    told = explained(ROW | {"idle_s": 53.095, "fct_s": 53.266}, ROW | {"startup": "b"})
    assert "the bottleneck was idle for more than 99% of the transfer" in told


def test_an_exit_beyond_path_and_buffer_is_told_as_too_late() -> None:
    late = ROW | {"exit_cwnd_bdp": 4.0, "idle_s": 0.0, "retransmitted_share": 0.3, "timeouts": 2}
    told = explained(late, late | {"startup": "b"})
    assert "4.00 BDP, where path and buffer hold 2.00: too late" in told
    assert "30% of its packets were sent again, with 2 timeouts" in told


# All of it.

AGGREGATION = "aggregation=exponential:mean=3ms..6ms,loss=0.001%"


def test_aggregation_is_what_hystart_fails_on_beside_slow_start() -> None:
    over = f"rate=100Mbps..600Mbps,rtt=30ms..80ms,size=1MB..5MB,buffer=1bdp,{AGGREGATION}"
    found = fs.find_worst_paths(
        "hystart", against=["slow-start"], search_space=over, runs=40, distinct=1, workers=1
    )
    (one,) = found.failings
    assert one.score > 1.3
    assert one.case.ingredients == ("aggregation",)
    assert one.why.startswith("It left its startup by delay")


def test_the_command_of_a_finding_repeats_it(cli: Cli, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    over = f"rate=100Mbps..600Mbps,rtt=30ms..80ms,size=1MB..5MB,buffer=1bdp,{AGGREGATION}"
    asked = ("--against", "slow-start", "--search-space", over, "--runs", "16")
    answer = cli("worst", "hystart", *asked, "-o", out)
    assert answer.status == 0, answer.err
    found = json.loads((out / "worst.json").read_text())["findings"][0]
    words = found["command"].removeprefix("flowstart ").split()
    rows = json.loads(cli(*words, "--json").out)["rows"]
    times = {row["startup"]: row["fct_s"] for row in rows}
    assert times == {"hystart": found["row"]["fct_s"], "slow-start": found["best_row"]["fct_s"]}
    assert {"worst.csv", "worst-1.png", "worst-1.json", "report.html"} <= {
        file.name for file in out.iterdir()
    }


def test_a_finding_with_competing_is_repeated_by_its_scenario(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    out = tmp_path / "out"
    over = "rate=10Mbps,rtt=40ms,size=500kB,buffer=20pkt,competing=short"
    asked = ("--against", "slow-start", "--search-space", over, "--measure", "harm", "--runs", "2")
    answer = cli("worst", "jump-start", *asked, "-o", out)
    assert answer.status == 0, answer.err
    command = f"flowstart compare {out / 'worst-1.json'} --startup jump-start,slow-start"
    assert command in answer.out.replace(" \\\n ", "")
    again = cli("compare", out / "worst-1.json", "--startup", "jump-start,slow-start", "--json")
    assert again.status == 0, again.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nosuch",), "startup `nosuch`: unknown"),
        (("hystart", "--measure", "x"), "--measure: `x` is unknown"),
        (("hystart", "--runs", "0"), "--runs = 0: 1 to 1,000,000 are possible"),
        (("hystart", "--seed", "-1"), "--seed = -1: 0 to 18446744073709551612 are possible"),
        (
            ("hystart", "--measure", "harm", "--search-space", "competing=alone"),
            "search_space.competing: `alone` has no competing flows",
        ),
        (("hystart", "--against", "hystart"), "startup"),
    ],
)
def test_wrong_requests_are_one_line(cli: Cli, words: tuple[str, ...], message: str) -> None:
    answer = cli("worst", *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"flowstart: {message}")
    assert answer.err.count("\n") == 1


# What the algorithms' pages tell.

KEPT = [(name, one) for name, found in worst.findings().items() for one in found]


@pytest.mark.docs
@pytest.mark.parametrize(
    ("startup", "one"), KEPT, ids=[f"{name} {one['best']}" for name, one in KEPT]
)
def test_what_a_page_tells_of_the_worst_is_so(cli: Cli, startup: str, one: dict[str, Any]) -> None:
    rows = json.loads(cli(*one["command"].split()[1:], "--json").out)["rows"]
    assert {row["startup"]: row["fct_s"] for row in rows} == one["fct_s"]
    assert startup in one["fct_s"]
