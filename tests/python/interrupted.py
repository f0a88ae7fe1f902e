"""Commands that are interrupted or killed at random moments, and what that leaves.

    python tests/python/interrupted.py --moments 50 [COMMAND ...]

Each command runs in a session, a temporary folder and a folder of its own, so whatever it leaves
behind is found there.
"""

import argparse
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO

import polars as pl

MOST_S = 1.0
"""From Ctrl-C to the end, without what the process waits for a processor."""
LONGEST_S = 20.0
"""Moments are drawn from the time that a command takes, or from so much of it."""
LEAVES_S = 3.0
"""So long after a kill nothing is running any more."""
WRONG = ("Traceback", "defect", "panicked", "Exception ignored", "Error:")
BEFORE = ("Fatal Python error: init_", "_get_module_details")
"""Where Python is before the command has begun, and reports Ctrl-C in its own words."""
STATES = {"complete", "pictures-pending", "interrupted"}
SWEEP = """seeds = 2
startups = ["slow-start", "hystart", "search"]
[path]
rate = { log = ["1Mbps", "100Mbps"] }
rtt = { log = ["5ms", "300ms"] }
buffer = ["0.5bdp", "1bdp"]
[flow]
size = ["100kB", "1MB"]
[sample]
paths = %d
seed = 1
"""
SCENARIO = """path = {rate = "1Gbps", rtt = "50ms"}
flows = [{size = "4GB"}]
"""
STARTUP = '''"""A startup in Python."""

import flowstart as fs


class Mine(fs.Startup):
    def on_ack(self, w, a):
        w.cwnd += w.segments(a.acked)
'''


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str
    seconds: float
    """Since it was interrupted, without what it waited for a processor."""


@dataclass
class Place:
    """The folders of one command."""

    path: pathlib.Path
    given: pathlib.Path
    """Files that commands read."""

    def __post_init__(self) -> None:
        for name in ("work", "tmp", "cache"):
            (self.path / name).mkdir(parents=True)

    @property
    def work(self) -> pathlib.Path:
        """Where results go."""
        return self.path / "work"

    @property
    def results(self) -> pathlib.Path:
        """The folder of `-o`."""
        return self.work / "out"


@dataclass(frozen=True)
class Command:
    """A command that takes long, and what its results are."""

    words: tuple[str, ...]
    is_sweep: bool = False
    """Its folder goes on where it was."""
    leaves: tuple[str, ...] = field(default=("out",))
    """What it may leave in its folder."""


COMPARED = ("--rate", "20Mbps", "--rtt", "50ms", "--startup", "slow-start,hystart,jump-start")
COMMANDS = {
    "compare": Command(
        (
            "compare",
            *COMPARED,
            "--no-uncertainty",
            "--size",
            "100kB,5MB",
            "--repeat",
            "30",
            "-o",
            "out",
        )
    ),
    "compare-ranges": Command(
        ("compare", *COMPARED, "--loss", "1%", "--size", "100kB,5MB", "-o", "out")
    ),
    "compare-json": Command(
        ("compare", *COMPARED, "--size", "100kB,50MB", "--repeat", "9", "--json")
    ),
    "compare-python": Command(
        (
            *("compare", "--rate", "20Mbps", "--rtt", "50ms", "--startup", "{given}/mine.py:Mine"),
            *("--size", "1MB", "--repeat", "40", "--workers", "2", "-o", "out"),
        )
    ),
    "run": Command(("run", "{given}/long.toml", "--trace", "-o", "out")),
    "replay": Command(
        ("replay", "{given}/log.csv", "--startup", "slow-start,hystart", "-o", "out")
    ),
    "sweep": Command(("sweep", "{given}/sweep.toml", "-o", "out", "--yes"), is_sweep=True),
    "sweep-here": Command(
        ("sweep", "{given}/sweep.toml", "-o", "out", "--yes", "--workers", "1"), is_sweep=True
    ),
    "sweep-python": Command(
        ("sweep", "{given}/python.toml", "-o", "out", "--yes", "--allow-python"), is_sweep=True
    ),
    "map": Command(("map", "{given}/swept", "-o", "out")),
    "worst": Command(("worst", "hystart", "--runs", "400", "-o", "out")),
    "capture": Command(("capture", "{given}/log.csv", "-o", "out")),
    "papers-run": Command(
        ("papers", "run", "QS-T1", "MSS-F2", "--cache", "cache", "-o", "out"),
        leaves=("out", "cache"),
    ),
    "papers-cross": Command(
        ("papers", "cross", "--cache", "cache", "-o", "out"), leaves=("out", "cache")
    ),
    "explore": Command(("explore", "--no-open"), leaves=()),
}


def prepared(folder: pathlib.Path, rows: int = 60_000, paths: int = 400) -> pathlib.Path:
    """A folder with the files that commands read."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(1)
    lines = ["msec,remote_addr,body_bytes_sent,tcpinfo_rtt,request_time"]
    at = 1_700_000_000.0
    for _ in range(rows):
        at += chance.expovariate(20)
        size, rtt = int(chance.lognormvariate(10, 1.5)) + 100, chance.uniform(0.01, 0.2)
        peer = f"10.{chance.randrange(4)}.{chance.randrange(100)}.{chance.randrange(250)}"
        lines.append(f"{at:.3f},{peer},{size},{rtt * 1e6:.0f},{2 * rtt + size * 8e-7:.3f}")
    (folder / "log.csv").write_text("\n".join(lines) + "\n")
    (folder / "mine.py").write_text(STARTUP)
    (folder / "long.toml").write_text(SCENARIO)
    (folder / "sweep.toml").write_text(SWEEP % (5 * paths))
    mine = json.dumps(f"{folder}/mine.py:Mine")
    (folder / "python.toml").write_text((SWEEP % (paths // 4)).replace('"search"', mine))
    (folder / "small.toml").write_text(SWEEP % paths)
    for words in (
        ("sweep", str(folder / "small.toml"), "-o", str(folder / "swept"), "--yes"),
        ("compare", *COMPARED, "--size", "10kB", "-o", str(folder / "compared")),
    ):
        command = [sys.executable, "-m", "flowstart", *words]
        subprocess.run(command, check=True, capture_output=True, env=_environment(folder))
    return folder


def _environment(given: pathlib.Path) -> dict[str, str]:
    """With compiled modules, as where it is installed: otherwise most time goes to imports."""
    cache = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(given / "pycache")}
    return os.environ | cache


def _heeding() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Running:
    """A command that is under way."""

    def __init__(self, command: Command, place: Place) -> None:
        self.place = place
        words = [word.format(given=place.given) for word in command.words]
        self.out, self.err = (tempfile.TemporaryFile() for _ in range(2))  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "flowstart", *words],
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            cwd=place.work,
            env=_environment(place.given) | {"TMPDIR": str(place.path / "tmp")},
            start_new_session=True,
            preexec_fn=_heeding,
        )

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    def ends_within(self, seconds: float) -> bool:
        """Whether it ends within so long; it stays as a zombie."""
        until = time.monotonic() + seconds
        how = os.WEXITED | os.WNOWAIT | os.WNOHANG
        while os.waitid(os.P_PID, self.pid, how) is None:
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def interrupted(self) -> Ended:
        """How it ends after Ctrl-C."""
        waited, began = self._waited_s(), time.monotonic()
        self.process.send_signal(signal.SIGINT)
        self.ends_within(120)
        seconds = time.monotonic() - began - (self._waited_s() - waited)
        return self.ended(seconds)

    def ended(self, seconds: float = 0.0) -> Ended:
        """How it has ended."""
        status = self.process.wait(120)
        # Before Python has begun, and after it has ended, the signal ends the process by itself,
        # which a shell shows as the same number.
        status = 128 + signal.SIGINT if status == -signal.SIGINT else status
        return Ended(status, _read(self.out), _read(self.err), seconds)

    def _waited_s(self) -> float:
        """What it has waited for a processor, on a machine that does other things as well."""
        return int(pathlib.Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9

    def others(self) -> list[int]:
        """The processes of its session but itself."""
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, _, session, *_ = stat.read_text().rpartition(")")[2].split()
                number = int(stat.parent.name)
                if int(session) == self.pid and state != "Z" and number != self.pid:
                    found.append(number)
        return found

    def left(self) -> list[int]:
        """Processes that are running some time after its end."""
        until = time.monotonic() + LEAVES_S
        while (found := self.others()) and time.monotonic() < until:
            time.sleep(0.01)
        return found


def _read(file: IO[bytes]) -> str:
    with file:
        file.seek(0)
        return file.read().decode()


def faults(command: Command, running: Running, ended: Ended) -> Iterator[str]:
    """What is wrong about the end of a command."""
    if any(place in ended.err for place in BEFORE):
        return
    if ended.status not in (0, 130):
        yield f"status {ended.status}"
    if ended.seconds > MOST_S:
        yield f"{ended.seconds:.2f} s to the end"
    yield from unwanted(running, ended)
    yield from stray(command, running.place)
    yield from damage(running.place)


def unwanted(running: Running, ended: Ended) -> Iterator[str]:
    """Words that no user is to see, and processes that are left."""
    for word in WRONG:
        if word in ended.err:
            yield f"it says {word}: {ended.err[-2000:]}"
    for number in running.left():
        yield f"process {number} is left"


def stray(command: Command, place: Place) -> Iterator[str]:
    """Files that are left where none should be."""
    for file in (place.path / "tmp").iterdir():
        yield f"a temporary file is left: {file.name}"
    for file in place.work.iterdir():
        if file.name not in command.leaves:
            yield f"a file is left: {file.name}"


def damage(place: Place) -> Iterator[str]:
    """Results that cannot be read, or are not marked for what they are."""
    manifest = place.results / "manifest.json"
    if place.results.is_dir() and (place.results / "parts").is_dir():
        for part in (place.results / "parts").glob("*.parquet"):
            pl.read_parquet(part, glob=False)
        return
    if not place.results.exists():
        return
    document = json.loads(manifest.read_text())
    if document["state"] not in STATES:
        yield f"state {document['state']}"
    for file in document["files"]:
        content = (place.results / file["name"]).read_bytes()
        if hashlib.sha256(content).hexdigest() != file["sha256"]:
            yield f"{file['name']} is not what the manifest says"
        if file["name"].endswith(".json"):
            json.loads(content)
        if file["name"].endswith(".parquet"):
            pl.read_parquet(content)


@contextlib.contextmanager
def placed(given: pathlib.Path) -> Iterator[Place]:
    """A place for one command."""
    with tempfile.TemporaryDirectory(prefix="interrupted-") as folder:
        yield Place(pathlib.Path(folder) / "place", given)


@functools.cache
def duration_s(name: str, given: pathlib.Path, longest_s: float) -> float:
    """How long a command takes that nothing interrupts, as far as that matters."""
    with placed(given) as place:
        running, began = Running(COMMANDS[name], place), time.monotonic()
        running.ends_within(2.0 if name == "explore" else longest_s)
        running.process.kill()
        taken = time.monotonic() - began
        running.ended()
        running.left()
        return taken


def interrupt(name: str, given: pathlib.Path, at_s: float) -> tuple[Ended, list[str]]:
    """A command that is interrupted so long after its start, and what is wrong about it."""
    with placed(given) as place:
        running = Running(COMMANDS[name], place)
        ended = running.ended() if running.ends_within(at_s) else running.interrupted()
        return ended, list(faults(COMMANDS[name], running, ended))


def kill(name: str, given: pathlib.Path, at_s: float, *, child: bool) -> tuple[Ended, list[str]]:
    """The same where the command is killed, or a process that it has started."""
    with placed(given) as place:
        running = Running(COMMANDS[name], place)
        if not running.ends_within(at_s):
            others = running.others()
            with contextlib.suppress(ProcessLookupError):
                if not child:
                    running.process.kill()
                elif others:
                    os.kill(others[-1], signal.SIGKILL)
            if child and not running.ends_within(2.0):
                running.process.send_signal(signal.SIGINT)
        ended = running.ended()
        return ended, [*unwanted(running, ended), *damage(place)]


def moments(
    name: str, given: pathlib.Path, count: int, longest_s: float = LONGEST_S
) -> Iterator[float]:
    """When a command is interrupted: the same moments for the same name and time that it takes."""
    chance, longest = random.Random(name), duration_s(name, given, longest_s)
    return (chance.uniform(0, longest) for _ in range(count))


def main() -> int:
    """Interrupts commands and prints what that came to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--moments", type=int, default=50)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--longest", type=float, default=LONGEST_S, metavar="SECONDS")
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS))
    asked = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="interrupted-") as folder:
        given = prepared(pathlib.Path(folder) / "given", asked.rows)
        for name in asked.commands:
            longest, statuses = 0.0, dict[int, int]()
            tries: list[tuple[str, Callable[[float], tuple[Ended, list[str]]], int]] = [
                ("Ctrl-C", functools.partial(interrupt, name, given), asked.moments),
                ("kill", functools.partial(kill, name, given, child=False), asked.kills),
                ("kill a child", functools.partial(kill, name, given, child=True), asked.kills),
            ]
            for how, attempt, count in tries:
                for at_s in moments(name, given, count, asked.longest):
                    ended, wrong = attempt(at_s)
                    longest = max(longest, ended.seconds)
                    statuses[ended.status] = statuses.get(ended.status, 0) + 1
                    failed += bool(wrong)
                    for one in wrong:
                        print(f"{name}: {how} after {at_s:.3f} s: {one}", flush=True)
            print(f"{name}: {longest:.2f} s at most, statuses {statuses}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
