"""What can go wrong, in the two kinds that matter to a caller."""


class FlowstartError(Exception):
    """Anything flowstart refuses or fails to do; its text is one line for a person."""


class RequestError(FlowstartError, ValueError):
    """The request was wrong: the text names the field, its value and what would be right."""


class SimulationError(FlowstartError, RuntimeError):
    """A sound request failed while it ran."""


class Stopped(FlowstartError):
    """Ctrl-C ended it; the text says what is finished and where it is kept."""
