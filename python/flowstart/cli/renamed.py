"""What options were called before: a request with an old name is refused with the new one."""

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
