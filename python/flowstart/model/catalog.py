"""The catalog of algorithms: what there is, where it comes from, what it takes and needs."""

import functools
import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.public import RETURNED, Public

Kind: TypeAlias = Literal["startup", "cc", "queue", "variation"]

NEEDS = {
    "pacing": "a sender that can space its packets out in time",
    "peer": "a peer that understands an option or behaves in a new way",
    "routers": "routers on the path that take part",
    "cache": "cached state of earlier connections",
    "interface": "the rate of its host's own interface",
    "l4s": "a peer that counts the marks of packets sent as ECT(1) (`ecn=l4s` of the stack)",
}
"""What an algorithm may need beyond an ordinary sender, in words."""

CERTAINTIES = {
    "text": "based on the text that defines it",
    "code": "based on the source of a public implementation",
    "derived": "based on implementations or quotations, without its text",
    "reconstructed": "in parts a reconstruction, where the available text leaves a rule open",
}
"""How well founded an implementation is, in words."""


@dataclass(frozen=True)
class Parameter(metaclass=Public):
    """A parameter of an algorithm, given as `limited-slow-start:max_ssthresh=100`.

    Attributes:
        name: How a specification names it.
        unit: Unit of its values, such as `segments`.
        default: Value unless one is given, as text.
        meaning: Effect of the parameter.
    """

    __signature__ = RETURNED

    name: str
    unit: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Algorithm(metaclass=Public):
    """An entry of the catalog: a startup, congestion control, queue or rate variation.

    Attributes:
        name: Name, as `startups=` and `flowstart algorithms` have it.
        kind: `startup`, `cc`, `queue` or `variation`.
        title: Title in words.
        source: Paper, RFC or code that defines it.
        year: Year of the source.
        opened: What of the source was read for the implementation: text or code, with the section
            or the commit.
        compared: The rules that were compared with that.
        summary: Description in a sentence.
        params: Its parameters.
        needs: What it needs beyond an ordinary sender: `pacing`, `peer`, `routers`, `cache`,
            `interface`, `l4s`.
        certainty: How well founded it is: `text`, `code`, `derived`, `reconstructed`.

    Example:
        >>> import flowstart as fs
        >>> fs.get_algorithm("limited-slow-start").params[0].name
        'max_ssthresh'
    """

    __signature__ = RETURNED

    name: str
    kind: Kind
    title: str
    source: str
    year: int
    opened: str
    compared: str
    summary: str
    params: tuple[Parameter, ...]
    needs: tuple[str, ...]
    certainty: str

    @property
    def reconstructed(self) -> bool:
        """Whether parts of it are unpublished or unavailable, and had to be reconstructed."""
        return self.certainty == "reconstructed"

    @property
    def needs_help(self) -> bool:
        """Whether it needs something that its sender does not have by itself."""
        return bool(set(self.needs) - {"pacing", "interface"})

    @property
    def needs_in_words(self) -> str:
        """What it needs beyond an ordinary sender."""
        words = "; ".join(NEEDS.get(need, need) for need in self.needs)
        ordinary = {"queue": "router", "variation": "link"}.get(self.kind, "sender")
        return words or f"nothing beyond an ordinary {ordinary}"

    @property
    def certainty_in_words(self) -> str:
        """How well founded it is."""
        return CERTAINTIES.get(self.certainty, self.certainty)

    @property
    def dated_source(self) -> str:
        """Its source, with the year unless that says it."""
        year = str(self.year)
        return self.source if year in self.source else f"{self.source} ({year})"


def list_algorithms(kind: Kind | None = None) -> list[Algorithm]:
    """Lists the algorithms of the catalog, startup algorithms first.

    Args:
        kind: `startup`, `cc`, `queue` or `variation`; all kinds unless given.

    Returns:
        The algorithms, each with its source, parameters and needs.

    Raises:
        RequestError: There is no such kind.

    Example:
        >>> import flowstart as fs
        >>> "hystart" in [one.name for one in fs.list_algorithms("startup")]
        True
    """
    if kind not in (None, *get_args(Kind)):
        raise RequestError(f"there are {', '.join(get_args(Kind))}", ("kind",), repr(kind))
    return [a for a in _catalog() if kind in (None, a.kind)]


def get_algorithm(name: str, kind: Kind | None = None) -> Algorithm:
    """Looks an algorithm up in the catalog.

    Args:
        name: Its name. `xcp` is a startup algorithm and a queue: the former unless `kind` is given.
        kind: `startup`, `cc`, `queue` or `variation`; any unless given.

    Returns:
        The algorithm with its source, parameters and needs.

    Raises:
        RequestError: The catalog has no such algorithm or kind.

    Example:
        >>> import flowstart as fs
        >>> fs.get_algorithm("hystart").kind
        'startup'
    """
    if not isinstance(name, str):
        raise RequestError("the name of an algorithm is needed", ("name",), repr(name))
    return named(name, kind)[0]


def named(name: str, kind: Kind | None = None) -> list[Algorithm]:
    """Every algorithm called `name`, at most one of each kind, and at least one."""
    known = list_algorithms(kind)
    matches = [a for a in known if a.name == canonical(name)]
    if not matches:
        names = list(dict.fromkeys(a.name for a in known))
        raise RequestError(
            f"no algorithm is called `{name}`{suggest(name, names, 'flowstart algorithms')}"
        )
    return matches


def canonical(spec: str) -> str:
    """`hystart++` as `hystart-plus-plus`, with the same parameters if any."""
    name, colon, params = spec.partition(":")
    return f"{dict(_native.ALIASES).get(name.strip(), name)}{colon}{params}"


def listed(spec: str, kind: Kind = "startup") -> Algorithm | None:
    """The catalog's entry of a startup, which may have parameters."""
    name = spec.partition(":")[0].strip()
    return next((a for a in list_algorithms(kind) if a.name == name), None)


def needs_help(spec: str) -> bool:
    """Whether a startup of the catalog needs router, peer or cache support."""
    entry = listed(spec)
    return entry is not None and entry.needs_help


MOST_NAMES = 40
"""Known names that an error message still says all."""


def suggest(name: str, known: list[str], lists: str = "") -> str:
    """The end of an error message: the names that it is a part of, the nearest, or all of them.

    Where they are too many for a line, `lists` is the command that prints them.
    """
    near = _native.near(name, known)
    if not near and lists and len(known) > MOST_NAMES:
        return f"; `{lists}` lists all"
    if not near:
        return f"; there are {', '.join(known)}"
    return f"; did you mean {' or '.join(f'`{match}`' for match in near)}?"


@functools.cache
def _catalog() -> tuple[Algorithm, ...]:
    return tuple(_algorithm(entry) for entry in json.loads(_native.catalog()))


def _algorithm(entry: dict[str, Any]) -> Algorithm:
    params = tuple(Parameter(**p) for p in entry.pop("params"))
    return Algorithm(**entry | {"params": params, "needs": tuple(entry["needs"])})
