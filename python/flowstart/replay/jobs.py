"""The simulations of a replay: every path under every start-up, together and one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowstart.model.document import Document
from flowstart.model.path import told_interface
from flowstart.replay.paths import ReplayPath, Transfer
from flowstart.replay.settings import Settings

AFTERWARDS_S = 3600
"""How long a replay may go on after the last transfer has begun."""


@dataclass(frozen=True)
class Job:
    """One simulation: a path under one start-up, with some or all of its transfers."""

    replayed: ReplayPath
    startup: str
    mode: str
    transfers: tuple[Transfer, ...]
    scenario: Document

    @property
    def label(self) -> str:
        """What a message calls it."""
        return f"{self.startup}, {self.mode}, {self.replayed.name}"


def jobs(paths: Sequence[ReplayPath], settings: Settings) -> Iterator[Job]:
    """All of them, those of a path next to each other."""
    for replayed in paths:
        for startup in settings.startups:
            yield job(replayed, startup, "together", replayed.transfers, settings)
            for transfer in replayed.transfers:
                yield job(replayed, startup, "alone", (transfer,), settings)


def job(
    replayed: ReplayPath,
    startup: str,
    mode: str,
    transfers: tuple[Transfer, ...],
    settings: Settings,
) -> Job:
    """One of them; `mode` is `together` or `alone`."""
    starts = without_long_gaps([t.start_s for t in transfers])
    told = told_interface(replayed.path)
    flows = [
        told | _flow(t, startup, settings, at) for t, at in zip(transfers, starts, strict=True)
    ]
    document: Document = {
        "seed": settings.seed,
        "duration": f"{max(starts) + AFTERWARDS_S:.6f}s",
        "path": replayed.path,
        "flows": flows,
    }
    if settings.stack:
        document["stack"] = settings.stack
    return Job(replayed, startup, mode, transfers, document)


def without_long_gaps(starts: Sequence[float]) -> list[float]:
    """Times from zero on; where nothing begins for long, that long is enough.

    By then what began before is over, and captures may be put together over years.
    """
    at: dict[float, float] = {}
    before, now = min(starts), 0.0
    for start in sorted(starts):
        now += min(start - before, AFTERWARDS_S)
        before = start
        at[start] = now
    return [at[start] for start in starts]


def _flow(transfer: Transfer, startup: str, settings: Settings, start_s: float) -> Document:
    flow: Document = {
        "startup": startup,
        "size": f"{transfer.size_bytes}B",
        "start": f"{round(start_s * 1e6)}us",
        "direction": "forward" if transfer.to_remote else "reverse",
        "rtt": transfer.rtt,
        "handshake": False,
    }
    if settings.avoidance:
        flow["avoidance"] = settings.avoidance
    if settings.remembered:
        flow["remembered"] = settings.remembered
    return flow
