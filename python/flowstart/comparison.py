"""The same traffic under one start-up after another."""

import dataclasses
import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from flowstart import _native, buffers, footnotes, frames, randomness, scenario, specs
from flowstart.errors import RequestError
from flowstart.guests import Guests, StartupLike
from flowstart.scenario import Document, Path, ScenarioLike
from flowstart.summary import Summary, all_failed, summarise

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

    from flowstart.series import Series

DEFAULT_STARTUPS = (
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "jump-start",
)
MOST_RUNS = 1_000_000
LARGEST_SEED = 2**64 - 1
REMEMBERED = "1bdp"
"""What an earlier connection left behind where nothing else is said: the right window."""
DEFAULT_SIZES = ("10kB", "100kB", "1MB", "10MB")


@dataclass(frozen=True)
class Case:
    """One run of a comparison."""

    startup: str
    size: str | None
    """None where the scenario itself gives the sizes."""
    seed: int


@dataclass(frozen=True)
class Plan:
    """What a comparison runs: a scenario with some flows' start-up left open."""

    base: Document
    tested: tuple[int, ...]
    """Which entries of the scenario's `flows` are under test; the others are background."""
    tested_web: tuple[int, ...] = field(default=(), kw_only=True)
    """Which entries of its `web` are."""
    startups: tuple[str, ...]
    sizes: tuple[str | None, ...]
    seeds: tuple[int, ...]
    command: str | None
    """The command that does the same, where there is one."""
    guests: Guests = field(default_factory=Guests)
    """The start-ups that are not in the catalog."""

    @classmethod
    def of_path(
        cls,
        path: Path,
        *,
        startups: Sequence[StartupLike] = DEFAULT_STARTUPS,
        sizes: Sequence[str] = DEFAULT_SIZES,
        flows: int | None = None,
        interval: str | None = None,
        avoidance: str | None = None,
        stack: str | Mapping[str, Any] | None = None,
        remembered: str | None = None,
        seed: int | None = None,
        repeat: int = 1,
    ) -> Self:
        """Every size under every start-up on a path, `flows` connections together.

        `remembered` is the window that an earlier connection left behind, one bandwidth-delay
        product by default, for start-ups that use a memory.
        """
        if not isinstance(stack, str | Mapping | None):
            raise RequestError(f"stack = {stack!r}: a name or a table of fields is needed")
        fields = specs.stack(stack) if isinstance(stack, str) else stack
        flow = {"avoidance": avoidance, "count": flows, "interval": interval}
        flow |= {"remembered": remembered or REMEMBERED}
        base = scenario.plain({"path": path, "stack": fields, "flows": [flow]})
        guests = Guests()
        plan = cls(
            base=base,
            tested=(0,),
            startups=specs.startups(startups, guests),
            sizes=specs.unique("size", sizes),
            seeds=_seeds(seed or 1, repeat),
            command=None,
            guests=guests,
        )
        options = {
            "stack": specs.stack_text(fields),
            "avoidance": avoidance,
            "flows": flows,
            "interval": interval,
            "remembered": remembered,
        }
        return dataclasses.replace(plan, command=plan._command(options))

    @classmethod
    def of_scenario(
        cls,
        like: ScenarioLike,
        *,
        startups: Sequence[StartupLike] = DEFAULT_STARTUPS,
        sizes: Sequence[str] | None = None,
        seed: int | None = None,
        repeat: int = 1,
    ) -> Self:
        """A scenario with those flows and web sessions under test that name no start-up.

        `sizes` are for flows under test that have no size of their own.
        """
        guests = Guests()
        base = guests.settle(scenario.document(like))
        flows = _flows(base)
        tested, tested_web = _open_startups(flows), _open_startups(_entries(base, "web"))
        if not tested and not tested_web:
            raise RequestError(
                "every flow of the scenario names its start-up, so there is nothing to compare; "
                "leave `startup` out of the flows under test, or use `flowstart run`"
            )
        seeds = _seeds(base.get("seed", 1) if seed is None else seed, repeat)
        plan = cls(
            base=base | {"flows": flows},
            tested=tested,
            tested_web=tested_web,
            startups=specs.startups(startups, guests),
            sizes=_open_sizes([flows[i] for i in tested], sizes),
            seeds=seeds,
            command=None,
            guests=guests,
        )
        if isinstance(like, (scenario.Scenario, Mapping)):
            return plan
        return dataclasses.replace(plan, command=plan._command({}, str(like)))

    def cases(self) -> list[Case]:
        """Every run, sizes outermost and seeds innermost."""
        wanted = len(self.sizes) * len(self.startups) * len(self.seeds)
        if wanted > MOST_RUNS:
            raise RequestError(f"{wanted} runs are too many at once; at most {MOST_RUNS} are")
        return [
            Case(startup, size, seed)
            for size in self.sizes
            for startup in self.startups
            for seed in self.seeds
        ]

    def scenario(self, case: Case, *, trace: bool = False) -> Document:
        """The scenario of one run."""
        told = self._told()
        flows = [dict(flow) for flow in self.base["flows"]]
        for flow in (flows[i] for i in self.tested):
            flow |= told | flow | {"startup": case.startup}
            if case.size is not None and "writes" not in flow:
                flow.setdefault("size", case.size)
        document = self.base | {"flows": flows, "seed": case.seed, "trace": trace}
        if "web" in self.base:
            document["web"] = [
                told | web | {"startup": case.startup} if i in self.tested_web else web
                for i, web in enumerate(self.base["web"])
            ]
        return document

    def told_flows(self) -> list[dict[str, Any]]:
        """The entries of `flows` and `web` that are under test, as they run."""
        document = self.scenario(self.cases()[0])
        tested = [document["flows"][i] for i in self.tested]
        return tested + [document["web"][i] for i in self.tested_web]

    def _told(self) -> dict[str, str]:
        """What the flows under test are told beside what the scenario says."""
        path = self.base.get("path")
        return scenario.told_interface(path) if isinstance(path, dict) else {}

    def is_tested(self) -> list[bool]:
        """For each flow of a run but those of web sessions, whether it is under test."""
        return [
            i in self.tested
            for i, flow in enumerate(self.base["flows"])
            for _ in range(flow.get("count", 1))
        ]

    def _command(self, options: Mapping[str, Any], file: str | None = None) -> str | None:
        path = {} if file else self.base["path"]
        if "hops" in path or not self.guests.from_files:
            return None
        options = {
            **path,
            **options,
            "startup": ",".join(self.startups),
            "size": ",".join(size for size in self.sizes if size),
            "seed": self.seeds[0],
            "repeat": len(self.seeds) if len(self.seeds) > 1 else None,
        }
        words = ["flowstart", "compare", *([file] if file else [])]
        for name, value in options.items():
            if isinstance(value, Mapping):
                value = specs.word(value, "admission", "")
            if name == "rate_steps":
                value = specs.steps_text(value)
            if value not in (None, "", False):
                words.append(f"--{name.replace('_', '-')}")
                words += [] if value is True else [str(value)]
        return shlex.join(words)


@dataclass(frozen=True, repr=False)
class Comparison:
    """What a comparison came to."""

    plan: Plan
    rows: list[dict[str, Any]]
    """One dictionary per flow and run, in the order of the plan's cases."""
    failures: list[str]
    """Why runs failed, where any did."""
    interrupted: bool
    """Whether Ctrl-C ended it; the rows are those of the finished runs."""
    finished: int
    """How many runs are finished."""
    buffer: str | None
    """The bottleneck's buffer in words."""
    buffer_reading: str | None
    spared: int = 0
    """How many seeds were asked for and not run, since nothing is drawn from them."""

    @functools.cached_property
    def frame(self) -> "pl.DataFrame":
        """One row per flow and run."""
        columns = {name: [row[name] for row in self.rows] for row in self.rows[:1] for name in row}
        return frames.frame(columns)

    @functools.cached_property
    def summaries(self) -> list[Summary]:
        """One summary per size and start-up, over flows and seeds."""
        return summarise(self.rows, self.plan.startups, len(self.plan.seeds))

    @functools.cached_property
    def resolved(self) -> Document:
        """The whole configuration of the first run, every default filled in."""
        return scenario.resolve(self.plan.scenario(self.plan.cases()[0]), self.plan.guests)

    @functools.cached_property
    def queues(self) -> dict[str, str]:
        """The discipline of the queues under each start-up; hop by hop where they differ.

        Routers take part by themselves where a start-up is nothing without them.
        """
        first = self.plan.cases()[0]
        cases = [dataclasses.replace(first, startup=s) for s in self.plan.startups]
        return {
            case.startup: queues(scenario.resolve(self.plan.scenario(case), self.plan.guests))
            for case in cases
        }

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return randomness.drawn(self.resolved)

    @functools.cached_property
    def notes(self) -> list[str]:
        """What a reader of the table has to know of its start-ups, queues and seeds."""
        flows = [self.plan.base["flows"][i] for i in self.plan.tested]
        return footnotes.footnotes(
            footnotes.Setting(
                startups=self.plan.startups,
                remembered=[flow.get("remembered") for flow in flows],
                memory_option="`remembered`",
                interfaces=[flow.get("interface_rate") for flow in self.plan.told_flows()],
                queues=self.queues,
                drawn=self.drawn,
                seeds=len(self.plan.seeds),
                seed_option="--repeat 20 runs twenty",
                spared=self.spared,
                missing=self._missing(),
            )
        )

    def _missing(self) -> str:
        """Why runs are missing, in words; empty where none is."""
        if not self.interrupted and not self.failures:
            return ""
        why = "stopped by Ctrl-C" if self.interrupted else "some runs failed"
        return f"{why}, {self.finished} of {len(self.plan.cases())} runs are finished"

    @functools.cached_property
    def warnings(self) -> list[str]:
        """What was asked for and was perhaps not meant."""
        window = buffers.initial_window(self.resolved["stack"])
        found = buffers.handfuls(self.plan.base["path"], self.resolved["path"], window)
        return [buffers.warning(field, *asked, window=window) for field, asked in found.items()]

    @property
    def all_failed(self) -> bool:
        """Whether no flow under test was done, nor under way when its run was cut short."""
        tested = [row for row in self.rows if row["tested"]]
        return all_failed(tested, cut="duration" in self.plan.base)

    def result(self) -> dict[str, Any]:
        """Everything as one JSON document."""
        return {
            "flowstart": _native.version(),
            "command": self.plan.command,
            "scenario": self.plan.base,
            "resolved": self.resolved,
            "buffer": self.buffer,
            "buffer_reading": self.buffer_reading,
            "queues": self.queues,
            "startups": list(self.plan.startups),
            "sizes": list(filter(None, self.plan.sizes)),
            "seeds": list(self.plan.seeds),
            "drawn": self.drawn,
            "notes": self.notes,
            "warnings": self.warnings,
            "interrupted": self.interrupted,
            "failures": self.failures,
            "rows": self.rows,
        }

    def plot(self) -> "Figure":
        """Completion time and slowdown over size, one line per start-up."""
        from flowstart import plots

        return plots.completion(self.summaries)

    def series(self, size: str | None = None) -> "list[Series]":
        """The first flow under test of each start-up over time; simulated again for it."""
        from flowstart.series import of_flow
        from flowstart.simulation import simulate

        size = self.plan.sizes[-1] if size is None else size
        found = []
        for startup in self.plan.startups:
            case = Case(startup, size, self.plan.seeds[0])
            traced = simulate(self.plan.scenario(case, trace=True), self.plan.guests)
            placed = _rows(traced.outcome, [case], self.plan)
            first = next(row["flow"] for row in placed if row["tested"])
            found.append(of_flow(traced, traced.rows[first], startup))
        return found

    def _repr_html_(self) -> str:
        from flowstart import grids, plots, report

        figure = report.picture(plots.svg(self.plot()), "Completion time")
        return report.table(grids.comparison(self)) + figure


def compare(
    setting: Path | ScenarioLike,
    *,
    startups: Sequence[StartupLike] = DEFAULT_STARTUPS,
    sizes: Sequence[str] | None = None,
    flows: int | None = None,
    interval: str | None = None,
    avoidance: str | None = None,
    stack: str | Mapping[str, Any] | None = None,
    remembered: str | None = None,
    seed: int | None = None,
    repeat: int = 1,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Runs the same traffic under each of `startups`.

    On a Path, each of `sizes` is sent by `flows` connections together, `interval` apart.
    In a scenario (or its file), the flows and web sessions that name no start-up are under
    test, and the others are background. `repeat` runs all with as many seeds, or with one where
    nothing is drawn at random.
    `progress(done, total)` is called a few times a second. A start-up may also be a class
    derived from `Startup` or an instance of one; runs with such a start-up take turns on the
    calling thread, while `workers` share the others. Raises RequestError where anything asked
    for is wrong, and what a start-up written in Python raises.
    """
    common: dict[str, Any] = {"startups": startups, "seed": seed, "repeat": repeat}
    if isinstance(setting, Path):
        plan = Plan.of_path(
            setting,
            sizes=DEFAULT_SIZES if sizes is None else sizes,
            flows=flows,
            interval=interval,
            avoidance=avoidance,
            stack=stack,
            remembered=remembered,
            **common,
        )
    else:
        extra = {
            "flows": flows,
            "interval": interval,
            "avoidance": avoidance,
            "stack": stack,
            "remembered": remembered,
        }
        given = [name for name, value in extra.items() if value is not None]
        if given:
            raise RequestError(f"`{given[0]}` belongs into the scenario, which describes it all")
        plan = Plan.of_scenario(setting, sizes=sizes, **common)
    return execute(plan, workers=workers, progress=progress)


def execute(
    plan: Plan,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Runs a plan on `workers` threads, all cores by default.

    Seeds that could not differ are run once.
    """
    asked = len(plan.seeds)
    cases = plan.cases()
    resolved = scenario.resolve(plan.scenario(cases[0]), plan.guests)
    sizes = [size for size in plan.sizes if size]
    if sizes:
        flow = resolved["flows"][plan.tested[0]]
        specs.unequal(sizes, flow.get("mss", resolved["stack"]["mss"]))
    if not randomness.drawn(resolved):
        plan = dataclasses.replace(plan, seeds=plan.seeds[:1])
        cases = plan.cases()
    scenarios = [scenario.encode(plan.scenario(case)) for case in cases]
    batch = _native.run_many(scenarios, workers, progress, plan.guests.natives())
    runs = frames.rows(batch["runs"])
    return Comparison(
        plan=plan,
        rows=_rows(batch, cases, plan),
        failures=[_failure(cases[run["run"]], run["error"]) for run in runs if run["error"]],
        interrupted=batch["interrupted"],
        finished=sum(1 for run in runs if not run["error"]),
        buffer=next((r["buffer"] for r in runs if r["buffer"]), None),
        buffer_reading=next((r["buffer_reading"] for r in runs if r["buffer_reading"]), None),
        spared=asked - len(plan.seeds),
    )


def queues(resolved: Document) -> str:
    """The disciplines of a path's queues, each once."""
    path = resolved["path"]
    return ", ".join(dict.fromkeys(hop["queue"] for hop in path.get("hops") or [path]))


OBJECT_FIELDS = ("web", "session", "page", "object", "requested_s", "response_s", "done_s")
"""What the row of a web session's response tells beyond those of other flows."""


def _rows(outcomes: "_native.Outcomes", cases: list[Case], plan: Plan) -> list[dict[str, Any]]:
    """The flows' rows with their places in the comparison.

    Requests of web sessions are left out: an object's time is counted from its request.
    """
    tested = plan.is_tested()
    objects = {(row["run"], row["flow"]): row for row in frames.rows(outcomes["objects"])}
    found = []
    for row in frames.rows(outcomes["flows"]):
        part = objects.get((row["run"], row["flow"]))
        if part:
            is_tested = part["web"] in plan.tested_web
        elif row["flow"] < len(tested):
            is_tested = tested[row["flow"]]
        else:
            continue
        more = {name: part and part[name] for name in OBJECT_FIELDS} if plan.base.get("web") else {}
        found.append(_row(row, cases[row["run"]], is_tested) | more)
    return found


def _row(row: dict[str, Any], case: Case, is_tested: bool) -> dict[str, Any]:
    """A flow's row with its place in the comparison; a start-up under test as it was asked for."""
    place = {"tested": is_tested, "compared": case.startup, "size": case.size}
    return row | place | ({"startup": case.startup} if is_tested else {})


def _failure(case: Case, error: str) -> str:
    size = f" with {case.size}" if case.size else ""
    return f"{case.startup}{size}, seed {case.seed}: {error}"


def _flows(base: Document) -> list[dict[str, Any]]:
    """The entries of `flows`, one without any field where the scenario has no traffic."""
    return _entries(base, "flows") or ([] if base.get("web") else [{}])


def _entries(base: Document, kind: str) -> list[dict[str, Any]]:
    """The entries of `flows` or `web`."""
    entries = base.get(kind) or []
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    scenario.resolve(base)  # says it in the simulator's own words
    raise RequestError(f"{kind}: not a list of tables")


def _open_startups(entries: list[dict[str, Any]]) -> tuple[int, ...]:
    """The places of those that name no start-up."""
    return tuple(i for i, entry in enumerate(entries) if "startup" not in entry)


def _open_sizes(
    tested: list[dict[str, Any]], sizes: Sequence[str] | None
) -> tuple[str | None, ...]:
    """The sizes for flows that have none; only None where every flow has its own."""
    if any("size" not in flow and "writes" not in flow for flow in tested):
        return specs.unique("size", DEFAULT_SIZES if sizes is None else sizes)
    if sizes is not None:
        raise RequestError(
            f"sizes {', '.join(sizes)}: the scenario gives every flow under test its own size; "
            "leave one of the two out"
        )
    return (None,)


def _seeds(first: object, repeat: int) -> tuple[int, ...]:
    if not isinstance(first, int):
        raise RequestError(f"seed = {first!r}: a whole number is needed")
    if repeat < 1:
        raise RequestError(f"repeat = {repeat}: at least one is needed")
    if repeat > MOST_RUNS:
        raise RequestError(f"repeat = {repeat}: at most {MOST_RUNS} is possible")
    if first + repeat - 1 > LARGEST_SEED:
        raise RequestError(f"seed = {first + repeat - 1}: at most {LARGEST_SEED} is possible")
    return tuple(range(first, first + repeat))
