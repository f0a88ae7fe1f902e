"""Verdicts on sixty synthetic deployments of which it is known what they should be."""

import pathlib
from collections.abc import Sequence

import pytest

import synthetic_deployments as synthetic
from flowstart.captures.reading import read_capture
from flowstart.replays.execute import study
from synthetic_deployments import Deployment


def recommended(deployments: Sequence[Deployment]) -> list[str]:
    """Those for which the candidate is recommended, from captures."""
    return [
        one.name
        for one in deployments
        if study(synthetic.recorded(one, 1), one.settings).verdict.recommended
    ]


@pytest.mark.long
def test_of_twenty_that_gain_seventeen_are_recommended() -> None:
    assert len(recommended(synthetic.BETTER)) >= 17


@pytest.mark.long
def test_none_of_twenty_that_harm_is_recommended() -> None:
    assert recommended(synthetic.HARMFUL) == []


@pytest.mark.long
def test_of_ten_that_gain_in_200_networks_eight_are_recommended() -> None:
    assert len(recommended(synthetic.MANY)) >= 8


@pytest.mark.long
def test_no_class_of_networks_that_is_harmed_is_missed_among_200() -> None:
    assert recommended(synthetic.MANY_HARMFUL) == []


@pytest.mark.long
@pytest.mark.parametrize("log", synthetic.WRONG, ids=lambda log: log.name)
def test_nothing_is_recommended_on_durations_that_are_wrong(
    log: synthetic.WrongLog, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "log.json"
    columns = log.write(file)
    found = study(read_capture(file, columns=columns), log.deployment.settings)
    assert found.verdict.recommended is None
