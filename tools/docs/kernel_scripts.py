"""Packetdrill scripts on this machine's kernel, each in a network namespace of its own.

python tools/docs/kernel_scripts.py            # which scripts hold, and when timers fire
python tools/docs/kernel_scripts.py --write    # records the times (tests/data/linux/timers.csv)

Needs root, `packetdrill` (google/packetdrill) in PATH, and CUBIC among
net.ipv4.tcp_allowed_congestion_control. Takes some six minutes.
"""

import csv
import io
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
TESTS = ROOT / "crates/packetdrill/tests"
RECORD = ROOT / "tests/data/linux/timers.csv"
RTTS = (1, 5, 20, 50, 100, 200, 300, 400, 600)
"""Round trips of the scripts of timers, in milliseconds."""
LATER = 30.0
"""Seconds after which the segment is expected: the error then has the time at which it came."""
SETTINGS = {
    "net.ipv4.tcp_congestion_control": "cubic",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_ecn": "0",
    "net.ipv4.tcp_wmem": "4096 262144 4194304",
    "net.ipv4.tcp_rmem": "4096 540000 15728640",
}
TIMING = re.compile(r"expected outbound packet at ([\d.]+) sec but happened at ([\d.]+) sec")


class KernelError(Exception):
    """The scripts cannot run here."""


def fill(template: str, rtt_ms: int, due: str) -> str:
    """A script of timers for this round trip, whose last segment is expected then."""
    seconds = rtt_ms / 1000
    values = {"rtt": seconds, "half": seconds / 2, "twice": 2 * seconds}
    for name, value in values.items():
        template = template.replace(f"{{{name}}}", f"{value:g}")
    return template.replace("{due}", due)


def run(script: pathlib.Path) -> str:
    """Runs a script on the kernel. Returns its problem; empty where it holds."""
    commands = ["ip link set lo up"]
    commands += [f"sysctl -q -w {name}='{value}'" for name, value in SETTINGS.items()]
    commands += [f"exec packetdrill --tolerance_usecs=15000 {script}"]
    shell = ["unshare", "--net", "sh", "-e", "-c", "\n".join(commands)]
    done = subprocess.run(shell, capture_output=True, text=True, timeout=90)
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip()


def waited(template: pathlib.Path, rtt_ms: int) -> float:
    """Seconds after which the kernel sent the last segment of a script of timers."""
    with tempfile.NamedTemporaryFile("w", suffix=".pkt") as file:
        file.write(fill(template.read_text(), rtt_ms, f"{LATER:g}"))
        file.flush()
        problem = run(pathlib.Path(file.name))
    timing = TIMING.search(problem)
    if timing is None:
        raise KernelError(f"{template.name} at {rtt_ms} ms: {problem}")
    expected, came = map(float, timing.groups())
    return came - (expected - LATER)


def timers() -> list[tuple[str, int, float]]:
    """Script, round trip in milliseconds and the kernel's wait: the least of three runs."""
    return [
        (template.stem, rtt, min(waited(template, rtt) for _ in range(3)))
        for template in sorted((TESTS / "timers").glob("*.pkt"))
        for rtt in RTTS
    ]


def record(rows: list[tuple[str, int, float]]) -> str:
    """The rows as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["script", "rtt_ms", "wait_s"])
    writer.writerows((script, rtt, f"{wait:.4f}") for script, rtt, wait in rows)
    return text.getvalue()


def main() -> None:
    """Prints what holds, and the times."""
    if shutil.which("packetdrill") is None:
        raise KernelError("no `packetdrill` in PATH; build it from google/packetdrill")
    scripts = sorted((TESTS / "scripts").glob("*.pkt"))
    problems = {script.name: run(script) for script in scripts}
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    held = sum(not problem for problem in problems.values())
    print(f"Linux {platform.release()}: {held} of {len(scripts)} scripts hold")
    rows = timers()
    for script, rtt, wait in rows:
        print(f"{script:14} {rtt:4} ms: {1000 * wait:6.1f} ms")
    if "--write" in sys.argv:
        RECORD.write_text(record(rows))
    if held < len(scripts):
        raise SystemExit(1)


if __name__ == "__main__":
    try:
        main()
    except KernelError as error:
        raise SystemExit(f"kernel_scripts.py: {error}") from None
