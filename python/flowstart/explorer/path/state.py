"""What a page asks to compare: from the JSON that it sent to a plan."""

from collections.abc import Mapping
from typing import Any

from flowstart.comparison import request
from flowstart.comparison.plan import Plan
from flowstart.errors import RequestError
from flowstart.explorer.settings import Option, Settings
from flowstart.model import custom, specs
from flowstart.model.catalog import suggest

USUAL_SIZE = "1MB"
"""What is transferred where no size is given."""
MOST_STARTUPS = 64
MOST_LETTERS = 300
"""No value that a person writes is longer."""
LARGEST_NUMBER = 2**63 - 1


def plan(given: object, settings: Settings) -> Plan:
    """What is compared; `given` is the page's state by flag, of any type.

    Raises RequestError, whose text calls options as the command line does.
    """
    fields = typed(given, settings)
    try:
        return _plan(fields, settings)
    except RequestError as error:
        raise error.in_options() from None


def _plan(fields: Mapping[str, Any], settings: Settings) -> Plan:
    if request.path_of(fields) is None:
        raise RequestError("no path is given: a rate and an rtt are needed, or a path's name")
    sizes = specs.split(fields.get("size", USUAL_SIZE))
    if len(sizes) != 1:
        raise RequestError(
            f"--size: `{fields['size']}` is {len(sizes)} sizes; the explorer shows one, such as 1MB"
        )
    return request.plan_of(fields, startups=startups(fields, settings), sizes=sizes)


def startups(fields: Mapping[str, Any], settings: Settings) -> list[str] | None:
    """The startups that are compared; None where none is named."""
    if "startup" not in fields:
        return None
    found = [piece for text in fields["startup"] for piece in specs.split(text)]
    if len(found) > MOST_STARTUPS:
        raise RequestError(f"--startup: {len(found)} are too many; at most {MOST_STARTUPS} are")
    for name in found:
        if custom.is_in_a_file(name) and name not in settings.custom:
            raise RequestError(
                f"--startup: `{name}` is Python code; the explorer runs only what its command "
                "line names, as in `flowstart explore --startup FILE.py:CLASS`"
            )
    return found


def typed(given: object, settings: Settings) -> dict[str, Any]:
    """The state by option, with values of the types that options have."""
    if not isinstance(given, dict):
        raise RequestError(
            'given: an object is needed, such as {"rate": "50Mbps", "rtt": "80ms"}, '
            f"not {_named(given)}"
        )
    found: dict[str, Any] = {}
    for flag, value in given.items():
        name = flag.replace("-", "_")
        if name not in settings.options:
            known = [option.flag for option in settings.options.values()]
            raise RequestError(f"given: `{flag[:MOST_LETTERS]}` is unknown{suggest(flag, known)}")
        if name in found:
            raise RequestError(f"given: `{flag}` is given twice, with `-` and with `_`")
        if value not in (None, "", []):
            found[name] = _value(settings.options[name], value)
    for name, value in found.items():
        if settings.options[name].names_file and value not in settings.files:
            raise RequestError(
                f"--{settings.options[name].flag}: `{value}` is a file; the explorer reads only "
                "what its command line names"
            )
    return found


def _value(option: Option, value: object) -> Any:
    """A value of a state as its option has it."""
    if option.kind == "list":
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list):
            raise _wrong(option, value, "a list of names is needed")
        return [_text(option, text) for text in texts]
    if option.kind == "number":
        return _number(option, value)
    if option.kind == "switch":
        if value not in (True, False, "true", "false"):
            raise _wrong(option, value, "true or false is needed")
        return value in (True, "true")
    return _text(option, value)


def _text(option: Option, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(option, value, "a text is needed, such as `50Mbps` or `80ms`")
    if len(value) > MOST_LETTERS:
        raise _wrong(option, value[:20] + "…", f"{len(value)} letters; at most {MOST_LETTERS} are")
    return value


def _number(option: Option, value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 40:
        value = int(value)
    least = option.least or 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(option, value, "a whole number is needed")
    if value < least:
        raise _wrong(option, value, f"a whole number from {least} on is needed")
    if value > LARGEST_NUMBER:
        raise _wrong(option, value, f"a whole number of at most {LARGEST_NUMBER} is needed")
    return value


def _wrong(option: Option, value: object, right: str) -> RequestError:
    return RequestError(f"--{option.flag}: {_named(value)}: {right}")


def _named(value: object) -> str:
    """A value of JSON in a message, which stays a line."""
    words = str(value)
    kept = words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS] + "…"
    return f"`{kept}`"
