"""Names with parameters as people write them: `limited-slow-start:max_ssthresh=100`."""

from collections.abc import Mapping, Sequence
from typing import Any

from flowstart import _native
from flowstart._native import split
from flowstart.errors import RequestError
from flowstart.model.catalog import canonical, list_algorithms
from flowstart.model.custom import CustomStartups, StartupLike

ALL, UNAIDED = "all", "unaided"
"""What stands for several startups: the catalog's, and those of it that need no help."""


def listed(option: str, text: str | None, usual: Sequence[str]) -> Sequence[str]:
    """A list option's pieces, or `usual` where it is not given; empty text is refused."""
    if text is None:
        return usual
    pieces = split(text)
    if not pieces:
        raise RequestError(f"--{option} `{text}`: empty; leave it out for the usual ones")
    if "" in (piece.strip() for piece in text.split(",")):
        raise RequestError(f"--{option} `{text}`: empty at a comma; leave the comma out")
    return pieces


def startups(
    given: Sequence[StartupLike], custom: CustomStartups | None = None, without: Sequence[str] = ()
) -> tuple[str, ...]:
    """The names of the startups meant, once each.

    `all` stands for every one in the catalog that is not named yet and not in `without`, `unaided`
    for those of them that need no help (`Algorithm.needs_help`); `-NAME` takes one away again.
    """
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise RequestError(
            f'startups = {given!r}: a list of text or classes is needed, such as ["slow-start"]'
        )
    custom = custom or CustomStartups()
    listed = [a for a in list_algorithms("startup") if a.name not in without]
    groups = {ALL: listed, UNAIDED: [a for a in listed if not a.needs_help]}
    names: list[str] = []
    by_group: set[str] = set()
    for spec in (canonical(one) if isinstance(one, str) else one for one in given):
        if isinstance(spec, str) and spec in groups:
            added = [a.name for a in groups[spec] if a.name not in names]
            by_group |= set(added)
            names += added
        elif isinstance(spec, str) and spec.startswith("-"):
            if spec[1:] in names or spec[1:] not in without:
                _remove(spec, names)
        elif spec not in by_group:
            names.append(custom.name(spec))
    return unique("startup", names)


def _remove(spec: str, names: list[str]) -> None:
    if spec[1:] not in names:
        raise RequestError(
            f"startup `{spec}`: `{spec[1:]}` is not among those before it, so it cannot be left "
            "out; write `all,-NAME`"
        )
    names.remove(spec[1:])


def texts(what: str, given: Sequence[str]) -> Sequence[str]:
    """`given`, which must be a list of text: a lone word would be taken letter by letter."""
    if isinstance(given, str) or not all(isinstance(piece, str) for piece in given):
        raise RequestError('a list of text is needed, such as ["..."]', (what,), repr(given))
    return given


def unique(what: str, given: Sequence[str]) -> tuple[str, ...]:
    """`given` as a tuple; refuses an empty list and what is given twice."""
    texts(what, given)
    if not given:
        raise RequestError(f"no {what} is given")
    twice = next((g for i, g in enumerate(given) if g in given[:i]), None)
    if twice is not None:
        raise RequestError(f"{what} `{twice}` is given twice")
    return tuple(given)


def unequal(sizes: Sequence[str], mss: str) -> None:
    """Refuses sizes that are the same number of bytes, however they are written."""
    found: dict[int, str] = {}
    for size in sizes:
        count = _native.size_bytes(size, mss)
        known = size if count is None else found.setdefault(count, size)
        if known != size:
            raise RequestError(f"size `{size}` is the same as `{known}`; leave one of the two out")


def of_path(name: str, value: Any) -> Any:
    """A field of a path as the command line takes it."""
    if name == "rate_steps":
        return ",".join(f"{step['rate']}:{step['lasts']}" for step in value)
    return word(value, "admission", "") if isinstance(value, Mapping) else value


def word(fields: Mapping[str, Any], first: str, usual: str) -> str:
    """Fields as one word of a command line, the `first` of them, or its `usual` value, ahead."""
    overrides = [f"{name}={written(value)}" for name, value in fields.items() if name != first]
    return ":".join(filter(None, [fields.get(first, usual), ",".join(overrides)]))


def written(value: Any) -> Any:
    """A value as it is written where a scenario is read."""
    return str(value).lower() if isinstance(value, bool) else value
