"""Synthetic deployments are what they are said to be: better without harm, or harmful."""

import pytest

import synthetic_deployments as synthetic
from synthetic_deployments import Deployment


def named(deployment: Deployment) -> str:
    return deployment.name


def test_there_are_twenty_of_each_with_three_hundred_transfers() -> None:
    assert (len(synthetic.BETTER), len(synthetic.HARMFUL)) == (20, 20)
    assert len({d.name for d in synthetic.ALL}) == 40
    for deployment in synthetic.ALL:
        assert synthetic.captured(deployment, 1).transfers.height >= 300, deployment.name


@pytest.mark.long
@pytest.mark.parametrize("deployment", synthetic.BETTER, ids=named)
def test_the_better_gain_a_tenth_within_every_limit(deployment: Deployment) -> None:
    found = synthetic.truth(deployment)
    assert found.gain <= -0.1
    assert found.worst[2] <= 1, found.worst


@pytest.mark.long
@pytest.mark.parametrize("deployment", synthetic.HARMFUL, ids=named)
def test_the_harmful_exceed_a_limit_by_half(deployment: Deployment) -> None:
    found = synthetic.truth(deployment)
    assert found.worst[2] >= 1.5, found.worst
