"""`fs.kernel_load`: a startup in this machine's kernel, for a share of accepted connections."""

import functools
import importlib.resources
import ipaddress
import math
import pathlib
import tomllib
from collections.abc import Callable as Callable  # of the types of the fields
from collections.abc import Mapping
from collections.abc import Sequence as Sequence  # the same
from dataclasses import asdict, dataclass
from typing import Any

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model.catalog import suggest
from flowstart.model.quantities import Time as Time  # the same
from flowstart.model.quantities import positive_seconds
from flowstart.public import Public
from flowstart.questions.common import port
from flowstart.questions.kernel import KernelLoad
from flowstart.questions.option import asking
from flowstart.text import counted, short_seconds
from flowstart.text import share as share_text

CONTINUES = "cubic"
"""The congestion control that follows every startup."""
DEFAULT = pathlib.Path("/proc/sys/net/ipv4/tcp_congestion_control")
MAX_PORTS = 16
SEEDS = 2**32


@dataclass(frozen=True)
class KernelStartup(metaclass=Public):
    """A startup in this machine's kernel.

    Attributes:
        startup: Its name in the catalog.
        control: Its name among the kernel's congestion controls, as `ss -ti` shows it.
        ports: Ports of this host; empty for all.
        networks: Networks of the peers; empty for all.
        share: Share of these connections, from 0 to 1.
        seed: Seed of the hash that chooses them.
        seconds_left: Until it is removed; None where it stays.
        has_watchdog: Whether a process waits to remove it.
        with_startup: Connections that have had it.
        without_startup: Connections that the share left out.
        application_choice: Connections whose application chose a congestion control, which they
            keep.
        refused: Connections for which the kernel refused it.
        default_control: The congestion control of the others.
    """

    startup: str
    control: str
    ports: Sequence[int]
    networks: Sequence[str]
    share: float
    seed: int
    seconds_left: float | None
    has_watchdog: bool
    with_startup: int
    without_startup: int
    application_choice: int
    refused: int
    default_control: str

    def to_dict(self) -> dict[str, Any]:
        """All attributes as one JSON document."""
        return asdict(self)

    @property
    def lines(self) -> list[str]:
        """What is loaded, how long it stays, and the connections so far."""
        ports = f" to port {', '.join(map(str, self.ports))}" if self.ports else ""
        networks = f" from {', '.join(self.networks)}" if self.networks else ""
        which = f"{share_text(self.share)} of accepted connections{ports}{networks}"
        count = counted(self.with_startup, "connection", "connections")
        lines = [
            f"{self.startup} is loaded as {self.control}, for {which} (seed {self.seed}).",
            f"{self._end}. {count} with it, {self.without_startup:,} with {self.default_control}.",
        ]
        if self.default_control != CONTINUES:
            lines.append(
                f"{self.default_control} is the default here, so more than the startup differs: "
                f"set {CONTINUES} for a test of the startup alone."
            )
        if self.application_choice:
            lines.append(f"{self.application_choice} kept the choice of their application.")
        if self.refused:
            lines.append(f"The kernel refused it for {self.refused}.")
        return lines

    @property
    def _end(self) -> str:
        if self.seconds_left is None:
            return "It stays until `flowstart kernel unload`"
        if self.seconds_left == 0:
            return "Its time is over: `flowstart kernel unload` removes the rest"
        left = short_seconds(self.seconds_left)
        if self.has_watchdog:
            return f"It is removed in {left}"
        return f"No connection gets it in {left}, but its watchdog is gone: unload it then"


def harm_of(startup: str) -> str:
    """What a startup did to other flows in the simulated grid, next to Linux's own."""
    harm, usual = _harm_table()[startup], _harm_table()["hystart"]

    def figures(name: str) -> str:
        return f"{harm[name]} (hystart: {usual[name]})"

    return (
        f"{startup} in the kernel is experimental. In 240 simulated cells it sent "
        f"{figures('retransmitted')} of the packets again, and harmed long CUBIC flows by "
        f"{figures('long')}, BBR flows by {figures('bbr')} and web sessions by {figures('web')}."
    )


@functools.cache
def _harm_table() -> Mapping[str, Mapping[str, str]]:
    file = importlib.resources.files("flowstart.deployment").joinpath("harm.toml")
    return tomllib.loads(file.read_text("utf-8"))


@asking(KernelLoad)
def kernel_load(question: KernelLoad) -> KernelStartup:
    """Loads a startup into this machine's kernel, where it stays when the process ends.

    Connections that the host accepts have it or not by a hash of their addresses and ports, so
    that both arms can be compared. It needs root and a build of `make live-linux`.

    Returns:
        What is loaded.

    Raises:
        RequestError: A value is wrong, another startup is loaded, or the kernel lacks something.

    Example:
        >>> import flowstart as fs
        >>> fs.kernel_load("hystart-plus-plus", ports=[443], duration="1h")  # doctest: +SKIP
    """
    if len(question.ports) > MAX_PORTS:
        raise RequestError(
            f"at most {MAX_PORTS} are possible", ("ports",), ",".join(map(str, question.ports))
        )
    load = {
        "ports": [port(each) for each in question.ports],
        "networks": [_network(network) for network in question.networks],
        "share": _share(question.share),
        "seed": _seed(question.seed),
        "cgroup": _cgroup(question.cgroup),
        "seconds": _seconds(question.duration),
        "startup": _startup(question.startup),
    }
    _native.kernel_try(question.startup)
    if question.warn:
        question.warn(harm_of(question.startup))
    _native.kernel_load(load)
    return _of(_native.kernel_status() or {})


def kernel_status() -> KernelStartup | None:
    """The startup that is loaded into this machine's kernel; None where none is.

    Raises:
        RequestError: A load was interrupted, or the process may not look.

    Example:
        >>> import flowstart as fs
        >>> fs.kernel_status()  # doctest: +SKIP
    """
    loaded = _native.kernel_status()
    return None if loaded is None else _of(loaded)


def _of(loaded: Mapping[str, Any]) -> KernelStartup:
    return KernelStartup(**loaded, default_control=DEFAULT.read_text("ascii").strip())


def kernel_unload() -> bool:
    """Removes the startup that is loaded into this machine's kernel; whether there was one.

    Open connections keep it until they close.

    Raises:
        RequestError: The process may not remove it.

    Example:
        >>> import flowstart as fs
        >>> fs.kernel_unload()  # doctest: +SKIP
    """
    return _native.kernel_unload()


def _startup(name: str) -> str:
    known = _native.KERNEL_STARTUPS
    if not known or name in known:  # a build without them refuses by itself
        return name
    raise RequestError(f"`{name}` cannot be loaded into the kernel{suggest(name, list(known))}")


def _network(prefix: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    try:
        network = ipaddress.ip_network(prefix)
    except ValueError as error:
        why = "a network is needed, such as 192.0.2.0/24 or 2001:db8::/32"
        raise RequestError(f"{why} ({error})", ("networks",), prefix) from None
    return network.network_address, network.prefixlen


def _share(share: float | str) -> float:
    if 0 < float(share) <= 1:
        return float(share)
    raise RequestError("above 0 % and at most 100 % is possible", ("share",), f"{share:g}")


def _seed(seed: int) -> int:
    if 0 <= seed < SEEDS:
        return seed
    raise RequestError(f"a number from 0 to {SEEDS - 1} is needed", ("seed",), seed)


def _cgroup(folder: str | None) -> str | None:
    if folder is None or pathlib.Path(folder, "cgroup.controllers").is_file():
        return folder
    raise RequestError("it is no folder of control groups (version 2)", ("cgroup",), folder)


def _seconds(duration: Time | None) -> float | None:
    seconds = positive_seconds("duration", duration)
    if seconds is not None and not 1 <= seconds < math.inf:
        raise RequestError("at least 1s is needed", ("duration",), duration)
    return seconds
