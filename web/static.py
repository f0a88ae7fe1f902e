"""Writes the explorer's page that needs no server: `static.py MODULE.wasm FOLDER`."""

import pathlib
import shutil
import sys

from flowstart.cli import explore
from flowstart.explorer.page import static_page

ROOT = pathlib.Path(__file__).parents[1]
SAMPLE = ROOT / "tests/data/captures/small-sll.pcap.gz"


def main(module: str, folder: str) -> None:
    """Writes `index.html`, and the licences of what it holds of others."""
    engine, settings = pathlib.Path(module).read_bytes(), explore.settings({}, (), None)
    page = static_page(engine, settings, SAMPLE)
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / "index.html").write_bytes(page)
    shutil.copy(ROOT / "THIRD_PARTY.md", place)
    print(f"{place / 'index.html'}: {len(page) / 1e6:.2f} MB; it needs no server")


if __name__ == "__main__":
    main(*sys.argv[1:])
