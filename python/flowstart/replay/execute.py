"""Runs replays."""

from collections.abc import Callable
from typing import Any

from flowstart.captures.contents import Capture
from flowstart.model.document import encode
from flowstart.replay.jobs import Job, jobs
from flowstart.replay.paths import build
from flowstart.replay.result import Replay
from flowstart.replay.settings import Settings
from flowstart.simulation import frames
from flowstart.simulation.batch import run_many


def replay(
    capture: Capture,
    settings: Settings,
    *,
    workers: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Replay:
    """Replays the transfers of a capture. Raises RequestError where that cannot be done."""
    left_out: dict[str, int] = {}
    paths = build(capture, settings, left_out)
    planned = list(jobs(paths, settings))
    scenarios = [encode(job.scenario) for job in planned]
    batch = run_many(scenarios, workers, progress, settings.custom)
    runs = frames.rows(batch["runs"])
    return Replay(
        capture=capture,
        settings=settings,
        paths=paths,
        left_out=left_out,
        rows=[_row(row, planned[row["run"]]) for row in frames.rows(batch["flows"])],
        interrupted=batch["interrupted"],
        failures=[f"{planned[r['run']].label}: {r['error']}" for r in runs if r["error"]],
    )


def _row(row: dict[str, Any], job: Job) -> dict[str, Any]:
    """A flow's row with the transfer it stands for."""
    transfer = job.transfers[row["flow"]]
    return row | {
        "mode": job.mode,
        "network": job.replayed.name,
        "transfer": transfer.number,
        "connection": transfer.connection,
        "capture_direction": transfer.direction,
        "rtt": transfer.rtt,
        "startup": job.startup,
    }
