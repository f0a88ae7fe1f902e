"""Which batches running commands are at work on, so that several on one folder share the work.

A command that runs a batch holds a lock on the batch's byte of a file. The lock ends with its
process. Where a file system has no such locks, or not between machines, work may be done twice;
its results are the same.
"""

import errno
import fcntl
import os
import pathlib

HELD = (errno.EACCES, errno.EAGAIN)
"""How a lock is refused that another process has; other errors mean that there are none."""


class Claims:
    """The claims of this process on the batches of one folder.

    Locks are the process's: two sweeps into one folder within one process do not see each other's.
    """

    def __init__(self, file: pathlib.Path) -> None:
        self._number = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)

    def take(self, batch: int) -> bool:
        """Claims a batch; False where another process has it."""
        try:
            fcntl.lockf(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, batch)
        except OSError as error:
            return error.errno not in HELD
        return True

    def release(self, batch: int) -> None:
        """Gives a claim back."""
        fcntl.lockf(self._number, fcntl.LOCK_UN, 1, batch)

    def close(self) -> None:
        """Gives all claims back."""
        os.close(self._number)
