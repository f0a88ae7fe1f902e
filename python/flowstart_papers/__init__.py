"""Every figure and table of five papers on how a connection starts, measured again.

One subpackage per paper holds its experiments, what it published (`targets.toml`) and what we
found (`README.md`); `mixed_traffic` and `coping` hold what the papers end with asking, and `cross`
puts every startup on the ground of all papers. `flowstart papers` runs them and sets published
beside measured.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flowstart_papers.experiment import Paper

NAMES = (
    "quick_start_low_latency",
    "modified_swift_start",
    "slow_start_high_speed",
    "jump_start",
    "hystart",
    "mixed_traffic",
    "coping",
    "cross",
)
"""The subpackages, in the order of the index."""


def load() -> "list[Paper]":
    """All papers."""
    return [import_module(f"flowstart_papers.{name}").PAPER for name in NAMES]
