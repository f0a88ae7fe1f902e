"""Validity before the verdict: what must be known and reproduced before a setting is chosen."""

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import flowstart as fs
import synthetic_deployments as synthetic
from flowstart.captures.contents import Capture
from flowstart.inference import (
    Check,
    Gate,
    Judgement,
    Row,
    Statistic,
    Status,
    Validity,
    ValidityQuestion,
)
from flowstart.inference.gates import GateQuantity
from flowstart.inference.verdict import Verdict, exceeding, judge
from flowstart.replays import overview
from flowstart.replays.answer import Questions
from flowstart.replays.calibration import Calibration
from flowstart.replays.command import Invocation
from flowstart.replays.difference import SEGMENT, Shares
from flowstart.replays.execute import study
from flowstart.replays.paths import build, facts
from flowstart.replays.settings import Settings
from flowstart.replays.validity import DIFFERENT, UNKNOWN, Examined, examine

Cli = Callable[..., Any]
DATA = pathlib.Path(__file__).parent.parent / "data"
SHALLOW = DATA / "nginx" / "shallow.access.json.gz"
"""nginx's log of 686 responses over 4 Mbit/s, 40 ms and 14 packets of buffer. IW 30 makes them
7.9 % slower and harms 33 % of those between 10 and 100 kB. `request_time` ends at the
socket's buffer."""
FOUR = next(one for one in synthetic.ALL if one.name == "fibre-30")
"""Four networks of 45 connections."""


def examined(
    error: float = 0.0,
    *,
    compared: float = 1.0,
    dropped: float = 0.0,
    of: str | None = None,
    assumed: tuple[str, ...] = (),
    left_out: int = 0,
    deployment: synthetic.Deployment = FOUR,
) -> Examined:
    """What is found of transfers whose simulated times are off by `error`.

    A share of the transfers has recorded times; `of` limits both to one network. Rates of the
    networks `assumed` are not measured. The recording has no losses; the simulation drops a share
    of all packets.
    """
    capture, settings = synthetic.captured(deployment, 1), Settings(startups=("hystart",))
    paths = [
        dataclasses.replace(path, assumed=("rate",)) if path.name in assumed else path
        for path in build(capture, settings, {})
    ]
    found = facts(paths, settings)
    mine = pl.col("network") == of if of else pl.lit(value=True)
    seen = ~mine | (pl.int_range(pl.len()) % 100 < 100 * compared)
    every = found.select(
        "transfer",
        recorded_s=pl.lit(1.0),
        recorded_acked_s=pl.when(seen).then(1.0),
        closings=pl.lit(0),
        packets_dropped=dropped * pl.col("size_bytes") / SEGMENT,
        simulated_s=pl.when(mine).then(1.0 + error).otherwise(1.0),
    )
    calibration = Calibration(settings, every, every, {"their end was not seen": 1})
    invocation = Invocation(capture, settings, Questions())
    return examine(invocation, paths, found, left_out, calibration)


def failing(found: Examined) -> ValidityQuestion | None:
    check = Validity(found.checks).failing
    return check.question if check else None


def test_a_reproduced_recording_of_known_paths_is_valid() -> None:
    found = examined()
    assert found.valid
    assert found.failed == {}
    assert [check.finding for check in found.checks] == [
        "100 % of transfers",
        "100 %, median error 0 %",
    ]


@pytest.mark.parametrize(("error", "valid"), [(0.14, True), (0.16, False), (-0.16, False)])
def test_the_median_error_over_all_transfers_is_at_most_15_percent(
    error: float, valid: bool
) -> None:
    found = examined(error)
    assert (failing(found) is None) == valid
    if not valid:
        assert "all sizes: median error 16 % (limit 15 %)" in found.checks[1].reason


def test_losses_of_the_simulation_alone_end_no_verdict() -> None:
    assert examined(dropped=0.2).valid


@pytest.mark.parametrize(
    ("again", "dropped", "differ"),
    [(0.011, 0.0, True), (0.009, 0.0, False), (0.04, 0.02, True), (0.03, 0.02, False)],
)
def test_losses_that_the_simulation_lacks_count_from_twice_and_a_percent_of_packets_on(
    again: float, dropped: float, differ: bool
) -> None:
    assert Shares(again, dropped).differ == differ


def test_an_error_above_1000_percent_is_stated_in_times() -> None:
    check = examined(543.0).checks[1]
    assert check.finding == "0 %, median error 543 times"
    assert check.reason.endswith(
        "median error 543 times (limit 30 %), simulated times 544 times as long as recorded ones"
    )


def test_without_any_recorded_time_there_are_no_others() -> None:
    assert examined(compared=0.0).checks[1].reason == (
        "0 % of transfers agree (80 % needed); none has a time to compare with: their end was not "
        "seen"
    )


@pytest.mark.parametrize(("share", "valid"), [(0.85, True), (0.7, False)])
def test_four_of_five_transfers_need_a_recorded_time(share: float, valid: bool) -> None:
    found = examined(compared=share)
    assert (failing(found) is None) == valid
    if not valid:
        assert (
            "(80 % needed); the others have no time to compare with: their end"
            in found.checks[1].reason
        )


def test_transfers_that_cannot_be_replayed_count_as_not_known() -> None:
    count = synthetic.captured(FOUR, 1).transfers.height
    assert examined(left_out=count // 5).valid
    assert failing(examined(left_out=count // 2)) == ValidityQuestion.PATH


def test_networks_with_assumed_rates_are_left_out_if_the_others_are_enough() -> None:
    found = examined(assumed=("10.0.0.0/24",))
    assert failing(found) == ValidityQuestion.PATH
    assert "rates are known for 7" in found.checks[0].reason
    assert "10.0.0.0/24: known" in found.checks[0].reason
    assert found.checks[0].remedy == (
        "timeout 600 tcpdump -i any -s 128 -c 1000000 -w mine.pcap tcp",
        "flowstart replay mine.pcap --startup hystart --seed 1",
    )


def test_one_network_of_four_that_is_not_reproduced_leaves_too_little() -> None:
    found = examined(0.5, of="10.2.0.0/24")
    assert found.failed == {"10.2.0.0/24": DIFFERENT}
    assert failing(found) == ValidityQuestion.REPRODUCTION
    assert "(80 % needed); 10.2.0.0/24: median error 50 % (limit 30 %)" in found.checks[1].reason


def test_a_small_network_that_is_not_reproduced_stays_in_the_verdict() -> None:
    uneven = next(one for one in synthetic.ALL if one.name == "uneven")
    found = examined(0.5, of="10.4.0.0/24", deployment=uneven)
    assert found.valid
    assert found.failed == {"10.4.0.0/24": DIFFERENT}
    assert found.unknown == []


def test_a_rate_is_known_within_a_factor() -> None:
    capture, settings = synthetic.captured(FOUR, 1), Settings(startups=("hystart",))
    path = build(capture, settings, {})[0]
    ranges = {(10e6, 14e6): True, (10e6, 16e6): False, (10e6, None): False}
    for ends, known in ranges.items():
        assert dataclasses.replace(path, rate_range=ends).knows("rate", 1.5) == known
    assert not dataclasses.replace(path, assumed=("rate",)).knows("rate", 1.5)
    assert dataclasses.replace(path, assumed=("reverse_rate",)).knows("rate", 1.5)


def test_a_rate_that_is_given_is_known(cli: Cli) -> None:
    words = ("--network", "*:rate=4Mbps,buffer=14pkt", "--variant", "iw30: startup=hystart iw=30")
    document = json.loads(cli("replay", SHALLOW, *words, "--no-uncertainty", "--json").out)
    questions = {one["question"]: one for one in document["verdict"]["validity"]["questions"]}
    assert questions["path"]["holds"]
    assert document["verdict"]["validity"]["failing"] == "reproduction"
    assert {path["rate_range_bps"] for path in document["paths"]} == {None}


def test_a_replay_that_was_stopped_before_its_alternatives_recommends_nothing() -> None:
    found = study(synthetic.recorded(FOUR, 1), FOUR.settings, Questions(repeats=4))
    stopped = dataclasses.replace(found, bands=[], interrupted=True)
    assert (found.verdict.recommended, stopped.verdict.recommended) == ("iw30", None)


def with_small(deployment: synthetic.Deployment) -> tuple[Capture, str]:
    """A recorded deployment in which the rate of its smallest network is not known."""
    capture = synthetic.recorded(deployment, 1)
    *others, last = capture.groups
    way = dataclasses.replace(last.to_remote, rate_assumed=True)
    groups = [*others, dataclasses.replace(last, to_remote=way)]
    return dataclasses.replace(capture, groups=groups), last.network


def test_the_part_that_is_known_has_a_verdict_and_its_share_is_stated() -> None:
    uneven = next(one for one in synthetic.ALL if one.name == "uneven")
    capture, network = with_small(uneven)
    found = study(capture, uneven.settings, Questions(repeats=4))
    assert found.verdict.recommended == "iw30"
    assert found.examined
    assert found.examined.failed == {network: UNKNOWN}
    assert network not in set(found.facts["network"])
    share = found.facts.height / capture.transfers.height
    assert overview.validity(found)[0].startswith(f"Path known: yes ({100 * share:.0f} % of")
    assert f"{capture.transfers.height - found.facts.height}: path not known" in (
        "\n".join(overview.opening(found))
    )


@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0.15, -0.02])
def test_durations_that_are_not_those_of_the_network_give_no_recommendation(delay_s: float) -> None:
    capture = synthetic.recorded(FOUR, 1)
    moved = (pl.col("acked_s") + delay_s).clip(0.001)
    capture = dataclasses.replace(capture, transfers=capture.transfers.with_columns(acked_s=moved))
    found = study(capture, FOUR.settings, Questions(repeats=0))
    assert found.answer.verdict.recommended == "iw30"
    assert found.verdict.recommended is None
    assert found.verdict.headline.startswith(
        "No setting is recommended: the recording is not reproduced: "
    )
    [one] = found.verdict.judgements
    assert one.cause == "inconclusive: reproduction"


def test_a_quick_replay_recommends_nothing_since_two_questions_are_open() -> None:
    found = study(
        synthetic.recorded(FOUR, 1),
        FOUR.settings,
        Questions(repeats=0, buffers=False, calibrate=False),
    )
    assert found.answer.verdict.recommended == "iw30"
    assert found.verdict.recommended is None
    assert found.verdict.headline == (
        "No setting is recommended: the question of reproduction is not examined."
    )


@pytest.fixture(scope="module")
def shallow() -> fs.Replay:
    """nginx's log replayed as by default."""
    return fs.replay(SHALLOW)


def test_nginx_s_log_of_a_shallow_line_gives_no_setting_and_says_what_to_record(
    shallow: fs.Replay, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flowstart.replays.request.replay", lambda *_, **__: shallow)
    answer = cli("replay", SHALLOW)
    lines = answer.out.splitlines()
    assert "No setting is recommended: the path is not known: " in answer.out
    assert "timeout 600 tcpdump -i any -s 128 -c 1000000 -w mine.pcap tcp" in answer.out
    assert "initcwnd" not in answer.out
    assert len(lines) <= 25
    assert all(len(line) <= 80 for line in lines)


def test_a_unit_that_leaves_the_path_unknown_is_named_in_what_settles_it(
    cli: Cli, tmp_path: pathlib.Path
) -> None:
    rows = (f"{1_700_000_000 + 9 * t},192.0.2.1,1250000,40000,0.5,20000" for t in range(9))
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["time,peer,bytes,rtt_us,duration_s,rate", *rows, ""]))
    columns = "rate=rate:bps,duration=duration_s:s:written"
    words = ("--columns", columns, "--no-uncertainty", "--json")
    verdict = json.loads(cli("replay", log, *words).out)["verdict"]
    [path] = [one for one in verdict["validity"]["questions"] if one["question"] == "path"]
    first, *others = path["remedy"]
    other = columns.replace("bps", "kbps")
    assert first == f"flowstart replay {log} --columns {other} --seed 1 --no-uncertainty"
    assert others[0].startswith("timeout 600 tcpdump")
    corrected = json.loads(cli("replay", log, "--columns", other, *words[2:]).out)["verdict"]
    assert corrected["validity"]["failing"] != "path"


def test_the_answers_to_all_questions_are_in_the_document(shallow: fs.Replay) -> None:
    document = shallow.to_dict(rows=False)["verdict"]
    assert document["version"] == 2
    assert document["recommended"] is None
    assert document["validity"]["failing"] == "path"
    questions = {one["question"]: one["holds"] for one in document["validity"]["questions"]}
    assert questions == {
        "path": False,
        "reproduction": False,
        "alternatives": None,
        "traffic": True,
    }
    assert {one["status"] for one in document["settings"]} <= {"inconclusive", "research"}


def row(low: float, high: float, name: str = "IW30") -> Row:
    middle = (low + high) / 2
    return Row("all sizes", name, Statistic.GEOMEAN_RATIO, middle, low, high, 500, 200.0)


def gate(
    estimate: float, low: float, high: float, *, quantity: GateQuantity = GateQuantity.HARMED
) -> Gate:
    limit = 0.25 if quantity == GateQuantity.P99 else 0.05
    return Gate(
        quantity, None, estimate, low, high, limit, "size class", "below 10 kB", 300, few=False
    )


def verdict(gates: dict[str, Gate], gain: tuple[float, float] = (-0.2, -0.1)) -> Verdict:
    gains = {name: row(*gain, name) for name in gates}
    return judge("current", gains, {name: [one] for name, one in gates.items()}, [*gates])


GOOD, BAD = gate(0.01, 0.0, 0.03), gate(0.18, 0.12, 0.25)


def test_a_recommendation_that_an_alternative_contradicts_is_inconclusive_and_names_it() -> None:
    found = verdict({"IW30": GOOD}).depending({"buffers × 0.5": verdict({"IW30": BAD})})
    one = found.of("IW30")
    assert found.recommended is None
    assert one
    assert (one.status, one.cause) == (Status.INCONCLUSIVE, "inconclusive: alternatives")
    assert "but not with buffers × 0.5: there it is 15.0 % faster" in one.reason
    assert "harms 18 % of transfers below 10 kB (at least 12 %, limit 5 %)" in one.reason


@pytest.mark.parametrize(
    ("estimate", "gain"),
    [(0.06, (-0.2, -0.1)), (0.01, (-0.2, 0.1))],
    ids=["an estimate beyond its limit", "no significant gain"],
)
def test_an_alternative_need_not_reject_to_contradict(
    estimate: float, gain: tuple[float, float]
) -> None:
    other = verdict({"IW30": gate(estimate, 0.0, 0.2)}, gain)
    assert verdict({"IW30": GOOD}).depending({"lowest rates": other}).recommended is None


def test_a_tie_passes_the_same_alternatives() -> None:
    both = verdict({"IW20": GOOD, "IW30": GOOD})
    assert set(both.ties) == {"IW20", "IW30"}
    found = both.depending({"buffers × 0.5": verdict({"IW20": GOOD, "IW30": BAD})})
    assert (found.recommended, found.ties) == ("IW20", ("IW20",))
    assert "Not distinguishable" not in found.headline


def test_a_rejection_that_an_alternative_lifts_is_inconclusive() -> None:
    found = verdict({"IW30": BAD}).depending({"buffers × 4": verdict({"IW30": GOOD})})
    one = found.of("IW30")
    assert one
    assert one.status == Status.INCONCLUSIVE
    assert "but not with buffers × 4" in one.reason


def test_without_a_known_path_nothing_is_rejected_either() -> None:
    check = Check(ValidityQuestion.PATH, holds=False, finding="0 %", reason="none is known")
    found = verdict({"IW20": GOOD, "IW30": BAD}).subject_to(Validity((check,)))
    assert {one.status for one in found.judgements} == {Status.INCONCLUSIVE}
    assert found.headline == ("No setting is recommended: the path is not known: none is known.")


def test_what_is_rejected_in_a_recording_that_is_not_reproduced_stays_rejected() -> None:
    check = Check(ValidityQuestion.REPRODUCTION, holds=False, finding="40 %", reason="it is off")
    found = verdict({"IW20": GOOD, "IW30": BAD}).subject_to(Validity((check,)))
    statuses = {one.setting: one.status for one in found.judgements}
    assert statuses == {"IW20": Status.INCONCLUSIVE, "IW30": Status.REJECTED}


def test_a_change_that_is_surely_small_is_no_difference() -> None:
    one = verdict({"IW30": GOOD}, (-0.002, 0.002)).of("IW30")
    assert one
    assert (one.status, one.cause) == (Status.EQUAL, "no difference")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            gate(-0.25, -0.4, 0.41, quantity=GateQuantity.P99),
            "may raise p99 of SMALL by up to +41.0 % (estimate −25.0 %, limit 25 %)",
        ),
        (
            gate(0.0, 0.0, 0.062, quantity=GateQuantity.LOSS),
            "may lose up to 6.2 % of the packets of SMALL (estimate 0 %, limit 5 %)",
        ),
        (
            gate(0.4, 0.3, float("inf"), quantity=GateQuantity.P99),
            "raises p99 of SMALL by +40.0 % (at least +30.0 %, limit 25 %)",
        ),
        (
            gate(0.2, 0.1, float("inf"), quantity=GateQuantity.P99),
            "may raise p99 of SMALL without bound (estimate +20.0 %, limit 25 %)",
        ),
    ],
)
def test_an_objection_has_the_end_of_the_interval_that_decides(found: Gate, words: str) -> None:
    assert exceeding(found) == words.replace("SMALL", "transfers below 10 kB")


def test_a_part_with_too_few_connections_is_named_as_such() -> None:
    few = dataclasses.replace(GOOD, few=True)
    assert exceeding(few) == "has too few connections in transfers below 10 kB to be judged"


def test_a_judgement_without_a_question_names_its_gate() -> None:
    one = Judgement("IW30", Status.REJECTED, row(-0.2, -0.1), (BAD,), "")
    assert one.cause == "rejected: harm"


def test_the_reason_for_an_unknown_path_is_that_of_the_direction_under_test() -> None:
    capture, settings = synthetic.captured(FOUR, 1), Settings(startups=("hystart",))
    path = dataclasses.replace(
        build(capture, settings, {})[0], rate_method="there: few bytes; back: no queue"
    )
    assert (path.method("rate"), path.method("reverse_rate")) == ("few bytes", "no queue")
    same = dataclasses.replace(path, rate_method="no queue")
    assert (same.method("rate"), same.method("reverse_rate")) == ("no queue", "no queue")
