"""`flowstart live`: startups in the simulator and in a real stack, side by side."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowstart.cli import console, flags
from flowstart.cli.flags import (
    REPETITION,
    TRAFFIC,
    Given,
    Repetition,
    Traffic,
    filled,
    flag,
    of,
    taking,
)
from flowstart.errors import RequestError, SimulationError

if TYPE_CHECKING:
    from flowstart.live_runs.plan import LivePlan
    from flowstart.live_runs.result import LiveComparison


@dataclass(frozen=True, kw_only=True)
class Transport:
    """In what is run beside the simulator."""

    stack: str = flag(
        "Real stack: noq, quinn, s2n, or linux (this machine's kernel); with ECN: noq:ecn=classic.",
        "NAME",
        default="noq",
    )
    clock: str | None = flag(
        "Clock of the stack: virtual, or real with sockets of this machine. [virtual; linux: real]",
        "CLOCK",
        panel="Endpoints",
    )
    kernel: str | None = flag(
        "Kernel congestion controls under --stack linux: cubic, reno, bbr. [all, unless a startup "
        "is given]",
        "A,B,...",
        panel="Endpoints",
    )
    native: bool = flag(
        "Also the QUIC stack's own congestion controls and pacer; alone, with options: --stack "
        "quinn-native:cc=cubic,iw=14720.",
        panel="Endpoints",
    )
    repeat: int | None = flag(
        "Number of seeds, where anything is random or in real time. [1; linux: 5]",
        least=1,
        panel="Execution",
    )
    cc: str | None = flag("Congestion control after startup.", "NAME", panel="Endpoints")
    cached_cwnd: str | None = flag(
        "Congestion window cached from an earlier connection. [1bdp]", "SIZE", panel="Endpoints"
    )


MEANT = ("startup", "variant", "size", "flows", "seed")
"""What of a comparison's flags means something here."""
FLAGS = (
    *of(Transport),
    *(flag for flag in (*TRAFFIC, *REPETITION) if flag.name in MEANT),
    *flags.PATH_FLAGS,
)


@taking(FLAGS)
def live(
    *,
    given: Given,
    workers: flags.Workers = None,
    details: flags.Details = False,
    json: flags.Json = False,
    output: flags.Folder = None,
) -> None:
    """Compare startups in a real stack and in the simulator.

    Every size is transferred with every startup in both, over the same links. The table shows
    completion times, the difference between the two, the end of the startup and dropped packets.
    In virtual time a transfer takes milliseconds. With --clock real, and in the kernel (--stack
    linux), it takes its real time and is repeated --repeat times.
    """
    if output:
        console.check_folder(output)
    with console.speaking_of(None):
        plan = _planned(given)
        result = _execute(plan, workers)
    with console.attending():
        console.deliver(
            console.view(result, _show_details, console.summarised, json=json, details=details),
            output,
            console.files_of(result),
            seed=result.seed,
            interrupted=result.interrupted,
        )
    _say_what_is_missing(result, kept=f"in {output}" if output else "above")


def _planned(given: Given) -> "LivePlan":
    from flowstart.comparison import request
    from flowstart.comparison.plan import DEFAULT_SIZES
    from flowstart.comparison.request import path_of
    from flowstart.live_runs.plan import LivePlan
    from flowstart.model import specs
    from flowstart.model.path import NetworkPath

    traffic, transport = filled(Traffic, given), filled(Transport, given)
    repetition = filled(Repetition, given)
    described = path_of(given)
    if described is None:
        raise RequestError("no path is given: name its --rate and --rtt, or a --path NAME")
    plan = LivePlan.of_path(
        NetworkPath(**described),
        stack=transport.stack,
        clock=transport.clock,
        kernel=transport.kernel and specs.listed("kernel", transport.kernel, ()),
        native=transport.native,
        startups=traffic.startups(),
        variants=traffic.variants(allow_python=False),
        sizes=specs.listed("size", traffic.size, DEFAULT_SIZES),
        flows=traffic.flows,
        cc=transport.cc,
        cached_cwnd=transport.cached_cwnd,
        seed=repetition.seed,
        repeat=transport.repeat,
    )
    simulated = plan.comparison
    request.refuse_what_does_nothing(given, simulated.begins, simulated.custom, None)
    return plan


def _execute(plan: "LivePlan", workers: int | None) -> "LiveComparison":
    from flowstart.cli.progress import Progress
    from flowstart.live_runs.compare import execute

    with console.attending(), Progress() as progress:
        return execute(plan, workers=workers, progress=progress)


def _show_details(result: "LiveComparison") -> None:
    """Header, table, how far the two agree, and the command that does it again."""
    console.say(result.headline)
    if result.paired:
        console.show_grid(result.table)
        for line in result.legend.splitlines():
            console.show_text(line)
    if result.command:
        console.say(f"Reproduce: {result.command}")
    if result.paired:
        console.say(result.verdict)


def _say_what_is_missing(result: "LiveComparison", kept: str) -> None:
    """Ends in an error where runs failed or were stopped."""
    from flowstart.simulation import bounds

    if result.interrupted:
        finished = len(result.found)
        raise bounds.current().stopped(f": {finished} live runs are finished and {kept}")
    for failure in result.failures[:3]:
        console.note(failure)
    if result.failures:
        raise SimulationError(f"{len(result.failures)} runs failed; the others are {kept}")
