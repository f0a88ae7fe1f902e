"""The description of a run: a path, an endpoint stack, flows, and web sessions.

The classes `NetworkPath`, `Flow`, `WebTraffic` and `Scenario` carry it to the simulator. The
simulator alone knows which fields there are, their defaults and their valid values, and reports
mistakes as RequestError. A `NetworkPath` has itself checked when it is made. A scenario in a TOML
file has the same fields.

Every quantity is text with its unit: `5Mbps`, `64ms`, `1.5MB`, `60pkt`, `1bdp`.
"""

import dataclasses
import os
import pathlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from flowstart.errors import Location, RequestError
from flowstart.model import custom, input_files, stack
from flowstart.model.definitions import Part, parts, python_name, short_repr
from flowstart.model.document import Document, plain
from flowstart.model.fields import AfterFlow, Endpoint, Flow, WebTraffic
from flowstart.model.path import NetworkPath
from flowstart.model.quantities import Time, text, time_text, time_texts
from flowstart.public import Public, with_known_fields


@with_known_fields
@dataclass(frozen=True, kw_only=True, repr=False)
class Scenario(metaclass=Public):
    """Everything a run depends on.

    Attributes:
        path: Network path of all flows.
        flows: Flows. [none]
        web: Web sessions, in addition to the flows or instead of them. [none]
        stack: Preset of the endpoints, such as `rfc` or `ns2:recovery=newreno`, or fields. [rfc]
        name: Name that reports show. [none]
        seed: Seed of all random draws. [1]
        duration: Time at which the run stops, in seconds or as text. [when all flows and sessions
            are done]
        end_after: Flow that is waited for: the run stops `pause` after it is done. [none]
        trace: Trace of windows, packets and queues. [false]
        within: Times from the opening of each flow, in seconds or as text; `goodputs` has its rate
            in each. [none]
        speed_tests: Speed tests whose rates are measured likewise, such as `ndt7`. [none]

    Example:
        >>> import flowstart as fs
        >>> path = fs.NetworkPath(rate="5Mbps", rtt="64ms")
        >>> scenario = fs.Scenario(path=path, flows=[fs.Flow(size="100kB")], stack="linux")
        >>> scenario.to_dict()["flows"]
        [{'size': '100kB'}]
    """

    path: NetworkPath
    flows: Sequence[Flow] = ()
    web: Sequence[WebTraffic] | None = None
    stack: str | Endpoint | Mapping[str, Any] | None = None
    name: str | None = None
    seed: int | None = None
    duration: Time | None = None
    end_after: AfterFlow | Mapping[str, Any] | None = None
    trace: bool | None = None
    within: Time | Sequence[Time] | None = None
    speed_tests: Sequence[str] | None = None

    __repr__ = short_repr

    def to_dict(self) -> Document:
        """The scenario as the simulator reads it."""
        fields = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        fields["duration"] = time_text("duration", self.duration)
        fields["within"] = time_texts("within", self.within)
        if isinstance(self.stack, str):
            fields["stack"] = stack.parse(self.stack)
        document: Document = plain(fields)
        return document


ScenarioLike: TypeAlias = Scenario | Mapping[str, Any] | str | os.PathLike[str]
"""A scenario, its document, or the name of the TOML (or JSON) file that holds it."""


def document(scenario: ScenarioLike, *, allow_python: bool = False) -> Document:
    """The document of whatever describes a scenario.

    A file that names startups written in Python is refused unless `allow_python`, for it would
    run their code.
    """
    if isinstance(scenario, Scenario):
        return scenario.to_dict()
    if isinstance(scenario, Mapping):
        copied: Document = plain(scenario)
        if "duration" in copied:
            copied["duration"] = time_text("duration", copied["duration"])
        if "within" in copied:
            copied["within"] = time_texts("within", copied["within"])
        for name, part in _PARTS.items():
            if name in copied:
                copied[name] = _with_units(copied[name], parts()[part], (name,))
        return _with_fields_of_stacks(copied)
    return _with_fields_of_stacks(read(scenario, allow_python=allow_python))


_PARTS = {"path": "NetworkPath", "stack": "Endpoint", "flows": "Flow", "web": "WebTraffic"}
"""The parts of a scenario by their names in a document."""


def _with_units(value: Any, part: Part, location: Location) -> Any:
    """The fields of a part, or of several, with text in the place of plain numbers."""
    if isinstance(value, list):
        return [_with_units(entry, part, (*location, i)) for i, entry in enumerate(value)]
    if not isinstance(value, dict):
        return value
    for field in part.fields:
        if field.name not in value:
            continue
        inner = (*location, field.name)
        if field.measures:
            try:
                value[field.name] = text(field.name, field.measures, value[field.name])
            except RequestError as error:
                raise error.at(inner) from None
        elif within := parts().get(python_name(field.value)):
            value[field.name] = _with_units(value[field.name], within, inner)
    return value


def _with_fields_of_stacks(document: Document) -> Document:
    """A document in which stacks that are written as text are tables of fields."""
    flows = document.get("flows")
    for holder in (document, *(flows if isinstance(flows, list) else [])):
        if isinstance(holder, dict) and isinstance(holder.get("stack"), str):
            holder["stack"] = stack.parse(holder["stack"])
    return document


def read(file: str | os.PathLike[str], *, allow_python: bool = False) -> Document:
    """Reads a scenario file: TOML, or JSON where its name ends so."""
    path = input_files.path_of(
        file, "an fs.Scenario, its fields as a mapping, or the name of its file"
    )
    document = input_files.read(path, "a scenario")
    _find_traces(document.get("path"), path.parent)
    _find_recorded_writes(document.get("flows"), path.parent)
    for field, entry in _beginners(document):
        name = entry["startup"]
        if custom.is_in_a_file(name) and not allow_python:
            raise RequestError(
                f"{path}: {field}.startup `{name}` is Python code, which the file of a scenario "
                "runs with --allow-python only (from Python, allow_python=True)"
            )
        entry["startup"] = custom.beside(name, path.parent)
    return document


def _beginners(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """The entries of a file that name a startup, with their fields."""
    for kind in custom.BEGINNERS:
        entries = document.get(kind)
        for index, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, dict) and "startup" in entry:
                yield f"{kind}[{index}]", entry


def _find_recorded_writes(flows: object, folder: pathlib.Path) -> None:
    """The same of recorded writes."""
    for flow in flows if isinstance(flows, list) else []:
        source = flow.get("source") if isinstance(flow, dict) else None
        if isinstance(source, str) and source.startswith("trace:"):
            file = source.removeprefix("trace:")
            if not pathlib.Path(file).is_absolute():
                flow["source"] = f"trace:{os.path.relpath(folder / file)}"


def _find_traces(described: object, folder: pathlib.Path) -> None:
    """The traces that a scenario's file names are looked for beside it."""
    if not isinstance(described, dict):
        return
    for name in ("rate_trace", "reverse_rate_trace"):
        file = described.get(name)
        if isinstance(file, str) and not pathlib.Path(file).is_absolute():
            described[name] = os.path.relpath(folder / file)
