"""The fields of a replay of recorded transfers."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from flowstart.model.custom import StartupLike
from flowstart.model.quantities import Rate, Time, rate_text, share, time_text
from flowstart.model.variants import VariantLike
from flowstart.questions import names
from flowstart.questions.common import (
    ALLOW_PYTHON,
    PROGRESS,
    STACK,
    VARIANTS,
    WORKERS,
    Bounded,
    StackLike,
    of_cc,
    of_startups,
)
from flowstart.questions.option import Argument, Option

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


def _captures(help_: str, metavar: str = "SHARE", **more: Any) -> Option:
    return Option(help_, metavar, panel="Captures", **more)


MAX_HARM = _captures(
    "Harm limit of a recommendation: share of harmed transfers in any size class or network. [5%]",
    reads=share,
)
MAX_P99 = _captures(
    "Limit of a recommendation on the increase of p99 in any size class or network. [25%]",
    reads=share,
)
MAX_LOSS = _captures(
    "Limit of a recommendation on additional loss or retransmission in any size class or "
    "network; half of the baseline's where that is more. [1%]",
    reads=share,
)


@dataclass(frozen=True)
class ReplayQuestion(Bounded):
    """A replay of captures and logs under other settings of their senders."""

    capture: Annotated[
        "Capture | str | os.PathLike[str]",
        Argument(
            "Captures (pcap, pcapng), Zeek conn.log, qlog or server logs, or folders of them.",
            "FILE...",
            meaning="A capture, or the name of a file or folder.",
        ),
    ]
    _: KW_ONLY
    startups: Annotated[
        Sequence[StartupLike] | None, of_startups("what the recorded stack offers")
    ] = None
    variants: Annotated[Sequence[VariantLike], replace(VARIANTS, panel=None)] = ()
    baseline: Annotated[
        str | None,
        Option("Reference for all changes. [the recorded setting]", "NAME", names=names.startup),
    ] = None
    recorded: Annotated[
        str | None,
        Option(
            "Stack of the recorded hosts, such as freebsd or quinn. [linux; quic for a qlog]",
            "STACK",
            names=names.stacks,
        ),
    ] = None
    stack: Annotated[StackLike | None, replace(STACK, panel="Endpoints")] = None
    cc: Annotated[str | None, of_cc("the recorded one")] = None
    direction: Annotated[
        str,
        _captures("Side whose data is under test: server, client or both.", "SIDE"),
    ] = "server"
    networks: Annotated[
        Sequence[str],
        Option(
            "Rate and buffer of a network, such as 10.9.3.0/24:rate=20Mbps,buffer=60pkt; * for all "
            "networks. Repeatable.",
            "PREFIX:KEY=VALUE,...",
            flag="network",
            is_repeatable=True,
        ),
    ] = ()
    rollout: Annotated[
        float | str | None,
        Option(
            "Share of the connections that switch in a separate pass, such as 10%, with the harm "
            "to the others.",
            "SHARE",
            reads=share,
        ),
    ] = None
    cross_traffic: Annotated[
        float | str,
        _captures("Cross traffic on each path, as a share of its rate, such as 40%.", reads=share),
    ] = 0.0
    competing: Annotated[
        Sequence[str],
        _captures(
            "Competing flows on each path: a long cubic or bbr transfer, or the probe of a call.",
            "A,B,...",
        ),
    ] = ()
    max_harm: Annotated[float | str | None, MAX_HARM] = None
    max_p99: Annotated[float | str | None, MAX_P99] = None
    max_loss: Annotated[float | str | None, MAX_LOSS] = None
    when: Annotated[
        Sequence[str],
        _captures(
            "Network with a separate recommendation, on settings that can be limited to it: "
            "network=10.9.3.0/24. Repeatable.",
            "network=PREFIX",
            is_repeatable=True,
        ),
    ] = ()
    ignore: Annotated[
        Sequence[str],
        _captures(
            "Parts of the capture to ignore: turns, page, pauses, warm, handshake, windows.",
            "A,B,...",
        ),
    ] = ()
    sample: Annotated[
        str | None,
        _captures(
            "Random sample of connections: a share (10%), a number (5000) or all. [as many as take "
            "about five minutes of processor time]"
        ),
    ] = None
    uncertainty: Annotated[
        bool,
        Option("One replay, without repeats, other buffers and calibration.", panel="Captures"),
    ] = True
    rate: Annotated[
        Rate | None, Option("Rate of all paths. [estimated]", flag="", reads=rate_text)
    ] = None
    reverse_rate: Annotated[
        Rate | None, Option("Rate of the reverse paths. [estimated]", flag="", reads=rate_text)
    ] = None
    buffer: Annotated[str | None, Option("Buffer of all paths. [estimated]", flag="")] = None
    reverse_buffer: Annotated[
        str | None, Option("Buffer of the reverse paths. [estimated]", flag="")
    ] = None
    rtt: Annotated[
        Time | None, Option("Round-trip time of all paths. [recorded]", flag="", reads=time_text)
    ] = None
    loss: Annotated[
        str | float | None, Option("Random loss of all paths. [estimated]", flag="")
    ] = None
    impairments: Annotated[
        Mapping[str, Any] | None, Option("Further fields of every path, such as `queue`.", flag="")
    ] = None
    cached_cwnd: Annotated[
        str | None,
        Option(
            "Congestion window cached from an earlier connection. [that of earlier connections in "
            "the capture]",
            "SIZE",
            panel="Endpoints",
        ),
    ] = None
    seed: Annotated[int, Option("Seed of all random draws.", panel="Execution")] = 1
    workers: Annotated[int | None, WORKERS] = None
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
