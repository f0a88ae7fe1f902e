"""What can go wrong, in the two kinds that matter to a caller."""

import re

LONGEST = 1900
"""Letters of an error's text before it is cut."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class FlowstartError(Exception):
    """Anything flowstart refuses or fails to do; its text is one line for a person.

    What it quotes may be of others' making: control characters are escaped, and it has an end.
    """

    def __str__(self) -> str:
        said = super().__str__()
        if len(said) > LONGEST:
            said = f"{said[:LONGEST]}…"
        if said.isprintable():
            return said
        return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], said)


class RequestError(FlowstartError, ValueError):
    """The request was wrong: the text names the field, its value and what would be right."""


class SimulationError(FlowstartError, RuntimeError):
    """A sound request failed while it ran."""


class Stopped(FlowstartError):
    """Ctrl-C ended it; the text says what is finished and where it is kept."""


class TimeLimitExceeded(Stopped):
    """A time limit ended it."""


class LimitExceeded(Stopped):
    """It used more than a limit while it ran, whatever was estimated."""
