"""What is in a packet capture or a Zeek conn.log, as tables, figures and files."""

from flowstart.capture.reading import Capture, read

__all__ = ["Capture", "read"]
