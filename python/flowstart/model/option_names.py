"""How a message speaks of what a person has written: of options, not of a scenario's fields."""

import re

ASKED = (
    *("rollout", "cross_traffic", "competing", "baseline", "direction", "ignore", "max_harm"),
    *("max_p99", "max_loss", "when", "recorded", "network"),
    *("workers", "dask", "split"),
    *("x", "y", "col", "row", "margin", "size", "competing", "startup"),
    *("against", "search_space", "measure", "runs", "distinct", "seed", "seeds"),
    *("stack", "clock", "kernel", "flows"),
    *("stagger", "hosts", "cached_cwnd", "quick_start"),
    *("max_packets", "max_flows", "max_memory", "max_time"),
)
"""Options that are no fields of a scenario, and that messages call by their names in Python."""


def as_option(message: str) -> str:
    """`path.rate: …` as `--rate: …`, where a field of the scenario came from an option."""
    message = re.sub(r"^stack\.preset\b", "--stack", message)
    message = re.sub(r"^stack\.(ack|iw)\b", r"--\1", message)
    message = re.sub(r"^stack\.(\w+)", r"--stack: \1", message)
    message = re.sub(r"^path\.quick_start\.(\w+)", r"--quick-start: \1", message)
    message = re.sub(r"^flows\[\d+\]: ", "", message)
    message = re.sub(rf"^({'|'.join(ASKED)})(?= = |: )", _option_of_its_name, message)
    message = re.sub(r"^flows\[0\]\.count\b", "--flows", message)
    message = re.sub(r"^(path|flows\[\d+\])\.(\w+)\b", _option, message)
    return re.sub(r"`path\.(\w+)`", lambda found: f"`{_option(found, 1)}`", message)


def _option_of_its_name(found: re.Match[str]) -> str:
    return f"--{found[0].replace('_', '-')}"


def _option(field: re.Match[str], group: int = 2) -> str:
    """The option that a field of the scenario came from."""
    return f"--{field[group].replace('_', '-')}"
