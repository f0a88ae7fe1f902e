"""A client that makes several servers start fast at it, again and again, and bystanders."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from flowstart.model.document import Document
from flowstart.simulation import frames
from flowstart.simulation.run import Run
from flowstart_papers.coping import countermeasures as ways
from flowstart_papers.coping.countermeasures import NOTHING, PACKET_KBIT, Line, Measure
from flowstart_papers.coping.effects import Headings, longer, longer_tail, lost, table, text
from flowstart_papers.experiment import Findings, experiment
from flowstart_papers.frames import cell, grid, means
from flowstart_papers.jump_start.setups import QUEUE, stack
from flowstart_papers.lab import Lab
from flowstart_papers.plot import Axis, lines, panels_by

LINK = Line(mbps=10, rtt_ms=64)
"""What the pulses cross together with everybody else."""
FROM_S = 2
UNTIL_S = 32
LONG = 4
"""Bystanders that send all the time."""
SHORT = 48
SHORT_PACKETS = 20
NEIGHBOURS = 24
"""Transfers of as many packets behind the client's own access line."""

SLOW = Measure("servers use slow start", "none", "slow-start")


@dataclass(frozen=True)
class Pulses:
    """What the client asks for; without servers it asks for nothing."""

    period_s: float = 2
    packets: int = 60
    servers: int = 8
    measure: Measure = NOTHING
    access_mbps: float = 100
    """The client's own line, which comes after the link."""
    rto_min: str = ""
    """The least timeout, where it is not the stack's own."""
    recovery: str = "ns2-sack"

    @property
    def asked_mbps(self) -> float:
        """On average."""
        return self.servers * self.packets * PACKET_KBIT / self.period_s / 1000

    def silent(self) -> "Pulses":
        """The same network without the client."""
        # Of a measure only what is in routers and receivers is left.
        measure = replace(self.measure, startup=SLOW.startup)
        return replace(self, period_s=2, packets=60, servers=0, measure=measure)

    def document(self, seed: int) -> Document:
        """One run."""
        queue = {"buffer": QUEUE} | self.measure.path()
        hops = [
            {"rate": f"{LINK.mbps:g}Mbps", "delay": "31ms"} | queue,
            {"rate": f"{self.access_mbps:g}Mbps", "delay": "1ms"} | queue,
        ]
        timeout = {"rto_min": self.rto_min} if self.rto_min else {}
        fields = self.measure.stack(LINK) | timeout | {"recovery": self.recovery}
        document: Document = {
            "seed": seed,
            "duration": f"{UNTIL_S}s",
            "path": {"hops": hops},
            "stack": stack(**fields),
            "flows": [_long(), _short(SHORT, 0), _short(NEIGHBOURS, 1)],
        }
        return document | ({"web": [self._requests()]} if self.servers else {})

    def _requests(self) -> dict[str, Any]:
        return {
            "startup": self.measure.starts(LINK),
            "start": f"{FROM_S}s",
            "sessions": self.servers,
            "interval": "0s",
            "pages": max(1, int((UNTIL_S - FROM_S) / self.period_s)),
            "page_pause": f"{self.period_s:g}s",
            "page_pause_from": "start",
            "objects": 1,
            "size": self.packets,
            "clients": 1,
            "servers": self.servers,
        }


def _long() -> dict[str, Any]:
    return {"startup": "slow-start", "count": LONG, "jitter": "1s", "to_hop": 0}


def _short(count: int, to_hop: int) -> dict[str, Any]:
    spacing = f"{0.8 * (UNTIL_S - FROM_S) / count:g}s"
    return {
        "startup": "slow-start",
        "size": f"{SHORT_PACKETS}pkt",
        "start": f"{FROM_S}s",
        "count": count,
        "stagger": spacing,
        "jitter": spacing,
        "to_hop": to_hop,
    }


def read(run: Run) -> dict[str, Any]:
    """What the long ones and the client got, in Mbit, and how long the short ones took."""
    columns = run.outcome["flows"].lists()
    short, neighbours, client = LONG, LONG + SHORT, LONG + SHORT + NEIGHBOURS
    delivered = columns["bytes_delivered"]
    # What was not done in the end has lasted until then.
    durations = [
        UNTIL_S - opened if duration is None else duration
        for opened, duration in zip(columns["opened_s"], columns["duration_s"], strict=True)
    ]
    answers = zip(delivered[client:], columns["direction"][client:], strict=True)
    return {
        "long": sum(delivered[:LONG]) * 8e-6,
        "short": durations[short:neighbours],
        "neighbours": durations[neighbours:client],
        "loss": lost(columns, range(short, neighbours)),
        "client": sum(size for size, way in answers if way == "forward") * 8e-6,
        "busy": 100 * frames.rows(run.outcome["links"])[0]["utilisation"],
    }


CLIENT: Headings = {
    "goodput": ("goodput left, %", 0), "price": "lost per bit of the client",
    "short": ("short later, %", 0), "short_tail": ("short at 95th percentile, %", 0),
    "loss": "short lose, %", "client_mbps": "client gets, Mbit/s", "busy": ("link busy, %", 0),
}  # fmt: skip
DAMAGE = (*CLIENT, "alone_mbps", "alone_short_s", "neighbours")


def damages(
    lab: Lab, cases: Sequence[tuple[dict[str, Any], Pulses]], seeds: Sequence[int]
) -> pl.DataFrame:
    """Pulses against the same network without the client: a row for each case with its columns.

    `goodput`: what is left of the long bystanders', percent; `price`: bits that they lose for each
    that the client gets; `short`, `short_tail` and `neighbours`: by how many percent short
    bystanders are later, and those behind the client's line.
    """
    rows = []
    for number, (_, pulses) in enumerate(cases):
        silent, loud = (
            lab.frame(each.document, grid(seed=seeds), read).rows(named=True)
            for each in (pulses.silent(), pulses)
        )
        rows += [{"case": number, **_damage(a, b)} for a, b in zip(silent, loud, strict=True)]
    labels = pl.DataFrame([label | {"asked": round(pulses.asked_mbps, 2)}
                           for label, pulses in cases], strict=False)  # fmt: skip
    found = means(pl.DataFrame(rows), ["case"], *DAMAGE).drop("case")
    return pl.concat([labels, found], how="horizontal")


def _damage(a: dict[str, Any], b: dict[str, Any]) -> dict[str, float]:
    return {
        "alone_mbps": a["long"] / UNTIL_S,
        "alone_short_s": statistics.geometric_mean(a["short"]),
        "goodput": 100 * b["long"] / a["long"],
        "short": longer(a["short"], b["short"]),
        "short_tail": longer_tail(a["short"], b["short"]),
        "neighbours": longer(a["neighbours"], b["neighbours"]),
        "loss": b["loss"],
        "client_mbps": b["client"] / (UNTIL_S - FROM_S),
        "price": (a["long"] - b["long"]) / b["client"],
        "busy": b["busy"],
    }


# What the client may choose, what may guard, and the client's own line.

SEEDS = range(1, 9)
BASE = Pulses()
KNOBS = {
    "period_s": ("period, s", (0.25, 0.5, 1, 2, 4, 8)),
    "packets": ("packets from each server", (10, 20, 40, 60, 120, 240)),
    "servers": ("servers", (1, 2, 4, 8, 16, 32)),
}
PERIOD = "period, s"
SERVERS = {"Jump Start": NOTHING, "Jump Start capped at 1/10": ways.CAP_TENTH, "slow start": SLOW}
GUARDS = (
    NOTHING, ways.CAP_TENTH, ways.CAP_HALF, ways.TARGET, ways.FIRST_WINDOW, ways.RED, ways.CHOKE,
    ways.FQ_CODEL, ways.FQ_CODEL_DEEP, ways.MARKED_ALL, ways.MARKED_EXCESS, ways.RED_MARKED,
)  # fmt: skip
RECOVERIES = {"ns2-sack": "ns-2's SACK", "sack": "RFC 6675"}
ACCESS_MBPS = (100, 10, 5, 2)
RTO_MIN = "1 s"
CAPTION = (
    "Against the same network without the client; means over seeds with 95 % intervals. Goodput "
    "of bystanders that always send, durations of transfers of 20 packets."
)


@experiment("ABUSE-JS", "study")
def abuse(lab: Lab) -> Findings:
    """What can a client do to others that makes servers start fast at it again and again?"""
    swept = _swept(lab)
    guards = [
        ({"recovery": name, "measure": m.name, "by": m.by, "slow": slow},
         replace(BASE, recovery=recovery, measure=replace(m, startup=SLOW.startup) if slow else m))
        for slow in (False, True) for recovery, name in RECOVERIES.items() for m in GUARDS
    ]  # fmt: skip
    guarded = damages(lab, guards, SEEDS)
    # Beside the pulses those of servers that start slowly under the same measure.
    ends = ["goodput", "goodput_low", "goodput_high"]
    slow = guarded.filter("slow").select(pl.col(ends).name.prefix("slow_"))
    guarded = pl.concat([guarded.filter(~pl.col("slow")), slow], how="horizontal")
    access = damages(lab, [
        ({"line": mbps, "startup": measure.startup},
         replace(BASE, access_mbps=mbps, measure=measure))
        for mbps in ACCESS_MBPS for measure in (SLOW, NOTHING)], SEEDS)  # fmt: skip
    varied = (
        f"Pulses of {BASE.packets} packets from {BASE.servers} servers every {BASE.period_s:g} s, "
        f"with one thing varied. {CAPTION}"
    )
    without: Headings = {"alone_mbps": "without the client: long, Mbit/s",
               "alone_short_s": ("without the client: short, s", 2),
               "slow_goodput": ("left if servers use slow start, %", 0)}  # fmt: skip
    drawn = swept.filter(~pl.col("late"))
    return Findings(
        answers=[_says_base(swept), _says_guards(guarded), _says_worst(drawn)],
        tables=[
            table("pulses", varied, swept, {"varied": "case", "servers": "servers use",
                                            "asked": "asked, Mbit/s", **CLIENT}),
            table("pulses_guarded", f"The same pulses under each measure. {CAPTION} That network "
                  "has the measure's queue, too.", guarded,
                  {"recovery": "recovery", "measure": "measure", "by": "by", **without, **CLIENT}),
            table("pulses_access", "The client's own line behind the link, which some transfers "
                  f"share. {CAPTION}", access,
                  {"line": "client's line, Mbit/s", "startup": "servers use",
                   "neighbours": ("short behind the client's line later, %", 0), **CLIENT}),
        ],
        pictures=[
            lines("pulses", "What is left of the goodput of long bystanders when a client makes "
                  f"servers answer at once, by the servers' startup: {BASE.packets} packets from "
                  f"{BASE.servers} servers every {BASE.period_s:g} s unless varied.",
                  *_over(drawn, "goodput", Axis("goodput left, %", limits=(0, 100)))),
            lines("pulses_short", "The 95th percentile of short bystanders' durations.",
                  *_over(drawn, "short_tail", Axis("95th percentile later by, %"))),
        ],
    )  # fmt: skip


def _swept(lab: Lab) -> pl.DataFrame:
    """One thing varied after the other, then the period where timeouts are long."""
    sweeps = [(heading, field, settings, False) for field, (heading, settings) in KNOBS.items()]
    sweeps.append((PERIOD, "period_s", KNOBS["period_s"][1], True))
    cases = [
        ({"knob": heading, "late": late, "servers": name, "setting": float(setting),
          "varied": f"{f'least timeout {RTO_MIN}, ' if late else ''}{heading} = {setting:g}"},
         replace(BASE, measure=measure, rto_min=RTO_MIN.replace(" ", "") if late else "",
                 **{field: setting}))  # type: ignore[arg-type]
        for heading, field, settings, late in sweeps
        for name, measure in SERVERS.items() for setting in settings
    ]  # fmt: skip
    return damages(lab, cases, SEEDS)


def _over(found: pl.DataFrame, column: str, y: Axis) -> list[Any]:
    """A panel for each thing that was varied."""
    return [
        panel
        for heading, settings in KNOBS.values()
        for panel in panels_by(found.filter(knob=heading), "knob", "",
                               ("setting", Axis(heading, "log", ticks=settings)), (column, y),
                               "servers")
    ]  # fmt: skip


def _says_base(swept: pl.DataFrame) -> str:
    base = swept.filter(knob=PERIOD, setting=BASE.period_s)
    fast, slow, late_fast, late_slow = (
        base.row(by_predicate=(pl.col("servers") == name) & (pl.col("late") == late), named=True)
        for late in (False, True) for name in ("Jump Start", "slow start")
    )  # fmt: skip
    return (
        f"{BASE.servers} servers that answer with {BASE.packets} packets every "
        f"{BASE.period_s:g} s are {BASE.asked_mbps:.1f} of the link's 10 Mbit/s. With Jump Start "
        f"they leave {text(fast, 'goodput', 0)} % of the long bystanders' goodput, with slow start "
        f"{text(slow, 'goodput', 0)} %: for each bit that the client gets the others lose "
        f"{text(fast, 'price')} and {text(slow, 'price')}. Where no timeout is shorter than "
        f"{RTO_MIN}, {text(late_fast, 'goodput', 0)} % and {text(late_slow, 'goodput', 0)} % are "
        "left."
    )


def _says_guards(guarded: pl.DataFrame) -> str:
    """Which measures leave bystanders what slow start without any measure would."""
    parts = []
    for name in RECOVERIES.values():
        found = guarded.filter(recovery=name)
        low = cell(found, "slow_goodput_low", measure=NOTHING.name)
        mean = cell(found, "slow_goodput", measure=NOTHING.name)
        restoring = found.filter(pl.col("goodput_high") >= low).select("measure", "goodput").rows()
        said = ", ".join(f"{measure} ({left:.0f} %)" for measure, left in restoring) or "none"
        parts.append(f"with {name} ({mean:.0f} %) {said}")
    return (
        "Measures that leave as much as servers with slow start and no measure do: "
        f"{'; '.join(parts)}."
    )


def _says_worst(swept: pl.DataFrame) -> str:
    """Where Jump Start takes most, compared with slow start."""
    slow, fast = (swept.filter(servers=name) for name in ("slow start", "Jump Start"))
    pairs = slow.with_columns(taken=slow["goodput"] - fast["goodput"])
    heading, x, taken = pairs.select("knob", "setting", "taken").row(pairs["taken"].arg_max() or 0)
    return (
        f"Over all that was varied, Jump Start takes at most {taken:.0f} points of goodput more "
        f"than slow start, with {heading} = {x:g}."
    )
