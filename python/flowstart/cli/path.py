"""The path on the command line: its flags are those that the definitions of its fields have."""

from flowstart.cli.flags import Flag, defined
from flowstart.model.path import IMPAIRING

_FIELDS = defined("NetworkPath", "Path", usual=("rate", "rtt", "buffer"))
FLAGS = (Flag("path", "A path known by name; options override it.", "NAME"), *_FIELDS.values())
"""Its flags, in the order of the help; all but the first are fields of `NetworkPath`."""

_OVERRIDING = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
REPLAYED = tuple(flag for flag in FLAGS if flag.name in (*_OVERRIDING, *IMPAIRING))
"""Those that override what a capture has of its paths, or add to it."""
