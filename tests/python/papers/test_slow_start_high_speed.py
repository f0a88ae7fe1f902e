"""The transoceanic slides: set-ups, statements, and the reckoning that no target checks."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import flowstart as fs
from flowstart_papers.slow_start_high_speed import (
    PAPER,
    measures,
    readings,
    statements,
    studies,
)
from flowstart_papers.slow_start_high_speed.detecting_start import EXPANDS, SHRINKS, DetectingStart
from flowstart_papers.slow_start_high_speed.measures import Transfer, Watched, detection
from flowstart_papers.slow_start_high_speed.setups import (
    ENDLESS,
    LITERAL,
    PACED,
    SCHEMES,
    Path,
    Patience,
    network,
    startup,
    transfer,
)
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_REDUCTION,
    EXPANSION,
    REDUCTION,
    STATEMENTS,
    Case,
)
from flowstart_papers.target import TargetClass

PATHS = (EXPANSION, REDUCTION, CAROLINA_REDUCTION, Path(100, 1000), Path(10_000, 100))
HANDOVERS = ("at once", "spread", "never dropped")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_one_server_with_one_queue_stands_before_every_path(path: Path) -> None:
    interface, narrowest = network(path)["hops"]
    assert interface["buffer"] == LITERAL.queue
    assert interface["rate"] == f"{path.interface}Mbps"
    assert narrowest["rate"] == f"{path.narrowest}Mbps"


@pytest.mark.parametrize("handover", HANDOVERS)
def test_schemes_differ_in_their_startup_alone(handover: Any) -> None:
    setup = replace(LITERAL, handover=handover)
    one, *others = (transfer(scheme, REDUCTION, setup) for scheme in (*SCHEMES, PACED))
    for other in others:
        assert other["path"] == one["path"]
        assert other["stack"] == one["stack"]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_the_literal_quick_start_is_nowhere_paced(path: Path) -> None:
    assert "paced=false" in startup("QS-app", path)
    assert "paced=true" in startup(PACED, path)


def test_hand_overs() -> None:
    spread = replace(LITERAL, handover="spread")
    assert "paced=true" in startup("QS-app", EXPANSION, spread)
    assert startup("Reno", EXPANSION, spread) == startup("Reno", EXPANSION)
    never = replace(LITERAL, handover="never dropped")
    assert network(EXPANSION, never)["hops"][0]["buffer"] == ENDLESS


@pytest.mark.parametrize(
    ("asks", "rate"), [("interface", 1000), ("narrowest", 100), (200, 200), (500, 500)]
)
def test_what_the_paced_one_asks_for_is_not_what_quick_start_app_opens_with(
    asks: Any, rate: int
) -> None:
    setup = replace(LITERAL, asks=asks)
    path = Path(1000, 100)
    assert f"interface_rate={rate}Mbps" in startup(PACED, path, setup)
    assert "interface_rate=1000Mbps" in startup("QS-app", path, setup)


def test_every_reading_means_something_and_the_literal_one_nothing() -> None:
    for each in readings.INPUTS:
        for reading in each.readings:
            changed = readings.setup_of({each.name: reading}) != LITERAL
            assert changed == (reading != each.literal), (each.name, reading)


def test_a_queue_that_never_drops_is_tried_with_one_size() -> None:
    never = [cell for cell in readings.cells() if cell[readings.HANDOVER] == "never dropped"]
    assert {cell[readings.QUEUE] for cell in never} == {"1000 packets"}


def test_the_grid_judges_all_that_the_slides_state() -> None:
    printed = {t.id for t in PAPER.targets if t.target_class is TargetClass.PRINTED}
    assert {each.name for each in STATEMENTS} == printed


def test_one_server_is_asked_for_both_places() -> None:
    order, costs = readings.CHICAGO_ORDER, frozenset(readings.UNPACED_LOSES)
    neither, chicago, both = costs | {order}, costs, costs - {"cav.nc.cwnd"}
    said = readings._one_server([neither, chicago, both])
    assert said.startswith(f"{order} holds in 2 readings")
    assert said.endswith("in 1 of these.")


def one(seconds: float, again: int = 0, **more: Any) -> list[Transfer]:
    return [{"seconds": seconds, "again": again, "lost": again, "timeouts": 0, **more}]  # type: ignore[typeddict-item]


def of(path: Path, *numbers: tuple[float, int]) -> dict[Case, list[Transfer]]:
    return {Case(s, path): one(*n) for s, n in zip(SCHEMES, numbers, strict=True)}


@pytest.mark.parametrize(
    ("target", "numbers", "holds"),
    [
        ("cav.chi.order.exp", ((8, 0), (16, 0), (32, 0)), True),
        ("cav.chi.order.exp", ((17, 0), (16, 0), (32, 0)), False),
        ("cav.chi.rtx.exp", ((8, 5), (16, 9), (32, 0)), True),
        ("cav.chi.rtx.exp", ((8, 9), (16, 9), (32, 0)), False),
    ],
)
def test_statements_on_expansion(
    target: str, numbers: tuple[tuple[float, int], ...], holds: bool
) -> None:
    assert statements.measured(target, of(EXPANSION, *numbers)).holds is holds


def test_pacing_lies_between_bursts_and_slow_start() -> None:
    found = of(CAROLINA_REDUCTION, (1, 90), (1, 9), (1, 5))
    for paced, holds in ((50, True), (90, False), (9, False)):
        both = found | {Case(PACED, CAROLINA_REDUCTION): one(1, paced)}
        assert statements.measured("cav.nc.rtx.red", both).holds is holds


def watched(silent_s: float, in_a_row: int) -> Watched:
    return {
        "seconds": 9, "again": 0, "lost": 0, "timeouts": in_a_row,
        "silent_s": silent_s, "in_a_row": in_a_row,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("silent_s", "in_a_row", "patience", "reset"),
    [
        (50, 14, Patience(), False),
        (50, 15, Patience(), True),
        (2.9, 2, Patience(silence_s=3), False),
        (3.0, 2, Patience(silence_s=3), True),
    ],
)
def test_who_is_reset(silent_s: float, in_a_row: int, patience: Patience, reset: bool) -> None:
    assert statements.is_reset(watched(silent_s, in_a_row), patience) is reset


def test_silence_is_the_time_in_which_nothing_missing_arrives() -> None:
    """Acknowledged at 1, 2 and 9 s; a duplicate at 5 s and two timeouts between show nothing."""
    events = [measures.ACK, measures.ACK, measures.TIMEOUT, measures.ACK, measures.TIMEOUT,
              measures.ACK]  # fmt: skip
    mine = {
        "event": np.array(events),
        "seq_bytes": np.array([10, 20, 0, 20, 0, 30]),
        "time_ns": np.array([1, 2, 4, 5, 6, 9]) * 10**9,
    }
    assert measures._silence(mine) == (7.0, 2)


def test_queues_for_which_something_holds_are_shown_as_intervals() -> None:
    hold = [queue in (500, 1000, 3000) for queue in studies.QUEUES]
    assert studies.spans(hold) == "500 to 1000 and 3000 packets"
    assert studies.spans([False] * len(studies.QUEUES)) == "no queue tried"


def test_errors_count_each_side_for_itself() -> None:
    known = [(True, 0.1), (True, 0.95), (False, 1.0), (False, 0.8), (False, 1.0), (False, 1.0)]
    assert studies.errors(known, 0.9, "rate") == (0.5, 0.25)
    mirrored = [(shrinks, -value) for shrinks, value in known]
    assert studies.errors(mirrored, -0.9, "loss") == (0.5, 0.25)


def test_the_ack_rate_is_that_of_neighbours_not_of_silence() -> None:
    """Two packets of 1500 bytes every 480 us are 50 Mbit/s, half the interface's rate."""
    acks = np.array([0, 1, 2, 3, 4, 5]) * 2 * 1460
    times = np.array([0.0, 480e-6, 960e-6, 0.18, 0.18 + 480e-6, 0.18 + 960e-6])
    assert studies.ack_rate(acks, times, 0.18) == pytest.approx(0.5)


def detecting(path: Path, **arguments: Any) -> fs.Run:
    document = transfer("QS-app", path)
    flow = document["flows"][0] | {"startup": DetectingStart(**arguments), "size": "20MB"}
    return fs.run(document | {"flows": [flow], "trace": True})


@pytest.mark.parametrize("opening", ["window", "slow-start"])
@pytest.mark.parametrize(
    ("path", "expected"),
    [(Path(100, 1000), EXPANDS), (Path(100, 50), SHRINKS)],
    ids=["wide", "narrow"],
)
def test_the_spacing_of_acks_tells_expansion_from_reduction(
    path: Path, expected: float, opening: str
) -> None:
    assert detection(detecting(path, opening=opening, paced=True))["detected"] == expected


def test_where_capacity_expands_it_ends_with_the_window_of_the_interface() -> None:
    row = detecting(Path(100, 1000), opening="slow-start", paced=True).records[0]
    assert row["startup_exit_cwnd_segments"] == 1541
    assert row["packets_dropped"] == 0


def test_where_capacity_shrinks_it_ends_with_what_the_path_holds() -> None:
    row = detecting(Path(100, 50), opening="slow-start").records[0]
    assert row["startup_exit_cwnd_segments"] == pytest.approx(750, rel=0.01)
    assert row["packets_dropped"] == 0


def test_a_window_that_was_too_large_is_repaired_at_the_rate_of_the_path() -> None:
    path = Path(100, 10)
    sends = {"QS-app": startup("QS-app", path), "detecting": DetectingStart(opening="window")}
    done = {}
    for name, start in sends.items():
        document = transfer("QS-app", path)
        flow = document["flows"][0] | {"startup": start, "size": "5MB"}
        done[name] = fs.run(document | {"flows": [flow]}).records[0]
    assert done["detecting"]["timeouts"] == 0
    assert done["detecting"]["fct_s"] < 0.7 * done["QS-app"]["fct_s"]


def test_it_is_slow_start_where_it_knows_no_interface() -> None:
    start = DetectingStart()
    w = fs.Window(1460)
    w.cwnd = 3.0
    start.on_known(SimpleNamespace(interface_rate=None))  # type: ignore[arg-type]
    start.on_established(w, SimpleNamespace(rtt=10**8, header=40))  # type: ignore[arg-type]
    assert w.cwnd == 3.0
