"""Installs the wheel of this machine as a stranger would, and asks it the first two questions.

A new virtual environment, no Rust on the path, nothing of the checkout but the wheel and a capture.
It fails where a command does, where the core is larger than `LARGEST_MB`, and where all of it takes
longer than `--seconds`. `make test-wheel` runs it after `make wheels`.
"""

import argparse
import importlib.metadata
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import venv

ROOT = pathlib.Path(__file__).parents[1]
CAPTURE = ROOT / "tests/data/captures/web-mix.pcap.gz"
LARGEST_MB = 300
"""What an installation of the core may put into an environment, in millions of bytes."""
BROUGHT = ("pip", "setuptools")
"""What an environment has before."""
COMPARE = ("compare", "--rate", "50Mbps", "--rtt", "80ms", "--size", "1MB")
REFUSED = ("papers", "run", "QS-T1", "-o", "refused")
SENTENCE = "papers run -o needs matplotlib: install it with `pip install matplotlib`"


class Stranger:
    """A folder with a virtual environment, and a path on which there is no Rust."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.began = time.monotonic()
        venv.create(folder / "venv", with_pip=True)
        self.bin = folder / "venv" / "bin"
        rust = ("cargo", "rustc", "maturin")
        places = os.environ["PATH"].split(os.pathsep)
        kept = [p for p in places if not any(shutil.which(name, path=p) for name in rust)]
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "CARGO", "RUST", "VIRTUAL_ENV"))
        } | {"PATH": os.pathsep.join([str(self.bin), *kept])}

    def run(self, *words: str, status: int = 0) -> str:
        """Runs a program of the environment, and returns what it says on stderr."""
        done = subprocess.run(
            [self.bin / words[0], *words[1:]],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        print(f"{time.monotonic() - self.began:6.1f} s  {' '.join(words)}", flush=True)
        if done.returncode != status:
            raise SystemExit(
                f"exit status {done.returncode} where {status} is right: {done.stderr}"
            )
        return done.stderr

    def megabytes(self) -> dict[str, float]:
        """What each distribution takes, bytecode included, in millions of bytes."""
        (site,) = (self.folder / "venv").glob("lib/python*/site-packages")
        found = {}
        for each in importlib.metadata.distributions(path=[str(site)]):
            files = [pathlib.Path(str(each.locate_file(file))) for file in each.files or ()]
            size = sum(file.stat().st_size for file in files if file.is_file())
            found[each.metadata["Name"]] = size / 1e6
        return {name: size for name, size in found.items() if name not in BROUGHT}


def wheel(folder: pathlib.Path) -> pathlib.Path:
    """The wheel for this machine's processor."""
    mine = (platform.machine(), "universal2")
    found = [
        file for file in sorted(folder.glob("flowstart-*-abi3-*.whl")) if file.stem.endswith(mine)
    ]
    if len(found) != 1:
        raise SystemExit(f"{folder}: {len(found)} wheels for {platform.machine()}; `make wheels`")
    return found[0].resolve()


def ask(stranger: Stranger) -> None:
    """The first two questions, and one that needs an extra."""
    stranger.run("flowstart", *COMPARE)
    said = stranger.run("flowstart", "replay", str(CAPTURE), "-o", "demo")
    if "pip install matplotlib" not in said or not (stranger.folder / "demo/report.html").is_file():
        raise SystemExit(f"a folder without figures, and a line that says so, were wanted: {said}")
    if SENTENCE not in stranger.run("flowstart", *REFUSED, status=2):
        raise SystemExit(f"wanted: {SENTENCE}")


def main() -> None:
    """Installs, asks and measures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="all of it may take [60]")
    parser.add_argument("--dist", type=pathlib.Path, default=ROOT / "dist", help="[dist]")
    asked = parser.parse_args()
    file = wheel(asked.dist)
    with tempfile.TemporaryDirectory() as folder:
        stranger = Stranger(pathlib.Path(folder))
        stranger.run("pip", "install", "--quiet", str(file))
        ask(stranger)
        seconds = time.monotonic() - stranger.began
        sizes = stranger.megabytes()
    whole = sum(sizes.values())
    for name, size in sorted(sizes.items(), key=lambda each: -each[1])[:6]:
        print(f"{size:6.1f} MB {name}")
    print(f"{whole:6.1f} MB in all, of at most {LARGEST_MB}")
    print(f"{seconds:6.1f} s in all, of at most {asked.seconds:g}")
    if whole > LARGEST_MB or seconds > asked.seconds:
        sys.exit(1)


if __name__ == "__main__":
    main()
