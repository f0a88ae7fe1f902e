"""What options were called before, and what other tools call them.

A request with such a name is refused with the name that the option has here.
"""

from collections.abc import Container

_NEW = {
    "--capture": "`flowstart replay FILE`",
    "--cross": "--cross-traffic",
    "--beside": "--competing",
    "--company": "--competing",
    "--avoidance": "--cc",
    "--remembered": "--cached-cwnd",
    "--interval": "--stagger",
    "--buffer-reading": "--buffer-accounting",
    "--share": "--rollout",
    "--limit": "--max-packets, --max-flows, --max-memory, --max-time or --no-limits",
    "--quick": "--no-uncertainty",
    "papers run --quick": "--subset quick",
    "--without": "--ignore",
    "--rows": "--full-json",
    "--rows-only": "--parquet-only",
    "--over": "--search-space",
    "--by": "--x, --y, --col and --row",
    "--tie": "--margin",
    "--part": "--split train or --split test",
}
"""The new name by the old one, or by command and old one where two commands differ."""


def renamed(command: str, option: str) -> str | None:
    """What `command` now has in the place of an option that it does not have; None if nothing."""
    return _NEW.get(f"{command} {option}", _NEW.get(option))


ELSEWHERE = {
    "--rate": ("--bandwidth", "--bw", "--bitrate", "--capacity", "--link-rate", "--throughput"),
    "--rtt": ("--latency", "--delay", "--base-rtt", "--min-rtt", "--propagation-delay", "--ping"),
    "--loss": ("--loss-rate", "--loss-probability", "--packet-loss", "--plr", "--drop-rate"),
    "--buffer": ("--buffer-size", "--queue-size", "--queue-length", "--queue-limit"),
    "--queue": ("--aqm", "--qdisc", "--queue-discipline"),
    "--startup": ("--algorithm", "--algorithms", "--startups", "--startup-algorithm"),
    "--cc": ("--congestion-control", "--congestion", "--cca", "--tcp-congestion-control"),
    "--iw": ("--initial-window", "--init-cwnd", "--initcwnd", "--initial-cwnd"),
    "--size": ("--bytes", "--file-size", "--flow-size", "--transfer-size", "--length"),
    "--flows": ("--connections", "--parallel", "--streams"),
    "--workers": ("--jobs", "--threads", "--processes"),
    "--output": ("--out", "--out-dir", "--output-dir"),
    "--time-limit": ("--timeout",),
}
"""Names in other tools, by the option here."""


def called_elsewhere(option: str, known: Container[str]) -> str | None:
    """The option among `known` that other tools call `option`; None if there is none."""
    return next(
        (here for here, others in ELSEWHERE.items() if option in others and here in known), None
    )
