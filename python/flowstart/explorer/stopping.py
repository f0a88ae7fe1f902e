"""Work that nobody waits for any more is stopped."""

import threading

from flowstart.errors import FlowstartError


class GivenUp(FlowstartError):
    """The work was stopped before it was done."""


class Stop:
    """Tells work in another thread to end soon; a piece of work has one of its own."""

    def __init__(self) -> None:
        self._told = threading.Event()

    def stop(self) -> None:
        """From now on the work ends; may be called from any thread, and again."""
        self._told.set()

    @property
    def told(self) -> bool:
        """Whether the work is to end."""
        return self._told.is_set()

    def progress(self, _done: int, _total: int) -> None:
        """For runs that report progress: ends them as Ctrl-C would."""
        if self.told:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises GivenUp where the work is to end."""
        if self.told:
            raise GivenUp("stopped: nobody waits for the answer")
