"""The path on the command line: its flags are those that the definitions of its fields have."""

import dataclasses
from typing import TYPE_CHECKING

from flowstart.cli.flags import Flag, Given, defined

if TYPE_CHECKING:
    from flowstart.model.path import Path

REPLAYED = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
"""The fields that override what a capture tells."""

IMPAIRING = (
    *("queue", "reverse_queue", "reverse_loss", "loss_burst", "reverse_loss_burst"),
    *("rate_variation", "policer_rate", "policer_burst", "aggregation", "jitter"),
    *("reverse_jitter", "jitter_every", "reordering", "ripple", "ripple_period"),
    *("ack_batch", "ack_thinning"),
)
"""The fields that every path of a capture may have besides."""

FLAGS = (
    Flag("path", "A path known by name; options override it.", "NAME"),
    *defined(
        "Path", "Path", replayed=(*REPLAYED, *IMPAIRING), usual=("rate", "rtt", "buffer")
    ).values(),
)
"""Its flags, in the order of the help; all but the first are fields of `Path`."""


def read(given: Given) -> "Path | None":
    """The path that was described; None where nothing of one was given."""
    from flowstart.model import specs
    from flowstart.model.path import Path

    names = [field.name for field in dataclasses.fields(Path)]
    fields = {name: given[name] for name in names if name in given}
    if not fields and "path" not in given:
        return None
    if "quick_start" in fields:
        fields["quick_start"] = specs.quick_start(fields["quick_start"])
    if "rate_steps" in fields:
        fields["rate_steps"] = specs.rate_steps(fields["rate_steps"])
    named = Path.named(given["path"]) if "path" in given else Path()
    return named.but(**fields)
