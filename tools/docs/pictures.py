"""Which files the pictures of docs/images are made from, and whether these have changed since.

A picture that takes minutes or a browser is not drawn anew by `make docs`. Its text has the digest
of its inputs; what draws it runs this program, which writes that digest.
"""

import hashlib
import pathlib
import sys

from PIL import Image, PngImagePlugin

ROOT = pathlib.Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
KEY = "Inputs"
"""The field of a picture's text that has the digest."""

SWEEPS = "python/flowstart/sweeps/language/named"
PAGE = (
    "web/src/charts/*.ts",
    "web/src/ui/*",
    "web/browser/screenshots.ts",
    # What the simulator's runs come to.
    "tests/data/same-bytes/hashes.txt",
)
EXPLORER = (*PAGE, "web/src/explorer/*", "web/src/explorer/path/*.ts")
INPUTS: dict[str, tuple[str, ...]] = {
    "cross": ("tests/data/papers/cross.txt",),
    **{
        f"{sweep}-{kind}": (f"{SWEEPS}/{sweep}.toml", "tools/docs/grid.csv")
        for sweep in ("default-grid", "irtf-tcpeval")
        for kind in ("regret", "pareto")
    },
    "map": (f"{SWEEPS}/map.toml", "tools/docs/grid.csv"),
    **{f"gauge-{kind}": ("tools/docs/gauge.csv",) for kind in ("regret", "frontier")},
    **dict.fromkeys(("explorer", "explorer-dark", "explorer-play"), EXPLORER),
    "explorer-map": (*EXPLORER, "web/src/explorer/maps/*.ts"),
    "explorer-captures": (*EXPLORER, "web/src/explorer/captures/*.ts"),
    "explorer-papers": (*EXPLORER, "web/src/explorer/papers/*.ts"),
    "report": (*PAGE, "web/src/report/*.ts"),
}
"""The files that each picture is made from; `demo.png` is in demo.py."""


def digest(name: str, root: pathlib.Path = ROOT) -> str:
    """The digest of a picture's inputs as they are now."""
    found = hashlib.sha256()
    files = {file for pattern in INPUTS[name] for file in root.glob(pattern) if file.is_file()}
    for file in sorted(files):
        found.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return found.hexdigest()


def stale(root: pathlib.Path = ROOT) -> list[str]:
    """The pictures whose inputs have changed since they were drawn."""
    return [name for name in INPUTS if _written(name) != digest(name, root)]


def write(name: str, value: str) -> None:
    """Writes the digest of its inputs into a picture."""
    file = IMAGES / f"{name}.png"
    with Image.open(file) as image:
        image.load()
        info = PngImagePlugin.PngInfo()
        info.add_text(KEY, value)
        image.save(file, pnginfo=info, optimize=True)


def _written(name: str) -> str | None:
    with Image.open(IMAGES / f"{name}.png") as image:
        return image.info.get(KEY)


if __name__ == "__main__":
    for prefix in sys.argv[1:]:
        for drawn in (name for name in INPUTS if name.startswith(prefix)):
            write(drawn, digest(drawn))
