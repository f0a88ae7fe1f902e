import polars as pl
import pytest

from flowstart.model.document import resolve
from flowstart_papers.coping import countermeasures, pulses, requests, setups
from flowstart_papers.coping.effects import longer, of_flows, outcomes, text
from flowstart_papers.frames import means
from flowstart_papers.lab import Lab


def test_durations_are_compared_transfer_by_transfer() -> None:
    assert longer([1, 4], [2, 2]) == pytest.approx(0)
    assert longer([1, 4], [2, 8]) == pytest.approx(100)


def test_an_estimate_knows_no_negative_zero() -> None:
    found = means(pl.DataFrame({"case": 1, "gain": [-0.01, 0.0, 0.01]}), ["case"], "gain")
    assert text(found.row(0, named=True), "gain") == "0.0 (0.0 to 0.0)"


@pytest.mark.parametrize("measure", countermeasures.ALL, ids=lambda measure: measure.name)
def test_every_measure_is_a_scenario_on_every_load(measure: countermeasures.Measure) -> None:
    for document in (
        setups.contention(measure, 1),
        setups.web(measure, 1),
        setups.single(measure, 64),
        pulses.Pulses(measure=measure).document(1),
    ):
        resolve(document)


def test_bystanders_see_the_same_transfers_whatever_the_starters_do() -> None:
    def openings(slow: bool) -> list[tuple[object, object]]:
        document = setups.contention(countermeasures.NOTHING, 3, slow=slow)
        rows = Lab(None).runs([document], _opened)[0]
        return [tuple(row) for row in rows]

    assert openings(True) == openings(False)


def _opened(run):  # type: ignore[no-untyped-def]
    return [(row["opened_s"], row["direction"]) for row in run.records]


def test_a_measure_without_fast_starters_gains_and_harms_nothing() -> None:
    slow = countermeasures.Measure("slow", "none", "slow-start")
    found = outcomes(Lab(None), [slow], setups.contention, of_flows, [1], packets=10)
    assert found.select("gain", "harm", "cost").row(0) == (0, 0, 0)


def test_a_host_that_only_asks_takes_grants_from_honest_ones() -> None:
    often = requests.Requests(period_s=0.2)
    found = requests.services(Lab(None), [often.undisturbed(), often], [1, 2])
    assert found["granted_high"][1] < 70 < 95 < found["granted_low"][0]
