"""CAV-RESET: what would have to be true for some of QS-app's transfers to be reset.

Nothing in the network resets a connection; somebody gives it up. TCP does after so many consecutive
timeouts, an application or what stands before it after so long without progress. So what each
scheme is silent for, at most, says which rules reset whom.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from flowstart_papers.experiment import Cell, Experiment, Findings, Picture, Table
from flowstart_papers.lab import Lab
from flowstart_papers.slow_start_high_speed import measures, statements
from flowstart_papers.slow_start_high_speed.measures import Watched
from flowstart_papers.slow_start_high_speed.setups import (
    LITERAL,
    PACED,
    SCHEMES,
    Handover,
    Path,
    Patience,
    Setup,
    transfer,
)
from flowstart_papers.slow_start_high_speed.statements import (
    CAROLINA_REDUCTION,
    REDUCTION,
    REDUCTIONS,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALL = (*SCHEMES, PACED)
PATHS = (*REDUCTIONS, CAROLINA_REDUCTION)
RULES = {
    "15 consecutive timeouts (Linux)": Patience(),
    "5 consecutive timeouts (Windows)": Patience(timeouts=5),
    "0.5 s of silence": Patience(silence_s=0.5),
    "1 s of silence": Patience(silence_s=1),
    "3 s of silence": Patience(silence_s=3),
    "5 s of silence (httperf's manual)": Patience(silence_s=5),
    "60 s of silence": Patience(silence_s=60),
    "300 s of silence (Apache 2.2)": Patience(silence_s=300),
}
MOVED: dict[str, tuple[Setup, int]] = {
    "literal": (LITERAL, 1),
    "least RTO 200 ms (Linux)": (replace(LITERAL, rto_min="200ms"), 1),
    "NewReno without SACK": (replace(LITERAL, recovery="newreno"), 1),
    "interface queue never drops": (replace(LITERAL, handover="never dropped"), 1),
    "interface queue 100 packets": (replace(LITERAL, queue="100pkt"), 1),
    "narrowest buffer 0.05 BDP": (replace(LITERAL, buffer="0.05bdp"), 1),
    "SACK block read in 50 us": (replace(LITERAL, sack_us=5.0), 1),
    "SACK block read in 300 us": (replace(LITERAL, sack_us=30.0), 1),
    "2 sessions": (LITERAL, 2),
    "4 sessions": (LITERAL, 4),
}
"""Set-ups, and how many sessions there are at once."""
DRAWN_US = (0.0, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 150.0)
"""Microseconds for a SACK block per Gbit/s of the interface."""
GBITS = REDUCTION.interface / 1000
HANDOVERS: dict[Handover, str] = {
    "at once": "its interface's queue drops",
    "never dropped": "its interface's queue never drops",
}

Silences = dict[tuple[str, Path], list[Watched]]
"""By scheme and path."""


def run(lab: Lab) -> Findings:
    """Silence by path, by input and by the time to read SACK; and who is reset by which rule."""
    keys = [(scheme, path) for path in PATHS for scheme in ALL]
    literal = dict(zip(keys, _watch(lab, [(*key, LITERAL, 1) for key in keys]), strict=True))
    moved = {name: _moved(lab, *how) for name, how in MOVED.items()}
    reading = {how: {us: _by_reading(lab, how, us) for us in DRAWN_US} for how in HANDOVERS}
    return Findings(
        answers=[
            _window(literal),
            *(_on_reading(how, of) for how, of in reading.items()),
            _on_timeouts(moved),
        ],
        tables=[_path_table(literal), _rule_table(literal), _moved_table(moved)],
        pictures=[_picture(reading)],
    )


Reading = Mapping[Handover, Mapping[float, Mapping[str, float]]]
"""Silences by hand-over and by microseconds for a SACK block, then by scheme."""


def _watch(lab: Lab, asked: Sequence[tuple[str, Path, Setup, int]]) -> list[list[Watched]]:
    documents = [
        transfer(scheme, path, setup, sessions=sessions) for scheme, path, setup, sessions in asked
    ]
    return lab.runs(documents, measures.watched, trace=True)


def _moved(lab: Lab, setup: Setup, sessions: int) -> dict[str, list[Watched]]:
    found = _watch(lab, [(scheme, REDUCTION, setup, sessions) for scheme in ALL])
    return dict(zip(ALL, found, strict=True))


def _by_reading(lab: Lab, how: Handover, us: float) -> dict[str, float]:
    setup = replace(LITERAL, handover=how, sack_us=us)
    found = _watch(lab, [(scheme, REDUCTION, setup, 1) for scheme in SCHEMES])
    return {scheme: _silent(of) for scheme, of in zip(SCHEMES, found, strict=True)}


def _silent(of: Sequence[Watched]) -> float:
    return max(one["silent_s"] for one in of)


def _in_a_row(of: Sequence[Watched]) -> int:
    return max(one["in_a_row"] for one in of)


def _window(literal: Silences) -> str:
    """The patience that resets QS-app somewhere, and neither Reno nor LSS anywhere."""
    shown = {scheme: [_silent(literal[scheme, path]) for path in PATHS] for scheme in SCHEMES}
    others = max(max(shown["Reno"]), max(shown["LSS"]))
    return (
        f"Where capacity shrinks QS-app is silent for {max(shown['QS-app']):.1f} s at most, Reno"
        f" and LSS for {others:.2f} s. A host that gives up"
        f" after more than {others:.2f} s and at most {max(shown['QS-app']):.1f} s without progress"
        " resets QS-app and neither of the others."
    )


def _on_reading(how: Handover, by_reading: Mapping[float, Mapping[str, float]]) -> str:
    longest = {scheme: max(of[scheme] for of in by_reading.values()) for scheme in SCHEMES}
    said = ", ".join(f"{scheme} {silent:.1f} s" for scheme, silent in longest.items())
    return (
        f"Where a host takes up to {max(by_reading) * GBITS:g} us to read a SACK block and"
        f" {HANDOVERS[how]}, the longest silences on {REDUCTION.name} are: {said}."
    )


def _on_timeouts(moved: Mapping[str, Mapping[str, list[Watched]]]) -> str:
    most = max(_in_a_row(of["QS-app"]) for of in moved.values())
    return (
        f"Over all inputs that were moved at most {most} of QS-app's timeouts come without progress"
        f" between them, where TCP gives up after 15 in Linux and after 5 in Windows."
    )


def _path_table(literal: Silences) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "interface - path": path.name,
            "RTT": path.rtt,
            **{f"{s}, silent s": round(_silent(literal[s, path]), 2) for s in ALL},
            **{f"{s}, consecutive timeouts": _in_a_row(literal[s, path]) for s in ALL},
        }
        for path in PATHS
    ]
    return Table("silence", "The longest time without progress, literal set-up.", rows)


def _rule_table(literal: Silences) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "somebody gives up after": name,
            **{
                f"{scheme}, reset on": sum(
                    any(statements.is_reset(one, rule) for one in literal[scheme, path])
                    for path in PATHS
                )
                for scheme in ALL
            },
            "paths": len(PATHS),
        }
        for name, rule in RULES.items()
    ]
    return Table("rules", "On how many paths each rule resets a transfer, literal set-up.", rows)


def _moved_table(moved: Mapping[str, Mapping[str, list[Watched]]]) -> Table:
    rows: list[dict[str, Cell]] = [
        {
            "input": name,
            **{f"{scheme}, silent s": round(_silent(of[scheme]), 2) for scheme in ALL},
            "QS-app, consecutive timeouts": _in_a_row(of["QS-app"]),
        }
        for name, of in moved.items()
    ]
    return Table("silence-moved", f"{REDUCTION.name}, 180 ms: one input moved at a time.", rows)


def _picture(reading: Reading) -> Picture:
    def draw() -> "Figure":
        from flowstart_papers.drawing import Axis, Panel, panels

        some = [us for us in DRAWN_US if us]
        cost = [us * GBITS for us in some]
        return panels(
            *(
                Panel(
                    Axis(
                        "time to read a SACK block, us",
                        "log",
                        limits=(8, 12000),
                        ticks=[10, 30, 100, 300, 1000],
                    ),
                    Axis("longest time without progress, s", "log", limits=(0.1, 200)),
                    {s: (cost, [by_reading[us][s] for us in some]) for s in SCHEMES},
                    title=HANDOVERS[how],
                    level={"60 s": 60, "5 s (httperf)": 5, "1 s": 1},
                )
                for how, by_reading in reading.items()
            )
        )

    return Picture(
        "silence",
        f"{REDUCTION.name}, 180 ms: the longest time without progress. A host that gives"
        " up earlier (dashed: some such times) resets the transfer.",
        draw,
    )


EXPERIMENTS = (
    Experiment(
        id="CAV-RESET",
        figure="study",
        question="What would have to be true for some transfers to be reset?",
        run=run,
    ),
)
