"""Whether a replay supports a recommendation: four questions, answered before the verdict.

Networks with a known rate must have `COVERED` of the transfers, and so must those whose recorded
times are reproduced. Other networks without a known rate are left out. Those that are not
reproduced stay: harm there still counts. A buffer cannot be bounded from above unless it
overflowed, so buffers are varied instead (`answer.alternatives`).
"""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from flowstart import text
from flowstart.captures import next_command, server_log
from flowstart.captures.contents import Capture
from flowstart.captures.next_command import RECORDING
from flowstart.inference import Check, Validity, ValidityQuestion, Verdict
from flowstart.inference.intervals import FEW_CLUSTERS
from flowstart.render.columns import CLASSES
from flowstart.replays.answer import Band, Partial
from flowstart.replays.calibration import LEAST_S, Calibration
from flowstart.replays.command import Invocation
from flowstart.replays.difference import (
    CLEARLY,
    EXAMPLE,
    FEW,
    GAIN,
    LOSS,
    Difference,
)
from flowstart.replays.paths import ReplayPath
from flowstart.replays.rate_fit import KNOWN
from flowstart.replays.settings import Settings
from flowstart.replays.summary import ENOUGH, EVERYTHING

if TYPE_CHECKING:
    import polars as pl

COVERED = 0.8
"""The share of transfers on known paths, and of those that are reproduced. If a fifth is not, and a
setting harms every fourth of these, it is at the limit of harm for all traffic (5 %)."""
OVERALL, OF_A_PART = 0.15, 0.3
"""The largest median error of simulated times, over all transfers and in a size class or network.

Settings gain 5 to 30 %, and a transfer is harmed by 10 %. On real captures the error was 0.1 % with
right rates, and 43 % for transfers of 1 to 10 MB with a rate wrong by a factor of 2."""
TIMES = 10.0
"""Errors above this are not stated in percent."""
LABELS = {
    ValidityQuestion.PATH: "Path known",
    ValidityQuestion.REPRODUCTION: "Reproduced",
    ValidityQuestion.ALTERNATIVES: "Alternatives agree",
    ValidityQuestion.SENDERS: "Senders alike",
    ValidityQuestion.TRAFFIC: "Traffic enough",
}
UNKNOWN, DIFFERENT = "path not known", "not reproduced"
"""What is wrong with a network."""


@dataclass(frozen=True)
class Examined:
    """The answers to the first two questions, and what is wrong with some networks."""

    checks: tuple[Check, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    """`UNKNOWN` or `DIFFERENT`, by the network's name."""

    @property
    def valid(self) -> bool:
        """Whether the replay supports a verdict on the traffic."""
        return all(check.holds is not False for check in self.checks)

    @property
    def knows_paths(self) -> bool:
        """Whether enough rates are known for the replay to show anything."""
        return not any(c.question == ValidityQuestion.PATH and not c.holds for c in self.checks)

    @property
    def unknown(self) -> list[str]:
        """The networks whose rate is not known."""
        return sorted(name for name, reason in self.failed.items() if reason == UNKNOWN)

    def of(self, network: str) -> tuple[Check, ...]:
        """The answers for one network."""
        reason = self.failed.get(network)
        not_examined = tuple(check for check in self.checks if check.holds is None)
        if reason is None:
            return not_examined
        question = ValidityQuestion.PATH if reason == UNKNOWN else ValidityQuestion.REPRODUCTION
        remedy = next((check.remedy for check in self.checks if check.question == question), ())
        return (Check(question, False, reason, f"{network}: {reason}", remedy), *not_examined)

    def judged(self, part: Partial, bands: Sequence[Band], invocation: Invocation) -> Partial:
        """The verdict on one network, as far as its replay supports it."""
        # A group of networks for which nothing is recommended is not replayed again.
        others = {b.name: b.partial[part.name] for b in bands if part.name in b.partial}
        checks = self.of(part.name)
        verdict = subjected(part.verdict, checks, others, invocation)
        return replace(part, verdict=verdict)


def subjected(
    verdict: Verdict,
    checks: Sequence[Check],
    others: Mapping[str, Verdict],
    invocation: Invocation,
) -> Verdict:
    """A verdict as far as the replay supports it.

    `checks` are the answers to the first two questions, `others` the verdicts under other
    assumptions.
    """
    dependent = verdict.depending(others)
    failing = any(check.holds is False for check in checks)
    agree = Check(ValidityQuestion.ALTERNATIVES, None)
    if invocation.questions.buffers and not failing:
        agree = _alternatives(invocation, dependent, [*others])
    dependent = dependent.without(_steps_back(invocation.settings), ValidityQuestion.SENDERS)
    checks = (*checks, agree, *_senders(invocation, dependent), _enough(invocation, verdict))
    return dependent.subject_to(Validity(checks))


def examine(
    invocation: Invocation,
    paths: Sequence[ReplayPath],
    facts: "pl.DataFrame",
    left_out: int,
    calibration: Calibration | None,
) -> Examined:
    """Answers the first two questions.

    `facts` are the transfers under test; `left_out` counts those that cannot be replayed.
    """
    traffic = _Traffic.of(invocation, paths, facts, left_out)
    unknown = _unknown(paths, facts)
    checks = [_path(traffic, paths, unknown)]
    if calibration is None:
        checks.append(Check(ValidityQuestion.REPRODUCTION, None))
        return Examined(tuple(checks), dict.fromkeys(unknown, UNKNOWN))
    errors = _errors(calibration, facts)
    difference = Difference.of(invocation, paths, errors, calibration)
    unlike = _unlike(difference) if difference else {}
    different = _different(errors) | unlike.keys()
    failed = dict.fromkeys(different, DIFFERENT) | dict.fromkeys(unknown, UNKNOWN)
    checks.append(_reproduction(traffic, difference, errors, failed, unlike, calibration))
    return Examined(tuple(checks), failed)


@dataclass(frozen=True)
class _Traffic:
    """What is replayed of a capture."""

    invocation: Invocation
    transfers: dict[str, int]
    """Those under test, by network."""
    replayed: float
    """The share of all transfers that can be replayed."""

    @classmethod
    def of(
        cls,
        invocation: Invocation,
        paths: Sequence[ReplayPath],
        facts: "pl.DataFrame",
        left_out: int,
    ) -> "_Traffic":
        count = sum(path.transfers for path in paths)
        transfers = dict(facts.group_by("network", maintain_order=True).len().iter_rows())
        return cls(invocation, transfers, count / (count + left_out))

    def share(self, networks: Collection[str]) -> float:
        """The share of all transfers that these networks have."""
        mine = sum(self.transfers.get(name, 0) for name in networks)
        return self.replayed * mine / sum(self.transfers.values())

    def without(self, networks: Collection[str]) -> list[str]:
        """The other networks, those with the most transfers first."""
        others = [name for name in self.transfers if name not in networks]
        return sorted(others, key=lambda name: -self.transfers[name])

    def largest(self, networks: Collection[str]) -> str:
        """The one of these networks with the most transfers."""
        return max(networks, key=lambda name: self.transfers.get(name, 0))


def _unknown(paths: Sequence[ReplayPath], facts: "pl.DataFrame") -> dict[str, str]:
    """The networks without a known rate in a direction under test, each with that rate's field."""
    fields = {True: "rate", False: "reverse_rate"}
    ways = facts.select("network", "towards_remote").unique().rows()
    by_name = {path.name: path for path in paths}
    return {
        name: fields[towards]
        for name, towards in sorted(ways)
        if not by_name[name].knows(fields[towards], KNOWN)
    }


def _path(traffic: _Traffic, paths: Sequence[ReplayPath], unknown: Mapping[str, str]) -> Check:
    known = traffic.without(unknown)
    share = traffic.share(known)
    finding = f"{text.short_share(share)} of transfers"
    if share >= COVERED:
        return Check(ValidityQuestion.PATH, True, finding)
    example = "the other transfers cannot be replayed"
    if unknown:
        largest = traffic.largest(unknown)
        method = next(path.method(unknown[largest]) for path in paths if path.name == largest)
        example = f"{largest}: {method}"
    reason = (
        f"rates are known for {text.short_share(share)} of transfers "
        f"({text.share(COVERED)} needed); {example}"
    )
    remedy = traffic.invocation.with_units + recording(traffic.invocation)
    return Check(ValidityQuestion.PATH, False, finding, reason, remedy)


def _errors(calibration: Calibration, facts: "pl.DataFrame") -> "pl.DataFrame":
    """The transfers under test with the relative error of their simulated times.

    Null if there is no recorded time to compare with. No clock resolves less than `LEAST_S`.
    """
    import polars as pl

    least = pl.lit(LEAST_S)
    simulated = pl.max_horizontal(pl.col("simulated_s").fill_null(float("inf")), least)
    ratio = simulated / pl.max_horizontal("recorded_s", least)
    seen = pl.col("recorded_acked_s").is_not_null() & (pl.col("closings") == 0)
    rows = calibration.every.select("transfer", ratio=pl.when(seen).then(ratio))
    wanted = facts.select("transfer", "network", "towards_remote", "size_bytes")
    return wanted.join(rows, on="transfer", how="left").with_columns(
        error=(pl.col("ratio") - 1).abs()
    )


def _different(errors: "pl.DataFrame") -> set[str]:
    """The networks of which too few transfers can be compared, or the times differ."""
    import polars as pl

    networks = errors.group_by("network").agg(
        compared=pl.col("error").is_not_null().mean(), error=pl.col("error").median()
    )
    right = (pl.col("compared") >= COVERED) & (pl.col("error") <= OF_A_PART)
    return set(networks.filter(~right.fill_null(value=False))["network"])


def _unlike(difference: Difference) -> dict[str, str]:
    """The networks that differ in what times need not show, and how."""
    limit = f"(limit: {CLEARLY:g} times, and {text.share(LOSS)} of packets)"
    return {
        name: f"{text.short_share(share)} of transfers lack losses and took over "
        f"{text.share(GAIN)} longer than in the simulation (limit {text.share(FEW)})"
        for name, share in difference.held_back().items()
    } | {name: f"{shares} {limit}" for name, shares in difference.unlike_losses().items()}


def _reproduction(
    traffic: _Traffic,
    difference: Difference | None,
    errors: "pl.DataFrame",
    failed: Mapping[str, str],
    unlike: Mapping[str, str],
    calibration: Calibration,
) -> Check:
    """Whether the transfers that can be judged are enough, and agree overall and by size."""
    import polars as pl

    compared = errors.drop_nulls("error")
    different = [name for name, why in failed.items() if why == DIFFERENT]
    agreeing = compared.filter(~pl.col("network").is_in(different))
    known = agreeing.filter(~pl.col("network").is_in([*failed]))
    share = traffic.replayed * agreeing.height / errors.height
    reason, part = _worst_part(agreeing if known.is_empty() else known)
    if share < COVERED:
        reason = f"{text.short_share(share)} of transfers agree ({text.share(COVERED)} needed)"
        example, part = _example(traffic, compared, different, unlike, calibration)
        reason += f"; {example}"
    error = _part_or_times(_median(compared if reason else agreeing))
    finding = f"{text.short_share(share)}, median error {error}"
    seen = compared.height / errors.height
    if seen < COVERED:  # the error of few transfers is not that of the others
        finding = f"{text.short_share(seen)} of transfers can be compared"
    if not reason:
        return Check(ValidityQuestion.REPRODUCTION, True, finding)
    why = difference.cause(part) if difference else None
    remedy = why.remedy if why else _settling(traffic.invocation)
    return Check(
        ValidityQuestion.REPRODUCTION, False, finding, reason, remedy, why.finding if why else ""
    )


def _example(
    traffic: _Traffic,
    compared: "pl.DataFrame",
    different: Sequence[str],
    unlike: Mapping[str, str],
    calibration: Calibration,
) -> tuple[str, "pl.DataFrame"]:
    """Why too few transfers are reproduced: of the largest network, or of those not compared.

    The transfers that differ, too.
    """
    import polars as pl

    if different:
        name = traffic.largest(different)
        mine = compared.filter(pl.col("network") == name)
        if mine.height >= COVERED * traffic.transfers[name]:
            if name in unlike and _median(mine) <= OF_A_PART:
                return f"{name}: {unlike[name]}", mine
            return f"{name}: {_off(mine, OF_A_PART)}", mine
    counts = calibration.left_out
    why = max(counts, key=lambda reason: counts[reason], default="they cannot be replayed")
    those = "none has a" if compared.is_empty() else "the others have no"
    return f"{those} time to compare with: {why}", compared.clear()


def _worst_part(judged: "pl.DataFrame") -> tuple[str, "pl.DataFrame"]:
    """The size class whose times differ most, or all, and its transfers.

    Both are empty if all are within their limits.
    """
    import polars as pl

    size = pl.col("size_bytes")
    parts = [(EVERYTHING, judged, OVERALL)]
    for name, least, below in CLASSES:
        mine = judged.filter((size >= least) & (size < (below or float("inf"))))
        if mine.height >= ENOUGH:
            of = "" if name.startswith(("below", "above")) else "of "
            parts.append((f"transfers {of}{name}", mine, OF_A_PART))
    beyond = [part for part in parts if _median(part[1]) > part[2]]
    if not beyond:
        return "", judged.clear()
    name, mine, limit = max(beyond, key=lambda part: _median(part[1]))
    return f"{name}: {_off(mine, limit)}", mine


def _off(part: "pl.DataFrame", limit: float) -> str:
    """How far the times of a part are off."""
    middle = cast("float", part["ratio"].median() or 1.0)
    way = "shorter" if middle < 1 else "longer"
    off = f"{text.share(abs(middle - 1))} {way} than recorded ones"
    if middle > TIMES:
        off = f"{middle:,.0f} times as long as recorded ones"
    error = _median(part)
    stated = text.share(error) if error <= TIMES else _part_or_times(error)
    return f"median error {stated} (limit {text.share(limit)}), simulated times {off}"


def _part_or_times(error: float) -> str:
    """An error in percent; a large one as how many times the recorded time it is."""
    return f"{error:,.0f} times" if error > TIMES else text.short_share(error)


def _median(part: "pl.DataFrame") -> float:
    middle = part["error"].median()
    return float("inf") if middle is None else cast("float", middle)


def _alternatives(invocation: Invocation, verdict: Verdict, names: Sequence[str]) -> Check:
    """Whether a verdict holds under other assumptions, which it already depends on."""
    doubted = [
        judgement
        for judgement in verdict.judgements
        if judgement.question == ValidityQuestion.ALTERNATIVES
    ]
    if verdict.recommended is None and doubted:
        reason = f"{doubted[0].setting} {doubted[0].reason}"
        remedy = (invocation.with_options("--network", f"*:buffer={EXAMPLE}"),)
        return Check(ValidityQuestion.ALTERNATIVES, False, f"{len(names)} examined", reason, remedy)
    return Check(ValidityQuestion.ALTERNATIVES, True, str(len(names)) if names else "none needed")


def _steps_back(settings: Settings) -> dict[str, str]:
    """The settings whose window is no larger than one in use, and why that speaks against them."""
    windows = {v.name: settings.hosts.step_back(v) for v in settings.compared}
    return {
        name: f"{text.short_share(window.share)} of connections have IW {window.segments} already"
        for name, window in windows.items()
        if window
    }


def _senders(invocation: Invocation, verdict: Verdict) -> list[Check]:
    """The objection of senders whose windows differ, where that leaves nothing to recommend."""
    doubted = verdict.candidate
    if doubted is None or doubted.question != ValidityQuestion.SENDERS:
        return []
    windows = [str(window.segments) for window in invocation.settings.hosts.windows]
    finding, reason = f"IW {text.listed(windows)}", f"{doubted.setting} {doubted.reason}"
    return [Check(ValidityQuestion.SENDERS, False, finding, reason, _one_sender(invocation))]


def _one_sender(invocation: Invocation) -> tuple[str, ...]:
    """The commands that replay the traffic of one sender.

    Where one address has several windows, the one that shows those of a server's routes.
    """
    first, *others = invocation.settings.hosts.windows
    other = {address for window in others for address in window.addresses}
    alone = [address for address in first.addresses if address not in other]
    source = invocation.capture.files[0]
    if not alone or source == "-":
        return ("ip route show  # on each server: initcwnd",)
    tcpdump = shlex.join(["tcpdump", "-r", source, "-w", RECORDING, "host", alone[0]])
    return tcpdump, invocation.of_file(RECORDING)


def _enough(invocation: Invocation, verdict: Verdict) -> Check:
    """Whether there are enough independent connections for an interval."""
    number = max((judgement.gain.clusters for judgement in verdict.judgements), default=None)
    if number is None:
        return Check(ValidityQuestion.TRAFFIC, True, "nothing to compare")
    finding = text.counted(round(number), "connection", "connections")
    if number >= FEW_CLUSTERS:
        return Check(ValidityQuestion.TRAFFIC, True, finding)
    reason = f"{number:.1f} independent connections; {FEW_CLUSTERS} are needed"
    longer = recording(invocation, times=2 * FEW_CLUSTERS / max(number, 1.0))
    return Check(ValidityQuestion.TRAFFIC, False, finding, reason, longer)


def recording(invocation: Invocation, times: float = 1.0) -> tuple[str, ...]:
    """The command that records what is missing; `times` as long as this capture."""
    lasts_s = round(times * _lasts_s(invocation.capture), -2) if times > 1 else 0.0
    command = next_command.recording(invocation.capture, max(next_command.SECONDS, lasts_s))
    return command, invocation.of_recording


def _lasts_s(capture: Capture) -> float:
    """How long a capture lasts."""
    starts = capture.transfers["start"]
    return cast("float", starts.max()) - cast("float", starts.min())


def _settling(invocation: Invocation) -> tuple[str, ...]:
    """What shows why a recording is not reproduced: packets, or what the host was set to."""
    if server_log.is_log(invocation.capture):
        return invocation.with_units + recording(invocation)
    return (
        invocation.with_options("--details"),
        "sysctl net.ipv4.tcp_congestion_control; ip route show default",
    )
