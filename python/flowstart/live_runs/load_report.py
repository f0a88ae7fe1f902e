"""The files of a load: its requests, and everything as JSON."""

from flowstart.live_runs.load_result import LiveLoad
from flowstart.render.files import columns, encoded


def tables(load: LiveLoad, name: str = "requests") -> dict[str, bytes]:
    """The requests of both sides as `NAME.csv` and `NAME.parquet`, and all of it as `NAME.json`."""
    files = {f"{name}.json": encoded(load.to_dict())}
    return files | columns(load.frame, name, "load-rows")
