"""`verify`: measurements of rollouts whose truth is known, and what it needs and refuses."""

import dataclasses
import json
import pathlib
import shutil
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import polars as pl
import pytest

import flowstart as fs
import made_up_rollouts
from flowstart.inference.gates import Gate, GateQuantity, Limits, Outcome, TrafficPart, levels
from flowstart.replays.result import VERSION
from flowstart.rollouts import adjustment
from flowstart.rollouts.difference import clusters_of, differences
from flowstart.rollouts.judgement import Answer, effect_row, part_gates
from flowstart.rollouts.measurements import Transfers
from flowstart.rollouts.networks import network_gates
from flowstart.rollouts.predicted import Prediction
from made_up_rollouts import CLASSES, COLUMNS, EPOCH_S, Truth

Cli = Callable[..., Any]
CAPTURE = pathlib.Path(__file__).parents[1] / "data/captures/web-mix.pcap.gz"
ROWS = 80_000


def verified(
    folder: pathlib.Path, truth: Truth, seed: int, rows: int = ROWS, **more: Any
) -> fs.Verification:
    control, treatment = made_up_rollouts.write(folder, truth, rows, seed)
    return fs.verify(control, treatment, columns=COLUMNS, share=truth.share, **more)


def gates(found: fs.Verification, outcome: Outcome) -> list[Gate]:
    return [gate for gate in found.judgement.gates if gate.outcome == outcome]


def effect(number: int) -> Truth:
    return Truth(0.95 - 0.005 * number, share=(0.5, 0.3)[number % 2])


def harm(number: int) -> Truth:
    """A gain for all but one size class, or one network with over 5 % of the traffic."""
    if number % 2:
        return Truth(0.92, networks={0: 1.4 + 0.05 * number})
    return Truth(0.92, classes={[*CLASSES][number // 2 % 3]: 1.3 + 0.03 * number})


def is_right(found: fs.Verification, truth: Truth) -> bool:
    """Whether the answer is the truth's; a rejected part must be the harmed one."""
    rejected = {gate.part for gate in gates(found, Outcome.REJECTED)}
    if truth.classes:
        return found.answer == Answer.ROLL_BACK and {*truth.classes} <= rejected
    if truth.networks:
        named = {each.network for each in found.judgement.exceeding}
        return found.answer == Answer.ROLL_BACK and "10.0.0.0/24" in named
    if truth.factor < 1:
        return found.answer == Answer.ROLL_OUT
    return found.answer in (Answer.WAIT, Answer.ROLL_BACK) and not rejected


@pytest.mark.parametrize("truth", [effect(5), Truth(), harm(4), harm(5)], ids=str)
def test_the_answer_is_that_of_the_truth(tmp_path: pathlib.Path, truth: Truth) -> None:
    assert is_right(verified(tmp_path, truth, 1), truth)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("truths", "least"),
    [
        ([effect(number % 10) for number in range(20)], 18),
        ([Truth(share=(0.5, 0.3)[number % 2]) for number in range(10)], 10),
        ([harm(number) for number in range(10)], 10),
    ],
    ids=["effect", "none", "harm"],
)
def test_so_many_of_40_rollouts_are_answered_rightly(
    tmp_path: pathlib.Path, truths: list[Truth], least: int
) -> None:
    right = [
        is_right(verified(tmp_path, truth, seed), truth) for seed, truth in enumerate(truths, 100)
    ]
    assert sum(right) >= least, right


@pytest.mark.slow
def test_without_an_effect_enough_transfers_exclude_a_gain(tmp_path: pathlib.Path) -> None:
    found = verified(tmp_path, Truth(), 1, rows=500_000)
    assert found.headline.startswith("Roll back: a gain of 1 % is excluded")


@pytest.mark.slow
def test_after_so_many_more_transfers_it_is_decided(tmp_path: pathlib.Path) -> None:
    truth = Truth(0.94)
    first = verified(tmp_path, truth, 3, rows=6_000)
    assert first.answer == Answer.WAIT
    assert first.wait_for
    assert first.wait_for < 150_000
    # Estimates of few transfers may be off, so not all of them are decided.
    more = [verified(tmp_path, truth, seed, 6_000 + first.wait_for).answer for seed in range(4)]
    assert more.count(Answer.ROLL_OUT) >= 3


def test_sets_with_other_shares_are_not_comparable(tmp_path: pathlib.Path) -> None:
    found = verified(tmp_path, Truth(0.9, kept=0.9), 1, rows=20_000)
    assert found.answer == Answer.NOT_COMPARABLE
    assert "47.6 % of the connections, not 50 %" in found.headline
    assert found.wait_for is None


def test_sets_that_were_recorded_one_after_the_other_are_not_comparable(
    tmp_path: pathlib.Path,
) -> None:
    control, _ = made_up_rollouts.measurements(Truth(), 4000, 1)
    _, treatment = made_up_rollouts.measurements(Truth(), 4000, 1, begin=EPOCH_S + 2 * 86_400)
    for name, frame in (("a.csv", control), ("b.csv", treatment)):
        frame.write_csv(tmp_path / name)
    found = fs.verify(tmp_path / "a.csv", tmp_path / "b.csv", columns=COLUMNS)
    assert found.answer == Answer.NOT_COMPARABLE
    assert "one after the other" in found.headline


def test_measurements_from_before_narrow_the_interval_of_networks(tmp_path: pathlib.Path) -> None:
    """Networks are assigned as a whole, so that their levels are most of the variance."""
    both = made_up_rollouts.measurements(Truth(), 20_000, 1)
    earlier = made_up_rollouts.measurements(Truth(), 20_000, 2, begin=EPOCH_S - 10 * 86_400)
    files = {name: tmp_path / f"{name}.csv" for name in ("control", "treatment", "before")}
    made_up_rollouts.by_network(*both, files["control"], files["treatment"])
    earlier[0].write_csv(files["before"])
    given = files["control"], files["treatment"]
    plain, adjusted = (
        fs.verify(*given, columns=COLUMNS, before=before) for before in (None, files["before"])
    )
    widths = [
        one.effects[0].row.high - one.effects[0].row.low  # type: ignore[operator]
        for one in (plain, adjusted)
    ]
    assert widths[1] < widths[0] / 3
    assert not any(gate.kind == "networks" for gate in plain.judgement.gates)
    assert "Harm by network is not shown" in " ".join(plain.notes)


def transfers(rows: int, networks: int = 40, seed: int = 1, **more: Any) -> Transfers:
    """Transfers without an effect."""
    random = np.random.default_rng(seed)
    return dataclasses.replace(
        Transfers(
            treated=random.random(rows) < 0.5,
            times_s=np.exp(random.normal(0, 0.3, rows)),
            sizes=np.full(rows, 20e3),
            networks=random.integers(networks, size=rows),
            connections=np.arange(rows),
            sent=np.full(rows, 14.0),
            retransmitted=random.binomial(14, 0.01, rows).astype(np.float64),
            names=tuple(f"10.0.{n}.0/24" for n in range(networks)),
        ),
        **more,
    )


def outcomes(found: Transfers) -> Mapping[GateQuantity, Outcome]:
    """What the gates of all traffic show."""
    whole = TrafficPart("all", "all sizes", np.ones(len(found.sizes), dtype=np.bool_))
    residuals = adjustment.residuals(found)
    part = differences(found, residuals, clusters_of(found)[0], [whole], Limits())[0]
    judged = part_gates(part, Limits(), levels(2))
    return {one.gate.quantity: one.gate.outcome for one in judged}


def test_without_an_effect_every_gate_is_passed() -> None:
    assert {*outcomes(transfers(40_000)).values()} == {Outcome.PASSES}


def test_more_retransmissions_are_harm() -> None:
    found = transfers(40_000)
    more = np.random.default_rng(2).binomial(14, 0.05, 40_000)
    changed = dataclasses.replace(
        found, retransmitted=np.where(found.treated, more, found.retransmitted)
    )
    assert outcomes(changed)[GateQuantity.RETRANSMITTED] == Outcome.REJECTED
    judged = network_gates(changed, adjustment.residuals(changed), Limits(), levels(2))
    found_outcomes = {one.gate.quantity: one.gate.outcome for one in judged}
    assert found_outcomes[GateQuantity.RETRANSMITTED] == Outcome.REJECTED
    assert found_outcomes[GateQuantity.HARMED] == Outcome.PASSES


def test_without_packets_retransmissions_are_not_judged() -> None:
    unknown = np.full(2000, np.nan)
    found = outcomes(transfers(2000, sent=unknown, retransmitted=unknown))
    assert GateQuantity.RETRANSMITTED not in found


def test_transfers_that_never_end_are_harm() -> None:
    found = transfers(20_000)
    lost = found.treated & (np.random.default_rng(3).random(20_000) < 0.1)
    never = dataclasses.replace(found, times_s=np.where(lost, np.inf, found.times_s))
    assert outcomes(never)[GateQuantity.HARMED] == Outcome.REJECTED


def test_a_size_class_that_never_ends_is_harm() -> None:
    found = transfers(20_000)
    large = np.random.default_rng(3).random(20_000) < 0.03
    sizes = np.where(large, 20e6, found.sizes)
    times = np.where(large & found.treated, np.inf, found.times_s)
    never = dataclasses.replace(found, times_s=times, sizes=sizes)
    parts = [TrafficPart("all", "all sizes", np.ones(20_000, dtype=np.bool_))]
    parts.append(TrafficPart("size class", "above 10 MB", large))
    whole, part = differences(
        never, adjustment.residuals(never), clusters_of(never)[0], parts, Limits()
    )
    judged = next(part_gates(part, Limits(), levels(3))).gate
    assert (judged.quantity, judged.outcome) == (GateQuantity.HARMED, Outcome.REJECTED)
    assert effect_row(part).low is None
    assert effect_row(whole).low is not None


def test_a_longer_tail_is_harm() -> None:
    found = transfers(40_000)
    slow = found.treated & (np.random.default_rng(3).random(40_000) < 0.03)
    longer = dataclasses.replace(found, times_s=np.where(slow, 4 * found.times_s, found.times_s))
    assert outcomes(longer)[GateQuantity.P99] == Outcome.REJECTED


def test_p99_is_rejected_as_soon_as_it_is_beyond_its_limit() -> None:
    found = transfers(40_000)
    slow = found.treated & (found.times_s > np.quantile(found.times_s, 0.95))
    longer = dataclasses.replace(found, times_s=np.where(slow, 1.4 * found.times_s, found.times_s))
    assert outcomes(longer)[GateQuantity.P99] == Outcome.REJECTED
    within = dataclasses.replace(found, times_s=np.where(slow, 1.1 * found.times_s, found.times_s))
    assert outcomes(within)[GateQuantity.P99] == Outcome.PASSES


def test_an_adjustment_leaves_the_effect_as_it_is() -> None:
    found = transfers(40_000, sizes=np.exp(np.random.default_rng(4).normal(10.5, 0.4, 40_000)))
    times = found.times_s * found.sizes / 3e4 * np.where(found.treated, 0.9, 1)
    known = dataclasses.replace(found, times_s=times)
    whole = TrafficPart("all", "all sizes", np.ones(40_000, dtype=np.bool_))
    row = effect_row(
        differences(known, adjustment.residuals(known), clusters_of(known)[0], [whole], Limits())[0]
    )
    assert row.low is not None
    assert row.high is not None
    assert row.low < -0.1 < row.high < -0.085


def test_few_networks_in_both_sets_are_clustered_by_connection() -> None:
    assert clusters_of(transfers(1000, networks=4))[1] == "connection"
    assert clusters_of(transfers(1000, networks=40))[1] == "client network"
    found = transfers(1000, networks=4)
    apart = dataclasses.replace(found, treated=found.networks < 2)
    assert clusters_of(apart)[1] == "client network"
    whole = TrafficPart("all", "all sizes", np.ones(1000, dtype=np.bool_))
    part = differences(
        apart, adjustment.residuals(apart), clusters_of(apart)[0], [whole], Limits()
    )[0]
    assert "10 are needed" in effect_row(part).reason


def prediction(file: pathlib.Path, change: float) -> pathlib.Path:
    """The result of a replay with one setting."""
    setting = {"setting": "IW30", "status": "recommended", "reason": "is faster", "commands": []}
    row = {"size_class": "all sizes", "variant": "IW30", "statistic": "geomean_ratio"}
    document = {
        "capture": {"file": "mine.pcap"},
        "verdict": {
            "version": VERSION,
            "baseline": "current",
            "recommended": "IW30",
            "settings": [setting],
        },
        "partial": [],
        "intervals": [{**row, "estimate": change}],
    }
    file.write_text(json.dumps(document))
    return file


@pytest.mark.parametrize(("change", "agrees"), [(-0.08, True), (-0.3, False)])
def test_a_prediction_is_compared_with_the_interval(
    tmp_path: pathlib.Path, change: float, agrees: bool
) -> None:
    file = prediction(tmp_path / "result.json", change)
    found = verified(tmp_path, Truth(0.92), 1, rows=20_000, predicted=str(file))
    assert found.to_dict()["predicted"]["agrees"]["all sizes"] is agrees
    assert (", within the interval" if agrees else ", outside of") in " ".join(found.notes)


def test_of_a_replay_with_rows_the_times_of_responses_are_predicted(tmp_path: pathlib.Path) -> None:
    file = prediction(tmp_path / "result.json", -0.3)
    served = {"mode": "together", "capture_direction": "s2c", "size_bytes": 60_000, "sent_s": 9.0}
    other = {"transfer": 1, "mode": "alone", "variant": "current", "acked_s": 99.0}
    rows = [
        served | {"transfer": n, "variant": variant, "acked_s": 9.0 + seconds}
        for n in range(2)
        for variant, seconds in (("current", 0.2), ("IW30", 0.1))
    ]
    pl.DataFrame([*rows, served | other]).write_parquet(tmp_path / "rows.parquet")
    found = Prediction.read(str(file), None)
    assert found.changes == {"all sizes": -0.3}
    halved = pytest.approx(-0.5)
    assert found.of_responses().changes == {"all sizes": halved, "10 to 100 kB": halved}


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[pathlib.Path, pathlib.Path]:
    return made_up_rollouts.write(tmp_path_factory.mktemp("sets"), Truth(0.9), 20_000, 1)


Sets = tuple[pathlib.Path, pathlib.Path]


def test_the_first_words_are_what_to_do(cli: Cli, sets: Sets) -> None:
    answer = cli("verify", *sets, "--columns", COLUMNS)
    lines = answer.out.splitlines()
    assert (answer.status, answer.err) == (0, "")
    assert lines[0].startswith("Wait for 20,000 more transfers: the treatment is 8.7 % faster")
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 25
    assert "Reproduce: flowstart verify " in answer.out


def test_json_and_a_folder_have_the_same_answer(
    cli: Cli, sets: Sets, tmp_path: pathlib.Path
) -> None:
    words = ("verify", *sets, "--columns", COLUMNS)
    document = json.loads(cli(*words, "--json").out)
    assert cli(*words, "-o", tmp_path / "out").status == 0
    assert json.loads((tmp_path / "out/verify.json").read_text()) == document
    assert document["answer"] in [str(each) for each in Answer]
    assert cli(*document["command"].split()[1:], "--json").out == cli(*words, "--json").out


def test_the_same_transfers_twice_make_no_difference(tmp_path: pathlib.Path) -> None:
    copy = shutil.copy(CAPTURE, tmp_path / "copy.pcap.gz")
    found = fs.verify(CAPTURE, copy)
    assert found.effects[0].row.estimate == 0
    assert found.answer == Answer.WAIT
    assert found.effects[0].part.retransmissions


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{control}", "{control}"], "control and treatment are the same file"),
        (["{control}", "missing.csv"], "missing.csv"),
        (["{control}", "{treatment}", "--share", "0%"], "--share"),
        (["{control}", "{treatment}", "--share", "half"], "--share: `half`: a share is needed"),
        (["{control}", "{treatment}", "--min-effect", "200%"], "--min-effect = 200%: more than"),
        (["{control}", "{treatment}", "--max-harm", "0%"], "--max-harm"),
        (["{control}", "{treatment}", "--setting", "IW30"], "--setting: it names a setting of"),
        (["{control}", "{treatment}", "--predicted", "none.json"], "--predicted: none.json"),
        (["{control}", "{treatment}", "--before", "{control}"], "--before"),
    ],
)
def test_a_wrong_request_is_refused_in_a_line(
    cli: Cli, sets: Sets, words: list[str], said: str
) -> None:
    given = [word.format(control=sets[0], treatment=sets[1]) for word in words]
    answer = cli("verify", *given, "--columns", COLUMNS)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert said in answer.err


def test_anonymous_networks_are_refused(sets: Sets) -> None:
    control, treatment = (fs.read_capture(file, columns=COLUMNS, anonymize=True) for file in sets)
    with pytest.raises(fs.RequestError, match="its networks are anonymous"):
        fs.verify(control, treatment)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (COLUMNS.replace("acked", "written"), "end when the last byte is in the socket's send"),
        (COLUMNS.removesuffix(":acked"), "end when an event that the log does not name has"),
        (COLUMNS.partition(",duration")[0], "no transfer of a server has a completion time"),
    ],
)
def test_a_log_needs_durations_until_the_client_has_the_last_byte(
    cli: Cli, sets: Sets, columns: str, said: str
) -> None:
    answer = cli("verify", *sets, "--columns", columns)
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert answer.err.count("\n") == 1


def table(random: np.random.Generator, rows: int, networks: int, *, by_network: bool) -> Transfers:
    """Transfers of networks with different levels and effects, which are 0 on average."""
    levels_, effects = (random.normal(0, spread, networks) for spread in (0.5, 0.05))
    weights = np.arange(1, networks + 1) ** -0.6
    place = random.choice(networks, rows, p=weights / weights.sum())
    treated = (random.random(networks) < 0.5)[place] if by_network else random.random(rows) < 0.5
    sizes = np.exp(random.normal(10, 1, rows))
    noise = 0.3 * random.standard_t(4, rows)
    times = np.exp(levels_[place] + 0.3 * np.log(sizes) + noise + treated * effects[place])
    unknown = np.full(rows, np.nan)
    names = tuple(map(str, range(networks)))
    rest = place, np.arange(rows), unknown, unknown, names
    return Transfers(treated, times, sizes, *rest)


def looked(full: Transfers, rows: int) -> tuple[bool, bool]:
    """Whether the interval of the first rows misses the truth, and whether a gate rejects."""
    arrays = {name: value[:rows] for name, value in vars(full).items() if name != "names"}
    found = dataclasses.replace(full, **arrays)
    whole = TrafficPart("all", "all sizes", np.ones(rows, dtype=np.bool_))
    part = differences(
        found, adjustment.residuals(found), clusters_of(found)[0], [whole], Limits()
    )[0]
    row, judged = effect_row(part), part_gates(part, Limits(), levels(7))
    missed = row.low is not None and row.high is not None and not row.low <= 0 <= row.high
    return missed, any(one.gate.outcome == Outcome.REJECTED for one in judged)


@pytest.mark.parametrize("by_network", [False, True])
@pytest.mark.parametrize(
    ("tables", "looks"), [(100, 1), pytest.param(1000, 30, marks=pytest.mark.long)]
)
def test_intervals_hold_and_gates_give_no_false_alarm(
    tables: int, looks: int, by_network: bool
) -> None:
    missed, last, rejected = 0, 0, 0
    for seed in range(tables):
        full = table(np.random.default_rng(seed), 3000, 60, by_network=by_network)
        found = [looked(full, 3000 * look // looks) for look in range(1, looks + 1)]
        last += found[-1][0]
        missed += any(one for one, _ in found)
        rejected += any(one for _, one in found)
    assert last / tables <= 0.06
    assert missed / tables <= 0.05
    assert rejected / tables <= 0.05
