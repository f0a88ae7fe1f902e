"""The text of files that a request names."""

import errno
import pathlib


def read_text(path: pathlib.Path) -> str:
    """What a regular file holds. Raises OSError for one that may have no end, or no writer."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "not a regular file")
    return path.read_text(encoding="utf-8")
