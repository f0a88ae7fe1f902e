"""The tables of what presets leave out."""

from collections.abc import Sequence

from flowstart.model import stack
from reference import cell

QUIC = ("neqo", "picoquic", "quicly", "tquic")
SYSTEMS = ("linux-5.15", "freebsd-14")


def not_simulated(presets: Sequence[str]) -> str:
    """The rules that these presets leave out, with their sources."""
    rows = ["| preset | decides | rule | source |", "| --- | --- | --- | --- |"]
    for name in presets:
        for omission in stack.preset_omissions(name):
            rule, source = cell(omission["rule"]), cell(omission["source"])
            rows.append(f"| `{name}` | {omission['touches']} | {rule} | {source} |")
    return "\n".join(rows)
