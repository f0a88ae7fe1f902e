"""Builds the simulator in several ways and for two processors, and compares what they come to.

`make same-bytes` runs it: each build prints the hashes of `tests/data/same-bytes/scenarios.jsonl`,
which have to be those of `hashes.txt` beside it. With `--record` the release build writes that
file instead. With `--into PAGE` the table of what was run goes into that page.
"""

import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).parents[2]
HASHES = ROOT / "tests" / "data" / "same-bytes" / "hashes.txt"
ARM = "aarch64-unknown-linux-gnu"
ARM_LINKER = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
BEGIN, END = "<!-- same-bytes -->\n", "<!-- end of same-bytes -->\n"


@dataclass(frozen=True)
class Build:
    """A way to build the simulator."""

    name: str
    release: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)
    """What the profile has otherwise, as Cargo's environment variables name it."""
    arm: bool = False
    workers: tuple[int, ...] = (1,)


WITHOUT_LTO = {"LTO": "off", "CODEGEN_UNITS": "16"}
BUILDS = (
    Build("debug", release=False),
    Build("release", workers=(1, 8)),
    Build("release, LTO off", settings=WITHOUT_LTO, workers=(1, 8)),
    Build("release, opt-level 2, LTO off", settings={**WITHOUT_LTO, "OPT_LEVEL": "2"}),
    Build("release, opt-level 1, LTO off", settings={**WITHOUT_LTO, "OPT_LEVEL": "1"}),
    Build("release, opt-level s, LTO off", settings={**WITHOUT_LTO, "OPT_LEVEL": "s"}),
    Build("release", arm=True, workers=(1, 8)),
    Build("release, LTO off", settings=WITHOUT_LTO, arm=True),
)


class CannotRun(Exception):
    """Why a build cannot be made or run here, in a line."""


def target_folder() -> pathlib.Path:
    return pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def build(way: Build) -> list[str]:
    """Builds and returns the command that prints hashes."""
    environment = dict(os.environ)
    environment["CARGO_PROFILE_RELEASE_DEBUG"] = "0"
    for name, value in way.settings.items():
        environment[f"CARGO_PROFILE_RELEASE_{name}"] = value
    command = ["cargo", "build", "--quiet", "--package", "flowstart-benches", "--bin", "same_bytes"]
    command += ["--release"] if way.release else []
    folder = target_folder()
    run: list[str] = []
    if way.arm:
        folder /= ARM
        run = prepare_arm(environment)
        command += ["--target", ARM]
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        raise CannotRun("it cannot be built: see above")
    return [*run, str(folder / ("release" if way.release else "debug") / "same_bytes")]


def prepare_arm(environment: dict[str, str]) -> list[str]:
    """Has Cargo link for the other processor, and returns what runs its programs."""
    if platform.machine() in ("aarch64", "arm64"):
        return []
    for tool in (ARM_LINKER, EMULATOR):
        if shutil.which(tool) is None:
            raise CannotRun(f"there is no {tool} (Debian: gcc-aarch64-linux-gnu, qemu-user)")
    libraries = subprocess.run(
        ["rustc", "--print", "target-libdir", "--target", ARM],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    if not pathlib.Path(libraries).is_dir():
        raise CannotRun(f"there is no Rust for it (rustup target add {ARM})")
    environment["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER"] = ARM_LINKER
    # Linked statically, so that the emulator needs no libraries of the other processor.
    environment["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS"] = (
        "-C target-feature=+crt-static"
    )
    return [EMULATOR]


def hashes(command: list[str], workers: int) -> str:
    """What the program of a build prints."""
    done = subprocess.run(
        [*command, str(workers)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CannotRun(f"it ended with status {done.returncode}: {done.stderr.strip()[-200:]}")
    return done.stdout


def compared(found: str, recorded: str) -> str:
    """How many scenarios differ, in words."""
    now, then = found.splitlines(), recorded.splitlines()
    if now == then:
        return f"same ({len(now)} scenarios)"
    different = [line for line in now if line not in set(then)]
    names = [line.split(maxsplit=2)[-1] for line in different]
    return f"**{len(different)} differ**, the first: {', '.join(names[:3])}"


@dataclass(frozen=True)
class Row:
    """What came of a build with so many workers."""

    way: Build
    workers: str
    came: str
    seconds: float

    def __str__(self) -> str:
        processor = "aarch64" if self.way.arm else platform.machine()
        emulated = self.way.arm and platform.machine() not in ("aarch64", "arm64")
        where = f"{processor} ({EMULATOR})" if emulated else processor
        return f"| {self.way.name} | {where} | {self.workers} | {self.came} | {self.seconds:.1f} |"


def rows(way: Build, recorded: str) -> list[Row]:
    found = []
    try:
        command = build(way)
        for workers in way.workers:
            start = time.monotonic()
            came = compared(hashes(command, workers), recorded)
            found.append(Row(way, str(workers), came, time.monotonic() - start))
    except CannotRun as error:
        found.append(Row(way, "–", f"not run: {error}", 0.0))
    return found


def table(found: list[Row]) -> str:
    head = (
        "| build | processor | workers | rows and traces | s |\n| --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(f"{row}\n" for row in found)


def write_into(page: pathlib.Path, text: str) -> None:
    """Puts the table between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write hashes.txt anew")
    parser.add_argument("--into", type=pathlib.Path, metavar="PAGE", help="write the table there")
    wanted = parser.parse_args()
    if wanted.record:
        HASHES.write_text(hashes(build(Build("release")), 8), encoding="utf-8")
        return 0
    recorded = HASHES.read_text(encoding="utf-8")
    found: list[Row] = []
    for way in BUILDS:
        found += rows(way, recorded)
        print(*found[-len(way.workers) :], sep="\n", flush=True)
    if wanted.into:
        write_into(wanted.into, table(found))
    return int(any("differ" in row.came or "cannot be built" in row.came for row in found))


if __name__ == "__main__":
    sys.exit(main())
