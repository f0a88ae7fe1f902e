"""Runs replays."""

from collections.abc import Callable

from flowstart.captures.contents import Capture
from flowstart.model.document import encode
from flowstart.replay.jobs import jobs, rows
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
        rows=rows(planned, batch).filter("tested").rows(named=True) if batch["transfers"] else [],
        interrupted=batch["interrupted"],
        failures=[f"{planned[r['run']].label}: {r['error']}" for r in runs if r["error"]],
    )
