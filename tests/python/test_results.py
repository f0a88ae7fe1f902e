"""Every result has rows, a table, a figure, a document and a report."""

import json
import pathlib
from collections.abc import Callable

import pytest

import flowstart as fs
import made_up_rollouts
from flowstart import _native
from flowstart.render.result import Result
from made_up_rollouts import COLUMNS, Truth

PATH = fs.NetworkPath(rate="5Mbps", rtt="50ms", buffer="20pkt")
NAMES = ("slow-start", "hystart")
CAPTURE = pathlib.Path(__file__).parents[1] / "data/captures/small.pcap"
SWEEP = {
    "path": {"rate": ["5Mbps", "20Mbps"], "rtt": "50ms"},
    "flow": {"size": "20kB"},
    "startups": list(NAMES),
}
SPACE = "rate=1Mbps..20Mbps,rtt=50ms,size=100kB..1MB,buffer=20pkt,competing=alone"


def verified(folder: pathlib.Path) -> fs.Verification:
    """A rollout of a few transfers."""
    sets = made_up_rollouts.write(folder, Truth(0.9), 2000, 1)
    return fs.verify(*sets, columns=COLUMNS)


def checked(folder: pathlib.Path) -> fs.GateResult:
    """A gate of four cases."""
    base = folder / "base.json"
    fs.gate_record(base, sweep=SWEEP, repeat=2)
    return fs.gate_check(base, stack="linux:iw=2")


KINDS: dict[str, Callable[[pathlib.Path], Result]] = {
    "run": lambda _: fs.run(fs.Scenario(path=PATH, flows=[fs.Flow(size="20kB")])),
    "compare": lambda _: fs.compare(PATH, startups=NAMES, sizes=["20kB"], uncertainty=False),
    "replay": lambda _: fs.replay(CAPTURE, startups=["slow-start"], uncertainty=False),
    "verify": verified,
    "sweep": lambda folder: fs.sweep(SWEEP, folder / "sweep", workers=1),
    "map": lambda folder: fs.sweep(SWEEP, folder / "sweep", workers=1).map(),
    "gate": checked,
    "worst": lambda _: fs.find_worst_paths(
        "jump-start", against=["slow-start"], runs=20, search_space=SPACE
    ),
    "live": lambda _: fs.compare(PATH, startups=NAMES, sizes=["20kB"], on="noq"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_has_rows_a_figure_a_document_and_a_report(
    kind: str, tmp_path: pathlib.Path
) -> None:
    if kind == "live" and "noq" not in _native.BUILT_LIVE_STACKS:
        pytest.skip("the build has no noq")
    result = KINDS[kind](tmp_path)
    assert result.frame.height
    assert result.headline in str(result)
    assert json.loads(json.dumps(result.to_dict()))
    assert result.plot().axes
    assert result.command is None or result.command.startswith("flowstart ")
    assert result.summary("flowstart again").command == "flowstart again"
    result.report(tmp_path / "report")
    found = {file.name for file in (tmp_path / "report").iterdir()}
    assert {"report.html", "manifest.json"} < found
    assert any(name.endswith(".parquet") for name in found)
    assert json.loads((tmp_path / "report/manifest.json").read_text())["state"] == "complete"


def test_a_figure_of_a_finding_needs_one() -> None:
    space = "rate=5Mbps,rtt=50ms,size=3kB,buffer=20pkt,competing=alone"
    found = fs.find_worst_paths("hystart", against=["slow-start"], runs=2, search_space=space)
    with pytest.raises(fs.RequestError, match="finding 0: the search has 0 findings"):
        found.plot()


def test_a_report_replaces_no_files_of_others(tmp_path: pathlib.Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(fs.RequestError, match=r"notes\.txt"):
        KINDS["run"](tmp_path).report(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
