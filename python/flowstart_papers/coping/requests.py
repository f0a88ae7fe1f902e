"""Hosts that ask routers for rates: honest ones, and those that ask and send next to nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart_papers.coping.countermeasures import PACKET_KBIT
from flowstart_papers.coping.effects import (
    COLUMNS,
    HEADINGS,
    Headings,
    effects,
    longer,
    of_flows,
    table,
    text,
)
from flowstart_papers.experiment import Findings, Table, experiment
from flowstart_papers.frames import by_case, grid, means
from flowstart_papers.lab import Lab
from flowstart_papers.measures import first
from flowstart_papers.plot import Axis, lines, panel

RATE = "10Mbps"
RTT = "100ms"
STACK = {"preset": "rfc"}
DURATION_S = 60
PATH = "10 Mbit/s and 100 ms"
"""As readers write it."""
HONEST_PACKETS = 60
FULL_RATE = "5.12Mbps"
"""All that an idle link approves: 85 % of it, rounded down to a code."""
SHARE_MAX = "2.56Mbps"
"""More than ns-2's own limit, which rounds to the initial window of ten and so is not used."""


@dataclass(frozen=True)
class Rule:
    """How routers decide."""

    name: str
    admission: str
    settings: tuple[tuple[str, str], ...] = ()


RFC = Rule("RFC 4782 appendix D", "rfc")
SHARE = Rule("ns-2's 1: a share, at most 2.56 Mbit/s", "share", (("max_rate", SHARE_MAX),))
RULES = (
    RFC,
    SHARE,
    Rule("ns-2's 1 with its own limit", "share"),
    Rule("ns-2's 2: all, below the threshold", "minimal"),
    Rule("ns-2's 3: what is left", "target"),
    Rule("ns-2's 4: everything", "everything"),
)
NO_ROUTERS = Rule("routers do not know the option", "none")


@dataclass(frozen=True)
class Neighbour:
    """What a host that is not honest does, once a period."""

    name: str
    startup: str
    packets: int


def asks_only(rate: str = FULL_RATE) -> Neighbour:
    """Asks for a rate and sends one packet."""
    startup = f"quick-start:request={rate},sizing=fixed,qs_thresh=1"
    return Neighbour(f"requests {spelled(rate)}, sends 1 packet", startup, 1)


def spelled(quantity: str) -> str:
    """A rate or a time as readers write it."""
    return re.sub(r"(?<=\d)(?=[a-zA-Z])", " ", quantity).replace("bps", "bit/s")


ASKS_ONLY = asks_only()
ASKS_AND_USES = Neighbour("requests and sends 60 packets", "quick-start", HONEST_PACKETS)
TAKES = Neighbour("does not ask, sends 60 packets at once", "jump-start", HONEST_PACKETS)
SLOW_START = Neighbour("sends 60 packets with slow start", "slow-start", HONEST_PACKETS)


@dataclass(frozen=True)
class Requests:
    """One link, the hosts that request a rate on it, and another host."""

    rule: Rule = RFC
    period_s: float = 0
    """From one opening of the neighbour to the next; there is none at 0."""
    neighbour: Neighbour = ASKS_ONLY
    honest_s: float = 1
    """From one honest transfer to the next."""
    startup: str = "quick-start"
    """Of the honest ones."""

    def undisturbed(self) -> "Requests":
        """The same without the neighbour."""
        return replace(self, period_s=0)

    def slow(self) -> "Requests":
        """The same without requests."""
        return replace(self, rule=NO_ROUTERS, period_s=0, startup="slow-start")

    def document(self, seed: int) -> Document:
        """One run; the honest come first."""
        return {
            "seed": seed,
            "path": {
                "rate": RATE,
                "rtt": RTT,
                "quick_start": {"admission": self.rule.admission} | dict(self.rule.settings),
            },
            "stack": STACK,
            "flows": [
                _flows(self.startup, HONEST_PACKETS, self.honest_s),
                *(
                    [_flows(self.neighbour.startup, self.neighbour.packets, self.period_s)]
                    if self.period_s
                    else []
                ),
            ],
        }


def _flows(startup: str, packets: int, spacing_s: float) -> dict[str, Any]:
    spacing = f"{spacing_s:g}s"
    return {
        "startup": startup,
        "size": f"{packets}pkt",
        "count": round(DURATION_S / spacing_s),
        "stagger": spacing,
        "jitter": spacing,
    }


def read(run: Run) -> dict[str, Any]:
    """Of the honest transfers: the windows that routers approved, and durations."""
    columns = run.outcome["flows"].lists()
    honest = range(run.document["flows"][0]["count"])
    reasons, windows = columns["startup_exit_reason"], columns["startup_exit_cwnd_segments"]
    return {
        "windows": [windows[i] if reasons[i] == "router" else 0.0 for i in honest],
        "durations": [columns["duration_s"][i] for i in honest],
    }


SERVICE = ("granted", "window", "gain", "later")


def services(lab: Lab, cases: Sequence[Requests], seeds: Sequence[int]) -> pl.DataFrame:
    """What honest hosts get, a row for each case.

    `granted`: percent of their requests; `window`: packets, a refusal being none; `later`: by how
    many percent than without the neighbour; `gain`: by how many sooner than with slow start.
    """
    rows = []
    for number, case in enumerate(cases):
        found, free, slow = (
            lab.frame(each.document, grid(seed=seeds), read).rows(named=True)
            for each in (case, case.undisturbed(), case.slow())
        )
        rows += [
            {
                "case": number,
                "granted": 100 * float(np.mean(np.greater(a["windows"], 0))),
                "window": float(np.mean(a["windows"])),
                "later": longer(b["durations"], a["durations"]),
                "gain": -longer(c["durations"], a["durations"]),
            }
            for a, b, c in zip(found, free, slow, strict=True)
        ]
    named = pl.DataFrame(
        {"rule": case.rule.name, "honest_s": float(case.honest_s),
         "period_s": float(case.period_s) or None,
         "neighbour": case.neighbour.name if case.period_s else "none"} for case in cases
    )  # fmt: skip
    served = means(pl.DataFrame(rows), ["case"], *SERVICE).drop("case")
    return pl.concat([named, served], how="horizontal")


# Rate that is asked for and not used: what is left for those who ask honestly.

SEEDS = range(1, 13)
PERIODS_S = (0.05, 0.1, 0.2, 0.5, 1, 2, 4)
ASKED = ("80kbps", "320kbps", "640kbps", "1.28Mbps", "2.56Mbps", "5.12Mbps", "81.92Mbps")
OFTEN_S = 0.2
GUARDS = (
    *(Rule(f"RFC 4782, memory {spelled(memory)}", "rfc", (("state_delay", memory),))
      for memory in ("20ms", "50ms", "100ms", "150ms", "300ms")),
    *(Rule(f"ns-2's 1, at most {spelled(share)}", "share", (("max_rate", share),))
      for share in ("2.56Mbps", "5.12Mbps", "10Mbps")),
)  # fmt: skip
HONEST_S = (1, 0.25)
NEIGHBOURS = (ASKS_ONLY, ASKS_AND_USES, TAKES, SLOW_START)
CASES = {
    ("requests_unused", "Requests that are not used, by rule."):
        [Requests(rule, period) for rule in RULES for period in (0, *PERIODS_S)],
    ("requests_asked", "The same by the requested rate."):
        [Requests(RFC, OFTEN_S, asks_only(rate)) for rate in ASKED],
    ("requests_guards", "What a rule's settings change."):
        [Requests(rule, period, honest_s=honest)
         for honest in HONEST_S for rule in GUARDS for period in (0, OFTEN_S)],
    ("requests_neighbours", "Next to others that send, or only request."):
        [Requests(RFC, period, other) for period in (1, OFTEN_S) for other in NEIGHBOURS],
}  # fmt: skip
SHOWN: Headings = {
    "rule": "routers", "honest_s": "honest transfer every, s", "neighbour": "neighbour",
    "period_s": "every, s", "granted": "honest requests granted, %",
    "window": "granted, packets", "gain": "gain over slow start, %",
    "later": "later than without the neighbour, %",
}  # fmt: skip


@experiment("ABUSE-QS", "study")
def unused(lab: Lab) -> Findings:
    """What is left for honest Quick-Start hosts next to one that requests and does not send?"""
    caption = (
        f"Honest transfers of {HONEST_PACKETS} packets over {PATH}. A grant counts where the "
        "window that comes of it is used. Means over seeds with 95 % intervals."
    )
    served = {key: services(lab, cases, SEEDS) for key, cases in CASES.items()}
    found = next(iter(served.values()))
    drawn = found.filter(pl.col("period_s").is_not_null())
    x = ("period_s", Axis("period of unused requests, s", "log", ticks=PERIODS_S))
    return Findings(
        answers=_says_unused(found),
        tables=[table(name, f"{what} {caption}", each, SHOWN)
                for (name, what), each in served.items()],
        pictures=[lines(
            "requests_unused", "Honest requests granted, and what the honest transfers of "
            f"{HONEST_PACKETS} packets still gain over slow start, over the period of requests "
            "that are not used, by the routers' rule.",
            panel(drawn, x, ("granted", Axis("honest requests granted, %")), "rule"),
            panel(drawn, x, ("gain", Axis("honest ones faster by, %")), "rule"))],
    )  # fmt: skip


def _says_unused(found: pl.DataFrame) -> list[str]:
    """What one host does to the RFC's rule, and what each rule keeps of its own gain."""
    is_free = pl.col("period_s").is_null()
    by_rfc = pl.col("rule") == RFC.name
    free = found.row(by_predicate=by_rfc & is_free, named=True)
    often = found.row(by_predicate=by_rfc & (pl.col("period_s") == OFTEN_S), named=True)
    alone = by_case(found.filter(is_free), "rule", "gain")
    left = by_case(found.filter(period_s=OFTEN_S), "rule", "gain")
    parts = [f"{rule} {round(gain)} of {round(alone[rule])} %" for rule, gain in left.items()]
    return [
        f"A host that requests {spelled(FULL_RATE)} every {OFTEN_S:g} s and sends one packet "
        f"each time, {PACKET_KBIT / OFTEN_S:.0f} kbit/s, lowers the honest requests granted under "
        f"RFC 4782 from {text(free, 'granted')} to {text(often, 'granted')} %, the mean window "
        f"granted from {text(free, 'window')} to {text(often, 'window')} packets, and the gain "
        f"over slow start from {text(free, 'gain')} to {text(often, 'gain')} %.",
        f"Gain over slow start that is left next to that host, by rule: {'; '.join(parts)}.",
    ]


# What lies about rate requests are worth: hidden routers, and guessed nonces.

LOADS = (20, 40, 60)
TRANSFERS = 100
"""Of each half."""
BUFFER = "60pkt"
HIDDEN = Rule("routers do not know the option, and receivers hide it", "everything")
"""To a sender whose receiver corrects the difference of the TTLs, they approve whatever is
asked: the request comes through as it was, nonce and all."""
BELIEF = (
    Rule("routers do not know the option, and hosts find out", NO_ROUTERS.admission),
    Rule("all routers decide, RFC 4782 appendix D", RFC.admission),
    HIDDEN,
)

ASKED_KBPS = 20480
STEPS = range(4)
"""By which a router lowers the rate; each halves it."""
ODDS = 1 / 4
"""That a receiver guesses the two bits of the nonce that a step makes unknown."""
GUESS_PACKETS = 200


@experiment("ABUSE-LIES", "study")
def lies(lab: Lab) -> Findings:
    """What do false rate requests gain?"""
    hidden, guesses = _hidden(lab), _guesses(lab)
    lowered = guesses[1:]
    pays = [row for row in lowered if row["liar expects, s"] < row["honest, s"]]
    harmed = [
        f"{row['load']} % load {text(row, 'gain')} and {text(row, 'harm')} % (95th percentile "
        f"{text(row, 'harm_tail', 0)} %)"
        for row in hidden.filter(rule=HIDDEN.name).rows(named=True)
    ]
    return Findings(
        answers=[
            "Where receivers hide that routers do not know the option, the gain of their transfers "
            f"and the harm to slow starters are at {'; '.join(harmed)}.",
            f"Guessing the nonce of a lowered rate is worth it in {len(pays)} of {len(lowered)} "
            "cases: a detected liar starts slowly.",
        ],
        tables=[
            table("lies_routers", f"Transfers of {HONEST_PACKETS} packets over {PATH} with a queue "
                  f"of 60 packets; half of them ask for a rate. {COLUMNS}", hidden,
                  {"rule": "half of the hosts ask", "load": "load, %", **HEADINGS}),
            Table("lies_nonce", f"A transfer of {GUESS_PACKETS} packets alone on 100 Mbit/s and "
                  f"100 ms that requests {ASKED_KBPS / 1000:g} Mbit/s. With what a router left, "
                  "and when refused, durations are measured; what a liar may expect is computed "
                  "from them and from the odds of a guess.", guesses),
        ],
    )  # fmt: skip


def _hidden(lab: Lab) -> pl.DataFrame:
    rows = []
    for case in grid(rule=BELIEF, load=LOADS):
        slow, fast = (
            lab.frame(_mixed, grid(**{key: [value] for key, value in case.items()},
                                   startup=[startup], seed=SEEDS), of_flows)
            for startup in ("slow-start", "quick-start")
        )  # fmt: skip
        named = {"rule": case["rule"].name, "load": case["load"]}
        rows += [named | row for row in effects(slow, fast, slow)]
    return means(pl.DataFrame(rows), ["rule", "load"], *HEADINGS)


def _mixed(rule: Rule, load: int, startup: str, seed: int) -> Document:
    """Half of the transfers ask, the others start slowly; together they make the load."""
    kbps = load / 100 * 1000 * float(RATE.removesuffix("Mbps"))
    spacing_s = 2 * HONEST_PACKETS * PACKET_KBIT / kbps
    half = {
        "size": f"{HONEST_PACKETS}pkt",
        "count": TRANSFERS,
        "stagger": f"{spacing_s:.4f}s",
        "jitter": f"{10 * spacing_s:.4f}s",
    }
    routers = {"quick_start": {"admission": rule.admission}}
    return {
        "seed": seed,
        "path": {"rate": RATE, "rtt": RTT, "buffer": BUFFER} | routers,
        "stack": STACK,
        "flows": [half | {"startup": startup}, half | {"startup": "slow-start"}],
    }


def _guesses(lab: Lab) -> list[dict[str, float]]:
    """By how far a router lowered the rate: the honest duration and what a liar may expect."""
    cases = [_alone(ASKED_KBPS // 2**step) for step in STEPS]
    refused, *granted = (r["duration_s"] for r in lab.runs([_alone(None), *cases], first))
    full = granted[0]
    return [
        {
            "router left, Mbit/s": ASKED_KBPS / 2**step / 1000,
            "honest, s": round(honest, 3),
            "liar believed, %": round(100 * ODDS**step, 1),
            "believed, s": round(full, 3),
            "found out, s": round(refused, 3),
            "liar expects, s": round(ODDS**step * full + (1 - ODDS**step) * refused, 3),
        }
        for step, honest in zip(STEPS, granted, strict=True)
    ]


def _alone(kbps: int | None) -> Document:
    """One transfer that is granted this rate, or none."""
    asks = f"quick-start:request={kbps}kbps,sizing=fixed"
    return {
        "path": {
            "rate": "100Mbps",
            "rtt": RTT,
            "quick_start": {"admission": "everything" if kbps else "none"},
        },
        "stack": STACK,
        "flows": [{"startup": asks if kbps else "slow-start", "size": f"{GUESS_PACKETS}pkt"}],
    }
