"""The command line: what it prints, what it writes, how it refuses."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from failed_runs import failing
from flowstart import _native
from flowstart.comparison import repeats
from flowstart.model import catalog
from flowstart.simulation import batch

Cli = Callable[..., Any]
PATH = ("--rate", "5Mbps", "--rtt", "64ms")
FILES = {"rows.parquet", "rows.csv", "result.json", "report.html", "manifest.json"}


@pytest.fixture
def scenario(tmp_path: pathlib.Path) -> pathlib.Path:
    file = tmp_path / "scenario.toml"
    file.write_text(
        '[path]\nrate = "5Mbps"\nrtt = "64ms"\n\n[[flows]]\nsize = "30kB"\ncount = 2\n\n'
        '[[flows]]\nwrites = [{at = "0s", size = "5kB"}, {at = "1s", size = "5kB"}]\n'
    )
    return file


def test_version_says_the_version_by_itself_and_then_how_it_was_built(cli: Cli) -> None:
    answer = cli("--version")
    version, built, more = answer.out.splitlines()
    assert (answer.status, answer.err) == (0, "")
    assert version == f"flowstart {fs.__version__}"
    assert re.match(r"(commit [0-9a-f]{12}\+?|no commit known), rustc 1\.\d+", built)
    assert more.startswith("live stacks ")


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_help_lists_the_commands(cli: Cli, words: list[str]) -> None:
    answer = cli(*words)
    assert answer.status == 0
    for command in ("compare", "run", "algorithms", "schema"):
        assert command in answer.out


def test_compare_shows_a_table_and_how_to_repeat_it(cli: Cli) -> None:
    words = ("--buffer", "60pkt", "--size", "100kB", "--startup", "slow-start,jump-start")
    answer = cli("compare", *PATH, *words)
    assert answer.status == 0
    assert answer.err == ""
    first, *_, last = answer.out.strip().splitlines()
    assert first.startswith("5Mbps, 64ms, BDP 26 packets, buffer 60pkt")
    jump = next(line for line in answer.out.splitlines() if line.strip().startswith("jump-start"))
    assert "all-sent" in jump
    assert "◀" in jump
    assert last.endswith("--seed 1")
    assert "\nReproduce: flowstart compare --rate 5Mbps --rtt 64ms" in answer.out


def test_all_startups_are_sorted_by_time_and_marked(cli: Cli) -> None:
    answer = cli("compare", *PATH, "--size", "100kB", "--startup", "all", "--details")
    listed = [a.name for a in fs.list_algorithms("startup")]
    lines = [line.split()[0] for line in answer.out.splitlines() if " ms " in line or " s " in line]
    shown = [name.rstrip("*†") for name in lines if name.rstrip("*†") in listed]
    assert sorted(shown) == sorted(listed)
    rows = json.loads(cli("compare", *PATH, "--size", "100kB", "--startup", "all", "--json").out)
    times = {row["startup"]: row["fct_s"] for row in rows["rows"]}
    assert [times[name] for name in shown] == sorted(times.values())
    assert list(times) == listed  # JSON keeps the order of the request
    assert "smooth-start†" in lines
    assert "† in parts a reconstruction" in answer.out
    assert "fastest first" in answer.out


def test_few_startups_stay_in_the_order_they_were_named(cli: Cli) -> None:
    words = ("--size", "100kB", "--startup", "hystart,slow-start,jump-start", "--details")
    out = cli("compare", *PATH, *words).out
    assert out.index(" hystart ") < out.index(" slow-start ") < out.index(" jump-start ")


def test_json_is_one_document_and_nothing_else(cli: Cli) -> None:
    answer = cli("compare", *PATH, "--loss", "1%", "--size", "10kB", "--repeat", "2", "--json")
    document = json.loads(answer.out)
    assert answer.err == ""
    assert len(document["rows"]) == 2 * 5
    assert document["seeds"] == [1, 2]
    assert document["rows"][0]["startup_exit_reason"] is None


def test_compare_writes_a_folder(cli: Cli, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "deep" / "out"
    words = ("--size", "10kB,40kB", "--startup", "slow-start,jump-start", "-o", str(out))
    assert cli("compare", *PATH, *words, "--no-uncertainty").status == 0
    names = {file.name for file in out.iterdir()}
    figures = {"completion"} | {
        f"{f}-{s}" for f in ("over-time", "sequence") for s in ("10kB", "40kB")
    }
    assert names == FILES | {f"{f}.{kind}" for f in figures for kind in ("svg", "png")}
    rows = json.loads((out / "result.json").read_text())["rows"]
    assert pl.read_parquet(out / "rows.parquet").to_dicts() == rows
    assert (out / "completion.png").read_bytes().startswith(b"\x89PNG")


def test_compare_takes_a_file(cli: Cli, scenario: pathlib.Path) -> None:
    answer = cli("compare", scenario, "--startup", "slow-start,jump-start", "--json")
    rows = json.loads(answer.out)["rows"]
    shown = [(row["startup"], row["request"]) for row in rows]
    requests = (None, None, 1, 2)
    expected = [(name, n) for name in ("slow-start", "jump-start") for n in requests]
    assert shown == expected


def test_a_named_path_gives_way_to_options(cli: Cli) -> None:
    words = ("compare", "--path", "satellite", "--rtt", "300ms", "--size", "10kB", "--json")
    path = json.loads(cli(*words).out)["scenario"]["path"]
    assert path["rate"] == "40Mbps"
    assert path["rtt"] == "300ms"


def test_run_shows_flows_writes_and_links(cli: Cli, scenario: pathlib.Path) -> None:
    answer = cli("run", scenario)
    assert answer.status == 0
    for word in ("flow", "write", "link", "forward", "30 kB"):
        assert word in answer.out


def test_run_shows_and_writes_the_objects_of_web_sessions(cli: Cli, tmp_path: pathlib.Path) -> None:
    file, out = tmp_path / "web.toml", tmp_path / "out"
    file.write_text(
        'path = {rate = "5Mbps", rtt = "60ms"}\nweb = [{size = 3, pages = 2, objects = 30}]\n'
    )
    answer = cli("run", file, "-o", out, "--details")
    assert answer.status == 0
    assert "The first 50 of 60 objects" in answer.out
    assert "session" in answer.out
    assert "startup" not in answer.out, "there are no other flows"
    objects = pl.read_parquet(out / "objects.parquet")
    assert objects["response_s"].min() > 4 * 0.06 - 0.03  # type: ignore[operator]
    assert len(json.loads((out / "result.json").read_text())["objects"]) == 60


def test_run_writes_its_trace(cli: Cli, scenario: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    assert cli("run", scenario, "--trace", "--json", "-o", out).status == 0
    names = {file.name for file in out.iterdir()}
    assert {*FILES, "links.csv", "transfers.csv", "flow-samples.parquet", "sequence.svg"} <= names
    assert pl.read_parquet(out / "flow-samples.parquet")["flow"].n_unique() == 3


def test_algorithms_lists_and_shows(cli: Cli) -> None:
    listed = cli("algorithms", "--details").out
    assert "jump-start" in listed
    assert "cubic" in listed
    assert "bic†" in listed
    assert "cubic†" not in listed
    shown = cli("algorithms", "limited-slow-start", "--details").out
    assert "RFC 3742" in shown
    assert "max_ssthresh  (segments; default 100)" in shown
    assert "the source of a public implementation" in shown
    assert "in parts a reconstruction" in cli("algorithms", "smooth-start").out
    entry = json.loads(cli("algorithms", "jump-start", "--json").out)
    assert {"source", "year", "params", "needs", "certainty"} <= set(entry)
    assert all(set(p) == {"name", "unit", "default", "meaning"} for p in entry["params"])
    names = [entry["name"] for entry in json.loads(cli("algorithms", "--json").out)]
    assert "hystart" in names
    assert json.loads(cli("algorithms", "hystart", "--json").out)["kind"] == "startup"
    queue = json.loads(cli("algorithms", "codel", "--json").out)
    assert queue["kind"] == "queue"
    assert [p["name"] for p in queue["params"]] == ["target", "interval", "ecn"]


def test_a_way_for_a_rate_to_vary_is_shown_too(cli: Cli) -> None:
    assert "sigma  (number; default 0.4)" in cli("algorithms", "wander", "--details").out
    assert "rate variations" in cli("algorithms").out


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("pareto", "it is a distribution (as in --jitter pareto:...)"),
        ("target", "it is a value of path.quick_start.admission (ns-2's third"),
        ("linux", "it is a stack (--stack linux), a value of path.buffer_accounting ("),
        ("geo", "it is a path (--path geo)"),
        ("wandr", "did you mean `wander`?"),
    ],
)
def test_a_name_of_something_else_is_refused_with_what_it_is(
    cli: Cli, name: str, place: str
) -> None:
    refused = cli("algorithms", name)
    assert (refused.status, refused.out) == (2, "")
    assert place in refused.err


def test_a_startup_and_its_routers_are_shown_together(cli: Cli) -> None:
    shown = cli("algorithms", "xcp").out
    assert shown.index("xcp: XCP\n") < shown.index("xcp: XCP router\n")
    both = json.loads(cli("algorithms", "xcp", "--json").out)
    assert [entry["kind"] for entry in both] == ["startup", "queue"]
    assert fs.get_algorithm("xcp").kind == "startup"
    assert catalog.get_algorithm("xcp", "queue").params[0].name == "alpha"


def test_every_need_and_certainty_has_words() -> None:
    for entry in fs.list_algorithms():
        assert set(entry.needs) <= set(catalog.NEEDS)
        assert entry.certainty in catalog.CERTAINTIES


def test_schema_is_json_schema(cli: Cli) -> None:
    assert "path" in json.loads(cli("schema", "scenario").out)["properties"]


REFUSED = [
    (["replay", "a.pcap", "a.pcap"], "a.pcap is given twice"),
    (["compare"], "no path is given"),
    (["compare", "--rate", "5Mbps"], "--rtt: missing"),
    (["compare", "--rate", "5", "--rtt", "64ms"], "--rate: `5` is not a rate with a unit"),
    (["compare", "--rate", "5Mbps", "--rtt", "64"], "--rtt: `64` is not a time with a unit"),
    (["compare", "--rate", "5Mbps", "--rtt", "64kB"], "--rtt: `64kB` is not a time"),
    (["compare", "--rate", "0Mbps", "--rtt", "64ms"], "--rate: `0bps` is out of range"),
    (["compare", "--rate=-5Mbps", "--rtt", "64ms"], "--rate: `-5Mbps` is negative"),
    (["compare", "--rate", "5Mbps", "--rtt", "-5ms"], "--rtt: `-5ms` is negative; 0 or more is"),
    (["compare", "--rate", "5Mbps", "--rtt", "1000h"], "--rtt:"),
    (["compare", *PATH, "--size", "0B"], "--size: `0B` is out of range"),
    (["compare", *PATH, "--size", "10kB,x"], "--size: `x` is not a size with a unit"),
    (["compare", *PATH, "--size", "100"], "--size: `100` is not a size with a unit"),
    (["compare", *PATH, "--size", "1kB,1kB"], "size `1kB` is given twice"),
    (["compare", *PATH, "--size", "10kB,10000B"], "size `10000B` is the same as `10kB`; leave"),
    (["compare", *PATH, "--size", "100pkt,144.8kB"], "size `144.8kB` is the same as `100pkt`"),
    (["compare", *PATH, "--seed", str(2**64)], f"seed = {2**64}: at most {2**64 - 1} is possible"),
    (["compare", *PATH, "--buffer", "x"], "--buffer: `x` is not"),
    (["compare", *PATH, "--loss", "101%"], "--loss: `101%` is not a probability"),
    (
        ["compare", *PATH, "--queue", "dropp-tail"],
        "--queue: queue `dropp-tail`: unknown; did you mean `drop-tail`?",
    ),
    (["compare", *PATH, "--reverse-queue", "pie:t_update=0s"], "--reverse-queue: queue `pie`"),
    (["compare", *PATH, "--ack-thinning"], "--ack-thinning: there are no batches to thin out"),
    (["compare", *PATH, "--router-pps", "0"], "--router-pps: `0` is out of range"),
    (["compare", *PATH, "--startup", "slow-strt"], "did you mean `slow-start`?"),
    (["compare", *PATH, "--startup", "iw30"], "unknown; did you mean `slow-start:iw=30`?"),
    (["compare", *PATH, "--startup", "slow-start,slow-start"], "given twice"),
    (["compare", *PATH, "--startup", "limited-slow-start:max=3"], "`max`"),
    (["compare", *PATH, "--cc", "rino"], "did you mean `reno`?"),
    (["compare", *PATH, "--stack", "rfcc"], "--stack: `rfcc` is unknown; did you mean `rfc`?"),
    (["compare", *PATH, "--stack", "rfc:sack"], "should be written name=value"),
    (
        ["compare", *PATH, "--stack", "rfc:iw=3,,"],
        "--stack: `rfc:iw=3,,`: empty at a comma",
    ),
    (
        ["compare", *PATH, "--stack", "rfc:iw=3,iw=4"],
        "--stack: `rfc:iw=3,iw=4`: `iw` is given twice",
    ),
    (["compare", *PATH, "--queue", "red:th_min=5,"], "--queue: queue `red`: empty at a"),
    (["compare", *PATH, "--size", "10kB,,20kB"], "--size `10kB,,20kB`: empty at a comma"),
    (["compare", *PATH, "--startup", "slow-start,"], "--startup `slow-start,`: empty at"),
    (
        ["compare", "--rtt", "9ms", "--rate-steps", "1Mbps:1s,,2Mbps:1s"],
        "--rate-steps: `1Mbps:1s,,2Mbps:1s`: empty at a comma",
    ),
    (
        ["compare", *PATH, "--quick-start", "target:threshold=90%,", "--startup", "quick-start"],
        "--quick-start: `target:threshold=90%,`: empty at a comma",
    ),
    (["compare", *PATH, "--rate", "3Mbps"], "--rate is given twice; it takes one value"),
    (
        ["compare", *PATH, "--startup", "slow-start", "--startup", "hystart"],
        "--startup is given twice; join its values with commas",
    ),
    (["run", "a.toml", "-o", "a", "-o", "b"], "--output is given twice; it takes one value"),
    (["compare", *PATH, "--ack", "sometimes"], "--ack: `sometimes` is unknown"),
    (["compare", *PATH, "--iw", "many"], "--iw:"),
    (["compare", *PATH, "--workers", "0"], "--workers"),
    (["compare", *PATH, "--flows", "0"], "--flows"),
    (["compare", *PATH, "--repeat", "0"], "--repeat"),
    (["compare", *PATH, "--seed", "-1"], "seed"),
    (["compare", "--path", "satelite"], "did you mean `satellite`?"),
    (["compare", "--rat", "5Mbps"], "--rate"),
    (["compare", "missing.toml"], "missing.toml: there is no such file"),
    (["compare", "."], "cannot be read"),
    (["compare", *PATH, "-o", "/dev/null"], "a folder is needed"),
    (["compare", *PATH, "-o", "/proc/out"], "cannot be written to"),
    (["run", "missing.toml"], "missing.toml: there is no such file"),
    (["run"], "SCENARIO.toml"),
    (["algorithms", "slow-strt"], "did you mean `slow-start`?"),
    (["schema", "poem"], "no schema is called"),
    (["comparr"], "comparr"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(r[0]) for r in REFUSED])
def test_a_wrong_request_is_one_line_and_status_2(
    cli: Cli,
    words: list[str],
    message: str,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    out = [] if "-o" in words or words[0] in ("algorithms", "schema") else ["-o", "out"]
    status, printed, error = cli(*words, *out)
    assert message in error
    assert error.startswith("flowstart: ")
    assert error.count("\n") == 1
    assert (status, printed) == (2, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rate", "5Mbps"], "--rate and"),
        (["--reverse-buffer", "5pkt"], "--reverse-buffer and"),
        (["--stack", "ns2"], "--stack and"),
        (["--flows", "2"], "--flows and"),
        (["--size", "1kB"], "its own size"),
    ],
)
def test_a_file_and_what_contradicts_it(
    cli: Cli, scenario: pathlib.Path, words: list[str], message: str
) -> None:
    status, printed, error = cli("compare", scenario, *words)
    assert (status, printed) == (2, "")
    assert message in error


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--repeat", "0"), "--repeat: `0` is not a whole number from 1 on"),
        (("--flows", "0"), "--flows: `0` is not a whole number from 1 on"),
        (("--repeat", "1.5"), "--repeat: `1.5` is not a whole number from 1 on"),
        (("--seed", "abc"), "--seed: `abc` is not a whole number"),
        (("--workers", "x"), "--workers: `x` is not a whole number from 1 on"),
    ],
)
def test_a_refused_number_is_named_with_its_option_and_range(
    cli: Cli, words: tuple[str, str], message: str
) -> None:
    assert cli("compare", *PATH, *words) == (2, "", f"flowstart: {message}\n")


def test_a_flag_without_a_value_may_be_repeated(cli: Cli) -> None:
    assert cli("algorithms", "reno", "--json", "--json").status == 0


@pytest.mark.parametrize(
    ("field", "value"), [("seed", 2**64), ("flows[0].count", 10**30), ("path.hosts", 2**65)]
)
def test_a_number_beyond_all_fields_is_said_to_be_too_large(
    cli: Cli, tmp_path: pathlib.Path, field: str, value: int
) -> None:
    numbers = {"seed": 1, "flows[0].count": 1, "path.hosts": 1} | {field: value}
    file = tmp_path / "large.toml"
    file.write_text(
        f"seed = {numbers['seed']}\n"
        f'path = {{ rate = "5Mbps", rtt = "9ms", hosts = {numbers["path.hosts"]} }}\n'
        f'flows = [{{ startup = "slow-start", size = "1kB", count = {numbers["flows[0].count"]} }}]'
    )
    status, _, error = cli("run", file)
    assert status == 2
    assert f"{field}: `{value}` is too large; at most {2**64 - 1} is possible" in error


def test_the_largest_seed_runs(cli: Cli) -> None:
    answer = cli(
        "compare",
        *PATH,
        "--size",
        "10kB",
        "--startup",
        "slow-start",
        "--loss",
        "1%",
        "--seed",
        2**64 - 1,
        "--json",
    )
    assert answer.status == 0
    assert [row["seed"] for row in json.loads(answer.out)["rows"]] == [2**64 - 1]


def test_an_error_in_a_file_names_file_and_field(cli: Cli, scenario: pathlib.Path) -> None:
    scenario.write_text(scenario.read_text().replace("64ms", "64"))
    for command in ("compare", "run"):
        assert f"{scenario}: path.rtt: `64` is not a time" in cli(command, scenario).err


@pytest.mark.parametrize("wrong", ["flow = []", "sed = 1", "web = 3"])
def test_a_wrong_field_at_the_top_of_a_file_names_the_file(
    cli: Cli, tmp_path: pathlib.Path, wrong: str
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(f'{wrong}\npath = {{rate = "5Mbps", rtt = "9ms"}}\n')
    assert cli("run", file).err.startswith(f"flowstart: {file}: {wrong.split()[0]}")


def test_a_file_without_a_path_is_named(cli: Cli, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text('flows = [{size = "1kB"}]\n')
    assert cli("run", file).err.startswith(f"flowstart: {file}: path: missing")


def test_run_says_what_its_marks_mean_and_that_it_has_one_seed(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "random.toml"
    file.write_text(
        'path = {rate = "5Mbps", rtt = "9ms", loss = "1%"}\n'
        'flows = [{size = "10kB", startup = "careful-resume"}]\n'
    )
    answer = cli("run", file, "-o", tmp_path / "out", "--details")
    page = (tmp_path / "out" / "report.html").read_text()
    for shown in (answer.out, page):
        assert "careful-resume*" in shown
        assert "* needs more than its sender has: careful-resume" in shown
        assert "slow start without it: careful-resume." in shown
        assert "drawn at random: loss. Another seed may give another answer: seed = 2." in shown
    assert json.loads((tmp_path / "out" / "result.json").read_text())["drawn"] == ["loss"]
    told = file.read_text().replace('resume"', 'resume", cached_cwnd = "60pkt"')
    file.write_text(told.replace(', loss = "1%"', ""))
    out = cli("run", file, "--details").out
    assert "cached state of an earlier connection: a cwnd of 60pkt." in out
    assert "at random" not in out


def test_ctrl_c_during_the_figures_says_what_is_kept(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("flowstart.comparison.report.pictures", interrupt)
    out = tmp_path / "out"
    answer = cli("compare", *PATH, "--size", "10kB", "--startup", "slow-start", "-o", out)
    assert answer.status == 130
    assert answer.err == (
        f"flowstart: stopped by Ctrl-C while figures were drawn: all results are in {out}, "
        "figures and report.html are missing\n"
    )
    assert (out / "result.json").is_file()


def test_a_defect_is_one_line_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError("ouch")

    monkeypatch.setattr("flowstart.model.catalog.list_algorithms", fail)
    status, printed, error = cli("algorithms")
    assert (status, printed) == (1, "")
    assert error.startswith("flowstart: a defect of flowstart: ZeroDivisionError: ouch")


def test_a_failed_run_leaves_the_others(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_native, "run_many", failing(1, "ouch"))
    words = ("--startup", "slow-start,hystart", "--size", "10kB", "-o", tmp_path / "out")
    status, printed, error = cli("compare", *PATH, *words)
    assert status == 1
    assert "slow-start" in printed
    assert "hystart with 10kB, seed 1: ouch" in error
    assert "1 of 2 runs failed; the others are in" in error
    assert len(json.loads((tmp_path / "out" / "result.json").read_text())["rows"]) == 1


def test_a_size_of_which_every_run_failed_leaves_the_others(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_native, "run_many", failing(1, "ouch"))
    status, printed, error = cli("compare", *PATH, "--startup", "hystart", "--size", "10kB,20kB")
    assert status == 1
    assert "10 kB" in printed
    assert "hystart with 20kB, seed 1: ouch" in error


TWIN = f"{pathlib.Path(__file__).parents[2] / 'examples/limited_slow_start.py'}:LimitedSlowStart"


def worked_s(process: int) -> float:
    """Processor time of it and its children; on a busy machine more passes on the clock."""
    found = 0
    for file in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            fields = file.read_text().rpartition(")")[2].split()
            if process in (int(file.parent.name), int(fields[1])):
                found += int(fields[11])
    return found / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells how long it worked")
@pytest.mark.parametrize("startup", ["slow-start", TWIN], ids=["rust", "python"])
def test_ctrl_c_keeps_what_is_finished(tmp_path: pathlib.Path, startup: str) -> None:
    # The short run is done at once, the long ones would take minutes.
    words = ["--startup", startup, "--size", "10kB,900GB,901GB", "--no-uncertainty"]
    words += ["-o", str(tmp_path / "out")]
    command = [sys.executable, "-m", "flowstart", "compare", "--rate", "1Gbps", "--rtt", "50ms"]
    pipe = subprocess.PIPE

    def heeds_interrupts() -> None:
        # These tests may have been started in the background, where Ctrl-C is ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    running = subprocess.Popen(
        [*command, *words], stdout=pipe, stderr=pipe, text=True, preexec_fn=heeds_interrupts
    )
    while running.poll() is None and worked_s(running.pid) < 2:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    printed, error = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "1 of 3 runs are finished" in error
    assert "Traceback" not in error
    assert "10 kB" in printed
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    assert result["interrupted"]
    assert len(result["rows"]) == 1


@pytest.mark.slow
def test_what_nobody_keeps_loads_no_library_for_figures() -> None:
    program = (
        "import sys, flowstart.cli as cli; "
        "status = cli.main(sys.argv[1:]); sys.exit(status or 'matplotlib' in sys.modules)"
    )
    command = [sys.executable, "-c", program, "compare", *PATH, "--size", "10kB"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_closed_pipe_is_no_error_message() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "flowstart", "schema"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["compare", *PATH, "--size", ""], "--size"),
        (["compare", *PATH, "--size", ","], "--size"),
        (["compare", *PATH, "--startup", ""], "--startup"),
        (["compare", *PATH, "--repeat", "100000000"], "repeat"),
        (["compare", *PATH, "--flows", "1000000000"], "--flows: `1000000000`"),
        (["compare", *PATH, "--stack", "ns2:iw=3", "--iw", "5"], "both set iw"),
    ],
)
def test_what_says_nothing_or_too_much_is_refused(cli: Cli, words: list[str], message: str) -> None:
    answer = cli(*words)
    assert answer.status == 2
    assert answer.out == ""
    assert message in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.slow
def test_results_are_kept_when_the_reader_goes_away(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "flowstart", "compare", *PATH, "--json", "-o", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(10)
        process.stdout.close()
    assert {file.name for file in out.iterdir()} >= FILES


def test_a_file_tells_the_terminal_nothing(cli: Cli, tmp_path: pathlib.Path) -> None:
    variants = tmp_path / "variants.toml"
    variants.write_text('[[variant]]\nname = "a\\u001b[2J[red]"\nstartup = "hystart"\n')
    scenario = tmp_path / "scenario.toml"
    scenario.write_text('[path]\nrate = "\\u001b[2J"\n')
    for words in (
        ("run", scenario),
        ("compare", *PATH, "--size", "10kB", "--variant", variants),
        ("compare", *PATH, "--size", "10kB", "--variant", "a\x1b[2J[red]: startup=hystart"),
    ):
        _, printed, error = cli(*words)
        assert "[2J" in printed + error
        assert "\x1b" not in printed + error


def test_ctrl_c_while_tables_are_written_keeps_those_that_are_finished(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(file: pathlib.Path) -> None:
        file.write_text("half of it")
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "flowstart.comparison.report.tables", lambda _: {"one.csv": b"1", "two.csv": half}
    )
    out = tmp_path / "out"
    answer = cli("compare", *PATH, "--size", "10kB", "--startup", "slow-start", "-o", out)
    assert answer.status == 130
    assert f"while tables were written: those that are finished are in {out}" in answer.err
    assert sorted(file.name for file in out.iterdir()) == ["manifest.json", "one.csv"]
    assert json.loads((out / "manifest.json").read_text())["state"] == "interrupted"
    assert [file.name for file in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("finished", [0, 1])
def test_ctrl_c_during_the_repeats_leaves_ranges_only_of_repeats_that_were_finished(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, finished: int
) -> None:
    real, calls = batch.run_many, [0]

    def interrupted(*given: Any) -> Any:
        calls[0] += 1
        return real(*given) | {"interrupted": calls[0] > finished}

    monkeypatch.setattr(repeats, "run_many", interrupted)
    monkeypatch.setattr("flowstart.inference.repeats.Decision.is_settled", False)
    out = tmp_path / "out"
    words = ("--size", "10kB", "--startup", "slow-start,hystart", "--loss", "1%")
    answer = cli("compare", *PATH, *words, "-o", out)
    assert answer.status == 130, answer.err
    assert ("95 % CI" in answer.out) == bool(finished)
    assert json.loads((out / "manifest.json").read_text())["state"] == "interrupted"
    assert not (out / "report.html").exists()  # figures take longer than a second


def test_ctrl_c_while_a_class_is_made_is_no_defect(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()

    monkeypatch.setattr("flowstart.model.catalog.list_algorithms", interrupted)
    assert cli("algorithms") == (130, "", "flowstart: stopped by Ctrl-C\n")


def test_a_live_stack_outside_of_the_build_is_refused_with_what_builds_it(cli: Cli) -> None:
    for stack in sorted({*_native.LIVE_STACKS} - {*_native.BUILT_LIVE_STACKS}):
        for own in ((), ("--native",)):
            answer = cli("live", *PATH, "--stack", stack, *own)
            assert answer.status == 2
            assert f"--stack: `{stack}`: is not in this build; `make live" in answer.err
            assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["compare", *PATH, "--reverse_rate", "1Mbps"], "--reverse_rate"),
        (["compare", *PATH, "--max_time=3h"], "--max_time"),
        (["compare", "-h", "--bogus"], "--bogus"),
        (["--help", "--bogus"], "--bogus"),
        (["compare", "-x", "--help"], "-x"),
    ],
)
def test_an_option_is_written_as_in_the_help(cli: Cli, words: list[str], option: str) -> None:
    refused = cli(*words)
    assert (refused.status, refused.out) == (2, "")
    assert f"flowstart: {option}: there is no such option" in refused.err


@pytest.mark.parametrize("number", ["1_0", "٣", " 2", "2.0", "1" * 21])
def test_a_whole_number_is_written_in_digits(cli: Cli, number: str) -> None:
    refused = cli("compare", *PATH, f"--flows={number}")
    assert (refused.status, refused.out) == (2, "")
    assert f"--flows: `{number}` is not a whole number" in refused.err


def test_a_value_is_missing_where_files_begin(cli: Cli) -> None:
    refused = cli("capture", "--columns", "--", "a.pcap", "--help")
    assert (refused.status, refused.out) == (2, "")
    assert "--columns: a value is missing" in refused.err


def test_a_closed_standard_input_is_refused() -> None:
    command = f"exec {sys.executable} -m flowstart capture - <&-"
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "flowstart: the standard input cannot be read: Bad file descriptor; name a file\n"
    )
