"""Fields of requests, from JSON of any kind to typed values, for all views."""

from collections.abc import Sequence
from typing import Any

from flowstart.errors import RequestError
from flowstart.model.catalog import suggest

LONGEST = 300
"""Letters of a text that a person gives."""
LATEST_S = 1_000_000


class Fields:
    """The fields of a request; null is as if a field were not there."""

    def __init__(self, document: object, known: Sequence[str]) -> None:
        """Raises RequestError where the document has no fields, or one that is not `known`."""
        if not isinstance(document, dict):
            raise RequestError(f"a JSON object with {', '.join(known)} is needed")
        for name in document:
            if name not in known:
                raise RequestError(f"`{name[:100]}` is unknown{suggest(name, list(known))}")
        self._found: dict[str, Any] = {k: v for k, v in document.items() if v is not None}

    def __contains__(self, name: str) -> bool:
        """Whether a field is there."""
        return name in self._found

    def any(self, name: str) -> Any:
        """A field of any type; None where it is not there."""
        return self._found.get(name)

    def needed(self, name: str) -> Any:
        """A field of any type. Raises RequestError where it is not there."""
        if name not in self:
            raise RequestError(f"{name}: missing; it is needed")
        return self._found[name]

    def whole(
        self, name: str, usual: int | None = None, *, least: int = 0, most: int = 10**9
    ) -> int:
        """A whole number; without `usual` it has to be there."""
        value = self._found.get(name, usual)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise _wrong(name, value, f"a whole number from {least} to {most} is needed")
        return value

    def seconds(self, name: str, usual: float | None = None) -> float:
        """A time in seconds; without `usual` it has to be there."""
        value = self._found.get(name, usual)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is None or not is_number or not 0 <= value <= LATEST_S:
            raise _wrong(name, value, f"seconds from 0 to {LATEST_S} are needed")
        return float(value)

    def text(self, name: str, usual: str | None = None) -> str:
        """A text; without `usual` it has to be there."""
        value = self._found.get(name, usual)
        if not isinstance(value, str) or len(value) > LONGEST:
            raise _wrong(name, value, f"a text of at most {LONGEST} letters is needed")
        return value

    def texts(self, name: str, usual: Sequence[str]) -> list[str]:
        """A list of texts."""
        value = self._found.get(name, list(usual))
        is_list = isinstance(value, list) and len(value) <= LONGEST
        if not is_list or not all(isinstance(one, str) and len(one) <= LONGEST for one in value):
            raise _wrong(name, value, "a list of texts is needed")
        return list(value)

    def flag(self, name: str) -> bool:
        """Whether it is true; false where it is not there."""
        value = self._found.get(name, False)
        if not isinstance(value, bool):
            raise _wrong(name, value, "true or false is needed")
        return value


def _wrong(name: str, value: object, right: str) -> RequestError:
    if value is None:
        return RequestError(f"{name}: missing; {right}")
    return RequestError(f"{name}: `{str(value)[:50]}`: {right}")
