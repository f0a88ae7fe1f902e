"""Section II: the window after a lossy first flight, and what ends the flight."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flowstart.model.document import Document
from flowstart.simulation.run import Run
from flowstart.simulation.series import Series
from flowstart_papers.experiment import Experiment, Findings, Picture, Table
from flowstart_papers.jump_start import setups
from flowstart_papers.lab import Lab
from flowstart_papers.target import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MSS = 1460
LOSSY: tuple[tuple[int, dict[str, str]], ...] = (
    (100, {}),
    (128, {}),
    (140, {}),
    (100, {"buffer": "40pkt"}),
    (160, {"rate": "10Mbps", "buffer": "50pkt"}),
    (300, {"rate": "20Mbps", "buffer": "100pkt"}),
)
"""Packets of the flight, and what of the path is not the paper's, so that R differs."""
SHOWN = 1
EXPECTED_WINDOW = "(D - R)/2"
EXPECTED_END = "all D packets are out, or the first ACK"


def _lossy(packets: int, path: dict[str, str]) -> Document:
    """SACK with all its rules repairs these flights without the timer, so recovery ends."""
    fields = setups.RECOVERIES["RFC 6675"]
    return setups.along(setups.single(setups.JUMP_START, packets, **fields), **path)


def _undisturbed() -> Document:
    return setups.single(setups.JUMP_START, 64)


def _handshake_behind_a_queue() -> Document:
    """Its SYN waits behind another's burst that is gone when its data leaves."""
    burst = {"startup": setups.JUMP_START, "size": "80pkt"}
    late = {"startup": setups.JUMP_START, "size": "100pkt", "start": "125ms"}
    return _undisturbed() | {"flows": [late, burst]}


def window(run: Run) -> dict[str, Any]:
    """The window when the first flight has been repaired, and over time."""
    row, series = run.records[0], run.series()[0]
    flight = series.of("send")
    end = int(series.seq_bytes[flight].max()) + MSS
    acks = series.of("ack")
    repaired = acks[series.seq_bytes[acks] >= end][0]
    at_sender = series.at_sender
    return {
        "timeouts": row["timeouts"],
        "d": len(flight),
        "r": int((series.of("retransmit") < repaired).sum()),
        "cwnd": float(series.cwnd[repaired]),
        "time_s": series.time_s[at_sender].tolist(),
        "cwnd_over_time": series.cwnd[at_sender].tolist(),
    }


def ending(run: Run) -> dict[str, Any]:
    """When the first flight ended, and what happened then."""
    row, series = run.records[0], run.series()[0]
    exit_s = row["opened_s"] + row["startup_exit_s"]
    return {
        "reason": row["startup_exit_reason"],
        "exit_s": exit_s,
        "d": row["size_bytes"] // MSS,
        "sent": int((series.time_s[series.of("send")] <= exit_s).sum()),
        "last_send_s": _time(series, "send", -1),
        "first_ack_s": _time(series, "ack", 0),
    }


def _time(series: Series, event: str, which: int) -> float:
    return float(series.time_s[series.of(event)[which]])


def run(lab: Lab) -> Findings:
    """Both rules, read from traces."""
    repaired = lab.runs([_lossy(*case) for case in LOSSY], window, trace=True)
    whole, cut = lab.runs([_undisturbed(), _handshake_behind_a_queue()], ending, trace=True)
    follows = all(
        found["timeouts"] == 0 and found["cwnd"] == (found["d"] - found["r"]) / 2
        for found in repaired
    )
    ends = (
        whole["sent"] == whole["d"]
        and whole["exit_s"] == whole["last_send_s"] < whole["first_ack_s"]
        and cut["sent"] < cut["d"]
        and cut["exit_s"] == cut["first_ack_s"] < cut["last_send_s"]
    )
    shown = repaired[SHOWN]
    return Findings(
        measured={
            "js.alg.cwnd": Measured(EXPECTED_WINDOW if follows else "another window"),
            "js.alg.end": Measured(EXPECTED_END if ends else "something else"),
        },
        answers=_say(repaired, whole, cut),
        tables=[_windows_table(repaired), _ends_table({"alone": whole, "behind a queue": cut})],
        pictures=[
            Picture(
                "window",
                f"The window of a jump of {shown['d']} packets, {shown['r']} of which are lost",
                lambda: _draw(shown),
            )
        ],
    )


def _say(
    repaired: Sequence[Mapping[str, Any]], whole: Mapping[str, Any], cut: Mapping[str, Any]
) -> list[str]:
    shown = repaired[SHOWN]
    return [
        (
            f"Of {shown['d']} packets {shown['r']} are sent again; the window afterwards is "
            f"{shown['cwnd']:g}. So it is in all {len(repaired)} flights of the table."
        ),
        (
            f"On an idle path all {whole['d']} packets leave before the first ACK; where the "
            f"handshake waited behind a queue that is gone, the first ACK ends the flight after "
            f"{cut['sent']} of {cut['d']}."
        ),
    ]


def _windows_table(repaired: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        {
            "D": found["d"],
            "R": found["r"],
            "(D - R)/2": (found["d"] - found["r"]) / 2,
            "window": found["cwnd"],
            "timeouts": found["timeouts"],
        }
        for found in repaired
    ]
    return Table("window", "The window after recovery", rows)


def _ends_table(by_handshake: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = [
        {
            "handshake": name,
            "D": found["d"],
            "sent": found["sent"],
            "ended by": found["reason"],
            "at, ms": round(1e3 * found["exit_s"], 1),
            "first ACK at, ms": round(1e3 * found["first_ack_s"], 1),
        }
        for name, found in by_handshake.items()
    ]
    return Table("end", "The end of the first flight", rows)


def _draw(shown: dict[str, Any]) -> "Figure":
    from flowstart_papers import drawing

    return drawing.single(
        drawing.Axis("time (s)", limits=(0, 1.15 * shown["time_s"][-1])),
        drawing.Axis("congestion window (packets)", limits=(0, None)),
        {"Jump Start": (shown["time_s"], shown["cwnd_over_time"])},
        steps=True,
        marks=False,
        level={"D": shown["d"], "(D - R)/2": (shown["d"] - shown["r"]) / 2},
    )


EXPERIMENTS = (
    Experiment(
        id="JS-ALG",
        figure="Sec. II",
        question="Which window follows a lossy first flight, and what ends the flight?",
        run=run,
        quick=True,
    ),
)
