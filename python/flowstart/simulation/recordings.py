"""The recordings of single flows that `flowstart run` writes: qlog and packet captures."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from flowstart.errors import RequestError
from flowstart.simulation.run import Run

Side: TypeAlias = Literal["sender", "receiver"]


@dataclass(frozen=True)
class Recordings:
    """What is written of which flows."""

    qlogs: tuple[int, ...] = ()
    pcaps: tuple[tuple[int, Side], ...] = ()
    """A flow, and the host at which its packets are captured."""

    @property
    def flows(self) -> list[int]:
        """The flows whose packets have to be recorded."""
        return sorted({*self.qlogs, *(flow for flow, _ in self.pcaps)})

    def files(self, run: Run) -> Iterator[tuple[str, bytes]]:
        """The files of a run by name, such as `flow-3.sqlog` and `flow-3.pcap`."""
        for flow in self.qlogs:
            yield f"flow-{flow}.sqlog", run.qlog(flow)
        for flow, side in self.pcaps:
            at = "" if side == "sender" else f"-{side}"
            yield f"flow-{flow}{at}.pcap", run.pcap(flow, side)


def read(qlog: str | None, pcap: str | None) -> Recordings:
    """Reads the lists of the options `--qlog` and `--pcap`."""
    places = tuple(_place(word) for word in _words(pcap))
    return Recordings(tuple(_flow(word, "--qlog") for word in _words(qlog)), places)


def _words(option: str | None) -> list[str]:
    if option is None:
        return []
    return list(dict.fromkeys(word.strip() for word in option.split(",")))


def _flow(word: str, option: str) -> int:
    if not re.fullmatch("[0-9]{1,10}", word) or int(word) >= 1 << 32:
        raise RequestError(f"{option} {word!r}: flows are named by their number, such as 0 or 0,3")
    return int(word)


def _place(word: str) -> tuple[int, Side]:
    number, colon, side = word.partition(":")
    if not colon or side == "sender":
        return _flow(number, "--pcap"), "sender"
    if side == "receiver":
        return _flow(number, "--pcap"), "receiver"
    raise RequestError(f"--pcap {word!r}: the host behind a flow's number is sender or receiver")
