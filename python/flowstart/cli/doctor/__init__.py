"""`flowstart doctor`: what is installed here, whether it works, and what the machine permits."""

from typing import Any

import typer

from flowstart.cli import console, options

_SHORT = ("flowstart", "built", "Python", "live stacks", "does not permit", "self-check")
"""Parts that are listed without `--details`, next to those that are missing."""
_PERMITS = {
    "processes_for_startups_in_python": "processes for startups in Python",
    "temporary_files": "temporary files",
    "a_port_on_the_loopback": "a port on the loopback",
    "fine_clocks": "fine clocks",
    "live_runs_in_the_kernel": "live runs in the kernel",
}


def doctor(details: options.Details = False, json: options.Json = False) -> None:
    """Check the installation and what this machine permits.

    Exit status: 0 if everything that a comparison needs works, otherwise 1 with a remedy.
    """
    from flowstart.cli.doctor import installed, machine, self_check

    found: dict[str, Any] = {
        "build": installed.build(),
        "packages": installed.packages(),
        "extras": installed.extras(),
        "page": installed.page(),
        "machine": machine.machine(),
        "permits": machine.permits(),
        "terminal": machine.terminal(),
        "self_check": self_check.checked(),
    }
    found["problems"] = _problems(found)
    if json:
        console.show_json(found)
    else:
        _show(found, details=details)
    raise typer.Exit(1 if found["problems"] else 0)


def _problems(found: dict[str, Any]) -> list[str]:
    """What keeps a comparison from working, with what to do; empty where nothing does."""
    problems = []
    for name, version in found["packages"].items():
        if version is None:
            problems.append(f"{name} is missing: pip install {name}")
    if not found["permits"]["temporary_files"]:
        problems.append("no temporary file can be written: set TMPDIR to a folder in which one can")
    if found["self_check"]["error"]:
        problems.append(f"self-check: {found['self_check']['error']}")
    return problems


def _show(found: dict[str, Any], *, details: bool) -> None:
    from flowstart.render.grid import Column, Grid

    for problem in found["problems"]:
        console.show_text(f"To do: {problem}", console.PLAIN_LINE)
    if not found["problems"]:
        console.say("Everything that a comparison needs works.")
    grid = Grid([Column("part", number=False), Column("found", number=False)])
    rows = [[name, value] for name, value in _rows(found)]
    missing = [f"extra {name}" for name, one in found["extras"].items() if one["missing"]]
    missing += [] if found["page"] else ["page"]
    grid.rows = rows if details else [row for row in rows if row[0] in (*_SHORT, *missing)]
    console.show_grid(grid, console.PLAIN_LINE)
    if not details:
        console.say("All parts: --details")


def _rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """All that was found in words, a line each."""
    build, machine, permits, terminal, check = (
        found[name] for name in ("build", "machine", "permits", "terminal", "self_check")
    )
    memory = machine["memory_bytes"]
    known = [f"{name} {version or 'missing'}" for name, version in found["packages"].items()]
    can = [_PERMITS[name] for name, may in permits.items() if may]
    cannot = [_PERMITS[name] for name, may in permits.items() if not may]
    return [
        ("flowstart", f"{build['version']} in {build['place']}"),
        ("built", f"commit {build['commit'] or 'unknown'}, {build['profile']}, {build['target']}"),
        ("Python", f"{build['python']} in {machine['python']}"),
        ("packages", ", ".join(known)),
        *((f"extra {name}", _extra(one)) for name, one in found["extras"].items()),
        ("page", "built" if found["page"] else "not built: explore and scripts of reports need it"),
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


def _extra(one: dict[str, Any]) -> str:
    if not one["missing"]:
        return f"installed: {one['gives']}"
    return f"missing {', '.join(one['missing'])}, for {one['gives']}: {one['install']}"
