"""CAV-READINGS: what the slides leave open, and which of their statements hold under which reading.

The plots are lost and the slides print neither queues nor kernels, so nearly everything is open.
Each input is moved alone. Hand-over and queue, which decide most, are moved together, also with
somebody who gives up; all products would be hours of simulation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flowstart_papers import readings
from flowstart_papers.experiment import Findings
from flowstart_papers.lab import Lab
from flowstart_papers.readings import OpenInput, Reading, Tried
from flowstart_papers.slow_start_high_speed import statements
from flowstart_papers.slow_start_high_speed.setups import LITERAL, Patience, Setup
from flowstart_papers.slow_start_high_speed.statements import PUBLISHED, STATEMENTS
from flowstart_papers.target import Measured

HANDOVER, QUEUE, PATIENCE = "window", "queue", "reset after"
PATIENCES = ("15 timeouts", "3 s")
"""Those that are tried with every hand-over and queue."""

INPUTS = (
    OpenInput(
        name=HANDOVER,
        says="Quick Start with no pacing; back-to-back packet transmission.",
        readings={
            "at once": "unpaced as the slide says: the window goes into the interface's queue",
            "spread": "the server feeds its interface as fast as that sends, for Quick Start alone:"
            " back to back on the wire, but Reno's bursts still overflow the queue",
            "never dropped": "the interface pushes back and its queue drops nothing, of any scheme",
        },
    ),
    OpenInput(
        name=QUEUE,
        says="Nothing.",
        readings={
            "1000 packets": "what Linux gives an Ethernet interface (txqueuelen)",
            "100 packets": "what it gave before 2.6",
            "0.2 BDP": "fitted: half of Reno holds if the window is spread",
            "3000 packets": "that of 1 Gbit/s and 180 ms, at every interface",
            "10 000 packets": "what guides to fast long paths set",
            "1 BDP": "what textbooks ask of a bottleneck",
        },
    ),
    OpenInput(
        name="narrow buffer",
        says="Nothing.",
        readings={
            "0.1 BDP": "2 MB at 1 Gbit/s, as switches had",
            "0.05 BDP": "a smaller switch",
            "0.2 BDP": "as fitted at the interface",
            "0.5 BDP": "a router",
            "1 BDP": "what textbooks ask",
        },
    ),
    OpenInput(
        name="ACK",
        says="Nothing.",
        readings={
            "every second": "RFC 1122, and what hosts of 2008 did",
            "every": "an ACK for each packet",
            "16, then every second": "Linux's quick ACKs",
        },
    ),
    OpenInput(
        name="growth",
        says="Exponential, as in Reno.",
        readings={
            "per ACK": "a segment for each ACK (RFC 2581)",
            "by bytes": "appropriate byte counting (RFC 3465)",
        },
    ),
    OpenInput(
        name="initial window",
        says="Nothing.",
        readings={"3": "RFC 3390", "2": "RFC 2581"},
    ),
    OpenInput(
        name="recovery",
        says="Nothing.",
        readings={
            "SACK": "what hosts of 2008 had",
            "NewReno": "where one of the ends did not offer SACK",
        },
    ),
    OpenInput(
        name="least RTO",
        says="Nothing.",
        readings={"1 s": "RFC 2988", "200 ms": "Linux"},
    ),
    OpenInput(
        name="max_ssthresh",
        says="Slower than Jacobson's ramp-up.",
        readings={
            "100": "what RFC 3742 recommends",
            "50": "half of that",
            "200": "twice that",
            "1000": "made for fast paths",
        },
    ),
    OpenInput(
        name="after the window",
        says="Nothing.",
        readings={
            "avoidance": "the window is taken for the path's",
            "slow start": "no threshold is known",
        },
    ),
    OpenInput(
        name="paced QS requests",
        says="A specific rate that is appropriate; no rate is printed.",
        readings={
            "the interface": "the one window that the slides give a formula for; no router on these"
            " paths answered",
            "the narrowest link": "what would be appropriate",
            "200 Mbit/s": "more than 1G-100M carries, less than the interface",
            "500 Mbit/s": "half of a 1-Gbit/s interface",
        },
    ),
    OpenInput(
        name="SACK block",
        says="Nothing.",
        readings={
            "no time": "nothing speaks of the host's speed",
            "5 us per Gbit/s": "fitted before: 50 us at 10 Gbit/s; kernels searched the window",
            "30 us per Gbit/s": "a slower host",
        },
    ),
    OpenInput(
        name="socket buffer",
        says="Large.",
        readings={
            "without limit": "large",
            "32 MB": "two BDP of the 1-Gbit/s path",
            "16 MB": "the maximum that tuning guides of 2008 set; less than its BDP",
        },
    ),
    OpenInput(
        name="gap",
        says="Flow 1 first.",
        readings={"1 s": "first", "0 s": "started together", "5 s": "well before"},
    ),
    OpenInput(
        name=PATIENCE,
        says="TCP sometimes does not recover; it resets.",
        readings={
            "15 timeouts": "consecutive: Linux's tcp_retries2, TCP's own rule",
            "5 timeouts": "consecutive: Windows' TcpMaxDataRetransmissions",
            "1 s": "of silence: a time-out of the client, as httperf --timeout sets it",
            "3 s": "the same",
            "5 s": "the same, the value in httperf's manual",
            "60 s": "a patient client or server",
        },
    ),
)

MEANT: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    HANDOVER: {name: {"handover": name} for name in ("at once", "spread", "never dropped")},
    QUEUE: {
        "1000 packets": {},
        "100 packets": {"queue": "100pkt"},
        "0.2 BDP": {"queue": "0.2bdp"},
        "3000 packets": {"queue": "3000pkt"},
        "10 000 packets": {"queue": "10000pkt"},
        "1 BDP": {"queue": "1bdp"},
    },
    "narrow buffer": {
        "0.1 BDP": {},
        "0.05 BDP": {"buffer": "0.05bdp"},
        "0.2 BDP": {"buffer": "0.2bdp"},
        "0.5 BDP": {"buffer": "0.5bdp"},
        "1 BDP": {"buffer": "1bdp"},
    },
    "ACK": {
        "every second": {},
        "every": {"ack": "every"},
        "16, then every second": {"ack": "quick-then-delayed"},
    },
    "growth": {"per ACK": {}, "by bytes": {"growth": "abc"}},
    "initial window": {"3": {}, "2": {"iw": "2"}},
    "recovery": {"SACK": {}, "NewReno": {"recovery": "newreno"}},
    "least RTO": {"1 s": {}, "200 ms": {"rto_min": "200ms"}},
    "max_ssthresh": {
        "100": {},
        "50": {"max_ssthresh": 50},
        "200": {"max_ssthresh": 200},
        "1000": {"max_ssthresh": 1000},
    },
    "after the window": {"avoidance": {}, "slow start": {"after": "slow-start"}},
    "paced QS requests": {
        "the interface": {},
        "the narrowest link": {"asks": "narrowest"},
        "200 Mbit/s": {"asks": 200},
        "500 Mbit/s": {"asks": 500},
    },
    "SACK block": {
        "no time": {},
        "5 us per Gbit/s": {"sack_us": 5.0},
        "30 us per Gbit/s": {"sack_us": 30.0},
    },
    "socket buffer": {
        "without limit": {},
        "32 MB": {"socket": "33554432B"},
        "16 MB": {"socket": "16777216B"},
    },
    "gap": {"1 s": {}, "0 s": {"gap": "0s"}, "5 s": {"gap": "5s"}},
    PATIENCE: {
        "15 timeouts": {},
        "5 timeouts": {"patience": Patience(timeouts=5)},
        "1 s": {"patience": Patience(silence_s=1)},
        "3 s": {"patience": Patience(silence_s=3)},
        "5 s": {"patience": Patience(silence_s=5)},
        "60 s": {"patience": Patience(silence_s=60)},
    },
}
"""What each reading changes in the literal set-up."""

CHICAGO_ORDER = "cav.chi.order.exp"
UNPACED_LOSES = ("cav.nc.cwnd", "cav.nc.rtx.exp", "cav.nc.rtx.red", "cav.b2b")
"""Statements, of North Carolina and the final slide, that unpaced Quick Start loses by."""


def setup_of(reading: Reading) -> Setup:
    """The set-up that a reading stands for."""
    changes: dict[str, Any] = {}
    for name, chosen in reading.items():
        changes |= MEANT[name][chosen]
    return replace(LITERAL, **changes)


def cells() -> list[Reading]:
    """Each input alone; hand-over, queue and two patiences together."""
    together = [
        cell
        for cell in readings.crossed(INPUTS, [HANDOVER, QUEUE, PATIENCE])
        # A queue that never drops has no size.
        if (cell[HANDOVER] != "never dropped" or cell[QUEUE] == "1000 packets")
        and cell[PATIENCE] in PATIENCES
    ]
    return readings.grid(readings.alone(INPUTS), together)


def measure(lab: Lab, chosen: Sequence[Reading]) -> list[dict[str, Measured]]:
    """What every statement comes to under each reading."""
    setups = [setup_of(reading) for reading in chosen]
    # Somebody's patience changes no packet until it ends.
    networks = [replace(setup, patience=LITERAL.patience) for setup in setups]
    cases = list(dict.fromkeys(case for each in STATEMENTS for case in each.cases))
    found = statements.find(lab, [(network, case) for network in networks for case in cases])
    return [
        {
            each.name: each.test({case: found[network, case] for case in cases}, setup.patience)
            for each in STATEMENTS
        }
        for setup, network in zip(setups, networks, strict=True)
    ]


def show(tried: Tried) -> Findings:
    """The grid, and what both places' statements ask of their servers."""
    found = tried.findings()
    missing = [tried.missing(i) for i in range(len(tried.cells))]
    more = [_one_server(missing), _two_servers(tried.cells, missing)]
    return replace(found, answers=[*found.answers, *more])


def _one_server(missing: Sequence[frozenset[str]]) -> str:
    """Whether one reading has Chicago's order and anything that unpaced Quick Start loses by."""
    chicago = [gone for gone in missing if CHICAGO_ORDER not in gone]
    others = [gone for gone in chicago if not set(UNPACED_LOSES) <= gone]
    return (
        f"{CHICAGO_ORDER} holds in {len(chicago)} readings; any of {', '.join(UNPACED_LOSES)} in"
        f" {len(others)} of these."
    )


def _two_servers(cells: Sequence[Reading], missing: Sequence[frozenset[str]]) -> str:
    """The most that holds if the window may enter the queue otherwise at each place."""
    known = list(zip(cells, missing, strict=True))
    pairs = [
        (_at_chicago(gone) | (other_gone - _at_chicago(other_gone)), cell, other)
        for cell, gone in known
        for other, other_gone in known
        if all(cell[name] == other[name] for name in cell if name != HANDOVER)
    ]
    gone, chicago, carolina = min(pairs, key=lambda pair: len(pair[0]))
    return (
        f"If the servers may differ, {len(STATEMENTS) - len(gone)} of {len(STATEMENTS)} hold at"
        f" most: window {chicago[HANDOVER]} at Chicago, {carolina[HANDOVER]} at North Carolina and"
        f" on the final slide, queue {chicago[QUEUE]}, reset after {chicago[PATIENCE]}; all but"
        f" {', '.join(sorted(gone))}. Three inputs are fitted then."
    )


def _at_chicago(names: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in names if name.startswith("cav.chi."))


CAV_READINGS = readings.experiment(
    name="CAV-READINGS",
    question="Which of the slides' statements hold under which reading of their open inputs?",
    inputs=INPUTS,
    cells=cells(),
    targets=PUBLISHED.targets,
    measure=measure,
    show=show,
)
