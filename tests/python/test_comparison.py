"""Comparisons: their plan, their rows, their summaries."""

import dataclasses
import pathlib
import shlex
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
from flowstart.comparison.plan import Plan
from flowstart.comparison.report import flows_over_time, pictures
from flowstart.questions.compare import Compare

BACKGROUND: dict[str, Any] = {
    "path": {"rate": "10Mbps", "rtt": "40ms"},
    "flows": [
        {"startup": "slow-start", "size": "2MB"},
        {"start": "1s", "count": 2, "stagger": "100ms"},
    ],
}


def test_three_lines_of_python(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start", "jump-start"], sizes=["100kB"])
    assert isinstance(result.frame, pl.DataFrame)
    assert result.frame["startup"].to_list() == ["slow-start", "jump-start"]
    assert result.frame["complete"].all()
    jump = result.summaries[1]
    assert jump.best
    assert jump.change is not None
    assert jump.change < 0
    assert "<table>" in result._repr_html_()


def test_a_row_has_the_promised_columns(path: fs.NetworkPath) -> None:
    promised = (
        "startup cc stack size_bytes seed flow fct_s duration_s ideal_fct_s slowdown "
        "bytes_delivered packets_sent packets_dropped packets_retransmitted timeouts "
        "startup_exit_s startup_exit_cwnd_segments startup_exit_reason "
        "max_cwnd_segments max_queue_pkts"
    )
    result = fs.compare(path, startups=["slow-start"], sizes=["10kB"])
    assert set(promised.split()) <= set(result.records[0])


def test_types_do_not_depend_on_values(path: fs.NetworkPath) -> None:
    calm = fs.compare(path, startups=["slow-start"], sizes=["10kB"]).frame
    lossy = fs.compare(path, startups=["slow-start"], sizes=["1MB"]).frame
    assert calm["startup_exit_reason"].item() is None
    assert lossy["startup_exit_reason"].item() == "loss"
    assert calm.schema == lossy.schema


def test_a_sender_does_not_know_the_bottleneck_by_its_interface(path: fs.NetworkPath) -> None:
    def told(path: fs.NetworkPath, *startups: str) -> tuple[str | None, str]:
        result = fs.compare(path, startups=startups, sizes=["10kB"])
        flow = result.to_dict()["resolved"]["flows"][0]
        return flow.get("interface_rate"), result.legend

    rate, words = told(path, "slow-start", "qs-app")
    assert rate == "1Gbps"
    assert "interface of the sender, as qs-app needs: 1Gbps" in words
    for startup in ("slow-start", "qs-app:interface_rate=5Mbps"):
        assert "interface of" not in told(path, startup)[1]
    for line in ({"nic_rate": "100Mbps"}, {"access_rate": "100Mbps"}):
        rate, words = told(path.replace(**line), "qs-app")
        assert rate is None
        assert "interface of" not in words


def test_flows_and_web_sessions_of_a_scenario_are_told_of_an_interface_too() -> None:
    document: dict[str, Any] = {
        "path": {"rate": "10Mbps", "rtt": "40ms"},
        "flows": [{"startup": "qs-app"}, {}, {"interface_rate": "50Mbps"}],
        "web": [{"size": "10"}],
    }
    plan = Plan.of(Compare(document, startups=["qs-app"], sizes=["10kB"]))
    scenario = plan.scenario(plan.cases()[0])
    rates = [entry.get("interface_rate") for entry in scenario["flows"] + scenario["web"]]
    assert rates == [None, "1Gbps", "50Mbps", "1Gbps"]


def test_every_size_startup_and_seed_runs_once(path: fs.NetworkPath) -> None:
    plan = Plan.of(Compare(path, startups=["a", "b"], sizes=["1kB", "2kB"], seed=5, repeat=3))
    cases = plan.cases()
    assert len(set(cases)) == len(cases) == 12
    assert {case.seed for case in cases} == {5, 6, 7}


def test_flows_run_together(path: fs.NetworkPath) -> None:
    result = fs.compare(path, startups=["slow-start"], sizes=["50kB"], flows=3, stagger="10ms")
    assert result.frame["opened_s"].to_list() == pytest.approx([0, 0.01, 0.02])
    assert result.summaries[0].flows == 3


def test_a_parameter_keeps_its_startup_apart(path: fs.NetworkPath) -> None:
    specs = ["limited-slow-start", "limited-slow-start:max_ssthresh=20"]
    result = fs.compare(path, startups=specs, sizes=["300kB"])
    assert [s.startup for s in result.summaries] == specs
    assert result.records[0]["max_cwnd_segments"] > result.records[1]["max_cwnd_segments"]


def test_the_routers_of_a_startup_that_needs_them_are_named(path: fs.NetworkPath) -> None:
    startups = ["slow-start", "xcp:iw=4", "hystart"]
    result = fs.compare(path, startups=startups, sizes=["10kB"])
    assert list(result.queues.values()) == ["drop-tail", "xcp", "drop-tail"]
    assert result.to_dict()["queues"]["xcp:iw=4"] == "xcp"
    assert "queues: drop-tail; xcp under xcp:iw=4." in result.legend
    given = dataclasses.replace(path, queue="codel")
    result = fs.compare(given, startups=startups, sizes=["10kB"])
    assert set(result.queues.values()) == {"codel"}
    assert "queues" not in result.legend


@pytest.mark.parametrize("stack", ["ns2:iw=3", "linux:sack=false,tso=false"])
def test_the_command_does_it_again(
    path: fs.NetworkPath, cli: Callable[..., Any], stack: str
) -> None:
    import json

    result = fs.compare(
        path,
        startups=["slow-start", "limited-slow-start:max_ssthresh=20"],
        sizes=["30kB", "60pkt"],
        stack=stack,
        flows=2,
        seed=7,
        repeat=2,
    )
    assert result.plan.command is not None
    again = cli(*shlex.split(result.plan.command)[1:], "--json")
    assert json.loads(again.out)["rows"] == result.records


def test_flows_that_name_a_startup_are_background() -> None:
    result = fs.compare(BACKGROUND, startups=["slow-start", "jump-start"], sizes=["100kB"])
    assert [row["tested"] for row in result.records] == [False, True, True] * 2
    assert [row["startup"] for row in result.records[3:]] == ["slow-start", *["jump-start"] * 2]
    slow, jump = result.summaries
    assert slow.flows == jump.flows == 2
    assert slow.background_change == 0
    assert jump.background_change is not None


READERS = fs.Scenario(
    path=fs.NetworkPath(rate="2Mbps", rtt="60ms", buffer="20pkt"),
    flows=[fs.Flow(size="100kB", startup="slow-start")],
    web=[
        fs.WebTraffic(
            sessions=4, interval="20ms", pages=2, objects=3, size="pareto2:mean=9,shape=1.5"
        ),
        fs.WebTraffic(startup="hystart", size=5),
    ],
)


def test_responses_of_web_sessions_that_name_no_startup_are_under_test() -> None:
    result = fs.compare(READERS, startups=["slow-start", "jump-start"], uncertainty=False)
    slow, jump = result.summaries
    assert slow.web and jump.web and slow.flows == jump.flows == 4 * 2 * 3
    assert slow.group == jump.group
    assert jump.background_change is not None
    tested = [row for row in result.records if row["tested"]]
    assert {row["startup"] for row in tested} == {"slow-start", "jump-start"}
    draws = [
        sorted(
            (row["session"], row["page"], row["object"], row["size_bytes"])
            for row in tested
            if row["startup"] == startup
        )
        for startup in ("slow-start", "jump-start")
    ]
    assert draws[0] == draws[1]
    others = [row for row in result.records if not row["tested"]]
    assert [row["startup"] for row in others] == ["slow-start", "hystart"] * 2
    assert all(row["size_bytes"] == 5 * 1448 for row in others if row["web"] == 1)
    assert result.frame["response_s"].null_count() == 2, "that of the plain flow"


def test_web_sessions_are_drawn_and_written_like_flows(tmp_path: pathlib.Path) -> None:
    result = fs.compare(READERS, startups=["slow-start", "hystart"])
    grid = result.table
    assert "objects of web sessions" in grid.groups[0]
    assert {series.label for series in result.series()} == {"slow-start", "hystart"}
    assert "report.html" in pictures(result)
    file = tmp_path / "web.toml"
    file.write_text(
        'path = {rate = "5Mbps", rtt = "9ms"}\nweb = [{size = 3, sessions = 2}]\n', "utf-8"
    )
    assert [s.flows for s in fs.compare(file, startups=["slow-start"]).summaries] == [2]


def test_web_sessions_may_all_name_their_startup() -> None:
    web = [{"size": 3, "startup": "slow-start"}]
    document = {"path": {"rate": "5Mbps", "rtt": "9ms"}, "web": web}
    with pytest.raises(fs.RequestError, match="nothing to compare"):
        fs.compare(document)
    with pytest.raises(fs.RequestError, match=r"web"):
        fs.compare(document | {"web": [3]})


def test_a_file_gives_the_same(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "beside.toml"
    file.write_text(
        'path = {rate = "10Mbps", rtt = "40ms"}\n'
        '[[flows]]\nstartup = "slow-start"\nsize = "2MB"\n'
        '[[flows]]\nstart = "1s"\ncount = 2\nstagger = "100ms"\n'
    )
    ours: Any = {"startups": ["slow-start"], "sizes": ["100kB"]}
    from_file = fs.compare(file, **ours)
    assert from_file.records == fs.compare(BACKGROUND, **ours).records
    assert str(file) in str(from_file.plan.command)


@pytest.mark.parametrize(
    ("flows", "arguments", "message"),
    [
        ([{"startup": "slow-start", "size": "1kB"}], {}, "nothing to compare"),
        ([{"size": "1kB"}], {"sizes": ["2kB"]}, "its own size"),
        ([{"size": "1kB"}], {"cc": "reno"}, "`cc` belongs into the scenario"),
        ([{"size": "1kB"}], {"repeat": 0}, "repeat = 0: at least one"),
        ([{"size": "1kB"}], {"startups": []}, "no startup is given"),
        ([{"size": "1kB"}], {"seed": "x"}, "seed = 'x': a whole number"),
        ("x", {}, "flows"),
    ],
)
def test_what_contradicts_is_refused(flows: Any, arguments: dict[str, Any], message: str) -> None:
    document = BACKGROUND | {"flows": flows}
    with pytest.raises(fs.RequestError, match=message):
        fs.compare(document, **arguments)


def test_random_loss_is_the_same_on_any_number_of_workers() -> None:
    lossy = fs.NetworkPath(rate="5Mbps", rtt="64ms", loss="2%")
    one, two = (fs.compare(lossy, sizes=["200kB"], repeat=3, workers=n) for n in (1, 2))
    assert one.records == two.records
    assert len({row["fct_s"] for row in one.records}) > 1


@pytest.fixture(scope="module")
def against_jump_start() -> fs.Comparison:
    path = fs.NetworkPath(rate="20Mbps", rtt="60ms", buffer="100pkt")
    names = ["slow-start", "hystart", "jump-start"]
    return fs.compare(path, startups=names, baseline="jump-start", sizes=["90kB"])


def test_the_legend_and_the_result_name_the_baseline(against_jump_start: fs.Comparison) -> None:
    assert "change: against jump-start;" in against_jump_start.legend
    assert against_jump_start.to_dict()["baseline"] == "jump-start"


def test_repeats_are_compared_with_the_baseline_that_is_named(
    against_jump_start: fs.Comparison,
) -> None:
    found = against_jump_start.intervals
    assert found
    assert {record["baseline"] for record in found.records} == {"jump-start"}
    assert {record["variant"] for record in found.records} == {"slow-start", "hystart"}
    choice, slow_start, *_ = against_jump_start.verdict
    assert choice == "90 kB: keep jump-start."
    assert slow_start.startswith("Rejected: slow-start is ")
    assert "% slower" in slow_start


def test_the_command_names_a_baseline_that_is_not_the_usual_one(
    against_jump_start: fs.Comparison, path: fs.NetworkPath
) -> None:
    assert " --baseline jump-start" in str(against_jump_start.command)
    usual = fs.compare(path, startups=["slow-start"], baseline="slow-start", sizes=["1kB"])
    assert "--baseline" not in str(usual.command)


def test_on_the_command_line_a_baseline_is_named_too(
    cli: Callable[..., Any], tmp_path: pathlib.Path
) -> None:
    words = ("--startup", "slow-start,jump-start", "--baseline", "jump-start")
    file = tmp_path / "scenario.toml"
    file.write_text('path = {rate = "5Mbps", rtt = "64ms"}\nflows = [{size = "90kB"}]\n')
    for setting in ((file,), ("--rate", "5Mbps", "--rtt", "64ms", "--size", "90kB")):
        answer = cli("compare", *setting, *words)
        assert (answer.status, answer.err) == (0, "")
        assert " baseline " in next(
            row for row in answer.out.splitlines() if " jump-start  " in row
        )
        assert " --baseline jump-start " in answer.out


def test_a_baseline_that_is_not_compared_is_refused(cli: Callable[..., Any]) -> None:
    words = ("--startup", "slow-start,hystart", "--baseline", "hystrat")
    answer = cli("compare", "--rate", "5Mbps", "--rtt", "64ms", *words)
    message = "--baseline: `hystrat` is not among the variants; did you mean `hystart`?"
    assert answer == (2, "", f"flowstart: {message}\n")


def test_what_an_interrupted_comparison_lacks_is_said_wherever_it_is_shown() -> None:
    lossy = fs.NetworkPath(rate="5Mbps", rtt="64ms", loss="1%")
    whole = fs.compare(lossy, startups=["slow-start", "hystart"], sizes=["100kB"], repeat=3)
    assert "seeds that both" not in whole.legend
    cut = dataclasses.replace(
        whole, flow_rows=whole.flow_rows.of_runs(0, 5), interrupted=True, finished=5
    )
    note = "stopped by Ctrl-C, 5 of 6 runs are finished: rows with fewer seeds"
    page = pictures(cut)["report.html"].decode()
    for told in (cut.legend, page, *cut.to_dict()["notes"][:1]):
        assert note in told
    assert "(2 of 3 seeds)" in cut.table.rows[1][1]
    assert "(2 of 3 seeds)" in page


def test_a_comparison_stopped_before_its_first_run_has_a_headline_without_a_buffer() -> None:
    whole = fs.compare(
        fs.NetworkPath(rate="5Mbps", rtt="64ms"), startups=["slow-start"], sizes=["1kB"]
    )
    none = whole.flow_rows.of_runs(0, 0)
    cut = dataclasses.replace(whole, flow_rows=none, interrupted=True, finished=0, buffer=None)
    assert cut.headline == "5Mbps, 64ms, seed 1"


@pytest.mark.slow
def test_flows_that_got_nothing_across_have_failed_even_where_the_duration_cut_them_short(
    cli: Callable[..., Any], tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "short.toml"
    file.write_text(
        'duration = "10ms"\npath = {rate = "5Mbps", rtt = "64ms"}\nflows = [{size = "300pkt"}]\n'
    )
    for command in ("compare", "run"):
        status, printed, error = cli(command, file, "-o", tmp_path / "out")
        assert status == 1
        assert error.startswith("flowstart: no transfer was completed")
        assert "slow-start" in printed
        assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sizes": [0.5]}, "a whole number of bytes"),
        ({"sizes": "10kB"}, r"such as \['10kB'\]"),
        ({"startups": "slow-start"}, "a list is needed"),
        ({"stack": 3}, "stack = 3"),
    ],
)
def test_arguments_of_the_wrong_kind_are_named(
    path: fs.NetworkPath, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(fs.RequestError, match=message):
        fs.compare(path, **wrong)


def test_a_mean_that_is_hardly_lower_is_not_marked_beside_a_far_faster_worst_run() -> None:
    found = fs.compare(
        fs.NetworkPath.named("lossy-wifi"),
        startups=["copa-slow-start", "c4-initial"],
        stack="linux",
        sizes=["1MB"],
        repeat=20,
        uncertainty=False,
    )
    steady, fast = found.summaries
    assert steady.fct_s and fast.fct_s and steady.worst_fct_s and fast.worst_fct_s
    assert 0.99 < fast.fct_s / steady.fct_s < 1
    assert fast.worst_fct_s > 1.5 * steady.worst_fct_s
    assert (steady.best, fast.best) == (True, False)
    assert "of means within 1% by the slowest run" in found.legend


def test_every_flow_under_test_is_drawn_with_a_label() -> None:
    path = fs.NetworkPath(rate="20Mbps", rtt="40ms")
    asked: Any = {"sizes": ["300kB"], "uncertainty": False, "startups": ["slow-start", "hystart"]}
    two = fs.compare(path, flows=2, **asked)
    labels = [series.label for series in two.series()]
    assert labels == [
        "slow-start, flow 1",
        "slow-start, flow 2",
        "hystart, flow 1",
        "hystart, flow 2",
    ]
    drawn = flows_over_time(two, [("300kB", 300_000)])[0].flows
    named = [(flow["startup"], flow["flow"]) for flow in drawn]
    assert named == [("slow-start", 0), ("slow-start", 1), ("hystart", 0), ("hystart", 1)]
    assert [series.label for series in fs.compare(path, **asked).series()] == [
        "slow-start",
        "hystart",
    ]


def test_an_endless_flow_under_test_has_its_goodput_unless_sizes_are_given() -> None:
    endless = {
        "duration": "9s",
        "path": {"rate": "10Mbps", "rtt": "40ms"},
        "flows": [{}],
    }
    found = fs.compare(endless, startups=["slow-start"], uncertainty=False)
    assert [s.measure for s in found.summaries] == ["goodput in 9 s"]
    late = endless | {"flows": [{"start": "9s"}]}
    with pytest.raises(fs.RequestError, match=r"flows\[0\].size: missing: the flow has no end"):
        fs.compare(late)
    found = fs.compare(endless, sizes=["10kB"], startups=["slow-start"], uncertainty=False)
    assert found.records[0]["complete"]


def test_ack_thinning_under_quic_is_said_to_change_nothing() -> None:
    path = fs.NetworkPath(rate="10Mbps", rtt="40ms", ack_batch="5ms", ack_thinning=True)
    asked: Any = {"sizes": ["10kB"], "startups": ["slow-start"], "uncertainty": False}
    assert "QUIC" in fs.compare(path, stack="quic", **asked).warnings[0]
    assert fs.compare(path, **asked).warnings == []


def test_the_lower_bound_is_that_of_the_rate_over_time_and_of_the_window() -> None:
    def bound_of(path: fs.NetworkPath, size: str, **more: Any) -> float | None:
        asked: Any = {"sizes": [size], "startups": ["slow-start"], "uncertainty": False}
        found = fs.compare(path, **asked, **more)
        bound: float | None = found.lower_bound(found.summaries[0].group)
        return bound

    steps = [
        fs.spec.RateStep(rate="100Mbps", lasts="1s"),
        fs.spec.RateStep(rate="10Mbps", lasts="9s"),
    ]
    varying = bound_of(fs.NetworkPath(rate_steps=steps, rtt="40ms"), "1MB")
    assert varying == pytest.approx(0.1429, abs=1e-4)
    fast = fs.NetworkPath(rate="1Gbps", rtt="100ms")
    own = ["own: window=100kB startup=slow-start"]
    assert bound_of(fast, "10MB", stack="linux:window=100kB", variants=own) == pytest.approx(10.05)
    # One of 400 kB is compared too.
    assert bound_of(fast, "10MB", stack="linux:window=100kB") == pytest.approx(2.55)
    assert bound_of(fs.NetworkPath.named("lte"), "100kB") is None


def test_flows_of_different_routes_have_no_common_bound_and_a_range_of_bdps() -> None:
    hops = [
        {"rate": "100Mbps", "delay": "5ms", "buffer": "30pkt"},
        {"rate": "10Mbps", "delay": "10ms", "buffer": "50pkt"},
        {"rate": "1Gbps", "delay": "1ms"},
    ]

    def compared(*flows: dict[str, Any]) -> fs.Comparison:
        scenario = {"path": {"hops": hops}, "flows": [{"size": "1MB"} | flow for flow in flows]}
        return fs.compare(scenario, startups=["jump-start"], uncertainty=False)

    short, whole = {"from_hop": 2, "to_hop": 2}, {"from_hop": 0, "to_hop": 1}
    mixed = compared(short, whole)
    assert mixed.lower_bound(mixed.summaries[0].group) is None
    assert "BDP 25 to 166 packets" in mixed.headline
    [summary] = mixed.summaries
    exits = [
        row["startup_exit_cwnd_segments"] / row["bdp_pkts"]
        for row in mixed.records
        if row["startup_exit_reason"] == summary.exit_reason
        and row["startup_exit_cwnd_segments"] is not None
    ]
    assert (summary.min_exit_bdp, summary.max_exit_bdp) == (min(exits), max(exits))
    same = compared(short, short)
    bound: float | None = same.lower_bound(same.summaries[0].group)
    assert bound == compared(short).lower_bound(same.summaries[0].group)
    assert bound is not None
    assert "BDP 166 packets" in same.headline


def test_the_first_line_has_only_what_all_variants_have_in_common() -> None:
    def line(*variants: str) -> str:
        path = fs.NetworkPath(rate="20Mbps", rtt="50ms")
        found = fs.compare(path, sizes=["10kB"], variants=variants, uncertainty=False)
        return found.headline.split("buffer 83pkt, ")[1]

    assert line("iw10: iw=10", "iw30: iw=30") == "stack linux, cubic, seed 1"
    assert line("a: startup=hystart iw=30", "b: startup=hystart stack=quic cc=cubic") == (
        "cubic, seed 1"
    )
    same = line("a: startup=hystart iw=30", "b: startup=slow-start iw=30")
    assert same == "stack linux, cubic, IW 30, seed 1"


def test_the_first_line_has_the_requests_of_a_connection_and_its_idle_time() -> None:
    path = fs.NetworkPath(rate="20Mbps", rtt="50ms")
    asked: Any = {"sizes": ["10kB"], "startups": ["slow-start"], "uncertainty": False}
    found = fs.compare(path, requests=3, idle="1s", **asked)
    assert found.headline.endswith("IW 10, 3 requests, idle 1s, seed 1")


def test_one_stack_is_the_default_of_every_entry_point(tmp_path: pathlib.Path) -> None:
    path: Any = {"rate": "20Mbps", "rtt": "100ms"}
    flow = {"startup": "slow-start", "size": "100kB"}
    file = tmp_path / "scenario.toml"
    file.write_text(
        'path = { rate = "20Mbps", rtt = "100ms" }\n'
        'flows = [{ startup = "slow-start", size = "100kB" }]\n'
    )
    sweep = {"startups": ["slow-start"], "path": path, "flow": {"size": "100kB"}}
    compared = fs.compare(
        fs.NetworkPath(rate="20Mbps", rtt="100ms"),
        startups=["slow-start"],
        sizes=["100kB"],
        uncertainty=False,
    )
    times = {
        "compare": compared.records[0]["fct_s"],
        "run": fs.run({"path": path, "flows": [flow]}).records[0]["fct_s"],
        "file": fs.run(file).records[0]["fct_s"],
        "sweep": fs.sweep(sweep, tmp_path / "sweep", workers=1).frame["fct_s"][0],
    }
    assert len({round(time, 9) for time in times.values()}) == 1, times
    assert compared.records[0]["cc"] == "cubic"
