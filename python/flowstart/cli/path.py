"""The path on the command line: its flags are those that the definitions of its fields have."""

from flowstart.cli.flags import Flag, defined
from flowstart.model.path import IMPAIRING

REPLAYED = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
"""The fields that override what a capture tells."""

FLAGS = (
    Flag("path", "A path known by name; options override it.", "NAME"),
    *defined(
        "NetworkPath", "Path", replayed=(*REPLAYED, *IMPAIRING), usual=("rate", "rtt", "buffer")
    ).values(),
)
"""Its flags, in the order of the help; all but the first are fields of `NetworkPath`."""
