"""The picture at the top of the README: the replay of a recorded capture, and its numbers.

A plotting library draws it, so its bytes may differ between machines. What it shows stands
beside it as a small file, and the picture says in its own text which numbers it was drawn from.
"""

import csv
import functools
import hashlib
import io
import pathlib

from PIL import Image

import flowstart as fs
from flowstart.render import charts
from flowstart.replays.result import Replay

CAPTURE = pathlib.Path(__file__).parents[2] / "tests/data/captures/web-mix.pcap.gz"
PICTURE, NUMBERS = "demo.png", "demo.csv"
KEY = "Shows"
"""The field of the picture's text that has the digest of its numbers."""
COLUMNS = ("size_class", "variant", "transfers", "slowdown_median", "slowdown_p95", "harmed")
"""Everything that the picture shows."""


@functools.cache
def replayed() -> Replay:
    """The replay that `make demo` runs, without its repeats."""
    return fs.replay(str(CAPTURE), uncertainty=False)


def numbers() -> str:
    """What the picture is drawn from, a row for each size class and setting."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    for summary in replayed().summaries:
        values = (getattr(summary, column) for column in COLUMNS)
        rows.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in values])
    return text.getvalue()


def picture() -> bytes:
    """The picture, with the digest of its numbers in its text."""
    return charts.png(replayed().plot(), {KEY: digest(numbers())})


def digest(shown: str) -> str:
    """What stands for a picture's numbers."""
    return hashlib.sha256(shown.encode()).hexdigest()


def shows(file: pathlib.Path) -> str | None:
    """The digest of the numbers that the picture in a file was drawn from."""
    if not file.exists():
        return None
    with Image.open(file) as image:
        return image.info.get(KEY)
