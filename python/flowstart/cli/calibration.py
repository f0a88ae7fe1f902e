"""`flowstart capture --calibrate`: how well a replay agrees with the recording."""

from typing import TYPE_CHECKING

from flowstart.cli import console

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture


def show(found: "Capture", workers: int | None, json: bool) -> None:
    """Replays a capture as it was recorded, and shows or prints the comparison."""
    from flowstart.cli.progress import Progress
    from flowstart.replays import calibration
    from flowstart.replays.calibration import calibrate

    with console.speaking_of(None), Progress("transfers") as progress:
        answer = calibrate(found, workers=workers, progress=progress)
    if json:
        console.show_json({"files": list(found.files), **answer.to_dict()})
        return
    console.say(calibration.headline(answer))
    console.show_grid(calibration.table(answer))
    for line in calibration.legend(answer):
        console.say(line)
