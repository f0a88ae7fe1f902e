"""What is run twice: in the simulator, and in a real stack."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from flowstart import _native
from flowstart.comparison.plan import DEFAULT_STARTUPS, Case, Plan
from flowstart.errors import RequestError
from flowstart.model import stack as stacks
from flowstart.model import variants as named
from flowstart.model.document import encode
from flowstart.model.variants import Variant
from flowstart.questions.compare import Compare
from flowstart.questions.live import Live

VIRTUAL, REAL = "virtual", "real"
"""In which times a stack runs."""
SIMULATED = "simulated"
"""What the simulator is called beside stacks."""
LINUX = "linux"
"""The kernel's TCP among the stacks."""
OWN = {
    LINUX: (
        *("ecn", "pacing", "sack", "dsack"),
        *("receive_buffer", "receive_buffer_max", "send_buffer"),
    )
}
"""The fields that a live run takes from the request, by stack; others are the stack's own."""
USUALLY_OWN = ("ecn",)
"""Those of a stack that is not listed."""
KERNEL = {
    "cubic": {"startup": "hystart", "cc": "cubic"},
    "reno": {"startup": "slow-start", "cc": "reno"},
    "bbr": {"startup": "bbr-startup", "cc": "bbr"},
}
"""The kernel's own congestion controls, and what each is in the simulator."""
LOADED = {
    control: {"startup": startup, "cc": "cubic"}
    for startup, control in _native.KERNEL_STARTUPS.items()
}
"""Those that `flowstart kernel load` adds."""
AVAILABLE = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
NATIVE_SUFFIX = "-native"
"""What follows the name of a stack that runs its own congestion control only."""
NATIVE_ONLY = ("quiche",)
"""Stacks that no startup of the catalog can drive."""
KERNEL_REPEATS = 5
"""How often each transfer is run in the kernel where nothing else is said."""
ADAPTED = {name: f"{name}-adapter" for name in ("quinn", "noq", "s2n")}
"""What simulates a stack that startups of the catalog drive, where its own controls differ."""
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
    controls: Mapping[str, str] = field(default_factory=dict)
    """Variants that are congestion controls of the stack's own, with its names of them."""

    @classmethod
    def of(cls, question: Live) -> Self:
        """Every size under every startup on a path, in the simulator and in a real stack.

        Raises RequestError where that is no live run.
        """
        name, options = _native_stack(question.on)
        fields: dict[str, Any] = {"preset": name}
        if options is None:
            name = _known(question.on.partition(":")[0])
            fields = stacks.parse(question.on)
        _check_own(name, fields)
        usual = REAL if name == LINUX else VIRTUAL
        clock = question.clock or usual
        _check_clock(clock, name)
        startups, variants = question.startups, named.read_all(question.variants)
        kernel, native = question.kernel, question.native
        if kernel is None:
            kernel = tuple(KERNEL) if name == LINUX and not startups and not variants else ()
        own = list(zip(_kernel_variants(kernel, name), kernel, strict=True))
        if options is not None or native:
            own += _native_variants(name, options)
        if own and startups is None:
            is_beside = native and options is None and not variants and name not in NATIVE_ONLY
            startups = DEFAULT_STARTUPS if is_beside else ()
        preset = ADAPTED.get(name, name if name in stacks.PRESETS else USUAL_PRESET)
        repeat = (KERNEL_REPEATS if name == LINUX else 1) if question.repeat is None else None
        plan = Plan.of(
            Compare(
                question.setting,
                startups=startups,
                variants=[*variants, *(variant for variant, _ in own)],
                sizes=question.sizes,
                cc=question.cc,
                stack=fields | {"preset": preset},
                cached_cwnd=question.cached_cwnd,
                seed=question.seed,
                repeat=repeat or question.repeat,
            )
        )
        controls = {variant.name: control for variant, control in own}
        _check_variants(plan, name, controls)
        written = {
            "stack": question.on,
            "clock": None if clock == usual else clock,
            "kernel": ",".join(kernel),
            "native": native,
            "cc": question.cc,
            "cached_cwnd": question.cached_cwnd,
        }
        command = plan.written(written, command="live", without=controls)
        return cls(plan, name, clock, command, controls)

    def refusals(self) -> dict[str, str]:
        """Why the stack cannot run startups, by variant, where it cannot.

        Raises RequestError where a run is none that a stack could have, and where this machine does
        not let the stack run.
        """
        drives = len(self.controls) < len(self.comparison.variants)
        missing = _native.live_prohibition(self.stack, drives)
        if missing:
            raise RequestError(f"`{self.stack}`: {missing}; {self._instead(drives)}", ("stack",))
        cases = self.comparison.cases()
        reasons = _native.live_refusals(self.stack, [self.scenario(case) for case in cases])
        return {case.startup: why for case, why in zip(cases, reasons, strict=True) if why}

    def _instead(self, drives: bool) -> str:
        """What needs less of the machine."""
        if drives and not _native.live_prohibition(self.stack, False):
            return "kernel cubic,reno,bbr needs no BPF program, stack noq nothing of the machine"
        return "stack noq needs nothing of the machine"

    def scenario(self, case: Case) -> str:
        """The scenario of one run, as the simulator reads it."""
        return encode(self.comparison.scenario(case))


def _check_clock(clock: str, name: str) -> None:
    known = _native.LIVE_CLOCKS
    if clock not in known:
        raise RequestError(f"`{clock}`: a live run is in one of {', '.join(known)}", ("clock",))
    if name == LINUX and clock != REAL:
        raise RequestError(f"`{clock}`: the kernel has no time but the real one", ("clock",))


def _kernel_variants(kernel: Sequence[str], name: str) -> tuple[Variant, ...]:
    """The kernel's own congestion controls, as what they are in the simulator."""
    if kernel and name != LINUX:
        raise RequestError(f"{name} has no kernel; stack {LINUX} has one", ("kernel",))
    for control in kernel:
        check_control(control)
    known = KERNEL | LOADED
    return tuple(
        Variant(f"kernel-{control}", **known[control]) for control in dict.fromkeys(kernel)
    )


def check_control(control: str) -> None:
    """Raises RequestError where a congestion control is neither the kernel's own nor loaded."""
    if control in LOADED and control not in AVAILABLE.read_text("ascii").split():
        load = f"flowstart kernel load {LOADED[control]['startup']}"
        raise RequestError(f"`{control}`: it is not loaded; `{load}` loads it", ("kernel",))
    if control not in KERNEL | LOADED:
        raise RequestError(f"`{control}`: the kernel's own are {', '.join(KERNEL)}", ("kernel",))


def _native_stack(stack: str) -> tuple[str, str | None]:
    """The stack of `quinn-native:cc=cubic,iw=14720`, and its options; None for other stacks."""
    name, _, options = stack.partition(":")
    if name.endswith(NATIVE_SUFFIX):
        return name.removesuffix(NATIVE_SUFFIX), options
    return name, None


def _native_variants(name: str, options: str | None) -> list[tuple[Variant, str]]:
    """A QUIC stack's own congestion controls, as what they are in the simulator."""
    known = {control: by for control, *by in _native.NATIVE_CONTROLS.get(name, ())}
    every = [f"cc={control}" for control in known] or [""]  # without any it is refused below
    native_variants = []
    for text in every if options is None else [options]:
        control, window = _native.native_control(name, text)
        stack = {"preset": name} if window is None else {"preset": name, "iw": f"{window}B"}
        startup, cc = known[control]
        native_variants.append((Variant(f"{name}-{control}", startup, cc, stack), text))
    return native_variants


def _known(name: str) -> str:
    """The name of a real stack. Raises RequestError where there is none."""
    known = _native.LIVE_STACKS
    if name not in known:
        raise RequestError(f"`{name}`: a live run is in one of {', '.join(known)}", ("stack",))
    return name


def _check_own(name: str, fields: dict[str, object]) -> None:
    """Raises RequestError for a field that the stack has of its own."""
    own = OWN.get(name, USUALLY_OWN)
    for key, value in fields.items():
        if key not in ("preset", *own):
            can = ", ".join(own)
            raise RequestError(
                f"`{key}={value}`: {name} has its own; of a live run {can} can be set", ("stack",)
            )


def _check_variants(plan: Plan, name: str, own: Mapping[str, str]) -> None:
    """Variants differ in startup and congestion control alone, and have no startup in Python."""
    for variant in plan.variants:
        for key in variant.fields if variant.name not in own else ():
            raise RequestError(
                f"variant `{variant.name}`: sets `{key}` of the stack, and {name} has its own"
            )
        if str(variant.begins) in plan.custom.known:
            raise RequestError(
                f"startup `{variant.begins}`: is written in Python, and a live run takes those of "
                "the catalog"
            )
