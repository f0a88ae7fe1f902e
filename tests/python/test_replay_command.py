"""`flowstart replay` with its questions, as it is called and what it refuses."""

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

Cli = Callable[..., Any]
SMALL = pathlib.Path(__file__).parent.parent / "data" / "captures" / "small.pcap"
QUICK = ("replay", SMALL, "--startup", "slow-start,jump-start", "--no-uncertainty")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--rollout", "0%"), "--rollout: `0%` is out of range; a part above 0% and below 100%"),
        (("--rollout", "100%"), "--rollout: `100%` is out of range"),
        (("--rollout", "ten"), "--rollout: `ten`: a share is needed, such as 10%"),
        (("--rollout", "10"), "--rollout: `10`: a share is needed, such as 10%"),
        (
            ("--cross-traffic", "120%"),
            "--cross-traffic: `120%` is out of range; a share from 0% to below 100%",
        ),
        (("--cross-traffic", "-1%"), "--cross-traffic: `-1%`: a share is needed, such as 10%"),
        (("--competing", "bbx"), "--competing: `bbx` is not a competing flow; did you mean `bbr`?"),
        (("--competing", "cubic,cubic"), "competing `cubic` is given twice"),
        (
            ("--baseline", "nobody"),
            "--baseline: `nobody` is not among the variants",
        ),
        (("--max-harm", "0%"), "--max-harm: `0%` is out of range; a share above 0%, at most 100%"),
        (("--max-harm", "101%"), "--max-harm: `101%` is out of range"),
        (("--max-harm", "few"), "--max-harm: `few`: a share is needed, such as 10%"),
        (("--variant", "iw30"), "variant `iw30`: should be written `name: key=value ...`"),
        (("--variant", "jump-start: iw=30"), "variant `jump-start` is given twice"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_in_a_line(
    cli: Cli, words: tuple[str, str], message: str
) -> None:
    answer = cli(*QUICK, *words)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"flowstart: {message}")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        *(
            ("--rollout", "10%"),
            ("--cross-traffic", "40%"),
            ("--competing", "bbr"),
            ("--max-harm", "5%"),
        ),
        *(("--full-json",), ("--sample", "10%")),
    ],
    ids=lambda words: words[0],
)
def test_what_only_a_replay_answers_is_no_option_of_compare(
    cli: Cli, words: tuple[str, ...]
) -> None:
    answer = cli("compare", "--rate", "5Mbps", "--rtt", "60ms", *words)
    assert answer.status == 2
    assert answer.err.startswith(f"flowstart: {words[0]}: there is no such option")


def test_variants_of_a_capture_stand_in_its_table_and_command(cli: Cli) -> None:
    words = ("--variant", "paced: startup=hystart iw=30 pacing=internal")
    answer = cli(*QUICK, *words)
    assert (answer.status, answer.err) == (0, "")
    assert any(line.startswith(" paced ") for line in answer.out.splitlines())
    assert "--variant 'paced: startup=hystart iw=30 pacing=internal'" in answer.out


def test_a_baseline_that_is_named_has_no_row_among_the_changes(cli: Cli) -> None:
    document = json.loads(cli(*QUICK, "--baseline", "jump-start", "--json").out)
    assert {row["variant"] for row in document["intervals"]} == {"slow-start"}
    assert {row["baseline"] for row in document["intervals"]} == {"jump-start"}


def test_quick_leaves_out_repeats_other_buffers_and_calibration(cli: Cli) -> None:
    document = json.loads(cli(*QUICK, "--json").out)
    assert (document["repeats"], document["buffers"]) == (0, [])
    assert document["calibration"] is None


@pytest.mark.slow
def test_rows_stand_in_the_result_of_a_folder_only_where_they_are_asked_for(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    def written(*more: str) -> Any:
        out = tmp_path / "-".join(["out", *more])
        assert cli(*QUICK, "-o", out, *more).status == 0
        assert (out / "rows.parquet").is_file()
        return json.loads((out / "result.json").read_text())

    assert "rows" not in written()
    assert len(written("--full-json")["rows"]) > 0


def test_the_document_has_what_a_script_needs_and_no_row_per_transfer(cli: Cli) -> None:
    short, whole = (cli(*QUICK, "--json", *more).out for more in ((), ("--full-json",)))
    document = json.loads(short)
    assert "rows" not in document
    assert document == {k: v for k, v in json.loads(whole).items() if k != "rows"}
    assert {"verdict", "classes", "intervals", "warnings"} <= set(document)
    assert 2 * len(short) < len(whole)


def test_shares_and_competing_have_tables_of_their_own(cli: Cli) -> None:
    out = cli(
        *QUICK, "--rollout", "50%", "--competing", "probe,cubic", "--cross-traffic", "20%"
    ).out
    assert "50% of the connections switched" in out
    assert "Competing flows, on all paths" in out
    for word in ("--rollout 50%", "--competing probe,cubic", "--cross-traffic 20%"):
        assert word in out


def test_data_of_the_side_that_is_not_tested_are_refused_with_the_option(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    names = "ts uid id.orig_h id.orig_p id.resp_h id.resp_p proto duration orig_bytes resp_bytes"
    row = "1700000000.0 C1 192.0.2.1 50000 198.51.100.1 80 tcp 1.5 50000 0 SF 0 ShADadfF"
    lines = [f"#fields {names} conn_state missed_bytes history", row]
    (tmp_path / "conn.log").write_text("\n".join(lines).replace(" ", "\t") + "\n")
    answer = cli("replay", tmp_path / "conn.log", "--rtt", "40ms", "--rate", "10Mbps")
    assert (answer.status, answer.out) == (2, "")
    assert "all data are from clients; test these with --direction client" in answer.err
