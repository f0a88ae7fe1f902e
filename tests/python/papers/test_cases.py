"""Cases with several seeds, run at one go."""

from flowstart.simulation.run import Run
from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.lab import Lab


def packets(run: Run) -> dict[str, int]:
    return {"sent": run.records[0]["packets_sent"]}


def test_each_case_has_its_own_runs_in_their_order() -> None:
    def document(size: int) -> dict[str, object]:
        path = {"rate": "5Mbps", "rtt": "64ms"}
        return {"path": path, "flows": [{"startup": "slow-start", "size": f"{size}pkt"}]}

    sizes = {"small": [2, 1], "none": [], "large": [9, 8, 7]}
    scenarios = {case: [document(size) for size in mine] for case, mine in sizes.items()}
    found = by_case(Lab(None, 1), scenarios, packets)
    assert {case: [one["sent"] for one in mine] for case, mine in found.items()} == sizes
    assert mean_of(found["large"], "sent") == 8
