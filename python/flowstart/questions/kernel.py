"""The fields of a startup that is loaded into this machine's kernel."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from flowstart.model.quantities import Time, time_text
from flowstart.model.quantities import share as as_share
from flowstart.questions import names
from flowstart.questions.option import Argument, Option, Question


@dataclass(frozen=True)
class KernelLoad(Question):
    """A startup in the kernel, for a share of the connections that this host accepts."""

    startup: Annotated[str, Argument("Startup.", "STARTUP", names=names.kernel_startups)]
    _: KW_ONLY
    ports: Annotated[
        Sequence[str | int],
        Option("Ports of this host. [all]", "PORT,...", flag="port"),
    ] = ()
    networks: Annotated[
        Sequence[str],
        Option(
            "Network of the peers. Repeatable. [all]", "PREFIX", flag="network", is_repeatable=True
        ),
    ] = ()
    share: Annotated[
        float | str,
        Option("Share of these connections. [10%]", "SHARE", reads=as_share),
    ] = 0.1
    duration: Annotated[
        Time | None,
        Option(
            "Time until it is removed, such as 1h. [until `kernel unload`]",
            "TIME",
            flag="for",
            reads=time_text,
        ),
    ] = None
    seed: Annotated[int, Option("Seed of the hash that chooses connections.", least=0)] = 1
    cgroup: Annotated[
        str | None,
        Option("Folder of the control group whose sockets are meant. [all]", "DIR"),
    ] = None
    warn: Annotated[
        Callable[[str], object] | None,
        Option("Function that gets the harm figures of the startup before it is loaded.", flag=""),
    ] = None
