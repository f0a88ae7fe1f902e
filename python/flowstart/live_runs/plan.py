"""What is run twice: in the simulator, and in a real QUIC stack."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from flowstart import _native
from flowstart.comparison.plan import DEFAULT_SIZES, Case, Plan
from flowstart.errors import RequestError
from flowstart.model import stack as stacks
from flowstart.model.custom import StartupLike
from flowstart.model.document import encode
from flowstart.model.path import Path
from flowstart.model.variants import VariantLike

VIRTUAL, REAL = "virtual", "real"
"""In which times a stack runs."""
SIMULATED = "simulated"
"""What the simulator is called beside stacks."""
OWN = ("ecn",)
"""The fields of a stack that a live run takes from the request; others are the stack's own."""
USUAL_PRESET = "quic"
"""What is simulated beside a stack that has no preset of its name."""


@dataclass(frozen=True)
class LivePlan:
    """The runs of a comparison, each also for a real stack."""

    comparison: Plan
    """What is simulated."""
    stack: str
    """The real stack."""
    clock: str
    """In which time it runs."""
    command: str | None
    """The command that does the same, where there is one."""

    @classmethod
    def of_path(
        cls,
        path: Path,
        *,
        stack: str = "noq",
        clock: str = VIRTUAL,
        startups: Sequence[StartupLike] | None = None,
        variants: Sequence[VariantLike] = (),
        sizes: Sequence[str] = DEFAULT_SIZES,
        flows: int | None = None,
        avoidance: str | None = None,
        remembered: str | None = None,
        seed: int | None = None,
        repeat: int = 1,
    ) -> Self:
        """Every size under every start-up on a path.

        Raises RequestError where that is no live run.
        """
        _check_clock(clock)
        fields = stacks.parse(stack)
        name = _name(fields)
        preset = name if name in stacks.PRESETS else USUAL_PRESET
        plan = Plan.of_path(
            path,
            startups=startups,
            variants=variants,
            sizes=sizes,
            flows=flows,
            avoidance=avoidance,
            stack=fields | {"preset": preset},
            remembered=remembered,
            seed=seed,
            repeat=repeat,
        )
        _check_variants(plan, name)
        options = {
            "stack": stack,
            "clock": None if clock == VIRTUAL else clock,
            "avoidance": avoidance,
            "remembered": remembered,
        }
        return cls(plan, name, clock, plan.written(options, command="live"))

    def refusals(self) -> dict[str, str]:
        """Why the stack cannot run start-ups, by variant, where it cannot.

        Raises RequestError where a run is none that a stack could have.
        """
        cases = self.comparison.cases()
        found = _native.live_refusals(self.stack, [self.scenario(case) for case in cases])
        return {case.startup: why for case, why in zip(cases, found, strict=True) if why}

    def scenario(self, case: Case) -> str:
        """The scenario of one run, as the simulator reads it."""
        return encode(self.comparison.scenario(case))


def _check_clock(clock: str) -> None:
    known = _native.LIVE_CLOCKS
    if clock not in known:
        raise RequestError(f"clock: `{clock}`: a live run is in one of {', '.join(known)}")


def _name(fields: dict[str, object]) -> str:
    """The name of the stack, of which nothing may be asked that it has of its own."""
    name = str(fields.get("preset"))
    known = _native.LIVE_STACKS
    if name not in known:
        raise RequestError(f"stack: `{name}`: a live run is in one of {', '.join(known)}")
    for field, value in fields.items():
        if field not in ("preset", *OWN):
            can = ", ".join(OWN)
            raise RequestError(
                f"stack: `{field}={value}`: {name} has its own; of a live run {can} can be set"
            )
    return name


def _check_variants(plan: Plan, name: str) -> None:
    """Variants differ in start-up and avoidance alone, and have no start-up in Python."""
    for variant in plan.variants:
        for field in variant.fields:
            raise RequestError(
                f"variant `{variant.name}`: sets `{field}` of the stack, and {name} has its own"
            )
        if str(variant.begins) in plan.custom.known:
            raise RequestError(
                f"start-up `{variant.begins}`: is written in Python, and a live run takes those of "
                "the catalog"
            )
