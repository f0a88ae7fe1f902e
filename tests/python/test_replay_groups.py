"""Groups of networks have verdicts, with the routes that implement them."""

import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import synthetic_deployments as synthetic
from flowstart.render.files import encoded
from flowstart.replays.execute import study
from flowstart.replays.groups import line, network_groups
from flowstart.replays.result import Replay

Cli = Callable[..., Any]
NEAR, FAR = "RTT 30 to 80 ms, 10 Mbit/s or more", "RTT 80 ms or more, below 10 Mbit/s"
BY_ACCESS = synthetic.Deployment(
    "by-access",
    synthetic.IW30,
    tuple(
        synthetic.Net(rate, rtt, buffer, count)
        for rate, rtt, buffer, count in (
            *((50, 40, 250, 60), (100, 50, 300, 60), (80, 60, 400, 60)),
            *((3, 100, 20, 40), (2, 90, 15, 40)),
        )
    ),
    synthetic.WEB,
    "network",
)


@pytest.fixture(scope="module")
def replay() -> Replay:
    return study(synthetic.recorded(BY_ACCESS, 1), BY_ACCESS.settings)


def facts(*networks: tuple[str, str, int]) -> pl.DataFrame:
    """Transfers of networks, each with its access type and number."""
    rows = [(name, access) for name, access, count in networks for _ in range(count)]
    frame = pl.DataFrame(rows, orient="row", schema=["network", "access"])
    return frame.with_row_index("connection")


def test_groups_are_access_types_and_families_with_enough_transfers() -> None:
    found = network_groups(
        facts(
            ("10.0.0.0/24", "near", 40),
            ("10.1.0.0/24", "near", 20),
            ("fd00:1::/48", "far", 40),
            ("10.2.0.0/24", "slow", 29),
        )
    )
    assert found == {
        "far": ["fd00:1::/48"],
        "near": ["10.0.0.0/24", "10.1.0.0/24"],
        "IPv4": ["10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/24"],
        "IPv6": ["fd00:1::/48"],
    }


def test_a_group_of_all_networks_is_none() -> None:
    assert network_groups(facts(("10.0.0.0/24", "near", 40), ("10.1.0.0/24", "near", 40))) == {}


@pytest.mark.slow
def test_a_setting_that_harms_far_networks_is_recommended_for_near_ones(replay: Replay) -> None:
    assert replay.verdict.recommended is None
    found = {group.name: group for group in replay.groups}
    assert {name: group.verdict.recommended for name, group in found.items()} == {
        NEAR: "iw30",
        FAR: None,
    }
    assert line(found[NEAR]).startswith(f"iw30 by route for 3 networks with {NEAR} (6")
    assert line(found[FAR]) == ""


@pytest.mark.slow
def test_the_document_has_the_routes_of_the_group(replay: Replay) -> None:
    near = next(one for one in replay.to_dict(rows=False)["groups"] if one["group"] == NEAR)
    assert sorted(near["networks"]) == ["10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/24"]
    [setting] = near["verdict"]["settings"]
    steps = [step for commands in setting["commands"] for step in commands["steps"]]
    assert sorted(steps) == [f"route 10.{n}.0.0/24 initcwnd 30" for n in range(3)]


@pytest.mark.slow
def test_the_script_of_a_group_sets_its_routes(
    replay: Replay, cli: Cli, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(encoded(replay.to_dict(rows=False)))
    script = cli("deploy", "iw30", "--from", file, "--when", f"group={NEAR}").out
    assert all(f'_route" 10.{n}.0.0/24 initcwnd 30' in script for n in range(3))
    assert "10.3.0.0/24" not in script
    refused = cli("deploy", "iw30", "--from", file, "--when", f"group={FAR}")
    assert refused.status == 2
