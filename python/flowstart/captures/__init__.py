"""What is in packet captures and connection logs, as tables, figures and files."""

from flowstart.captures.contents import Capture
from flowstart.captures.reading import read_capture

__all__ = ["Capture", "read_capture"]
