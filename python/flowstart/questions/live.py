"""The fields of a comparison of startups in the simulator and in a real stack."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.model.custom import StartupLike
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import Size
from flowstart.model.variants import VariantLike
from flowstart.questions import names
from flowstart.questions.common import (
    PROGRESS,
    VARIANTS,
    WORKERS,
    Bounded,
    of_cc,
    of_startups,
)
from flowstart.questions.compare import CACHED_CWND, SEED, SIZES, STARTUPS
from flowstart.questions.option import Option


@dataclass(frozen=True)
class Live(Bounded):
    """A comparison in the simulator and in a real stack."""

    setting: Annotated[NetworkPath, Option("Path.", flag="")]
    _: KW_ONLY
    on: Annotated[
        str,
        Option(
            "Real stack: noq, quinn, s2n, or linux (this machine's kernel); with ECN: "
            "noq:ecn=classic; the stack's own congestion control: "
            "quinn-native:cc=cubic,iw=14720. [noq]",
            "NAME",
            meaning="Real stack to compare with: noq, quinn, s2n, or linux (this machine's "
            "kernel); with ECN: noq:ecn=classic; the stack's own congestion control: "
            "quinn-native:cc=cubic,iw=14720. Needs a path. [none]",
            flag="stack",
            names=names.live_stacks,
        ),
    ]
    startups: Annotated[Sequence[StartupLike] | None, of_startups(STARTUPS)] = None
    sizes: Annotated[Sequence[Size] | None, SIZES] = None
    variants: Annotated[Sequence[VariantLike], VARIANTS] = ()
    clock: Annotated[
        str | None,
        Option(
            "Clock of the stack: virtual, or real with sockets of this machine. [virtual; linux: "
            "real]",
            "CLOCK",
            panel="Endpoints",
        ),
    ] = None
    kernel: Annotated[
        Sequence[str] | None,
        Option(
            "Kernel congestion controls under linux: cubic, reno, bbr. [all, unless a startup is "
            "given]",
            "A,B,...",
            panel="Endpoints",
        ),
    ] = None
    native: Annotated[
        bool,
        Option(
            "Also the QUIC stack's own congestion controls and pacer.",
            panel="Endpoints",
        ),
    ] = False
    cc: Annotated[str | None, of_cc("the stack's")] = None
    cached_cwnd: Annotated[str | None, CACHED_CWND] = None
    seed: Annotated[int | None, SEED] = None
    repeat: Annotated[
        int | None,
        Option(
            "Number of seeds, where anything is random or in real time. [1; linux: 5]",
            panel="Execution",
            least=1,
        ),
    ] = None
    workers: Annotated[int | None, WORKERS] = None
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
