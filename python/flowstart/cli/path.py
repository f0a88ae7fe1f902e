"""The path on the command line: its flags are those that the definitions of its fields have."""

import dataclasses

from flowstart.cli.flags import Flag, defined
from flowstart.model.path import IMPAIRING

_FIELDS = defined("NetworkPath", "Path", usual=("rate", "rtt", "buffer"))
FLAGS = (Flag("path", "Named path; other path options override it.", "NAME"), *_FIELDS.values())
"""Its flags, in the order of the help; all but the first are fields of `NetworkPath`."""

_OVERRIDING = ("rate", "rtt", "buffer", "loss", "reverse_rate", "reverse_buffer")
REPLAYED = tuple(
    dataclasses.replace(flag, panel="Path")
    for flag in FLAGS
    if flag.name in (*_OVERRIDING, *IMPAIRING)
)
"""Those that override what a capture has of its paths, or add to it."""
