"""The fields of both questions of a gate: record a base, and check against it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated

from flowstart.model.custom import StartupLike
from flowstart.model.quantities import share
from flowstart.model.variants import VariantLike
from flowstart.questions import names
from flowstart.questions.common import (
    ALLOW_PYTHON,
    PROGRESS,
    VARIANTS,
    WORKERS,
    Bounded,
    of_cc,
    of_startups,
)
from flowstart.questions.option import Argument, Option

if TYPE_CHECKING:
    from flowstart.sweeps.language.sweep import SweepLike

BASE = "File of the base."
SWEEP = Option(
    "Sweep file with the cases, or name of a built-in sweep. [gate: the named paths, 4 sizes]",
    "SWEEP",
)
STACK = Option("Preset of both endpoints, with overrides: quic:handshake=0-rtt.", "NAME")
LIVE = Option(
    "Real stack in the place of the simulator: noq, quinn, s2n, or its own congestion control as "
    "quinn-native:cc=cubic. [none]",
    "NAME",
    names=names.live_stacks,
)
REPEAT = Option("Runs of each case, with further seeds or perturbed delays.", least=2)


@dataclass(frozen=True)
class GateRecord(Bounded):
    """What is recorded as a base."""

    base: Annotated[str | os.PathLike[str], Argument(f"{BASE} It is written.", "BASE.json")]
    _: KW_ONLY
    startups: Annotated[Sequence[StartupLike] | None, of_startups("the sweep's")] = None
    stack: Annotated[str | None, STACK] = None
    cc: Annotated[str | None, of_cc("the stack's")] = None
    variants: Annotated[Sequence[VariantLike], VARIANTS] = ()
    sweep: Annotated["SweepLike | None", SWEEP] = None
    live: Annotated[str | None, LIVE] = None
    repeat: Annotated[int, REPEAT] = 11
    workers: Annotated[int | None, WORKERS] = None
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None


@dataclass(frozen=True)
class GateCheck(Bounded):
    """What is checked against a base."""

    base: Annotated[
        str | os.PathLike[str],
        Argument(f"{BASE} What it recorded is run again.", "BASE.json"),
    ]
    _: KW_ONLY
    max_slower: Annotated[
        float | str,
        Option("Limit on the increase of a completion time. [2%]", "SHARE", reads=share),
    ] = 0.02
    max_loss: Annotated[
        float | str,
        Option("Limit on the increase of the share of packets lost. [0.5%]", "SHARE", reads=share),
    ] = 0.005
    max_harm: Annotated[
        float | str,
        Option("Limit on the increase of harm to competing flows. [2%]", "SHARE", reads=share),
    ] = 0.02
    startups: Annotated[
        Sequence[StartupLike] | None, of_startups("those of the base, by the same names")
    ] = None
    stack: Annotated[str | None, STACK] = None
    cc: Annotated[str | None, of_cc("the base's")] = None
    variants: Annotated[Sequence[VariantLike], VARIANTS] = ()
    live: Annotated[str | None, LIVE] = None
    workers: Annotated[int | None, WORKERS] = None
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
