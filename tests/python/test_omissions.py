"""What a preset leaves out, in the results that it concerns."""

import json

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
