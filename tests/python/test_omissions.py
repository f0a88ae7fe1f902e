"""What a preset leaves out, in the results that it concerns."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import flowstart as fs

LONG = fs.NetworkPath(rate="10Mbps", rtt="200ms")


def compared(stack: str) -> fs.Comparison:
    return fs.compare(LONG, startups=["slow-start", "jump-start"], sizes=["50kB"], stack=stack)


def test_a_comparison_warns_of_what_its_preset_leaves_out_and_notes_what_can_decide() -> None:
    result = compared("tquic")
    assert any("until the path MTU is found" in line for line in result.to_dict()["warnings"])
    assert "Not simulated of tquic" in result.legend


def test_a_preset_that_leaves_out_nothing_has_no_note() -> None:
    result = compared("linux")
    assert result.to_dict()["warnings"] == []
    assert "Not simulated" not in result.legend


def test_a_run_has_the_same_warnings() -> None:
    flow = {"startup": "slow-start", "size": "50kB"}
    scenario = {"path": LONG, "stack": {"preset": "tquic"}, "flows": [flow]}
    document = json.loads(json.dumps(fs.run(scenario).to_dict()))
    assert document["warnings"] == compared("tquic").to_dict()["warnings"]


def test_a_sweep_and_its_map_have_one_note_for_a_preset(tmp_path: pathlib.Path) -> None:
    question = {
        "path": {"rate": "10Mbps", "rtt": "50ms"},
        "flow": {"size": ["10kB", "2MB"]},
        "startups": ["slow-start", "hystart"],
        "stack": "picoquic",
    }
    result = fs.sweep(question, tmp_path / "sweep", workers=1)
    probes = [line for line in result.to_dict()["warnings"] if "until a probe" in line]
    assert len(probes) == 1
    assert result.map().to_dict()["warnings"] == result.to_dict()["warnings"]
    assert len(result.omissions.decisive) == 1


def test_stacks_refuses_a_preset_with_fields_in_one_line(cli: Callable[..., Any]) -> None:
    answer = cli("stacks", "linux:mss=500B")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(
        "flowstart: NAME: `linux:mss=500B` is a preset with changed fields; name the preset alone"
    )
    assert answer.err.count("\n") == 1
