"""Work that nobody waits for any more is stopped."""

from flowstart.simulation.trajectories import Cancel, Cancelled

MOST_BYTES = 1e9
"""Of state that the runs of an answer hold."""


class Stop:
    """Tells work in another thread to end soon; a piece of work has one of its own."""

    def __init__(self) -> None:
        self.cancel = Cancel(memory=MOST_BYTES)
        """The same for the simulator."""

    def stop(self) -> None:
        """From now on the work ends; may be called from any thread, and again."""
        self.cancel.cancel()

    @property
    def told(self) -> bool:
        """Whether the work is to end."""
        return self.cancel.cancelled

    def progress(self, _done: int, _total: int) -> None:
        """For runs that report progress: ends them as Ctrl-C would."""
        if self.told:
            raise KeyboardInterrupt

    def check(self) -> None:
        """Raises Cancelled where the work is to end."""
        if self.told:
            raise Cancelled("stopped: the request was cancelled")
