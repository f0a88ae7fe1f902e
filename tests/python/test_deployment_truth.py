"""Synthetic deployments are what they are said to be: better without harm, or harmful."""

import pathlib

import pytest

import synthetic_deployments as synthetic
from flowstart.captures.reading import read_capture
from synthetic_deployments import Deployment


def named(deployment: Deployment) -> str:
    return deployment.name


MOST_BEYOND = 0.05
"""The largest share of traffic in networks beyond a limit."""


def test_sixty_deployments_have_distinct_names() -> None:
    names = [one.name for one in (*synthetic.ALL, *synthetic.MANY)]
    names += [one.name for one in synthetic.WRONG]
    assert len(set(names)) == 60
    assert {len(one.nets) for one in (*synthetic.MANY, *synthetic.MANY_HARMFUL)} == {200}


def test_a_wrong_log_has_every_transfer_and_other_durations(tmp_path: pathlib.Path) -> None:
    log = synthetic.WRONG[0]
    columns = log.write(tmp_path / "log.json")
    found = read_capture(tmp_path / "log.json", columns=columns)
    recorded = synthetic.recorded(log.deployment, 1).transfers
    assert found.transfers.height == recorded.height
    short, whole = (sum(rows["end_s"].to_list()) for rows in (found.transfers, recorded))
    assert short < 0.8 * whole


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


FEW_SEEDS = range(1001, 1041)
"""Those of deployments with many networks, which have eight times the traffic."""


@pytest.mark.long
@pytest.mark.parametrize("deployment", synthetic.MANY, ids=named)
def test_the_better_with_many_networks_harm_little_of_the_traffic(deployment: Deployment) -> None:
    found = synthetic.truth(deployment, FEW_SEEDS)
    assert found.gain <= -0.1
    assert found.beyond(deployment) <= MOST_BEYOND
    classes = {name: one for name, one in found.groups.items() if name.startswith("class")}
    assert max(by for one in classes.values() for by in one.values()) <= 1


@pytest.mark.long
@pytest.mark.parametrize("deployment", synthetic.MANY_HARMFUL, ids=named)
def test_the_harmful_with_many_networks_harm_much_of_it(deployment: Deployment) -> None:
    assert synthetic.truth(deployment, FEW_SEEDS).beyond(deployment) >= 1.5 * MOST_BEYOND
