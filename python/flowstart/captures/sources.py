"""Files of text as streams of bytes, compressed or not."""

import gzip
import lzma
import pathlib
from typing import IO, Any, cast

GZIP, XZ = b"\x1f\x8b", b"\xfd7zXZ\0"
BROKEN: tuple[type[Exception], ...] = (OSError, EOFError, lzma.LZMAError)
"""What reading a damaged file raises."""
START = 4096
"""So many bytes tell what a file is."""


def opened(file: str) -> IO[bytes]:
    """The file's bytes, unpacked on the way if gzip's or xz's."""
    path = pathlib.Path(file)
    with path.open("rb") as stream:
        start = stream.read(len(XZ))
    if start.startswith(GZIP):
        return cast(IO[bytes], gzip.open(path))
    return cast(IO[bytes], lzma.open(path)) if start == XZ else path.open("rb")


def is_packed(stream: Any) -> bool:
    """Whether a stream is unpacked on the way."""
    return isinstance(stream, (gzip.GzipFile, lzma.LZMAFile))


def start_of(file: str) -> bytes:
    """The first bytes; none where the file cannot be read."""
    try:
        with opened(file) as stream:
            return stream.read(START)
    except BROKEN:
        return b""
