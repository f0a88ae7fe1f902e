"""The command `flowstart`.

Exit status: 0 done, 1 it failed while running or its time limit ended it (what is finished is
kept), 2 the request was wrong or above a limit (nothing written), 130 stopped by Ctrl-C, 143 by
SIGTERM, 129 by SIGHUP. Errors are one line on stderr.
"""

import os
import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit status; no traceback reaches the user."""
    try:
        from flowstart import interrupts
        from flowstart.cli import console

        console.secure()
        if arguments is None:  # a process of its own
            # Matrices of inference are small: more threads of numpy's library only wait.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            interrupts.heed_endings()
            console.silence_libraries()
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return _stopped()
    except BrokenPipeError:  # the reader of our output has gone
        return 1
    except SystemExit as error:
        return _exited(error)
    except BaseException as error:  # also a panic of a library
        # Python 3.11 raises it as the cause of another where a class was being made.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return _stopped()
        if os.environ.get("FLOWSTART_DEBUG"):
            from flowstart.cli import last_error

            last_error.keep(error)
            raise
        if _is_unreadable(error):
            return _complain(f"a table of the results is damaged: {error}", 1)
        defect = f"{type(error).__name__}: {error}"
        return _complain(
            f"a defect of flowstart: {defect}; report it with this command, its files and what "
            "FLOWSTART_DEBUG=1 shows",
            1,
        )


def _run(arguments: Sequence[str]) -> int:
    # Imported here so that Ctrl-C during the import is no traceback either.
    from flowstart import interrupts
    from flowstart.cli.app import app
    from flowstart.errors import FlowstartError, RequestError, Stopped

    try:
        status = app(list(arguments))
        sys.stdout.flush()
    except FlowstartError as error:
        status = {RequestError: 2, Stopped: interrupts.status()}.get(type(error), 1)
        return _complain(str(error), status)
    except OSError as error:
        # A file without permission, or one that has changed since it was checked.
        if error.filename is None or os.environ.get("FLOWSTART_DEBUG"):
            raise
        status = 2 if isinstance(error, PermissionError) else 1
        return _complain(f"{os.fsdecode(error.filename)}: {error.strerror}", status)
    return status


def _exited(error: SystemExit) -> int:
    """An exit that is not flowstart's own."""
    if isinstance(error.__context__, BrokenPipeError):
        return 1
    return _complain("SystemExit was raised by Python code of a startup", 1)


def _is_unreadable(error: BaseException) -> bool:
    """Whether polars cannot read a Parquet file, as one that was sealed again after a change."""
    polars = sys.modules.get("polars")
    is_read = polars is not None and isinstance(error, polars.exceptions.ComputeError)
    return is_read and str(error).startswith("parquet: ")


def _stopped() -> int:
    from flowstart import interrupts

    return _complain(f"stopped by {interrupts.cause()}", interrupts.status())


def _complain(message: str, status: int) -> int:
    """One line on stderr; returns `status`."""
    from flowstart.text import printable

    print("flowstart:", printable(" ".join(message.split())), file=sys.stderr)
    return status
