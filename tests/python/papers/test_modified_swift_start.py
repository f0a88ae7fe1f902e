"""What the experiments on Modified Swift Start rest on."""

import pytest

from flowstart.simulation import run as simulation
from flowstart_papers import readings as grids
from flowstart_papers.modified_swift_start import measures, readings, setups
from flowstart_papers.modified_swift_start.hosts import MSS, RECEIVER_WINDOW
from flowstart_papers.modified_swift_start.setups import LITERAL, OC1, T1, Setup
from flowstart_papers.modified_swift_start.slow_start import PAPER_SLOW_START

PAUSED = {"began_s": [0.0, 0.01, 0.05]}
TAKES_S = 12_000 / T1.bps
CATALOG = f"slow-start:growth=per-ack,{setups.THRESHOLD}"


def test_the_line_is_idle_between_packets() -> None:
    assert measures.busy_from_s(PAUSED, T1.bps) == 0.05
    assert measures.idle_s(PAUSED, T1.bps, 0.02, 0.03) == pytest.approx(0.01)
    assert measures.idle_s(PAUSED, T1.bps, 0, 1) == pytest.approx(0.05 - 2 * TAKES_S)


@pytest.mark.parametrize("line", [T1, OC1], ids=lambda line: line.key)
@pytest.mark.parametrize(
    "setup",
    [
        LITERAL,
        Setup(base="access"),
        Setup(path=setups.DIRECT),
        Setup(base="access", path=setups.DIRECT),
        Setup(stack={"header": setups.FORMULA_HEADER}),
    ],
    ids=["literal", "base on the access links", "direct", "direct, base on access", "formula"],
)
def test_the_first_pair_measures_the_printed_round_trip(setup: Setup, line: setups.Line) -> None:
    first, second = measures.pairs(simulation.run(setup.probe(line, 0.1), trace=True))
    assert first["rtt_s"] == pytest.approx(setup.rtt_s(line, 0.1), abs=5e-9)
    assert second["rtt_s"] > first["rtt_s"]


def test_the_receivers_access_link_lets_an_acknowledgement_between_the_second_pair() -> None:
    gaps_s = [
        measures.pairs(simulation.run(setup.probe(OC1, 0.1), trace=True))[1]["gap_s"]
        for setup in (LITERAL, Setup(path=setups.DIRECT))
    ]
    assert gaps_s == pytest.approx([2 / setups.ROUTER_PPS, 1 / setups.ROUTER_PPS], rel=1e-3)


def threshold_after_timeout(startup: str) -> float:
    document = LITERAL.transfer(T1, 0.5, startup, size="40pkt")
    trace = simulation.run(document, trace=True).outcome["trace"]
    assert trace is not None
    return float(trace["flow_samples"]["ssthresh"][-1])


@pytest.mark.parametrize(
    ("parameters", "left"),
    [
        ("", RECEIVER_WINDOW / MSS / 2),
        (":syn=True", RECEIVER_WINDOW / MSS / 4),
        (":flight=True", 2),
        (":threshold=None", float("inf")),
    ],
)
def test_what_the_papers_slow_start_has_left_after_two_timeouts(
    parameters: str, left: float
) -> None:
    assert threshold_after_timeout(f"{PAPER_SLOW_START}{parameters}") == pytest.approx(left)


def test_the_catalogs_slow_start_is_left_two_segments() -> None:
    assert threshold_after_timeout(CATALOG) == 2


def test_without_a_timeout_the_papers_slow_start_is_the_catalogs() -> None:
    papers, catalogs = (
        measures.connection(simulation.run(LITERAL.transfer(OC1, 0.1, startup)))
        for startup in (PAPER_SLOW_START, CATALOG)
    )
    assert papers == catalogs


def test_the_literal_reading_is_the_set_up_of_all_other_experiments() -> None:
    assert readings.setup(grids.literal(readings.INPUTS)) == LITERAL


def test_each_reading_is_a_set_up_of_its_own() -> None:
    setups_ = [readings.setup(cell) for cell in grids.alone(readings.INPUTS)]
    assert all(a != b for i, a in enumerate(setups_) for b in setups_[:i])


def crowd(delay_s: float, startup: str) -> dict[str, float]:
    return measures.crowd(simulation.run(LITERAL.transfer(T1, delay_s, startup, size="40pkt")))


def test_what_is_sent_again_for_nothing_arrives_twice() -> None:
    in_time, too_late = (crowd(delay_s, PAPER_SLOW_START) for delay_s in (0.1, 0.5))
    assert (in_time["twice"], in_time["timeouts"]) == (0, 0)
    assert too_late["timeouts"] == 1
    assert too_late["dropped"] == 0
    assert too_late["twice"] > 0


def test_each_pair_adds_an_option_of_eight_bytes() -> None:
    slow, modified = (crowd(0.1, startup) for startup in LITERAL.startups.values())
    assert (slow["option_bytes"], modified["option_bytes"]) == (0, 2 * 8)
