"""Every command answers on one screen: 25 lines of 80 columns, the answer among the first ten."""

import json
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

import made_up_map
from flowstart import _native
from flowstart.render.grid import Column, Grid
from flowstart.render.summary import SummaryPage, command
from screen import on_one_screen

Cli = Callable[..., Any]
CAPTURES = pathlib.Path(__file__).parent.parent / "data/captures"


# What summaries have in common.


def grid(rows: int) -> Grid:
    columns = [Column("name", number=False), Column("same"), Column("empty"), Column("number")]
    return Grid(columns, [[f"row {i}", "1", "–", str(i)] for i in range(rows)])


def test_a_table_has_at_most_ten_rows_and_the_number_of_the_others() -> None:
    found = SummaryPage("What was run.", ["The answer."], grid(33))
    assert found.shown is not None
    assert len(found.shown.rows) == 10
    assert found.closing == ["23 more: --details", "In all rows: same 1."]


def test_a_table_makes_room_for_the_lines_around_it() -> None:
    found = SummaryPage(
        "What was run.", ["The answer."], grid(33), [f"note {i}" for i in range(12)]
    )
    assert found.shown is not None
    assert len(found.shown.rows) == 5


def test_columns_that_are_empty_or_constant_are_left_out() -> None:
    assert [column.title for column in grid(2).informative().columns] == ["name", "number"]
    assert [column.title for column in grid(1).informative().columns] == ["name", "same", "number"]


def test_the_value_of_a_constant_column_is_a_note() -> None:
    assert grid(2).constants() == ["same 1"]
    assert grid(1).constants() == []


def test_a_long_command_goes_on_in_lines_that_a_shell_reads_as_one() -> None:
    words = f"flowstart run '{'a b' * 20}' --json --size 1MB --startup {'x,' * 30}y"
    lines = command("Reproduce: ", words)
    assert lines[0].startswith("Reproduce: flowstart run ")
    joined = "".join(line.removesuffix("\\") for line in lines).removeprefix("Reproduce: ")
    assert joined.split() == words.split()
    assert all(line.endswith(" \\") for line in lines[:-1])


# Commands.


def test_a_map(tmp_path: pathlib.Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["slow-start", "jump-start", *(f"slow-start:iw={i}pkt" for i in range(20, 32))]
    rows = [
        row
        for number in range(30)
        for row in made_up_map.cell(
            number, {name: 1.0 + place * (number % 7 + 1) for place, name in enumerate(names)}
        )
    ]
    sweep = made_up_map.write(pathlib.Path("sweep"), rows)
    lines = on_one_screen(cli("map", sweep), "slow-start has the smallest mean regret, 0 %")
    assert any(line.startswith("Reproduce: flowstart map ") for line in lines[-2:])
    assert re.search(r"^\d+ more: --details$", "\n".join(lines), re.MULTILINE)
    assert "dominated" in cli("map", sweep, "--details").out


SEARCH = ("worst", "jump-start", "--against", "slow-start", "--runs", "4", "--search-space")
OVER = "rate=2Mbps,rtt=10ms,size=1MB,buffer=10pkt,competing=alone"


def test_the_worst_paths(cli: Cli) -> None:
    lines = on_one_screen(cli(*SEARCH, OVER), r"jump-start takes up to [\d.]+ times the time")
    assert any(line.startswith("Next: flowstart compare ") for line in lines)
    assert "Again: flowstart compare" in cli(*SEARCH, OVER, "--details").out


def test_a_startup_by_its_usual_name_is_not_compared_with_itself(cli: Cli) -> None:
    answer = cli("worst", "hystart++", "--runs", "2", "--search-space", OVER)
    assert answer.status == 0, answer.err
    assert answer.out.startswith("hystart-plus-plus against ")


def test_a_startup_that_is_nowhere_worse(cli: Cli) -> None:
    over = "rate=1Gbps,rtt=40ms,size=1kB,buffer=1000pkt,competing=alone"
    on_one_screen(cli(*SEARCH, over), "jump-start is nowhere worse than the best of the others")


LISTS = {
    ("algorithms",): "33 startup algorithms: slow-start, ",
    ("doctor",): "Everything that a comparison needs works",
    ("papers",): "quick-start-low-latency",
    ("paths",): "jump-start-2007",
    ("stacks",): "linux: a current Linux kernel",
}
LINE = ("--rate", "10Mbps", "--rtt", "100ms")


@pytest.mark.parametrize(("words", "first"), LISTS.items(), ids=lambda words: words[0])
def test_a_list(cli: Cli, words: tuple[str, ...], first: str) -> None:
    lines = on_one_screen(cli(*words), first)
    command = ("papers", "list") if words == ("papers",) else words
    assert len(cli(*command, "--details").out) > len("\n".join(lines)) + 100


@pytest.mark.parametrize("names", ["slow-start,hystart", "all"])
def test_a_comparison(cli: Cli, names: str) -> None:
    words = ("compare", *LINE, "--size", "100kB,1MB", "--startup", names, "--no-uncertainty")
    lines = on_one_screen(cli(*words), r"Fastest for 1 MB: [\w-]+, \d+ % faster than slow-start")
    assert any(line.startswith("Reproduce: flowstart compare ") for line in lines[-2:])
    assert "dropped retrans." in " ".join(cli(*words, "--details").out.split())


def test_a_comparison_names_the_fastest_startup_without_support(cli: Cli) -> None:
    words = ("--size", "1MB", "--startup", "slow-start,hystart,quick-start", "--no-uncertainty")
    answer = cli("compare", *LINE, *words).out.replace("\n", " ")
    assert "It needs router, peer or cache support; otherwise hystart, 13 % faster." in answer


def test_a_comparison_of_one_startup(cli: Cli) -> None:
    words = ("--size", "1MB", "--startup", "slow-start", "--no-uncertainty")
    on_one_screen(cli("compare", *LINE, *words), "1 MB: slow-start completes in 1.38 s")


def test_a_comparison_shows_losses_of_the_fastest(cli: Cli) -> None:
    words = ("--size", "1MB", "--startup", "slow-start,jump-start", "--no-uncertainty")
    on_one_screen(cli("compare", *LINE, *words), "It loses 22 % of its packets, slow-start 21 %")


def test_a_comparison_names_what_is_faster_beyond_the_loss_limit(cli: Cli) -> None:
    words = ("--rate", "50Mbps", "--rtt", "40ms", "--size", "1MB")
    answer = cli("compare", *words, "--startup", "slow-start,hystart,jump-start").out
    told = "jump-start, 20 % faster, but loses 4.8 % of its packets (limit 3.5 %)."
    assert told in answer.replace("\n", " ")


def test_a_faster_startup_that_loses_too_much_is_not_chosen(
    cli: Cli,
) -> None:
    words = ("--rate", "50Mbps", "--rtt", "40ms", "--buffer", "40pkt", "--size", "1MB")
    answer = cli("compare", *words, "--startup", "slow-start,jump-start").out.replace("\n", " ")
    told = "jump-start is 32 % faster, but loses 19 % of its packets"
    assert told in answer


def test_a_comparison_names_startups_that_the_stack_does_not_offer(cli: Cli) -> None:
    words = ("--rate", "20Mbps", "--rtt", "60ms", "--size", "100kB", "--no-uncertainty")
    answer = cli("compare", *words, "--startup", "slow-start,hystart,jump-start").out
    assert "is not part of Linux; otherwise keep slow-start." in answer.replace("\n", " ")
    assert "Not part of Linux: jump-start." in answer


def test_every_startup_can_be_deployed_where_no_stack_in_use_is_simulated(cli: Cli) -> None:
    words = ("--rate", "20Mbps", "--rtt", "60ms", "--size", "100kB", "--no-uncertainty")
    answer = cli("compare", *words, "--stack", "rfc", "--startup", "slow-start,jump-start").out
    assert "ot part of" not in answer


def test_a_summary_names_the_folder_that_is_written(cli: Cli, tmp_path: pathlib.Path) -> None:
    words = ("--size", "1MB", "--startup", "slow-start", "--no-uncertainty")
    answer = cli("compare", *LINE, *words, "-o", tmp_path / "out")
    assert f"Figures and a report: {tmp_path / 'out'}" in " ".join(answer.out.split())


def test_no_losses_are_not_fewer_than_none(cli: Cli) -> None:
    words = ("--rate", "50Mbps", "--rtt", "40ms", "--iw", "30", "--size", "100kB")
    assert "fewer losses" not in cli("compare", *words).out


def test_a_slower_startup_with_fewer_losses_is_no_advice(cli: Cli) -> None:
    words = ("--path", "wifi", "--size", "10MB", "--startup", "slow-start,hystart")
    answer = cli("compare", *words).out.replace("\n", " ")
    assert "10 MB: keep slow-start; hystart is " in answer
    assert "fewer losses" not in answer


def test_of_several_flows_the_slowest_is_shown_and_has_a_veto(cli: Cli) -> None:
    words = ("--rate", "20Mbps", "--rtt", "100ms", "--flows", "2", "--size", "10MB")
    answer = cli("compare", *words, "--startup", "slow-start,hystart").out.replace("\n", " ")
    assert "hystart is 1.6 % faster" in answer
    assert "but its slowest flow is 20 % slower (10.4 s, not 8.72 s)" in answer
    assert re.search(r"completion +slowest", answer)


def words_of(answer: Any) -> str:
    return " ".join(answer.out.split())


def test_what_a_sender_can_deploy_has_fewer_losses_if_it_is_as_fast(cli: Cli) -> None:
    answer = words_of(cli("compare", "--rate", "10Mbps", "--rtt", "40ms", "--size", "1MB"))
    told = "otherwise hystart, as fast, with fewer losses (0 % of packets, not 13 %)."
    assert told in answer


def test_a_startup_that_is_as_fast_and_loses_more_is_rejected_for_its_losses(cli: Cli) -> None:
    words = ("--rate", "10Mbps", "--rtt", "40ms", "--size", "1MB,100kB")
    startups = ("--startup", "slow-start,hystart", "--baseline", "hystart")
    answer = words_of(cli("compare", *words, *startups))
    told = "1 MB: keep hystart; slow-start is as fast, but loses 13 % of its packets (limit 1.0 %)."
    assert told in answer
    assert "0 % faster" not in answer


def test_a_faster_startup_that_the_stack_offers_is_named_with_its_losses(cli: Cli) -> None:
    words = ("--path", "lte", "--size", "3MB", "--baseline", "hystart", "--repeat", "40")
    answer = words_of(cli("compare", *words, "--startup", "slow-start,hystart,gauge"))
    assert "It is not part of Linux; otherwise keep hystart. slow-start, " in answer
    assert re.search(r"slow-start, \d+ % faster, but loses [\d.]+ % of its packets \(limit", answer)


def test_a_further_size_has_an_answer_of_the_same_kind(cli: Cli) -> None:
    words = ("--rate", "10Mbps", "--rtt", "40ms", "--size", "100kB,1MB")
    answer = words_of(cli("compare", *words, "--startup", "slow-start,hystart,jump-start"))
    later = answer[answer.index("Fastest for 1 MB") :]
    assert "Fastest for 100 kB" in answer[: answer.index("Fastest for 1 MB")]
    assert "It is not part of Linux; otherwise hystart, as fast" in later


LOSSY = """duration = "6s"
path = { rate = "2Mbps", rtt = "100ms", loss = "3%" }
flows = [{ size = "500kB" }]
"""


def test_transfers_that_the_baseline_does_not_complete_leave_no_decision(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "lossy.toml"
    file.write_text(LOSSY)
    answer = words_of(cli("compare", file, "--startup", "slow-start,hystart"))
    counts = r"slow-start completed \d+ of 40 transfers, hystart completed \d+ of 40\."
    assert re.search(f"500 kB: inconclusive; {counts}", answer)
    assert "change: geometric mean over 40 seeds, inconclusive;" in answer
    assert "enough to decide" not in answer
    assert re.search(r"hystart [\d.]+ s \(\d+/40\) – ", answer)


def test_one_seed_is_not_enough_to_decide(cli: Cli) -> None:
    words = ("--path", "wifi", "--size", "100kB", "--startup", "slow-start,hystart")
    answer = words_of(cli("compare", *words, "--seed", str(2**64 - 1)))
    assert "geometric mean over 1 seed, inconclusive" in answer


def test_losses_are_shown_of_several_flows(cli: Cli) -> None:
    words = ("--rate", "20Mbps", "--rtt", "100ms", "--buffer", "20pkt", "--size", "1MB")
    names = ("--flows", "4", "--startup", "slow-start,hystart,jump-start,gauge")
    answer = words_of(cli("compare", *words, *names))
    assert "loses 9.0 % of its packets" in answer
    assert re.search(r"jump-start .* 9\.0 % gauge ", answer)


def test_details_have_every_column_and_the_reason_of_each_rejection(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ("--rate", "20Mbps", "--rtt", "100ms", "--buffer", "20pkt", "--size", "1MB")
    names = ("--flows", "4", "--startup", "slow-start,hystart,jump-start")
    answer = words_of(cli("compare", *words, *names, "--details"))
    assert "Rejected: jump-start is 44 % faster (sensitivity 44 to 45 %, 40 repeats), but" in answer
    assert "but loses 9.0 % of its packets (limit 3.2 %)." in answer
    assert "Hidden, too narrow" not in answer
    assert "slower >10 %" in answer
    assert " dropped " in answer


def test_a_random_path_shows_means_over_seeds_with_intervals(cli: Cli) -> None:
    words = ("--path", "wifi", "--size", "1MB", "--startup", "slow-start,gauge")
    answer = cli("compare", *words, "--baseline", "slow-start").out.replace("\n", " ")
    assert "95 % CI" in answer
    assert re.search(r"change: geometric mean over \d+ seeds, ", answer)


def test_a_mean_of_several_seeds_is_not_called_one_run(cli: Cli) -> None:
    words = ("--path", "wifi", "--size", "1MB", "--startup", "slow-start,hystart")
    answer = cli("compare", *words, "--repeat", "10", "--no-uncertainty").out
    assert "(mean of 10 seeds)" in answer
    assert "one run" not in answer


def test_seed_0_is_another_seed_than_1(cli: Cli) -> None:
    words = ("--path", "wifi", "--size", "1MB", "--startup", "slow-start", "--no-uncertainty")
    rows = [
        json.loads(cli("compare", *words, "--seed", seed, "--json").out)["rows"] for seed in "01"
    ]
    assert [row[0]["seed"] for row in rows] == [0, 1]
    assert cli("compare", *words, "--seed", "0").out.rstrip().endswith("--seed 0")
    assert rows[0][0]["fct_s"] != rows[1][0]["fct_s"]


def test_a_replay(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CAPTURES)
    variant = ("--variant", "iw30: startup=hystart iw=30")
    answer = cli("replay", "web-mix.pcap.gz", *variant, "--no-uncertainty")
    lines = on_one_screen(answer, "Recommendation: keep the current setting")
    assert any(line.startswith("Reproduce: flowstart replay ") for line in lines[-2:])


def test_a_capture(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CAPTURES)
    lines = on_one_screen(cli("capture", "web-mix.pcap.gz"), "Median RTT 60.2 ms")
    assert any(line.startswith("Next: flowstart replay ") for line in lines[-2:])


def test_a_run(cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = pathlib.Path("many.toml")
    file.write_text('path = {rate = "5Mbps", rtt = "9ms"}\nflows = [{size = "9kB", count = 40}]\n')
    on_one_screen(cli("run", file), "40 of 40 flows completed")


def test_a_sweep_and_what_checks_it(
    cli: Cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = pathlib.Path("sweep.toml")
    file.write_text(
        'startups = ["slow-start"]\npath = {rate = "5Mbps", rtt = "20ms"}\nflow = {size = "9kB"}\n'
    )
    on_one_screen(cli("sweep", file, "-o", "out"), "1 row in ")
    on_one_screen(cli("check", "out"), "intact")


@pytest.mark.skipif("noq" not in _native.BUILT_LIVE_STACKS, reason="make live builds it")
def test_a_live_comparison(cli: Cli) -> None:
    words = ("--startup", "slow-start,jump-start", "--size", "100kB,1MB")
    on_one_screen(cli("live", "--stack", "noq", *LINE, *words), "Difference of FCT: median")
