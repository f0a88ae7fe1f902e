"""What the times of a replay show: changes with intervals, verdicts, and what may limit them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from flowstart.captures.sampling import Sampled, SampleSize
from flowstart.deployment.experiment import Population, TestPlan, plan
from flowstart.deployment.guardrails import Packets
from flowstart.deployment.stacks import Commands
from flowstart.errors import RequestError
from flowstart.inference import Judgement, Row, Statistic, Status, TransferGroup, Verdict, intervals
from flowstart.inference.data import LEVEL, OF_TRANSFERS, finite
from flowstart.inference.gates import (
    FEWEST_TRANSFERS,
    OPTIONS,
    Gate,
    Limits,
    Runs,
    TrafficPart,
    gates,
    levels,
)
from flowstart.inference.intervals import FEW_CLUSTERS, Contrast, contrasted, estimates
from flowstart.inference.networks import Networks, network_gates
from flowstart.inference.verdict import judge
from flowstart.render.columns import CLASSES
from flowstart.replays.paths import BUFFERS, ReplayPath
from flowstart.replays.rate_fit import KNOWN
from flowstart.replays.runner import Round
from flowstart.replays.scenario import usual_stack
from flowstart.replays.settings import Settings

if TYPE_CHECKING:
    import polars as pl


Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

EVERYTHING = "all sizes"
PACKETS = ("packets_sent", "packets_dropped", "packets_retransmitted")


class Times:
    """Completion times in seconds by variant and transfer; `inf` where one was never done.

    With `packets` also the packets of each transfer: sent, lost, retransmitted.
    """

    def __init__(self, *, packets: bool = False) -> None:
        self._columns = ("fct_s", *(PACKETS if packets else ()))
        self._parts: dict[str, list[tuple[Numbers, Floats]]] = {}

    def add(self, rows: "pl.DataFrame") -> None:
        """Takes in rows with `variant`, `transfer`, `fct_s`, and `PACKETS` if these are kept."""
        import polars as pl

        fct = pl.col("fct_s").fill_null(float("inf"))
        taken = rows.select("variant", "transfer", fct, *self._columns[1:]).sort("transfer")
        for (variant,), part in taken.partition_by("variant", as_dict=True).items():
            numbers = part["transfer"].to_numpy()
            values = part.select(pl.col(self._columns).cast(pl.Float64)).to_numpy()
            self._parts.setdefault(str(variant), []).append((numbers, values))

    def of(self, variant: str, transfers: Numbers) -> Floats:
        """Those of some transfers under a variant; NaN where one was not run."""
        return self.columns(variant, transfers)[:, 0]

    def columns(self, variant: str, transfers: Numbers) -> Floats:
        """Times and packets of some transfers: transfers × columns; NaN where one was not run."""
        columns = np.full((len(transfers), len(self._columns)), np.nan)
        if variant not in self._parts:
            return columns
        numbers, values = self._in_order(variant)
        index = np.minimum(np.searchsorted(numbers, transfers), len(numbers) - 1)
        there = numbers[index] == transfers
        columns[there] = values[index[there]]
        return columns

    def _in_order(self, variant: str) -> tuple[Numbers, Floats]:
        """A variant's transfers and their values, by number; as one part from then on."""
        parts = self._parts[variant]
        if len(parts) > 1:
            numbers, values = (np.concatenate(part) for part in zip(*parts, strict=True))
            order = np.argsort(numbers, kind="stable")
            self._parts[variant] = parts = [(numbers[order], values[order])]
        return parts[0]


def classes(facts: "pl.DataFrame") -> list[tuple[str, Numbers, Numbers]]:
    """The size classes that have transfers, all sizes last: name, transfers and their clusters.

    `facts` has a row per transfer with `transfer`, `connection` and `size_bytes`; of a sample also
    with `cluster`.
    """
    sizes = facts["size_bytes"].to_numpy()
    transfers = facts["transfer"].to_numpy().astype(np.int64)
    clusters = _clusters(facts)
    everything = {EVERYTHING: np.ones(len(sizes), dtype=np.bool_)}
    return [
        (name, transfers[chosen], clusters[chosen])
        for name, chosen in (in_classes(sizes) | everything).items()
        if chosen.any()
    ]


def in_classes(sizes: NDArray[Any]) -> dict[str, NDArray[np.bool_]]:
    """Which transfers of these sizes are in each size class."""
    return {
        name: (sizes >= least) & (sizes < (np.inf if below is None else below))
        for name, least, below in CLASSES
    }


def _clusters(facts: "pl.DataFrame") -> Numbers:
    """What each transfer belongs to of what is independent: connections, or what was drawn."""
    name = "cluster" if "cluster" in facts.columns else "connection"
    return facts[name].to_numpy().astype(np.int64)


def groups(facts: "pl.DataFrame", times: Sequence[tuple[str, Times]]) -> list[TransferGroup]:
    """The size classes as inference takes them: a column for each of these variants' times."""
    return [
        TransferGroup.of(name, np.column_stack([t.of(v, transfers) for v, t in times]), clusters)
        for name, transfers, clusters in classes(facts)
    ]


GATE_RUNS = 5
"""How many runs gates rest on: the exact one and four repeats. More would settle nothing that the
few clusters of small parts leave open, and cost memory."""

FOR_A_VERDICT = (Statistic.GEOMEAN_RATIO,)
"""The statistics of which it needs intervals."""


@dataclass(frozen=True)
class Criteria:
    """What a variant must do to be recommended."""

    limits: Limits = field(default_factory=Limits)
    offered: Collection[str] | None = None
    """The variants that the stack offers; None for all."""
    verdicts: int = 1
    """How many verdicts there are, of which none is to recommend in error."""


def verdict(
    facts: "pl.DataFrame",
    runs: Sequence[Times],
    order: Sequence[str],
    groups: Sequence[TransferGroup],
    rows: Mapping[tuple[str, str, Statistic], Row],
    criteria: Criteria,
    *,
    seed: int = 1,
) -> Verdict:
    """The verdict on `order`, whose first is the baseline.

    `runs` are the exact one and its repeats, `rows` have the intervals of `groups`.
    """
    baseline, *variants = order
    if not variants or facts.is_empty():
        return Verdict(baseline, ())
    transfers = facts["transfer"].to_numpy().astype(np.int64)
    clusters = _clusters(facts)
    connections = facts["connection"].to_numpy().astype(np.int64)
    split, together = parts(facts["size_bytes"].to_numpy()), networks(facts)
    base, limits = _runs(runs, baseline, transfers), criteria.limits
    at = levels(len(split) + 1, criteria.verdicts)
    gated: dict[str, list[Gate]] = {}
    for name in variants:
        mine = _runs(runs, name, transfers)
        gated[name] = gates(base, mine, split, clusters, limits, at, seed=seed)
        # Within a network connections are what is independent, drawn or not.
        gated[name] += network_gates(base, mine, together, connections, limits, at, seed=seed)
    gains = {name: rows[EVERYTHING, name, Statistic.GEOMEAN_RATIO] for name in variants}
    offered = variants if criteria.offered is None else criteria.offered
    slower = _slower(groups, order, [name for name in variants if gains[name].gains], seed)
    return judge(baseline, gains, gated, offered, slower)


def parts(sizes: NDArray[Any]) -> list[TrafficPart]:
    """All traffic and the size classes."""
    whole = TrafficPart("all", EVERYTHING, np.ones(len(sizes), dtype=np.bool_))
    classes = in_classes(sizes)
    return [whole, *(TrafficPart("size class", name, chosen) for name, chosen in classes.items())]


def networks(facts: "pl.DataFrame") -> Networks:
    """The network of each transfer; those with too few transfers are one for each access type."""
    import polars as pl

    few = (pl.len().over("network") < FEWEST_TRANSFERS) | (
        pl.col("connection").n_unique().over("network") < FEW_CLUSTERS
    )
    named = pl.when(few).then(pl.format("others, {}", "access")).otherwise("network")
    labels = facts.select(named.alias("network"))["network"]
    names = labels.unique(maintain_order=True)
    numbers = {name: number for number, name in enumerate(names)}
    return Networks(tuple(names), labels.replace_strict(numbers, return_dtype=pl.Int64).to_numpy())


def _runs(runs: Sequence[Times], variant: str, transfers: Numbers) -> Runs:
    whole = np.stack([times.columns(variant, transfers) for times in runs[:GATE_RUNS]])
    return Runs(*(whole[:, :, column] for column in range(whole.shape[2])))


def _slower(
    groups: Sequence[TransferGroup], order: Sequence[str], gaining: Sequence[str], seed: int
) -> set[tuple[str, str]]:
    """Pairs of variants that gain of which the first is significantly slower."""
    everything = [group for group in groups if group.name == EVERYTHING]
    column = {name: index for index, name in enumerate(order)}
    pairs = [(a, b) for a in gaining for b in gaining if a != b]
    contrasts = [Contrast(0, column[a], column[b]) for a, b in pairs]
    if not contrasts:
        return set()
    rows = contrasted(
        everything, order, contrasts, statistics=FOR_A_VERDICT, level=LEVEL, seed=seed
    )
    return {pair for pair, row in zip(pairs, rows, strict=True) if row.loses}


Key: TypeAlias = tuple[str, str, Statistic]
"""A size class, a variant, a statistic."""
Estimates: TypeAlias = Mapping[Key, float | None]

FEWEST_REPEATS, MOST_REPEATS = 4, 8
"""How many perturbed repeats there are at first, and at most: they double until they settle."""
SETTLED_POINTS = 0.005
"""Repeats are enough where the second half of them moves no end of an interval by more."""


@dataclass(frozen=True)
class Answer:
    """The changes of all variants in all size classes, with simultaneous intervals."""

    baseline: str
    groups: list[TransferGroup]
    """The times that it rests on; the first column is the baseline's."""
    variants: tuple[str, ...]
    """The variants in the order of the columns."""
    rows: dict[Key, Row]
    verdict: Verdict
    """What to choose for all traffic; of nothing where no criteria were given."""
    repeats: int = 0
    """How many perturbed repeats have widened the intervals."""

    @classmethod
    def none(cls, variants: Sequence[str], baseline: str) -> "Answer":
        """That of a replay which was stopped: inference takes seconds, and all passes."""
        return cls(baseline, [], _ordered(variants, baseline), {}, Verdict(baseline, ()))

    def row(self, size_class: str, variant: str, statistic: Statistic) -> Row | None:
        """One row; None for the baseline, which is not compared with itself."""
        return self.rows.get((size_class, variant, statistic))

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as JSON and Parquet have them."""
        return [
            {
                "size_class": row.group,
                "variant": row.variant,
                "baseline": self.baseline,
                "statistic": str(row.statistic),
                "estimate": finite(row.estimate),
                "low": finite(row.low),
                "high": finite(row.high),
                "transfers": row.transfers,
                "clusters": row.clusters,
                "repeats": self.repeats,
                "enough": row.enough,
                "reason": row.reason or None,
            }
            for row in self.rows.values()
        ]


def answer(
    facts: "pl.DataFrame",
    times: Times,
    variants: Sequence[str],
    baseline: str,
    criteria: Criteria | None = None,
    *,
    base_times: Times | None = None,
    repeats: Sequence[Times] = (),
    statistics: Sequence[Statistic] = OF_TRANSFERS,
    seed: int = 1,
) -> Answer:
    """What times show of the transfers in `facts`; without `criteria` no variant is judged.

    `base_times` has the baseline's, where those are of another pass. Each interval reaches as much
    further as the estimates of `repeats` lie beside the exact one.
    """
    order = _ordered(variants, baseline)
    groups = _groups(facts, times, order, base_times or times)
    rows = {
        (row.group, row.variant, row.statistic): row
        for row in intervals(
            groups,
            order,
            baseline,
            statistics=statistics,
            level=1 - (1 - LEVEL) / (criteria.verdicts if criteria else 1),
            seed=seed,
        )
    }
    if repeats:
        moved = [estimates(_groups(facts, run, order, run), order, baseline) for run in repeats]
        rows = {key: _widened(row, [run.get(key) for run in moved]) for key, row in rows.items()}
    judged = Verdict(baseline, ())
    if criteria:
        judged = verdict(facts, (times, *repeats), order, groups, rows, criteria, seed=seed)
        judged = judged.for_clients(requested(facts, (times, *repeats), order, seed))
    return Answer(baseline, groups, order, rows, judged, len(repeats))


def requested(
    facts: "pl.DataFrame", runs: Sequence[Times], order: Sequence[str], seed: int
) -> dict[str, Row]:
    """The change of the time from request to last byte, over all transfers, of each variant.

    `runs` are the exact one and its repeats.
    """
    if facts.is_empty():
        return {}
    transfers = facts["transfer"].to_numpy().astype(np.int64)
    connections, waits = facts["connection"].to_numpy(), facts["request_s"].to_numpy()[:, None]
    exact, *moved = (
        [
            TransferGroup.of(
                EVERYTHING,
                np.column_stack([times.of(name, transfers) for name in order]) + waits,
                connections,
            )
        ]
        for times in runs
    )
    repeats = [estimates(groups, order, order[0], FOR_A_VERDICT) for groups in moved]
    rows = intervals(exact, order, order[0], statistics=FOR_A_VERDICT, seed=seed)
    return {
        row.variant: _widened(
            row, [run.get((row.group, row.variant, row.statistic)) for run in repeats]
        )
        for row in rows
    }


def _ordered(variants: Sequence[str], baseline: str) -> tuple[str, ...]:
    return (baseline, *(name for name in variants if name != baseline))


def _groups(
    facts: "pl.DataFrame", times: Times, order: Sequence[str], base: Times
) -> list[TransferGroup]:
    first, *others = order
    return groups(facts, [(first, base), *((name, times) for name in others)])


def _widened(row: Row, estimates: Sequence[float | None]) -> Row:
    """A row whose interval reaches further by how far repeats lie beside its estimate."""
    if row.low is None or row.high is None or row.estimate is None:
        return row
    known = [e - row.estimate for e in estimates if e is not None and isfinite(e - row.estimate)]
    below, above = min([0.0, *known]), max([0.0, *known])
    low, high = row.low + below, row.high + above
    if row.statistic == Statistic.HARMED_SHARE:
        low, high = max(low, 0.0), min(high, 1.0)
    return replace(row, low=low, high=high)


def settled(
    facts: "pl.DataFrame",
    exact: Times,
    repeats: Sequence[Times],
    variants: Sequence[str],
    baseline: str,
) -> bool:
    """Whether the second half of the repeats has hardly moved any interval."""
    order = _ordered(variants, baseline)
    moved = [
        estimates(_groups(facts, run, order, run), order, baseline) for run in (exact, *repeats)
    ]
    half = 1 + len(repeats) // 2
    for key in moved[0]:
        values = [run.get(key) for run in moved]
        known = [v for v in values if v is not None and isfinite(v)]
        before = [v for v in values[:half] if v is not None and isfinite(v)]
        if len(known) < len(values) or not before:
            continue
        if max(known) - max(before) > SETTLED_POINTS or min(before) - min(known) > SETTLED_POINTS:
            return False
    return True


def test_plan(
    facts: "pl.DataFrame",
    group: TransferGroup,
    times: Times,
    judged: Judgement,
    baseline: str,
    questions: "Questions",
    seed: int,
) -> TestPlan | None:
    """A test of a setting against the baseline, the first column of a group's times."""
    import polars as pl

    transfers = facts["transfer"].to_numpy().astype(np.int64)
    split = parts(facts["size_bytes"].to_numpy())
    starts, clients = facts["start_s"], facts["client"].rank("dense")
    decides = _deciding(judged)
    packets = [times.columns(name, transfers) for name in (baseline, judged.setting)]
    return plan(
        Population(
            base_s=group.times[:, 0],
            variant_s=packets[1][:, 0],
            networks=facts["network"].rank("dense").to_numpy().astype(np.int64),
            connections=facts["connection"].cast(pl.Int64).to_numpy(),
            clients=None if clients.null_count() else clients.to_numpy().astype(np.int64),
            lasts_s=cast("float", starts.max()) - cast("float", starts.min()),
            packets=Packets(packets[0][:, 1], packets[0][:, 3], packets[1][:, 3]),
            decides=next(part.chosen for part in split if part.name == decides),
            size_class=decides,
        ),
        limits=questions.limits,
        seed=seed,
    )


def _deciding(judged: Judgement) -> str:
    """The size class that comes nearest to a limit, or exceeds it most."""
    gates = [gate for gate in judged.gates if gate.kind == "size class"]
    most = max(gates, key=lambda gate: gate.high / gate.limit, default=None)
    return most.part if most else EVERYTHING


WHEN = "network="


@dataclass(frozen=True)
class Partial:
    """The verdict on the traffic of one network, or of a group of networks."""

    name: str
    """The network, or what the networks of the group have in common."""
    networks: tuple[str, ...]
    traffic: float
    """Their share of all transfers."""
    verdict: Verdict
    commands: dict[str, list[Commands]]
    """How each setting is limited to the networks."""
    together: int = 1
    """How many such verdicts there are, whose errors are those of one."""

    @property
    def lines(self) -> list[str]:
        """The verdict on a network and what implements it, in words."""
        lines = [f"When network={self.name}: {self.verdict.headline}"]
        name = self.verdict.recommended or ""
        commands = self.commands.get(name, ())
        return [*lines, *(line for command in commands for line in command.lines(name, self.name))]


GROUP = "group="


def parsed(texts: Sequence[str], kinds: Sequence[str] = (WHEN,)) -> tuple[str, ...]:
    """The networks, or groups, that are named. Raises RequestError where another part is."""
    names = []
    for text in texts:
        kind = next((kind for kind in kinds if text.startswith(kind) and text != kind), None)
        if kind is None:
            forms = {WHEN: "network=PREFIX", GROUP: "group=NAME"}
            wanted = " or ".join(forms[kind] for kind in kinds)
            raise RequestError(f"`{text}` should be written {wanted}", ("when",))
        names.append(text.removeprefix(kind))
    return tuple(names)


def refuse_unknown(networks: Sequence[str], known: Sequence[str], drawn: Sampled | None) -> None:
    """Refuses networks that the capture, or what was drawn of it, does not have."""
    for name in networks:
        if drawn and name in drawn.rtts_s and name not in known:
            raise RequestError(
                f"`{name}` is not among the {len(known)} networks of the sample; --sample all "
                "has each",
                ("when",),
            )
        if name not in known:
            raise RequestError(
                f"`{name}` is not a network of the capture: {', '.join(known)}", ("when",)
            )


def partial(
    name: str,
    networks: Sequence[str],
    facts: "pl.DataFrame",
    runs: Sequence[Times],
    settings: Settings,
    criteria: Criteria,
) -> Partial:
    """The verdict on the traffic of networks. Paths are separate, so others do not matter."""
    import polars as pl

    base = settings.reference
    commands = {
        variant.name: [
            command for network in networks for command in settings.commands(variant, network)
        ]
        for variant in settings.compared
    }
    names = [name for name in commands if commands[name]]
    mine = facts.filter(pl.col("network").is_in([*networks]))
    answered = answer(
        mine,
        runs[0],
        names,
        base.name,
        criteria,
        repeats=runs[1:],
        statistics=FOR_A_VERDICT,
        seed=settings.seed,
    )
    traffic = mine.height / max(facts.height, 1)
    limited = {name: commands[name] for name in names}
    return Partial(
        name, tuple(networks), traffic, answered.verdict, limited, together=criteria.verdicts
    )


@dataclass(frozen=True)
class Rollout:
    """The connections of a part are under a variant, the others under the baseline."""

    share: float
    """The part asked for."""
    connections: int
    """How many connections are switched."""
    switched: Answer
    """What those gain against the baseline for everybody."""
    rest: Answer
    """What the others gain, or lose, meanwhile."""


def shared(
    facts: "pl.DataFrame", times: Times, base: Times, round_: Round, settings: Settings
) -> Rollout:
    """What the times of a pass with a part switched say, `base` having the baseline's for all."""
    import polars as pl

    numbers = facts["connection"].to_list()
    chosen = pl.Series([round_.is_switched(number) for number in numbers], dtype=pl.Boolean)
    reference = settings.reference.name

    def of(part: "pl.DataFrame") -> Answer:
        return answer(part, times, settings.names, reference, base_times=base, seed=settings.seed)

    switched, rest = facts.filter(chosen), facts.filter(~chosen)
    return Rollout(round_.share, switched["connection"].n_unique(), of(switched), of(rest))


FACTORS = (0.5, 4.0)
"""What assumed buffers are multiplied by, beside once."""
UNBOUNDED = 4.0
"""What a rate is multiplied by at the high end of its interval, where that has none."""
QUEUE = "fq-codel"
"""The discipline that queues may have in the place of drop-tail: that of most Linux routers with
`sqm`, and of systemd's hosts."""
WINDOW = "65535B"
"""The receive window of a client without window scaling (RFC 7323, section 2.3)."""


@dataclass(frozen=True)
class Band:
    """The verdict under another assumption on some variants."""

    name: str
    answer: Answer
    partial: Mapping[str, Verdict] = field(default_factory=dict)
    """The same by network, where networks have verdicts by themselves."""

    @property
    def conclusive(self) -> bool:
        """Whether more runs would settle nothing."""
        verdicts = (self.answer.verdict, *self.partial.values())
        statuses = {judgement.status for verdict in verdicts for judgement in verdict.judgements}
        return Status.INCONCLUSIVE not in statuses


@dataclass(frozen=True)
class Alternative:
    """Another plausible assumption on what the data does not show."""

    name: str
    paths: list[ReplayPath]
    settings: Settings


def alternatives(
    paths: Sequence[ReplayPath], settings: Settings, *, windows: bool
) -> list[Alternative]:
    """Other buffers and rates as far as they are assumed or uncertain, queues, and windows.

    `windows` says whether the recording has the receivers'.
    """
    varied = [*buffers(paths), *rates(paths)]
    alternatives = [Alternative(name, others, settings) for name, others in varied]
    if "queue" not in settings.impairments:
        queued = [replace(path, path=path.path | {"queue": QUEUE}) for path in paths]
        alternatives.append(Alternative(f"{QUEUE} queues", queued, settings))
    if not windows:
        stack = usual_stack(settings) | {"window": WINDOW}
        small = replace(settings, stack=stack)
        alternatives.append(Alternative("64 kB receive windows", [*paths], small))
    return alternatives


def rates(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    """The paths at both ends of their rates' intervals; empty where all rates are given."""
    if all(path.given for path in paths):
        return []
    return [
        ("lowest rates", [_at_end(path, 0) for path in paths]),
        ("highest rates", [_at_end(path, 1) for path in paths]),
    ]


MEASURED = (1 / KNOWN**0.5, KNOWN**0.5)
"""The ends of the interval of a rate that packets show, as factors: it counts as known."""


def _at_end(replayed: ReplayPath, end: int) -> ReplayPath:
    if replayed.given:
        return replayed
    there, back = (MEASURED[end] * rate for rate in replayed.rates_bps)
    if replayed.rate_range:
        there = back = replayed.rate_range[end] or UNBOUNDED * replayed.rates_bps[0]
    written = {"rate": f"{there:.0f}bps", "reverse_rate": f"{back:.0f}bps"}
    return replace(replayed, path=replayed.path | written)


LEAST_BUFFER = 10
"""A buffer of which nothing is known holds at least the recorded initial window: the recording is
reproduced, and a smaller buffer would have lost packets of every burst."""


def buffers(paths: Sequence[ReplayPath]) -> list[tuple[str, list[ReplayPath]]]:
    """The paths with other buffers where they are assumed; empty where none is.

    No buffer is made smaller than is known, and that least is an alternative by itself.
    """
    if not any({*BUFFERS} & {*path.assumed} for path in paths):
        return []
    factors = {f"buffers × {factor:g}": factor for factor in FACTORS}
    factors["smallest known buffers"] = 0.0
    return [(name, [_with(path, factor) for path in paths]) for name, factor in factors.items()]


def _with(replayed: ReplayPath, factor: float) -> ReplayPath:
    path = dict(replayed.path)
    for name in BUFFERS:
        if name not in replayed.assumed:
            continue
        packets = int(str(path[name]).removesuffix("pkt"))
        known = replayed.least.get(name) or LEAST_BUFFER
        path[name] = f"{max(round(factor * packets), min(known, packets))}pkt"
    return replace(replayed, path=path)


@dataclass(frozen=True)
class Questions:
    """What is asked of a replay beyond its rows."""

    rollout: float | None = None
    """The part of the connections that is switched in a pass of its own."""
    repeats: int = MOST_REPEATS
    """At most so many perturbed repeats widen the intervals."""
    buffers: bool = True
    """Whether buffers that are assumed are also taken for smaller and larger ones."""
    calibrate: bool = True
    """Whether the capture is also replayed as it was recorded, and compared with the recording."""
    when: tuple[str, ...] = ()
    """Networks that have a verdict by themselves, for settings that can be limited to them."""
    limits: Limits = field(default_factory=Limits)
    """The most that a variant may do in any part of the traffic and be recommended."""
    sample: str | None = None
    """The share or number of the connections that are replayed; None for as many as is affordable.
    """

    def __post_init__(self) -> None:
        if self.sample is not None:
            SampleSize.parse(self.sample)
        if self.rollout is not None and not 0 < self.rollout < 1:
            raise RequestError(
                f"`{100 * self.rollout:g}%` is out of range; "
                "a part above 0% and below 100% is needed",
                ("rollout",),
            )
        if self.repeats < 0:
            raise RequestError(
                f"`{self.repeats}` is out of range; 0 or more are needed", ("repeats",)
            )

    @property
    def options(self) -> dict[str, str | None]:
        """The options of the command line that ask the same."""
        once = self.repeats == 0 and not self.buffers and not self.calibrate
        limits = {}
        for field_name, option in OPTIONS.items():
            value, usual = getattr(self.limits, field_name), getattr(Limits, field_name)
            limits[option] = None if value == usual else f"{100 * value:g}%"
        return {
            "rollout": None if self.rollout is None else f"{100 * self.rollout:g}%",
            **limits,
            "sample": self.sample,
            "no_uncertainty": SWITCH if once else None,
        }


SWITCH = "--"
"""Stands for an option without a value."""
ONCE = Questions(repeats=0, buffers=False, calibrate=False)
"""One replay, without uncertainty."""
