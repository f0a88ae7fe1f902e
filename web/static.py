"""Writes the explorer's page that needs no server: `static.py MODULE.wasm FOLDER`."""

import pathlib
import sys

from flowstart.cli import explore
from flowstart.explorer.page import static_page

SAMPLE = pathlib.Path(__file__).parents[1] / "tests/data/captures/small-sll.pcap.gz"


def main(module: str, folder: str) -> None:
    """Writes the folder's only file, `index.html`."""
    engine, settings = pathlib.Path(module).read_bytes(), explore.settings({}, (), None)
    page = static_page(engine, settings, SAMPLE)
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / "index.html").write_bytes(page)
    print(f"{place / 'index.html'}: {len(page) / 1e6:.2f} MB; it needs no server")


if __name__ == "__main__":
    main(*sys.argv[1:])
