"""What a comparison runs: the same traffic under one startup after another."""

import dataclasses
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from flowstart.errors import RequestError
from flowstart.model import scenario, specs
from flowstart.model import stack as stacks
from flowstart.model import variants as named
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.document import LARGEST, Document, plain, resolve
from flowstart.model.path import NetworkPath, told_interface
from flowstart.model.quantities import size_texts, time_text
from flowstart.model.scenario import Scenario, ScenarioLike
from flowstart.model.variants import Variant, VariantLike
from flowstart.questions.compare import Compare
from flowstart.questions.option import of

DEFAULT_STARTUPS = (
    "slow-start",
    "limited-slow-start",
    "hystart",
    "hystart-plus-plus",
    "jump-start",
)
MOST_RUNS = 1_000_000
REMEMBERED = "1bdp"
"""What an earlier connection left behind where nothing else is said: the right window."""
REQUEST = "500B"
"""A client's request, in one packet."""
DEFAULT_SIZES = ("10kB", "100kB", "1MB", "10MB")
FEWEST_REPEATS, MOST_REPEATS = 10, 320
"""How many repeats a size has at least and at most, for a verdict."""


@dataclass(frozen=True)
class Case:
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
    tested: tuple[int, ...]
    """Which entries of the scenario's `flows` are under test; the others are background."""
    tested_web: tuple[int, ...] = field(default=(), kw_only=True)
    """Which entries of its `web` are."""
    variants: tuple[Variant, ...]
    """What is compared; a startup by itself is a variant that bears its name."""
    sizes: tuple[str | None, ...]
    seeds: tuple[int, ...]
    repeat: int | None = field(default=None, kw_only=True)
    """The number of seeds requested; None for as many as a verdict needs."""
    fewer_seeds: Mapping[str | None, int] = field(default_factory=dict, kw_only=True)
    """The number of seeds of sizes that have fewer than `seeds`."""
    baseline: str
    """The variant that the others are measured against."""
    command: str | None
    """The command that does the same, where there is one."""
    custom: CustomStartups = field(default_factory=CustomStartups)
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
        fields = stacks.of_scenario(stacks.fields(question.stack))
        flow: Document = {"count": question.flows, "stagger": question.stagger}
        flow |= {name: getattr(question, name) for name in ("cc", "landing", "available_rate")}
        flow |= {"cached_cwnd": question.cached_cwnd or REMEMBERED}
        requests = question.requests
        if requests is not None and requests < 2:
            raise RequestError("at least two are needed", ("requests",), requests)
        idle = time_text("idle", question.idle)
        entries = _on_one_connection(flow, requests, idle) if requests else [flow]
        base = plain({"path": path, "stack": fields, "flows": entries})
        tested = (len(entries) - 1,)
        sizes = size_texts("sizes", question.sizes)
        sizes = DEFAULT_SIZES if sizes is None else sizes
        plan = cls._made(question, base, tested, specs.unique("size", sizes))
        is_usual = fields == {"preset": stacks.DEFAULT}
        stack = {"stack": None if is_usual else stacks.written(fields)}
        return dataclasses.replace(plan, command=plan.written(_options(question) | stack))

    @classmethod
    def _of_scenario(cls, like: ScenarioLike, question: Compare) -> Self:
        """A scenario with those flows and web sessions under test that name no startup.

        Sizes are for flows under test that have no size of their own.
        """
        for name in _options(question):
            raise RequestError(f"`{name}` belongs into the scenario, which describes it all")
        custom = CustomStartups()
        allow_python, sizes = question.allow_python, size_texts("sizes", question.sizes)
        base = custom.settle(scenario.document(like, allow_python=allow_python))
        flows = _flows(base)
        tested, tested_web = _open_startups(flows), _open_startups(_entries(base, "web"))
        if not tested and not tested_web:
            raise RequestError(
                "every flow of the scenario names its startup, so there is nothing to compare; "
                "leave `startup` out of the flows under test, or use `flowstart run`"
            )
        endless = [i for i in tested if sizes is None and not _has_size(flows[i])]
        if endless and "duration" in base:
            raise RequestError(
                "missing: under `duration` the flow has no end, so no transfer is complete; give "
                "it a size, or all such flows with --size",
                ("flows", endless[0], "size"),
            )
        open_sizes = _open_sizes([flows[i] for i in tested], sizes)
        plan = cls._made(question, base | {"flows": flows}, tested, open_sizes, custom)
        plan = dataclasses.replace(plan, tested_web=tested_web)
        if isinstance(like, (Scenario, Mapping)):
            return plan
        return dataclasses.replace(
            plan, command=plan.written({"allow_python": allow_python}, str(like))
        )

    @classmethod
    def _made(
        cls,
        question: Compare,
        base: Document,
        tested: tuple[int, ...],
        sizes: tuple[str | None, ...],
        custom: CustomStartups | None = None,
    ) -> Self:
        """The runs of a scenario with these flows under test."""
        custom = custom or CustomStartups()
        compared = chosen(
            named.read_all(question.variants, allow_python=question.allow_python),
            question.startups,
            custom,
        )
        seed = base.get("seed", 1) if question.seed is None else question.seed
        return cls(
            base=base,
            tested=tested,
            variants=compared,
            sizes=sizes,
            seeds=_seeds(seed, question.repeat),
            repeat=question.repeat,
            baseline=named.baseline(question.baseline, [variant.name for variant in compared]),
            command=None,
            custom=custom,
        )

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
        told = self._told()
        under_test = self.variant(case.startup).flow()
        flows = [dict(flow) for flow in self.base["flows"]]
        for flow in (flows[i] for i in self.tested):
            flow |= told | flow | under_test
            if case.size is not None:
                flow |= _sized(flow, case.size)
        document = self.base | {"flows": flows, "seed": case.seed, "trace": trace}
        if "web" in self.base:
            document["web"] = [
                told | web | under_test if i in self.tested_web else web
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
        return told_interface(path) if isinstance(path, dict) else {}

    def places(self) -> list[int]:
        """For each flow of a run but those of web sessions, its entry in `flows`."""
        return [i for i, flow in enumerate(self.base["flows"]) for _ in range(flow.get("count", 1))]

    def has_requests(self) -> bool:
        """Whether a connection under test has several writes."""
        return any(len(self.base["flows"][i].get("writes", [])) > 1 for i in self.tested)

    def requesting(self) -> set[int]:
        """Entries of `flows` with the requests for which flows under test wait."""
        writes = (write for i in self.tested for write in self.base["flows"][i].get("writes", []))
        return {write["after"]["flow"] for write in writes if "after" in write} - {*self.tested}

    def written(
        self,
        options: Mapping[str, Any],
        file: str | None = None,
        command: str = "compare",
        without: Collection[str] = (),
    ) -> str | None:
        """The `command` that runs it, these options besides its own; None where there is none.

        Variants of names in `without` are what an option says.
        """
        path = {} if file else self.base["path"]
        if "hops" in path or not self.custom.from_files:
            return None
        variants = [variant for variant in self.variants if variant.name not in without]
        options = {
            **path,
            **options,
            "variant": [v.written for v in variants if v.name != v.startup],
            "startup": ",".join(v.name for v in variants if v.name == v.startup),
            "baseline": None if without else self._named_baseline(),
            "size": ",".join(size for size in self.sizes if size),
            "seed": self.seeds[0],
            "repeat": self.repeat,
        }
        words = ["flowstart", command, *([file] if file else [])]
        for name, value in options.items():
            given = specs.of_path(name, value)
            for one in given if isinstance(given, list) else [given]:
                if one is not None and one is not False and one != "":
                    words.append(f"--{name.replace('_', '-')}")
                    words += [] if one is True else [str(one)]
        return shlex.join(words)

    def _named_baseline(self) -> str | None:
        """The baseline where it is not the one that is taken unasked."""
        usual = named.baseline(None, self.startups)
        return self.baseline if self.baseline != usual else None


BESIDE_A_SCENARIO = (
    *("startups", "variants", "baseline", "sizes", "seed", "repeat", "uncertainty", "workers"),
    *("max_memory", "max_time", "allow_python"),
)
"""The fields of a question that do not describe path, endpoints and flows."""


def _options(question: Compare) -> dict[str, Any]:
    """What a question sets of endpoints and flows, by the option's name."""
    return {
        each.name: value
        for each in of(Compare, without=("setting", *BESIDE_A_SCENARIO))
        if (value := getattr(question, each.name)) not in (None, each.default)
    }


def chosen(
    variants: Sequence[VariantLike],
    startups: Sequence[StartupLike] | None,
    custom: CustomStartups,
    without: Sequence[str] = (),
) -> tuple[Variant, ...]:
    """What is compared: the variants and startups given, or the usual startups without any."""
    if startups is None:
        startups = () if variants else DEFAULT_STARTUPS
    elif not startups and not variants:
        raise RequestError("no startup is given")
    return named.settled(variants, startups, custom, without)


def _on_one_connection(flow: Document, requests: int, idle: str | None) -> list[Document]:
    """A client's flow of requests, and the server's of the transfers."""
    pause = {"pause": idle} if idle else {}
    when: list[Document] = [{"at": "0s"}]
    when += [{"after": {"flow": 1, "write": n, **pause}} for n in range(requests - 1)]
    asking = {
        "startup": "slow-start",
        "direction": "reverse",
        "writes": [{"size": REQUEST} | one for one in when],
    }
    writes = [{"after": {"flow": 0, "write": n}} for n in range(requests)]
    return [asking, flow | {"handshake": False, "writes": writes}]


def _sized(flow: Mapping[str, Any], size: str) -> Document:
    """The size of a flow, or of its writes, where it has none."""
    if "writes" not in flow:
        return {} if "size" in flow else {"size": size}
    return {"writes": [{"size": size} | write for write in flow["writes"]]}


def _has_size(flow: Mapping[str, Any]) -> bool:
    """Whether a flow has its own size."""
    return "size" in flow or all("size" in write for write in flow.get("writes", [{}]))


def _flows(base: Document) -> list[dict[str, Any]]:
    """The entries of `flows`, one without any field where the scenario has no traffic."""
    return _entries(base, "flows") or ([] if base.get("web") else [{}])


def _entries(base: Document, kind: str) -> list[dict[str, Any]]:
    """The entries of `flows` or `web`."""
    entries = base.get(kind) or []
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        return entries
    resolve(base)  # says it in the simulator's own words
    raise RequestError("not a list of tables", (kind,))


def _open_startups(entries: list[dict[str, Any]]) -> tuple[int, ...]:
    """The places of those that name no startup."""
    return tuple(i for i, entry in enumerate(entries) if "startup" not in entry)


def _open_sizes(
    tested: list[dict[str, Any]], sizes: Sequence[str] | None
) -> tuple[str | None, ...]:
    """The sizes for flows that have none; only None where every flow has its own."""
    if not all(map(_has_size, tested)):
        return specs.unique("size", DEFAULT_SIZES if sizes is None else sizes)
    if sizes is not None:
        raise RequestError(
            f"sizes {', '.join(sizes)}: the scenario gives every flow under test its own size; "
            "leave one of the two out"
        )
    return (None,)


def _seeds(first: object, repeat: int | None) -> tuple[int, ...]:
    repeat = 1 if repeat is None else repeat
    if not isinstance(first, int):
        raise RequestError("a whole number is needed", ("seed",), repr(first))
    if repeat < 1:
        raise RequestError("at least one is needed", ("repeat",), repeat)
    if repeat > MOST_RUNS:
        raise RequestError(f"at most {MOST_RUNS} is possible", ("repeat",), repeat)
    if first + repeat - 1 > LARGEST:
        raise RequestError(f"at most {LARGEST} is possible", ("seed",), first + repeat - 1)
    return tuple(range(first, first + repeat))
