"""Files that are there as a whole or not at all.

A file is written under a hidden name beside its place and then renamed, after its bytes are on the
disk. What a killed command leaves is a hidden file, which is locked as long as it is written; the
next command removes it.
"""

import contextlib
import fcntl
import os
import pathlib
import uuid
from collections.abc import Iterator

SUFFIX = ".partial"


def write(place: pathlib.Path, content: bytes, *, replace: bool = True) -> None:
    """Puts a file into its place. Raises FileExistsError where one is there, unless `replace`."""
    while True:
        with _written(place, content) as partial:
            try:
                if replace or not _link(partial, place):
                    partial.replace(place)
                    _sync(place.parent)
                return
            except FileNotFoundError:
                # Somebody took it for left, where machines do not see each other's locks.
                if not place.parent.is_dir():
                    raise


def clean_up(folder: pathlib.Path) -> None:
    """Removes what killed commands have left in a folder."""
    for left in folder.glob(f".*{SUFFIX}"):
        with contextlib.suppress(OSError), left.open("rb") as opened:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()


@contextlib.contextmanager
def _written(place: pathlib.Path, content: bytes) -> Iterator[pathlib.Path]:
    """The content in a hidden file beside its place, for as long as it is not renamed."""
    partial = place.with_name(f".{place.name}.{uuid.uuid4().hex}{SUFFIX}")
    try:
        with partial.open("xb") as opened:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
            yield partial
    finally:
        partial.unlink(missing_ok=True)


def _link(partial: pathlib.Path, place: pathlib.Path) -> bool:
    """Puts a file where none is; False on a file system without links."""
    try:
        os.link(partial, place)
    except FileExistsError:
        raise
    except OSError:
        return False
    _sync(place.parent)
    return True


def _sync(folder: pathlib.Path) -> None:
    """Sees to it that a rename outlasts a power failure."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
