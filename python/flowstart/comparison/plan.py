"""What a comparison runs: the same traffic under one startup after another."""

import dataclasses
import functools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import perturbation, scenario, specs
from flowstart.model import stack as stacks
from flowstart.model.custom import CustomStartups
from flowstart.model.document import Document, encode, plain
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import LARGEST, size_texts
from flowstart.model.scenario import Scenario, ScenarioLike
from flowstart.model.variants import Variant, read_all, settled
from flowstart.questions.compare import Compare
from flowstart.questions.option import of

DEFAULT_STARTUPS = tuple(_native.USUAL_STARTUPS)
MOST_RUNS = 1_000_000
REMEMBERED = _native.CACHED_CWND
"""What an earlier connection left behind where nothing else is said: the right window."""
DEFAULT_SIZES = tuple(_native.USUAL_SIZES)
FEWEST_REPEATS, MOST_REPEATS = 10, 320
"""How many repeats a size has at least and at most, for a verdict."""


class Case(NamedTuple):
    """One run of a comparison."""

    startup: str
    """The variant's name."""
    size: str | None
    """None where the scenario itself gives the sizes."""
    seed: int


@dataclass(frozen=True)
class Plan:
    """What a comparison runs: a scenario with some flows' startup left open."""

    base: Document
    variants: tuple[Variant, ...]
    """What is compared; a startup by itself is a variant that bears its name."""
    seeds: tuple[int, ...]
    named_baseline: str | None = field(default=None, kw_only=True)
    """The variant that the others are to be measured against."""
    named_sizes: tuple[str, ...] | None = field(default=None, kw_only=True)
    """The sizes of flows that have none; None for the usual ones."""
    repeat: int | None = field(default=None, kw_only=True)
    """The number of seeds requested; None for as many as a verdict needs."""
    fewer_seeds: Mapping[str | None, int] = field(default_factory=dict, kw_only=True)
    """The number of seeds of sizes that have fewer than `seeds`."""
    command: str | None = field(default=None, kw_only=True)
    """The command that does the same, where there is one."""
    custom: CustomStartups = field(default_factory=CustomStartups, kw_only=True)
    """The startups that are not in the catalog."""

    @classmethod
    def of(cls, question: Compare) -> Self:
        """What a question compares: startups on a path, or in a scenario that leaves them open."""
        if isinstance(question.setting, NetworkPath):
            return cls._of_path(question.setting, question)
        return cls._of_scenario(question.setting, question)

    @classmethod
    def _of_path(cls, path: NetworkPath, question: Compare) -> Self:
        """Every size under every startup on a path, `flows` connections together.

        With `requests`, a client requests so many transfers on one connection, and each time waits
        for `idle` after it has received one.
        `cached_cwnd` is the window that an earlier connection left behind, one bandwidth-delay
        product by default, for startups that use a memory. `landing` is the window at the end of
        startup; with an `available_rate` what follows that is measured. A `stack` without a
        preset has the default one.
        """
        requests = question.requests
        if requests is not None and not isinstance(requests, int):
            raise RequestError("a whole number is needed", ("requests",), repr(requests))
        if requests is not None and not 2 <= requests <= MOST_RUNS:
            right = (
                "at least two are needed" if requests < 2 else f"at most {MOST_RUNS} is possible"
            )
            raise RequestError(right, ("requests",), requests)
        if requests is not None and question.writes:
            problem = "contradicts `requests`; give one of the two"
            raise RequestError(problem, ("writes",), question.writes)
        fields = stacks.of_scenario(stacks.fields(question.stack))
        is_usual = fields == {"preset": stacks.DEFAULT}
        options = _options(question) | {"stack": None if is_usual else stacks.written(fields)}
        entries = [dict(flow) for flow in json.loads(_native.comparison_flows(encode(options)))]
        sizes = size_texts("sizes", question.sizes)
        base = plain({"path": path, "stack": fields, "flows": entries, **_measured(question)})
        if sizes is None and not question.writes and not _measured(question):
            sizes = DEFAULT_SIZES
        plan = cls._made(question, base, sizes)
        return dataclasses.replace(plan, command=plan.written(options | _measures(question)))

    @classmethod
    def _of_scenario(cls, like: ScenarioLike, question: Compare) -> Self:
        """A scenario with those flows and web sessions under test that name no startup.

        Sizes are for flows under test that have no size.
        """
        for name in _options(question):
            raise RequestError(f"`{name}` belongs into the scenario, which describes it all")
        custom, allow_python = CustomStartups(), question.allow_python
        base = custom.settle(scenario.document(like, allow_python=allow_python))
        flows = base.get("flows") or ([] if base.get("web") else [{}])
        sizes = size_texts("sizes", question.sizes)
        base = base | {"flows": flows, **_measured(question)}
        plan = cls._made(question, base, sizes, custom)
        described = isinstance(like, (Scenario, Mapping))
        options: dict[str, Any] = {**_measures(question), "allow_python": allow_python}
        file = None if described else str(like)
        plan.native  # noqa: B018 # refuses what contradicts
        return dataclasses.replace(plan, command=file and plan.written(options, file))

    @classmethod
    def _made(
        cls,
        question: Compare,
        base: Document,
        sizes: Sequence[str] | None,
        custom: CustomStartups | None = None,
    ) -> Self:
        """The runs of a scenario."""
        custom = custom or CustomStartups()
        variants = read_all(question.variants, allow_python=question.allow_python)
        seed = base.get("seed", 1) if question.seed is None else question.seed
        compared = settled(variants, question.startups, custom)
        _refuse_mixed_rates(base, len(compared), sizes)
        return cls(
            base=base,
            variants=compared,
            named_baseline=question.baseline,
            named_sizes=None if sizes is None else specs.unique("size", sizes),
            seeds=_seeds(seed, question.repeat),
            repeat=question.repeat,
            custom=custom,
        )

    @functools.cached_property
    def native(self) -> "_native.ComparisonPlan":
        """The plan as the simulator has it; raises RequestError where parts contradict."""
        variants = json.dumps([variant.described for variant in self.variants])
        sizes = self.named_sizes
        return _native.ComparisonPlan(encode(self.base), variants, self.named_baseline, sizes)

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}

    @property
    def tested(self) -> list[int]:
        """Which entries of the scenario's `flows` are under test; the others are background."""
        return self.native.tested

    @property
    def tested_web(self) -> list[int]:
        """Which entries of its `web` are."""
        return self.native.tested_web

    @property
    def baseline(self) -> str:
        """The variant that the others are measured against."""
        return self.native.baseline

    @functools.cached_property
    def sizes(self) -> tuple[str | None, ...]:
        """The sizes of flows that have none; only None where every flow has its own."""
        return tuple(self.native.sizes)

    @property
    def startups(self) -> tuple[str, ...]:
        """The variants' names."""
        return tuple(variant.name for variant in self.variants)

    @property
    def begins(self) -> list[str]:
        """The variants' startups."""
        return [str(variant.begins) for variant in self.variants]

    def variant(self, name: str) -> Variant:
        """The variant of this name."""
        return next(variant for variant in self.variants if variant.name == name)

    def seeds_of(self, size: str | None) -> tuple[int, ...]:
        """The seeds with which a size is run."""
        return self.seeds[: self.fewer_seeds.get(size)]

    def cases(self) -> list[Case]:
        """Every run, sizes outermost and seeds innermost."""
        wanted = len(self.startups) * sum(len(self.seeds_of(size)) for size in self.sizes)
        if wanted > MOST_RUNS:
            raise RequestError(f"{wanted} runs are too many at once; at most {MOST_RUNS} are")
        return [
            Case(startup, size, seed)
            for size in self.sizes
            for startup in self.startups
            for seed in self.seeds_of(size)
        ]

    def scenario(self, case: Case, *, trace: bool = False) -> Document:
        """The scenario of one run."""
        document: Document = json.loads(self.native.scenarios([case])[0])
        return document | {"trace": trace}

    @functools.cached_property
    def resolved(self) -> dict[str, Document]:
        """The whole configuration of the first run of each variant."""
        texts = self.native.resolved(self.seeds[0], self.custom.natives())
        return dict(zip(self.startups, map(json.loads, texts), strict=True))

    @functools.cached_property
    def drawn(self) -> list[str]:
        """What is drawn at random, in words; another seed draws something else."""
        return perturbation.drawn(self.resolved[self.startups[0]])

    def entries(self) -> list[dict[str, Any]]:
        """The entries of `flows` and `web` that are under test, as they run."""
        document = self.scenario(Case(self.startups[0], self.sizes[0], self.seeds[0]))
        tested = [document["flows"][i] for i in self.tested]
        return tested + [document["web"][i] for i in self.tested_web]

    def written(
        self,
        options: Mapping[str, Any],
        file: str | None = None,
        command: str = "compare",
        without: Collection[str] = (),
    ) -> str | None:
        """The `command` that runs it, these options besides its own; None where there is none.

        Variants of names in `without` are what an option gives.
        """
        path = {} if file else self.base["path"]
        if "hops" in path or not self.custom.from_files:
            return None
        words = ["flowstart", command, *([file] if file else [])]
        pairs = specs.pairs(path), specs.pairs(options)
        return self.native.command(words, *pairs, [*without], self.seeds[0], self.repeat)


BESIDE_A_SCENARIO = (
    *("startups", "variants", "baseline", "sizes", "seed", "repeat", "uncertainty", "workers"),
    *("max_memory", "max_time", "allow_python", "within", "speed_tests"),
)
"""The fields of a question that do not describe path, endpoints and flows."""


def _measured(question: Compare) -> Document:
    """The fields of a scenario that have rates measured."""
    fields = {"within": question.within, "speed_tests": question.speed_tests}
    return {name: [*values] for name, values in fields.items() if values}  # type: ignore[misc]


def _measures(question: Compare) -> dict[str, str]:
    """The same as options of a command line."""
    names = {"within": "within", "speed_tests": "speed_test"}
    return {names[name]: ",".join(values) for name, values in _measured(question).items()}


def rates(base: Document) -> list[str]:
    """The times and speed tests for which a scenario has rates measured."""
    return [*(base.get("within") or ()), *(base.get("speed_tests") or ())]


def _refuse_mixed_rates(base: Document, variants: int, sizes: Sequence[str] | None) -> None:
    """Refuses rates whose losses would count in a longer time, and speed tests that end early."""
    measured = rates(base)
    if variants > 1 and len(set(measured)) > 1:
        problem = "losses count until the longest; give one time or test, or compare one startup"
        field = "within" if base.get("within") else "speed_tests"
        raise RequestError(problem, (field,), ", ".join(measured))
    if sizes and (tests := base.get("speed_tests")):
        problem = "a speed test has no end; leave out the sizes"
        raise RequestError(problem, ("speed_tests",), ", ".join(tests))


def _options(question: Compare) -> dict[str, Any]:
    """What a question sets of endpoints and flows, by the option's name."""
    return {
        each.name: value
        for each in of(Compare, without=("setting", *BESIDE_A_SCENARIO))
        if (value := getattr(question, each.name)) not in (None, each.default)
    }


def _seeds(first: object, repeat: int | None) -> tuple[int, ...]:
    repeat = 1 if repeat is None else repeat
    if not isinstance(first, int):
        raise RequestError("a whole number is needed", ("seed",), repr(first))
    if first < 0:
        raise RequestError("a whole number from 0 on is needed", ("seed",), first)
    if repeat < 1:
        raise RequestError("at least one is needed", ("repeat",), repeat)
    if repeat > MOST_RUNS:
        raise RequestError(f"at most {MOST_RUNS} is possible", ("repeat",), repeat)
    if first + repeat - 1 > LARGEST:
        raise RequestError(f"at most {LARGEST} is possible", ("seed",), first + repeat - 1)
    return tuple(range(first, first + repeat))
