"""The forms that events of a qlog have had: one reading of draft-00 to 0.4.

Until draft-02 an event is an array whose `event_fields` name its values, times and RTTs are in the
configuration's `time_units`, and category and type of an event are apart
(draft-marx-qlog-main-schema-01, sections 3.3 and 3.4; picoquic and mvfst write this form still).
Since then an event is an object with `time`, `name` and `data`, in milliseconds
(draft-ietf-quic-qlog-main-schema).
"""

import datetime
from collections.abc import Iterator
from typing import Any

UNITS_MS = {"ms": 1.0, "us": 1e-3}
"""Milliseconds of a configuration's `time_units`."""
TIMES = {"time": None, "relative_time": "relative", "delta_time": "delta"}
"""The names of an event's time, and the format that each implies."""
NAMES = ("name", "event_type", "event", "type")
"""The names of an event's type."""


class Schema:
    """How one trace writes its events."""

    def __init__(self, described: dict[str, Any]) -> None:
        """By the description of a trace."""
        common = table(described.get("common_fields"))
        unit = table(described.get("configuration")).get("time_units")
        self.unit_ms = UNITS_MS.get(str(unit), 1.0)
        fields = described.get("event_fields")
        self.fields = [str(name).lower() for name in fields] if isinstance(fields, list) else []
        implied = "absolute" if "time" in self.fields else "relative"
        self.form = str(common.get("time_format", implied))
        self.begin_ms = _reference(common.get("reference_time"), self.unit_ms)
        self.now_ms = 0.0

    @property
    def begin_s(self) -> float | None:
        """The reference time since 1970, in seconds; None where the trace has none."""
        # Absolute times are since 1970 also where they have no reference.
        known = self.begin_ms or self.form == "absolute"
        return self.begin_ms / 1e3 if known else None

    def event(self, written: Any) -> tuple[float, str, dict[str, Any]] | None:
        """An event's time in seconds since the trace began, its type, its data; None for damage."""
        if isinstance(written, list):
            event = dict(zip(self.fields, written, strict=False))
        else:
            event = table(written)
        key = next((key for key in TIMES if key in event), "time")
        time = number_of(event.get(key))
        name = next((event[key] for key in NAMES if isinstance(event.get(key), str)), None)
        if time is None or name is None:
            return None
        # Early drafts and their writers have both "packet_sent" and "PACKET_SENT".
        kind = name.rpartition(":")[2].lower()
        return self._seconds(time, TIMES[key] or self.form), kind, table(event.get("data"))

    def _seconds(self, time: float, form: str) -> float:
        """The time of an event, by the main schema's `time_format`."""
        time_ms = time * self.unit_ms
        if form in ("delta", "relative_to_previous_event"):
            self.now_ms += time_ms
            return self.now_ms / 1e3
        return (time_ms - self.begin_ms if form == "absolute" else time_ms) / 1e3


def _reference(reference: Any, unit_ms: float) -> float:
    """Milliseconds since 1970, of a number (until 0.3) or a clock (0.4); 0 for none."""
    if isinstance(reference, dict):
        text = reference.get("wall_clock_time") or reference.get("epoch")
        try:
            moment = datetime.datetime.fromisoformat(str(text))
        except ValueError:
            return 0.0
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.UTC)
        return max(0.0, moment.timestamp() * 1e3)
    return max(0.0, (number_of(reference) or 0.0) * unit_ms)


def table(value: Any) -> dict[str, Any]:
    """An object of JSON; an empty one where there is none."""
    return value if isinstance(value, dict) else {}


def number_of(value: Any) -> float | None:
    """A finite number; qlog writes large ones as text."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < 2.0**53 else None


def count_of(value: Any) -> int | None:
    """A number that is not below zero."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 else None


def first_count(data: dict[str, Any], *names: str) -> int | None:
    """The first of some names under which a number is written."""
    counts = (count_of(data.get(name)) for name in names)
    return next((count for count in counts if count is not None), None)


def first_text(data: dict[str, Any], *names: str) -> str | None:
    """The first of some names under which a text is written."""
    return next((value for name in names if isinstance(value := data.get(name), str)), None)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects of a list; none where there is no list."""
    yield from (table(item) for item in value) if isinstance(value, list) else ()
