"""The pages of the Python interface: every public name of the package, with its docstring."""

FOLDER = "api"
GROUPS = {
    "Runs": ("run", "Run", "run_many", "Batch", "stream", "StoredRun"),
    "Comparisons": ("compare", "Comparison", "Variant", "live", "Live", "live_load", "Load"),
    "Captures": ("capture", "Capture", "replay", "Replay"),
    "Sweeps and maps": (
        "sweep", "Sweep", "Swept", "Cell", "read_map", "Map", "worst", "Worst",
    ),
    "Scenarios": (
        "Scenario", "Path", "Hop", "RateStep", "QuickStart", "Stack", "Flow", "Write", "After",
        "AfterFlow", "Web", "schema", "bps", "seconds", "octets", "packets", "bdp",
    ),
    "Startups": (
        "Startup", "Window", "Reason", "Known", "Syn", "Established", "Ack", "Delivery",
        "RateSample", "Sent", "Feedback", "Idle", "Loss", "Marked", "PeerGap", "Recovered",
        "Timeout",
    ),
    "The catalog": ("algorithms", "algorithm", "Algorithm", "Parameter"),
    "Errors": ("FlowstartError", "RequestError", "SimulationError"),
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
        "What `import flowstart as fs` has. Frames are polars' (see [the columns](../columns.md)); "
        "quantities are text with a unit, `50Mbps`, `80ms`, `1MB`, or made of numbers by `fs.bps`, "
        "`fs.seconds`, `fs.octets`, `fs.packets` and `fs.bdp`."
    )
    table = "\n".join(["| for | names |", "| --- | --- |", *rows])
    return f"# The Python interface\n\n{words}\n\n{table}\n"
