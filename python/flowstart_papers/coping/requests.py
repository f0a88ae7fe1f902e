"""Hosts that ask routers for rates: honest ones, and those that ask and send next to nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flowstart.model.document import Document, encode
from flowstart.simulation.run import Run
from flowstart_papers.coping.effects import Estimate, estimate, longer
from flowstart_papers.lab import Lab

RATE = "10Mbps"
RTT = "100ms"
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
    """Of the honest transfers: the windows that routers approved, durations, and loss."""
    columns = run.outcome["flows"].lists()
    honest = range(run.document["flows"][0]["count"])
    reasons, windows = columns["startup_exit_reason"], columns["startup_exit_cwnd_segments"]
    dropped, sent = (
        sum(columns[name][i] for i in honest) for name in ("packets_dropped", "packets_sent")
    )
    return {
        "windows": [windows[i] if reasons[i] == "router" else 0 for i in honest],
        "durations": [columns["duration_s"][i] for i in honest],
        "loss": 100 * dropped / sent,
    }


@dataclass(frozen=True)
class Service:
    """What honest hosts get."""

    granted: Estimate
    """How many of their requests are granted, percent."""
    window: Estimate
    """Packets granted, a refusal being none."""
    later: Estimate
    """By how many percent they are later than without the neighbour."""
    gain: Estimate
    """By how many percent they are still sooner than with slow start."""
    loss: Estimate
    """Percent of their packets."""


def services(lab: Lab, cases: Sequence[Requests], seeds: Sequence[int]) -> list[Service]:
    """Of each case, all runs at one go."""
    wanted = dict.fromkeys(r for case in cases for r in (case, case.undisturbed(), case.slow()))
    documents = {encode(r.document(seed)): r.document(seed) for r in wanted for seed in seeds}
    found = dict(zip(documents, lab.runs(list(documents.values()), read), strict=True))

    def over_seeds(requests: Requests) -> list[dict[str, Any]]:
        return [found[encode(requests.document(seed))] for seed in seeds]

    return [_service(*map(over_seeds, (c, c.undisturbed(), c.slow()))) for c in cases]


def _service(
    runs: Sequence[dict[str, Any]],
    undisturbed: Sequence[dict[str, Any]],
    slow: Sequence[dict[str, Any]],
) -> Service:
    def ratios(others: Sequence[dict[str, Any]]) -> list[float]:
        pairs = zip(others, runs, strict=True)
        return [longer(a["durations"], b["durations"]) for a, b in pairs]

    return Service(
        granted=estimate([100 * float(np.mean(np.greater(r["windows"], 0))) for r in runs]),
        window=estimate([float(np.mean(r["windows"])) for r in runs]),
        later=estimate(ratios(undisturbed)),
        gain=estimate([-value for value in ratios(slow)]),
        loss=estimate([r["loss"] for r in runs]),
    )
