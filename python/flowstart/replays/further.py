"""What was asked of a replay beyond its table, as tables with titles."""

import dataclasses

from flowstart.render.grid import Grid
from flowstart.replays import calibration_table, tables
from flowstart.replays.result import Replay


def asked(replay: Replay) -> list[Grid]:
    """Those that only an option of their own brings about."""
    found = [tables.rollout(replay.rollout)] if replay.rollout else []
    if replay.competing is not None:
        found.append(tables.competing(replay.competing, replay.answer.baseline))
    return found


def further(replay: Replay) -> list[Grid]:
    """The tables of what was asked, as far as it was."""
    found = [tables.gates(replay.verdict)] if replay.verdict.judgements else []
    found += asked(replay)
    if replay.bands:
        found.append(tables.bands(replay.answer, replay.bands))
    if replay.calibration and replay.calibration.classes:
        grid = calibration_table.table(replay.calibration)
        found.append(
            dataclasses.replace(grid, title=calibration_table.headline(replay.calibration))
        )
    return found
