"""The Jump Start paper: the made capture, and the experiments that take no time."""

import pathlib

import pytest

from flowstart.captures.reading import capture
from flowstart.papers import runner
from flowstart.papers.experiment import Experiment
from flowstart.papers.jump_start import PAPER, figure2, synthetic
from flowstart.papers.lab import Lab
from flowstart.papers.target import Verdict

QUICK = [experiment for experiment in PAPER.experiments if experiment.quick]


@pytest.mark.parametrize("experiment", QUICK, ids=lambda experiment: experiment.id)
def test_what_takes_no_time_misses_nothing(experiment: Experiment) -> None:
    done = runner.run(PAPER, experiment, Lab(None))
    missed = {Verdict.MISSED, Verdict.TREND_MISSED}
    assert [judged.target.id for judged in done.judged if judged.verdict in missed] == []


def test_the_tool_sees_every_direction_of_the_made_capture_as_its_law_does(
    tmp_path: pathlib.Path,
) -> None:
    conversations = synthetic.draw(seed=7, count=500)
    synthetic.write(tmp_path / "made.pcap", conversations)
    found = capture(tmp_path / "made.pcap").document()
    by_port = {row["client_port"]: row for row in found["connections"]}
    for one in conversations:
        row = by_port[synthetic.FIRST_PORT + one.number]
        assert row["handshake"] == one.ending
        assert (row["c2s_bytes"], row["s2c_bytes"]) == one.sizes
        if one.ending == "complete":
            assert row["rtt_s"] == pytest.approx(one.rtt_us / 1e6, rel=1e-9)
            assert (row["syns"], row["syn_acks"]) == (one.syns, one.syn_acks)
    assert len(found["demands"]) == sum(size > 0 for one in conversations for size in one.sizes)


def test_the_knee_lies_behind_the_last_interval_at_which_a_median_is_off() -> None:
    def pairs(slow: float, jump: float) -> figure2.Pairs:
        return [({"median_s": slow}, {"median_s": jump})]

    medians = {0.1: pairs(5, 9), 0.5: pairs(1, 1), 0.9: pairs(1, 1.5), 1.0: pairs(1, 1.1)}
    assert figure2.knee(medians | {2.0: pairs(1, 1)}) == 1.0
