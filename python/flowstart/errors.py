"""What can go wrong, in the two kinds that matter to a caller."""

import os
import re
from collections.abc import Container
from typing import TypeAlias

from flowstart.public import Public

LONGEST = 1900
"""Letters of an error's text before it is cut."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class FlowstartError(Exception, metaclass=Public):
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


Location: TypeAlias = tuple[str | int, ...]
"""Where a field is in a document: names and indices, such as `("flows", 0, "size")`."""


class RequestError(FlowstartError, ValueError):
    """The request was wrong: the text names the field, its value and what would be right.

    Attributes:
        location: The field, argument or option; empty for the whole request.
        input: The value, unless `message` has it.
        message: What would be valid.
        file: The file that cannot be read, where others of the request may be.
    """

    def __init__(
        self,
        message: str,
        location: Location = (),
        value: object = None,
        file: str | os.PathLike[str] | None = None,
    ) -> None:
        self.message, self.location, self.input = message, tuple(location), value
        self.file = None if file is None else str(file)
        place = _dotted(self.location) if value is None else f"{_dotted(self.location)} = {value}"
        super().__init__(f"{place}: {message}" if place else message)

    def at(self, location: Location) -> "RequestError":
        """The same error about the same value in another document."""
        return RequestError(self.message, location, self.input)

    def in_options(self, written: Container[str] = ()) -> "RequestError":
        """The same error about the option of the command line that sets the field.

        `written` has the options of the request: `--window` or `--stack` may set a window.
        """
        message = re.sub(r"`path\.(\w+)`", lambda found: f"`{_option(found[1])}`", self.message)
        match self.location:
            case ("stack", "preset") | ("on", *_):
                place: Location = ("--stack",)
            case ("path", "quick_start", str(name)):
                place, message = ("--quick-start",), f"{name}: {message}"
            case ("stack", str(name), *rest) | ("flows", int(), "stack", str(name), *rest):
                place, inner = self._of_stack(name, rest, written)
                message = f"{inner}: {message}" if inner else message
            case ("flows", 0, "count"):
                place = ("--flows",)
            case ("flows", int()):
                place = ()
            case ("flows", int(), "writes", int(), "after", "pause"):
                place = ("--idle",)
            case ("flows", int(), "writes", int(), "size"):
                place = ("--size",)
            case ("flows", int(), str(name), *rest) | ("path" | "stack", str(name), *rest):
                place = (_option(name), *rest)
            case (str(name),) | ("within" | "speed_tests" as name, int()) if name.isidentifier():
                place = (_option(name),)
            case _:
                place = self.location
        return RequestError(message, place, self.input)

    def _of_stack(
        self, name: str, rest: list[str | int], written: Container[str]
    ) -> tuple[Location, str]:
        """The option that sets a field of a stack, and what names the field within its value."""
        if _option(name) in written:
            return (_option(name), *rest), ""
        is_common = self.location[0] == "stack" or "--variant" not in written
        return ("--stack" if is_common else "--variant",), _dotted((name, *rest))


_OTHER_NAMES = {
    "for_": "for",
    "ports": "port",
    "sizes": "size",
    "source": "writes",
    "speed_tests": "speed_test",
    "startups": "startup",
    "variants": "variant",
}
"""Options of the command line whose names are not those of their fields."""


def _option(field: str) -> str:
    field = _OTHER_NAMES.get(field, field)
    return f"--{field.replace('_', '-')}"


def _dotted(location: Location) -> str:
    """A location in one word: `flows[0].size`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


class SimulationError(FlowstartError, RuntimeError):
    """A sound request failed while it ran."""


class Stopped(FlowstartError):
    """Ctrl-C ended it; the text says what is finished and where it is kept."""


class TimeLimitExceeded(Stopped):
    """A time limit ended it."""


class LimitExceeded(Stopped):
    """It used more than a limit while it ran, whatever was estimated."""
