"""The inputs that the paper leaves open, and which of its statements hold under which reading."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flowstart_papers import published, readings
from flowstart_papers.hystart import algorithm, figures, setups, utilisation
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.readings import OpenInput, Reading
from flowstart_papers.target import Measured, Value

INPUTS = (
    OpenInput(
        name="initial window",
        says="Nothing; it names Linux 2.6.23.9.",
        readings={
            "3": "what that kernel takes for segments of 1448 bytes (RFC 3390)",
            "2": "RFC 2581, still usual in 2008",
        },
    ),
    OpenInput(
        name="quick ACKs",
        says="min(rcv_wnd/2, 16) packets.",
        readings={
            "16": "a receive window of at least 32 packets",
            "2": "the four segments that Linux' receive window begins with",
        },
    ),
    OpenInput(
        name="clock",
        says="Counts in jiffies; that it needs no fine clock.",
        readings={
            "1 ms": "HZ=1000, by which the 2 ms of the listing are whole ticks",
            "exact": "a kernel that counts in microseconds, as all since 2015",
        },
    ),
    OpenInput(
        name="timer",
        says="Nothing; it names Linux.",
        readings={
            "Linux": "TCP_RTO_MIN, 200 ms beyond the round-trip time",
            "RFC 2988": "at least a second",
        },
    ),
    OpenInput(
        name="a SACK block",
        says="Suspects the kernel's work after many losses.",
        readings={
            "takes no time": "TCP's rules alone, and no kernel's",
            "takes 200 us": "a list of 37 000 packets walked at 5 ns each; fitted to the black-out",
        },
    ),
    OpenInput(
        name="RTT of Fig. 1",
        says="180 ms one way, but 12 333 packets.",
        readings={
            "370 ms": "what makes 12 333 packets of 1500 bytes at 400 Mbit/s",
            "360 ms": "twice the 180 ms; the buffer is then 12 000 packets",
        },
    ),
    OpenInput(
        name="cc of Fig. 1",
        says="Nothing; CUBIC is the current default of Linux.",
        readings={
            "CUBIC": "that default",
            "Reno": "TCP-SACK, as in Fig. 2 and 3",
        },
    ),
    OpenInput(
        name="second flow of Fig. 1",
        says="Speaks of the first flow, and of no second one.",
        readings={
            "none": "all that is printed is of the first flow",
            "after 10 s": "as in Fig. 2",
            "after 30 s": "as in Fig. 4",
        },
    ),
    OpenInput(
        name="RTT of Fig. 2",
        says="102 ms in the text; 106 ms and 883 packets in the caption.",
        readings={"106 ms": "what makes 883 packets", "102 ms": "the text"},
    ),
    OpenInput(
        name="second flow of Fig. 2",
        says="A high burst around ten seconds.",
        readings={
            "after 10 s": "the burst is the second flow's",
            "after 5 s": "no other number is given",
            "after 30 s": "as in Fig. 4; the burst would be the first flow's that began at 10 s",
        },
    ),
    OpenInput(
        name="hosts of Fig. 2",
        says="Nothing.",
        readings={
            "see packets at once": "nothing in the paper speaks of interrupts",
            "interrupts of 40-80 us": "moderated interrupts, as Gbit/s interfaces have them",
            "interrupts of 60-120 us": "the same; fitted to the published thresholds",
            "interrupts of 100-150 us": "8000 a second, the default of Intel's of the time",
        },
    ),
    OpenInput(
        name="receiver of Fig. 3 (c)",
        says="FreeBSD and Windows send delayed ACKs from the beginning; not which of them it is.",
        readings={
            "Windows": "named for it; its timer is 200 ms",
            "FreeBSD": "named for it; its timer is 100 ms",
        },
    ),
    OpenInput(
        name="starts of Fig. 3",
        says="Within the first ten seconds.",
        readings={
            "1 and 7 s": "apart, so that each is seen",
            "0 and 3 s": "close to each other",
            "0 and 10 s": "as far apart as it allows",
        },
    ),
    OpenInput(
        name="flows next to Fig. 3",
        says="Mid-sized, 50 Mbit/s each way.",
        readings={
            "100 packets": "a page with its pictures",
            "30 packets": "a small page",
            "300 packets": "a file",
        },
    ),
    OpenInput(
        name="fixed in Fig. 4",
        says="Nothing but the ranges.",
        readings={
            "400 Mbit/s, 160 ms": "their upper ends, and Fig. 3's path",
            "Fig. 2's path": "100 Mbit/s and 106 ms; Fig. 5 then has 100 Mbit/s",
        },
    ),
    OpenInput(
        name="traffic in Fig. 4 and 5",
        says="The abstract has a realistic mix; the section has none.",
        readings={
            "none": "the section has two CUBIC flows",
            "10 %": "both ways, flows as next to Fig. 3",
        },
    ),
    OpenInput(
        name="others' SACK",
        says="Question whether that of FreeBSD and Windows is buggy.",
        readings={"works": "their documentation", "none": "the worst that it can be"},
    ),
)

MEANS: dict[tuple[str, str], dict[str, Any]] = {
    ("initial window", "2"): {"iw": "2"},
    ("quick ACKs", "2"): {"quick": 2},
    ("clock", "exact"): {"tick": "0s"},
    ("timer", "RFC 2988"): {"timer": setups.RFC_TIMER},
    ("a SACK block", "takes 200 us"): {"sack_cost": "200us"},
    ("RTT of Fig. 1", "360 ms"): {"fig1": (setups.FIG1[0], 360.0)},
    ("cc of Fig. 1", "Reno"): {"fig1_cc": setups.SACK},
    ("second flow of Fig. 1", "after 10 s"): {"fig1_second": 10.0},
    ("second flow of Fig. 1", "after 30 s"): {"fig1_second": 30.0},
    ("RTT of Fig. 2", "102 ms"): {"fig2": (setups.FIG2[0], 102.0)},
    ("second flow of Fig. 2", "after 5 s"): {"fig2_second": 5.0},
    ("second flow of Fig. 2", "after 30 s"): {"fig2_second": 30.0},
    ("hosts of Fig. 2", "interrupts of 40-80 us"): {
        "interrupts": {"interrupt_min": "40us", "interrupt_max": "80us"}
    },
    ("hosts of Fig. 2", "interrupts of 60-120 us"): {"interrupts": figures.FITTED},
    ("hosts of Fig. 2", "interrupts of 100-150 us"): {
        "interrupts": {"interrupt_min": "100us", "interrupt_max": "150us"}
    },
    ("receiver of Fig. 3 (c)", "FreeBSD"): {"fig3_delayed": setups.FREEBSD},
    ("starts of Fig. 3", "0 and 3 s"): {"fig3_starts": (0.0, 3.0)},
    ("starts of Fig. 3", "0 and 10 s"): {"fig3_starts": (0.0, 10.0)},
    ("flows next to Fig. 3", "30 packets"): {"fig3_packets": 30},
    ("flows next to Fig. 3", "300 packets"): {"fig3_packets": 300},
    ("fixed in Fig. 4", "Fig. 2's path"): {"fig4_fixed": setups.FIG2},
    ("traffic in Fig. 4 and 5", "10 %"): {"traffic": 0.1},
    ("others' SACK", "none"): {"fig5_sack": False},
}
"""What a reading that is not literal changes."""

CELLS = readings.grid(
    readings.alone(INPUTS),
    readings.crossed(INPUTS, ("cc of Fig. 1", "a SACK block")),
    readings.crossed(INPUTS, ("initial window", "receiver of Fig. 3 (c)")),
    readings.crossed(INPUTS, ("initial window", "hosts of Fig. 2")),
    readings.crossed(INPUTS, ("fixed in Fig. 4", "others' SACK")),
)
FIGURES = (
    algorithm.limited,
    figures.figure1,
    figures.figure2,
    figures.packet_pairs,
    figures.figure3,
    utilisation.figure4,
    utilisation.figure5,
)


def setup(reading: Reading) -> Setup:
    """The set-up that a reading stands for."""
    changes: dict[str, Any] = {}
    for name, chosen in reading.items():
        changes |= MEANS.get((name, chosen), {})
    return replace(LITERAL, **changes)


def measure(lab: Lab, cells: Sequence[Reading]) -> list[Mapping[str, Measured | Value]]:
    """All printed statements under each reading; runs that it does not touch are run once."""
    return [
        {name: one for figure in FIGURES for name, one in figure(lab, setup(cell)).items()}
        for cell in cells
    ]


HY_READINGS = readings.experiment(
    name="HY-READINGS",
    question="Which of its statements hold under which reading of what it leaves open?",
    inputs=INPUTS,
    cells=CELLS,
    targets=published.of("flowstart_papers.hystart").targets,
    measure=measure,
)
