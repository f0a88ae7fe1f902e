"""A gate: what it records, when a case is worse, and what it names as the cause."""

import json
import pathlib
from collections.abc import Callable, Sequence
from xml.etree import ElementTree

import pytest

import flowstart as fs
from conftest import Answer
from flowstart import _native
from flowstart.gate.beginning import Beginning, differences
from flowstart.gate.cases import Cases
from flowstart.gate.judgement import Limits, Outcome, judge
from flowstart.gate.runs import CaseRuns
from flowstart.questions.gate import GateRecord

SWEEP = {
    "path": {"rate": "50Mbps", "rtt": ["40ms", "80ms"], "buffer": "60pkt"},
    "flow": {"size": ["10kB", "1MB"]},
    "startups": ["slow-start"],
}
LIMITS = Limits(0.02, 0.005, 0.02)
START = Beginning(1.0, (10.0, 20.0, 40.0, 80.0), "loss", 120.0)
STARTUP = """
import flowstart as fs

class Mine(fs.Startup):
    def on_ack(self, w, a):
        if a.cwnd_limited:
            w.cwnd += {share} * w.segments(a.credit)
        return None
"""


@pytest.fixture
def base(tmp_path: pathlib.Path) -> pathlib.Path:
    """The file of a base of slow start."""
    file = tmp_path / "base.json"
    fs.gate_record(file, sweep=SWEEP, repeat=4)
    return file


def causes(result: fs.GateResult) -> set[str]:
    """What worse cases name first."""
    return {each.causes[0] for each in result.worse}


def runs(times: Sequence[float | None], lost: float = 0.0, error: str | None = None) -> CaseRuns:
    """The runs of a case."""
    shares, none = (lost,) * len(times), (None,) * len(times)
    return CaseRuns("leo, 1MB", "slow-start", tuple(times), shares, none, START, error)


def test_an_unchanged_start_passes_with_no_difference_at_all(base: pathlib.Path) -> None:
    result = fs.gate_check(base)
    assert result.passed
    assert {each.outcome for each in result.judged} == {Outcome.SAME}
    assert result.frame["time_change"].to_list() == [0.0] * 4


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"stack": "linux:iw=4"}, "initial window 10 → 4"),
        ({"stack": "linux:handshake=tcp+tls13"}, "data 1.0 RTT later"),
    ],
)
def test_a_change_is_worse_by_its_cause(
    base: pathlib.Path, changed: dict[str, object], cause: str
) -> None:
    result = fs.gate_check(base, **changed, max_slower=0.001)  # type: ignore[arg-type]
    assert any(cause in each for each in causes(result))


def test_growth_of_a_startup_in_a_file_that_was_halved_is_named(tmp_path: pathlib.Path) -> None:
    file, base = tmp_path / "mine.py", tmp_path / "base.json"
    file.write_text(STARTUP.format(share=1))
    fs.gate_record(base, sweep=SWEEP, startups=[f"{file}:Mine"], repeat=2)
    assert fs.gate_check(base, allow_python=True).passed
    file.write_text(STARTUP.format(share=0.5))
    result = fs.gate_check(base, allow_python=True)
    assert causes(result) == {"growth per RTT ×2 → ×1.5"}


def test_an_exit_at_twice_the_threshold_is_named(tmp_path: pathlib.Path) -> None:
    base = tmp_path / "base.json"
    fs.gate_record(base, sweep=SWEEP, startups=["slow-start:ssthresh=40"], repeat=2)
    result = fs.gate_check(base, startups=["slow-start:ssthresh=80"])
    changed = [each for each in result.judged if each.outcome != Outcome.SAME]
    assert {each.causes[0] for each in changed} == {"exit at 39 → 79 segments"}


@pytest.mark.parametrize(
    ("windows", "named"),
    [
        ((4.0, 8.0, 16.0, 32.0), ["initial window 10 → 4"]),
        ((10.0, 15.0, 22.5, 33.8), ["growth per RTT ×2 → ×1.5"]),
        ((10.0, 10.0, 20.0, 40.0), ["growth one RTT later"]),
        ((10.0, 20.0, 30.0, 40.0), ["cwnd in RTT 3: 40 → 30"]),
        ((10.0, 20.0, 40.0), []),
    ],
)
def test_windows_by_round_trip_show_what_differs(
    windows: tuple[float, ...], named: list[str]
) -> None:
    assert differences(START, Beginning(1.0, windows, "loss", 120.0)) == named


def test_another_reason_of_the_exit_is_named_with_both_windows() -> None:
    after = Beginning(1.0, START.windows, "ack-train", 90.0)
    assert differences(START, after) == ["exit loss at 120 → ack-train at 90"]


def test_a_case_is_worse_where_the_difference_is_beyond_its_limit_and_significant() -> None:
    before = runs([1.0, 1.1, 1.2, 1.3])
    outcomes = {
        judge([before], [runs(times)], LIMITS)[0].outcome: times
        for times in (
            [1.05, 1.155, 1.26, 1.365],
            [1.4, 0.9, 1.5, 1.2],
            [1.01, 1.111, 1.212, 1.313],
            [0.9, 0.99, 1.08, 1.17],
        )
    }
    assert list(outcomes) == [Outcome.WORSE, Outcome.UNCERTAIN, Outcome.SAME, Outcome.BETTER]


def test_more_loss_is_worse_though_the_time_is_the_same() -> None:
    times = [1.0, 1.1]
    (judged,) = judge([runs(times)], [runs(times, lost=0.02)], LIMITS)
    assert (judged.outcome, judged.causes) == (Outcome.WORSE, ("loss 0 % → 2 %",))


@pytest.mark.parametrize(
    ("after", "cause"),
    [
        (runs([1.0, None]), "1 of 2 transfers do not complete"),
        (runs([], error="no such thing"), "no such thing"),
    ],
)
def test_transfers_that_stop_are_worse(after: CaseRuns, cause: str) -> None:
    (judged,) = judge([runs([1.0, 1.0])], [after], LIMITS)
    assert (judged.outcome, judged.causes) == (Outcome.WORSE, (cause,))


def test_the_exit_status_is_3_and_ci_gets_both_forms(
    base: pathlib.Path, tmp_path: pathlib.Path, cli: Callable[..., Answer]
) -> None:
    folder = tmp_path / "out"
    status, out, _ = cli("gate", "check", base, "--stack", "linux:iw=4", "-o", folder)
    assert status == 3
    assert out.startswith("Worse: 4 of 4 cases. Commonest cause: initial window 10 → 4 (4).")
    suite = ElementTree.fromstring((folder / "junit.xml").read_bytes())
    assert (suite.get("tests"), suite.get("failures")) == ("4", "4")
    message = suite.find("testcase/failure")
    assert message is not None
    assert str(message.get("message")).startswith("initial window 10 → 4")
    assert "| case | change |" in (folder / "gate.md").read_text()


def test_a_base_is_checked_without_the_sweep_that_made_it(
    tmp_path: pathlib.Path, cli: Callable[..., Answer]
) -> None:
    sweep, base = tmp_path / "sweep.json", tmp_path / "base.json"
    sweep.write_text(json.dumps(SWEEP))
    status, out, _ = cli("gate", "record", base, "--sweep", sweep, "--repeat=2")
    assert (status, out.splitlines()[0]) == (0, f"Recorded 4 cases in {base}.")
    sweep.unlink()
    status, out, _ = cli("gate", "check", base)
    assert status == 0
    assert out.startswith("Passed: none of 4 cases is worse")


@pytest.mark.parametrize(
    ("sweep", "folder"), [(None, "."), ("irtf-tcpeval", "."), ("mine/sweep.json", "mine")]
)
def test_a_base_names_no_folder_of_the_package(
    sweep: str | None, folder: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/sweep.json").write_text(json.dumps(SWEEP))
    assert Cases.of(GateRecord("base.json", sweep=sweep)).folder == folder


@pytest.mark.skipif("noq" not in _native.BUILT_LIVE_STACKS, reason="the build has no noq")
def test_a_real_stack_is_recorded_and_checked_in_virtual_time(tmp_path: pathlib.Path) -> None:
    base = tmp_path / "base.json"
    fs.gate_record(base, sweep=SWEEP, live="noq", repeat=2)
    assert fs.gate_check(base).passed
    result = fs.gate_check(base, startups=["slow-start:iw=4"])
    assert causes(result) == {"initial window 10 → 4"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{}", "this is not a base of form 1; the file of `flowstart gate record` is needed"),
        ('{"form": 1}', "the base is damaged; the file of `flowstart gate record` is needed"),
        ("[", "not JSON: Expecting value"),
    ],
)
def test_another_file_is_refused(tmp_path: pathlib.Path, content: str, problem: str) -> None:
    file = tmp_path / "base.json"
    file.write_text(content)
    with pytest.raises(fs.RequestError, match=problem):
        fs.gate_check(file)


def test_a_base_has_a_name_that_says_its_form() -> None:
    with pytest.raises(fs.RequestError, match="the name of a base ends with"):
        fs.gate_record("base")


def test_a_variant_that_the_base_does_not_have_is_refused(base: pathlib.Path) -> None:
    with pytest.raises(fs.RequestError, match=r"it has no `hystart` on .* but slow-start"):
        fs.gate_check(base, startups=["slow-start", "hystart"])


def test_a_stack_in_real_time_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(fs.RequestError, match="real time"):
        fs.gate_record(tmp_path / "base.json", sweep=SWEEP, live="linux")
