"""The pages of the Python interface: every public name of the package, with its docstring."""

FOLDER = "api"
GROUPS = {
    "Runs": ("run", "Run", "run_many", "RunBatch", "StoredRun"),
    "Comparisons": (
        "compare", "Comparison", "Variant", "LiveComparison", "live_load", "LiveLoad",
    ),
    "Captures": ("read_capture", "Capture", "replay", "Replay", "verify", "Verification"),
    "Production": (
        "collect", "Collection", "kernel_load", "kernel_status", "kernel_unload", "KernelStartup",
    ),
    "Gate": ("gate_record", "GateBase", "gate_check", "GateResult"),
    "Sweeps and maps": (
        "sweep", "Sweep", "SweepResult", "Estimate", "Cell", "SweepMap", "find_worst_paths",
        "WorstPaths",
    ),
    "Scenarios": (
        "Scenario", "NetworkPath", "Endpoint", "Flow", "WebTraffic", "spec", "json_schema",
    ),
    "Startup algorithms": ("Startup", "Window", "signals"),
    "The catalog": ("list_algorithms", "get_algorithm", "Algorithm", "Parameter"),
    "Errors": (
        "FlowstartError", "RequestError", "SimulationError", "Stopped", "TimeLimitExceeded",
        "LimitExceeded",
    ),
}  # fmt: skip
"""The public names by what they are for; `__version__` beside them."""


def pages() -> dict[str, str]:
    """A page for each group, and one that lists them."""
    return {f"{FOLDER}/README.md": _index()} | {
        _name(title): f"# {title}\n\n" + "\n\n".join(f"::: flowstart.{name}" for name in names)
        for title, names in GROUPS.items()
    }


def _name(title: str) -> str:
    return f"{FOLDER}/{title.lower().replace(' ', '-')}.md"


def _index() -> str:
    rows = [
        f"| [{title}]({_name(title).removeprefix(f'{FOLDER}/')}) "
        f"| {', '.join(f'`{name}`' for name in names)} |"
        for title, names in GROUPS.items()
    ]
    words = (
        "The names of `import flowstart as fs`. Frames are polars DataFrames (see "
        "[the columns](../reference/columns.md)). Quantities are text with a unit, "
        "`50Mbps`, `80ms`, `1MB`; a plain number is in bits per second, seconds or bytes."
    )
    table = "\n".join(["| for | names |", "| --- | --- |", *rows])
    return f"# The Python interface\n\n{words}\n\n{table}\n"
