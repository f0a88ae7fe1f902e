"""What modified Swift Start puts on the routers' queues, which the paper leaves to the future.

Its last section asks for the effect of the redundant data that each connection adds, and whether
they can congest a router. Each connection adds an option of eight bytes for each pair; and it
sends a whole estimate of the path in its second round trip, whoever else does the same. So several
connections begin within one round trip over T1, each with the paper's hosts. Slow start is the
catalog's here, because after a timeout all startups must go on by the same rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from flowstart_papers.cases import by_case, mean_of
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.measures import interval
from flowstart_papers.modified_swift_start.measures import crowd
from flowstart_papers.modified_swift_start.setups import (
    LITERAL,
    NO_QUEUE_LIMIT,
    T1,
    THRESHOLD,
    transfer,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flowstart.model.document import Document
    from flowstart_papers.lab import Lab

SLOW_START = "slow start"
MODIFIED = "modified Swift Start"


def _swift(alpha: int) -> str:
    return f"swift-start:alpha={alpha},growth=per-ack,ack_spacing=per-segment,{THRESHOLD}"


STARTUPS = {
    SLOW_START: f"slow-start:growth=per-ack,{THRESHOLD}",
    "Swift Start, α = 8": _swift(8),
    "Swift Start, α = 4": _swift(4),
    "Swift Start, α = 2": _swift(2),
    MODIFIED: LITERAL.modified,
}
BUFFERS = {"endless": NO_QUEUE_LIMIT, "1 BDP": "1bdp"}
CONNECTIONS = (1, 2, 4, 8, 16)
SIZE = "100kB"
DELAY_S = 0.1
RTT_S = T1.rtt_s(DELAY_S)
SEEDS = 20

Key = tuple[str, int, str]
"""Buffer, how many connections, startup."""
Found = Mapping[Key, Sequence[Mapping[str, float]]]
"""What each seed came to."""


def _run(lab: "Lab") -> Findings:
    keys = list(product(BUFFERS, CONNECTIONS, STARTUPS))
    documents = {key: [_document(*key, s) for s in range(1, SEEDS + 1)] for key in keys}
    found = by_case(lab, documents, crowd)
    (option,) = lab.runs([LITERAL.transfer(T1, DELAY_S, LITERAL.modified)], crowd)
    return Findings(
        answers=_says(found, option),
        tables=[
            Table(
                "queues",
                f"Connections of {SIZE} that open within one round trip over T1, delay "
                f"{DELAY_S:g} s: means over {SEEDS} seeds.",
                list(_rows(found)),
            )
        ],
        pictures=[
            Picture(
                "queues",
                "What connections that open together do to the queue before T1, by their number. "
                "Shaded: 95 % confidence.",
                lambda: _draw(found),
            )
        ],
    )


def _document(buffer: str, connections: int, startup: str, seed: int) -> "Document":
    document = transfer(T1, RTT_S, STARTUPS[startup], size=SIZE, path={"buffer": BUFFERS[buffer]})
    flow = document["flows"][0] | {"count": connections, "jitter": f"{RTT_S * 1e9:.0f}ns"}
    return document | {"seed": seed, "flows": [flow]}


def _rows(found: Found) -> Iterator[dict[str, Any]]:
    for (buffer, connections, startup), seeds in found.items():
        low, high = interval([one["duration_s"] for one in seeds])
        yield {
            "buffer": buffer,
            "connections": connections,
            "startup": startup,
            "largest queue (packets)": round(mean_of(seeds, "queue_pkts"), 1),
            "dropped": round(mean_of(seeds, "dropped"), 1),
            "arrived twice": round(mean_of(seeds, "twice"), 1),
            "of what was needed (%)": round(100 * mean_of(seeds, "twice") / seeds[0]["needed"], 1),
            "timeouts": round(mean_of(seeds, "timeouts"), 1),
            "time (s)": round(mean_of(seeds, "duration_s"), 2),
            "95 % from": round(low, 2),
            "to": round(high, 2),
        }


def _says(found: Found, option: Mapping[str, float]) -> list[str]:
    def mean(buffer: str, connections: int, startup: str, name: str) -> float:
        return mean_of(found[buffer, connections, startup], name)

    most = CONNECTIONS[-1]
    needed = found["endless", most, MODIFIED][0]["needed"]
    slow, modified = (("endless", most, startup) for startup in (SLOW_START, MODIFIED))
    first = next(
        n for n in CONNECTIONS if mean("endless", n, MODIFIED, "twice") > 0.01 * needed * n / most
    )
    return [
        (
            f"The option adds {option['option_bytes']:.0f} bytes to the acknowledgements of 10 MB, "
            f"which are {option['reverse_bytes']:.0f}: no router notices."
        ),
        (
            "What is sent early does count: the largest queue of two connections is "
            f"{mean('endless', 2, MODIFIED, 'queue_pkts'):.0f} packets instead of "
            f"{mean('endless', 2, SLOW_START, 'queue_pkts'):.0f}, and of {most} connections "
            f"{mean(*modified, 'queue_pkts'):.0f} instead of {mean(*slow, 'queue_pkts'):.0f}."
        ),
        (
            f"From {first} connections on the endless queue outlasts timers, and what was not lost "
            f"is sent again: with {most}, {100 * mean(*modified, 'twice') / needed:.0f} % of the "
            f"segments arrive twice, under slow start "
            f"{100 * mean(*slow, 'twice') / needed:.0f} %, and a connection takes "
            f"{mean(*modified, 'duration_s'):.1f} s instead of {mean(*slow, 'duration_s'):.1f} s."
        ),
        (
            f"With a buffer of 1 BDP {most} connections lose "
            f"{mean('1 BDP', most, MODIFIED, 'dropped'):.0f} segments instead of "
            f"{mean('1 BDP', most, SLOW_START, 'dropped'):.0f}, and α of 8 leaves "
            f"{mean('1 BDP', most, 'Swift Start, α = 8', 'dropped'):.0f}."
        ),
    ]


def _draw(found: Found) -> "Figure":
    from flowstart_papers import drawing

    def panel(title: str, buffer: str, label: str, name: str, scale: Any) -> "drawing.Panel":
        by_startup = {
            startup: [found[buffer, n, startup] for n in CONNECTIONS] for startup in STARTUPS
        }
        ends = {
            startup: [interval([one[name] for one in seeds]) for seeds in each]
            for startup, each in by_startup.items()
        }
        return drawing.Panel(
            drawing.Axis("connections", "log", ticks=CONNECTIONS),
            drawing.Axis(label, scale, limits=(None if scale == "log" else 0, None)),
            {
                startup: (CONNECTIONS, [mean_of(seeds, name) for seeds in each])
                for startup, each in by_startup.items()
            },
            title=title,
            bands={startup: drawing.band(CONNECTIONS, each) for startup, each in ends.items()},
        )

    return drawing.panels(
        panel("endless buffer", "endless", "largest queue (packets)", "queue_pkts", "log"),
        panel("endless buffer", "endless", "segments that arrive twice", "twice", "linear"),
        panel("buffer of 1 BDP", "1 BDP", "segments dropped", "dropped", "linear"),
        panel("buffer of 1 BDP", "1 BDP", "time of a connection (s)", "duration_s", "log"),
    )


EXPERIMENTS = (
    Experiment(
        id="MSS-QUEUE",
        figure="study",
        question="What do the data that each connection adds do to the routers' queues, and can "
        "they congest them?",
        run=_run,
    ),
)
