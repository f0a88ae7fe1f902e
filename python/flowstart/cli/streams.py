"""Standard output and standard error that survive any encoding and a closed or full target."""

import io
import os
import sys

from flowstart.errors import SimulationError


class _Target(io.FileIO):
    """A descriptor whose first error is the last: what follows goes nowhere."""

    def __init__(self, number: int, *, is_fatal: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self.is_fatal = is_fatal

    def write(self, data) -> int | None:  # type: ignore[no-untyped-def, override]
        try:
            return super().write(data)
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if not self.is_fatal:
                return len(data)
            if isinstance(error, BrokenPipeError):
                raise
            raise SimulationError(
                f"the standard output cannot be written: {error.strerror}"
            ) from None


def secure() -> None:
    """Replaces the streams of this process; those of a caller that set others are left alone."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = getattr(sys, name)
        if stream is None:  # closed: no other file may take its number
            os.dup2(os.open(os.devnull, os.O_RDONLY), number)
        elif stream is not getattr(sys, f"__{name}__"):
            continue
        setattr(sys, name, _over(number, stream))


def _over(number: int, stream: io.TextIOWrapper | None) -> io.TextIOWrapper:
    target = _Target(number, is_fatal=number == 1)
    return io.TextIOWrapper(
        io.BufferedWriter(target),
        encoding=stream.encoding if stream else "utf-8",
        errors="backslashreplace",
        line_buffering=number == 2 or target.isatty(),
    )
