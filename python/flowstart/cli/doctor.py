"""`flowstart doctor`: what is installed here, whether it works, and what the machine permits."""

import hashlib
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from typing import Annotated, Any, TypeAlias

from flowstart import _native
from flowstart import extras as extras_of
from flowstart.cli import bundle as bundles
from flowstart.cli import console, flags
from flowstart.errors import RequestError
from flowstart.questions.option import Option


def facts() -> dict[str, Any]:
    """The version and the facts of the build, as JSON types."""
    import platform

    from flowstart import _native

    built = _native.build_facts()
    return {
        "version": _native.version(),
        "commit": built["commit"],
        "rust": built["rust"],
        "profile": built["profile"],
        "target": built["target"],
        "stable_abi": built["stable_abi"],
        "live_stacks": list(_native.BUILT_LIVE_STACKS),
        "python": platform.python_version(),
    }


def lines() -> list[str]:
    """The same for a person: the version by itself, then the build."""
    about = facts()
    commit = f"commit {about['commit']}" if about["commit"] else "no commit known"
    abi = "abi3" if about["stable_abi"] else "this Python's ABI"
    return [
        f"flowstart {about['version']}",
        f"{commit}, rustc {about['rust']}, {about['profile']}, {about['target']}, {abi}",
        f"live stacks {', '.join(about['live_stacks'])}; Python {about['python']}",
    ]


GIVES: dict[extras_of.Extra, str] = {
    "plot": "figures",
    "explore": "the page of `flowstart explore`",
    "dask": "sweeps on a cluster (`flowstart sweep --dask`)",
    "papers": "the pages of `flowstart papers -o`",
    "tuning": "`make gauge-tune`",
}
"""What each extra is for."""
CORE = ("numpy", "polars", "rich", "cyclopts")
"""Without these nothing works."""


def build() -> dict[str, Any]:
    """The version and the facts of the build, and where the package is."""
    return facts() | {"place": str(pathlib.Path(__file__).parents[2])}


def packages() -> dict[str, str | None]:
    """The versions of what the core needs; None for what is missing."""
    return {name: _version(name) for name in CORE}


def extras() -> dict[str, dict[str, Any]]:
    """For each extra what it gives, which of its packages are missing, and how to install it."""
    return {
        extra: {
            "gives": gives,
            "missing": extras_of.missing(extra),
            "install": extras_of.how_to_install(extra),
        }
        for extra, gives in GIVES.items()
    }


def page() -> bool:
    """Whether the explorer's page and the script of reports are there."""
    spec = importlib.util.find_spec("flowstart.render")
    locations = spec.submodule_search_locations if spec else None
    return any(any(pathlib.Path(location, "page").glob("*.js")) for location in locations or ())


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


KERNEL = "linux"
"""The kernel's TCP among the live stacks."""
FINE_S = 1e-3
"""A clock with steps below this serves live runs in real time."""


def machine() -> dict[str, Any]:
    """Its system, cores, memory in bytes, and Python."""
    from flowstart.simulation import batch
    from flowstart.simulation.limits import memory_of_machine

    return {
        "system": sys.platform,
        "cores": batch.cores(),
        "memory_bytes": memory_of_machine(),
        "python": sys.executable,
    }


def permits() -> dict[str, bool]:
    """What programs may do here, by what of flowstart needs it."""
    from flowstart.simulation import batch

    return {
        "processes_for_startups_in_python": batch.may_use_processes(),
        "temporary_files": _succeeds(_write),
        "a_port_on_the_loopback": _succeeds(_listen),
        "fine_clocks": time.get_clock_info("monotonic").resolution < FINE_S,
        **_kernel(),
    }


def _kernel() -> dict[str, bool]:
    """Whether startups may drive the kernel, in a build that has what that takes."""
    if KERNEL not in _native.BUILT_LIVE_STACKS:
        return {}
    return {"live_runs_in_the_kernel": _native.live_prohibition(KERNEL, True) is None}


def terminal() -> dict[str, Any]:
    """Its width, whether it shows colours, and its encoding."""
    return {
        "width": shutil.get_terminal_size().columns,
        "colour": _colour(),
        "encoding": (sys.stdout.encoding or "unknown").lower(),
    }


def _colour() -> str:
    if "NO_COLOR" in os.environ:
        return "off (NO_COLOR)"
    if not sys.stdout.isatty():
        return "off (no terminal)"
    return "off (TERM=dumb)" if os.environ.get("TERM") == "dumb" else "on"


def _write() -> None:
    with tempfile.TemporaryFile() as file:
        file.write(b"x")


def _listen() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()


def _succeeds(attempt: Callable[[], None]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


SCENARIO = {
    "path": {"rate": "10Mbps", "rtt": "40ms", "buffer": "50pkt", "loss": 0.01},
    "stack": {"preset": "rfc"},
    "flows": [
        {"startup": "slow-start", "size": "300kB"},
        {"startup": "hystart-plus-plus", "size": "300kB", "start": "10ms"},
        {"startup": "jump-start", "size": "100kB", "start": "1s"},
    ],
}
"""Losses, a shared queue and three startups."""
TABLES = ("flows", "links")
KNOWN = "037b4352ab0814ebebdf6d3b3741ad84a8c617528334f5a30c76ae8be92f5629"
"""The SHA-256 of its tables; another one after a change of results, which
tests/python/test_doctor.py then prints."""


def checked() -> dict[str, Any]:
    """Whether the run comes to what is known, why not, and how long it took."""
    began = time.perf_counter()
    problem = _problem()
    return {"error": problem, "seconds": time.perf_counter() - began}


def _problem() -> str | None:
    try:
        computed = digest()
    except Exception as error:  # noqa: BLE001 # whatever is wrong here is what is asked
        return f"{type(error).__name__}: {error}"
    if computed == KNOWN:
        return None
    return (
        f"a run came to {computed[:12]} and not to {KNOWN[:12]}: this build gives wrong results; "
        "install another, and report it with the lines above"
    )


def digest() -> str:
    """The SHA-256 of the tables of the run."""
    from flowstart.simulation import frames

    outcome = _native.run(json.dumps(SCENARIO))
    tables = {name: frames.rows(outcome[name]) for name in TABLES}  # type: ignore[literal-required]
    return hashlib.sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()


_SHORT = ("flowstart", "built", "Python", "live stacks", "does not permit", "self-check")
"""Parts that are listed without `--details`, next to those that are missing."""
_PERMITS = {
    "processes_for_startups_in_python": "processes for startups in Python",
    "temporary_files": "temporary files",
    "a_port_on_the_loopback": "a port on the loopback",
    "fine_clocks": "fine clocks",
    "live_runs_in_the_kernel": "live runs in the kernel",
}


Bundle: TypeAlias = Annotated[
    str | None, Option("File with what a bug report needs, without private names.", "FILE.zip")
]
BundledScenario: TypeAlias = Annotated[
    str | None, Option("Scenario or sweep file to add to the bundle.", "FILE")
]


def doctor(
    details: flags.Details = False,
    json: flags.Json = False,
    bundle: Bundle = None,
    scenario: BundledScenario = None,
) -> int:
    """Check the installation and what this machine permits.

    Exit status: 0 if everything that a comparison needs works, otherwise 1 with a remedy.

    A bundle has the versions, limits and settings of this machine, the scenario, and the last
    error under FLOWSTART_DEBUG=1. Addresses, host names, user names and paths of home folders
    are replaced.
    """
    if bundle is not None:
        bundles.check(bundle, scenario)
    elif scenario is not None:
        raise RequestError("--scenario: it has no meaning without --bundle")
    report: dict[str, Any] = {
        "build": build(),
        "packages": packages(),
        "extras": extras(),
        "page": page(),
        "machine": machine(),
        "permits": permits(),
        "terminal": terminal(),
        "self_check": checked(),
    }
    report["problems"] = _problems(report)
    if json:
        console.show_json(report)
    else:
        _show(report, details=details)
    if bundle is not None:
        names = bundles.write(bundle, report, scenario)
        console.note(f"{bundle} has {', '.join(names)}: read them before you send it")
    return 1 if report["problems"] else 0


def _problems(report: dict[str, Any]) -> list[str]:
    """What keeps a comparison from working, with what to do; empty where nothing does."""
    problems = []
    for name, version in report["packages"].items():
        if version is None:
            problems.append(f"{name} is missing: pip install {name}")
    if not report["permits"]["temporary_files"]:
        problems.append("no temporary file can be written: set TMPDIR to a folder in which one can")
    if report["self_check"]["error"]:
        problems.append(f"self-check: {report['self_check']['error']}")
    return problems


def _show(report: dict[str, Any], *, details: bool) -> None:
    from flowstart.render.grid import Column, Grid

    for problem in report["problems"]:
        console.show_text(f"To do: {problem}", console.PLAIN_LINE)
    if not report["problems"]:
        console.say("Everything that a comparison needs works.")
    grid = Grid([Column("part", number=False), Column("found", number=False)])
    rows = [[name, value] for name, value in _rows(report)]
    missing = [f"extra {name}" for name, extra in report["extras"].items() if extra["missing"]]
    missing += [] if report["page"] else ["page"]
    grid.rows = rows if details else [row for row in rows if row[0] in (*_SHORT, *missing)]
    console.show_grid(grid, console.PLAIN_LINE)
    if not details:
        console.say("All parts: --details")


def _rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """All that was found in words, a line each."""
    build, machine, permits, terminal, check = (
        report[name] for name in ("build", "machine", "permits", "terminal", "self_check")
    )
    memory = machine["memory_bytes"]
    page = "built" if report["page"] else "not built: explore and scripts of reports need it"
    known = [f"{name} {version or 'missing'}" for name, version in report["packages"].items()]
    can = [_PERMITS[name] for name, may in permits.items() if may]
    cannot = [_PERMITS[name] for name, may in permits.items() if not may]
    return [
        ("flowstart", f"{build['version']} in {build['place']}"),
        ("built", f"commit {build['commit'] or 'unknown'}, {build['profile']}, {build['target']}"),
        ("Python", f"{build['python']} in {machine['python']}"),
        ("packages", ", ".join(known)),
        *((f"extra {name}", _extra(extra)) for name, extra in report["extras"].items()),
        ("page", page),
        ("live stacks", ", ".join(build["live_stacks"]) or "none; `make live` adds noq and quinn"),
        ("cores", str(machine["cores"])),
        ("memory", "unknown" if memory is None else f"{memory / 1e9:.3g} GB"),
        ("permits", ", ".join(can)),
        *([("does not permit", ", ".join(cannot))] if cannot else []),
        (
            "terminal",
            ", ".join(
                [
                    f"{terminal['width']} columns",
                    f"colour {terminal['colour']}",
                    terminal["encoding"],
                ]
            ),
        ),
        ("self-check", check["error"] or f"the known result, in {check['seconds']:.2g} s"),
    ]


def _extra(extra: dict[str, Any]) -> str:
    if not extra["missing"]:
        return f"installed: {extra['gives']}"
    return f"missing {', '.join(extra['missing'])}, for {extra['gives']}: {extra['install']}"
