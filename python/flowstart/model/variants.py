"""Named combinations of what a sending host may choose: stack, cc, startup, pacing, window.

    cubic-iw30: cc=cubic startup=hystart iw=30
    paced: stack=linux:pacing=internal startup=slow-start
    bbr: cc=bbr

A comparison puts such variants beside each other; a startup by itself is one that bears its name.
"""

import dataclasses
import functools
import os
import pathlib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from flowstart import _native
from flowstart.errors import RequestError
from flowstart.model import custom, definitions, input_files, specs, stack
from flowstart.model.catalog import suggest
from flowstart.model.custom import CustomStartups, StartupLike
from flowstart.model.definitions import short_repr
from flowstart.model.document import Document, encode, plain
from flowstart.model.fields import Endpoint
from flowstart.public import Public, with_known_fields

USUAL_STARTUP = _native.STARTUP_OF
"""The startup of a congestion control that is nothing without it; of others, slow start."""
OF_FLOW = ("landing", "cached_cwnd", "cached_rtt")
"""Fields of a flow that a variant may have."""
OWN = ("startup", "cc", "stack", *OF_FLOW)
"""What a variant may name beside single fields of a stack."""


@with_known_fields
@dataclass(frozen=True, repr=False)
class Variant(metaclass=Public):
    """The setting of a sending host, under a name.

    What is left out is as the comparison has it.

    Attributes:
        name: Name, as tables show it.
        startup: Startup, with parameters: `hystart:iw=30`. [slow start, unless `cc` has a startup
            of its own]
        cc: Congestion control after startup, such as `bbr`. [the stack's]
        stack: Fields of the stack in place of the comparison's, or a preset, which replaces it.
            [none]
        landing: Window at the end of startup, such as `0.5` or `0.7delivered`. [as startup and
            congestion control have it]
        cached_cwnd: Congestion window cached from an earlier connection, such as `2bdp`. [none]
        cached_rtt: RTT cached with the window, such as `40ms`. [that of the flow]

    Example:
        >>> import flowstart as fs
        >>> fs.Variant.parse("iw30: startup=hystart iw=30").name
        'iw30'
    """

    name: str
    startup: StartupLike | None = None
    cc: str | None = None
    stack: str | Endpoint | Mapping[str, Any] = field(default_factory=dict)
    landing: str | None = None
    cached_cwnd: str | None = None
    cached_rtt: str | None = None

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Raises RequestError where the name cannot be shown, or a value has the wrong type."""
        if any(unicodedata.category(character) == "Cc" for character in self.name):
            raise RequestError(
                f"variant `{self.name}`: the name has a control character; letters, digits and "
                "signs are needed"
            )

        if not isinstance(self.cc, str | None):
            raise RequestError(f"variant `{self.name}`: cc = {self.cc}: a text is needed")

    @classmethod
    def parse(cls, text: str) -> Self:
        """`name: key=value key=value` as a variant; keys are `OWN` and fields of a stack."""
        name, colon, rest = text.partition(":")
        if not colon or not name.strip() or "=" in name or not rest.strip():
            raise RequestError(
                f"variant `{text}`: should be written `name: key=value ...`, such as "
                "`iw30: startup=hystart iw=30`"
            )
        fields: dict[str, str] = {}
        for piece in rest.split():
            key, equals, value = piece.partition("=")
            if not equals or not value:
                raise RequestError(f"variant `{text}`: `{piece}` should be written key=value")
            if key in fields:
                raise RequestError(f"variant `{text}`: `{key}` is given twice")
            fields[key] = value
        return cls.of(name.strip(), fields)

    @classmethod
    def of(cls, name: str, values: Mapping[str, Any]) -> Self:
        """A variant of its keys, single fields of the stack among them."""
        known = [*OWN, *(f.name for f in definitions.parts()["Endpoint"].fields)]
        for key in values:
            if key not in known:
                raise RequestError(f"variant `{name}`: `{key}` is unknown{suggest(key, known)}")
        own = {key: values[key] for key in OWN if key in values}
        try:
            fields = _fields(own.pop("stack", {}))
        except RequestError as error:
            raise RequestError(f"variant `{name}`: {error}") from None
        beside = {key: value for key, value in values.items() if key not in OWN}
        twice = next((key for key in beside if key in fields), None)
        if twice:
            raise RequestError(f"variant `{name}`: `{twice}` is given twice, once within `stack`")
        beside = {key: stack.typed(key, value) for key, value in beside.items()}
        return cls(name, **own, stack=fields | beside)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the stack that are its own."""
        return dict(self._own_fields)

    @functools.cached_property
    def _own_fields(self) -> dict[str, Any]:
        return _fields(self.stack)

    @property
    def _of_flow(self) -> dict[str, str | None]:
        return {name: getattr(self, name) for name in OF_FLOW}

    @property
    def described(self) -> Document:
        """It as the simulator reads it: its fields of stack and flow in order."""
        flow = [[name, value] for name, value in self._of_flow.items() if value]
        stack = [[name, value] for name, value in self.fields.items()]
        own = {"name": self.name, "startup": self.startup, "cc": self.cc}
        return own | {"stack": stack, "flow": flow}

    @property
    def written(self) -> str:
        """The text that `parse` reads."""
        return _native.variant_text(encode(self.described))

    @property
    def begins(self) -> StartupLike:
        """Its startup, also where none was named."""
        usual = USUAL_STARTUP.get((self.cc or "").partition(":")[0], "slow-start")
        return self.startup or usual

    def flow(self) -> Document:
        """What a flow says that does this."""
        own = {"startup": self.begins, "cc": self.cc, "stack": self.fields or None}
        own |= self._of_flow
        return {key: value for key, value in own.items() if value is not None}


VariantLike: TypeAlias = Variant | str
"""A variant, its text, or a TOML file of several."""


def _fields(value: Any) -> dict[str, Any]:
    """A stack, or fields of one, as a table."""
    if isinstance(value, str):
        return stack.parse(value)
    fields = plain(value)
    if not isinstance(fields, dict) or not isinstance(fields.get("preset", ""), str):
        raise RequestError(f"stack = {fields}: a preset's name or a table of fields is needed")
    return fields


def read(file: str | os.PathLike[str], *, allow_python: bool = False) -> list[Variant]:
    """The variants of a TOML file: a `[[variant]]` table each, with a `name`.

    A startup in a file of Python is looked for beside it, and run only with `allow_python`: to
    read a table of variants does not mean to run its code.
    """
    path = pathlib.Path(file)
    document = input_files.read(path, "a file of variants")
    tables = document.get("variant")
    if not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        raise RequestError(f"{path}: `[[variant]]` tables are needed, each with a `name`")
    variants = []
    for number, table in enumerate(tables):
        name = table.pop("name", None)
        if not isinstance(name, str) or not name:
            raise RequestError(f"{path}: variant[{number}].name: missing; a text is needed")
        variants.append(Variant.of(name, _beside(path, number, table, allow_python)))
    return variants


def read_all(variants: Sequence[VariantLike], *, allow_python: bool = False) -> list[Variant]:
    """Variants, some of which are texts or names of TOML files with several."""
    parsed: list[Variant] = []
    for variant in variants:
        if isinstance(variant, Variant):
            parsed.append(variant)
        elif not isinstance(variant, str):
            raise RequestError("an fs.Variant or text is needed", ("variants",), repr(variant))
        elif variant.endswith(".toml") and ":" not in variant:
            parsed += read(variant, allow_python=allow_python)
        else:
            parsed.append(Variant.parse(variant))
    return parsed


def _beside(
    path: pathlib.Path, number: int, table: dict[str, Any], allow_python: bool
) -> dict[str, Any]:
    """A table of a file, whose startup in Python is looked for beside it where that is allowed."""
    startup = table.get("startup")
    if custom.is_in_a_file(startup) and not allow_python:
        raise RequestError(
            f"{path}: variant[{number}].startup `{startup}` is Python code, which a file of "
            "variants runs with --allow-python only (from Python, allow_python=True)"
        )
    return table | {"startup": custom.beside(startup, path.parent)} if startup else table


def settled(
    variants: Sequence[VariantLike],
    startups: Sequence[StartupLike] | None,
    classes: CustomStartups,
    without: Sequence[str] = (),
) -> tuple[Variant, ...]:
    """The variants meant: `variants`, and one for each of `startups`, which bears its name.

    Where neither is given these are the usual startups. Custom startups are noted in `classes`.
    Refuses two of one name.
    """
    chosen = [v if isinstance(v, Variant) else Variant.parse(v) for v in variants]
    chosen = [
        v if v.startup is None else dataclasses.replace(v, startup=classes.name(v.startup))
        for v in chosen
    ]
    if startups or not variants:
        chosen += of_startups(startups, classes, without)
    specs.unique("variant" if variants else "startup", [v.name for v in chosen])
    return tuple(chosen)


def of_startups(
    startups: Sequence[StartupLike] | None, classes: CustomStartups, without: Sequence[str] = ()
) -> list[Variant]:
    """A variant for each startup or congestion control; the usual startups where None is given.

    `all` stands for every startup of the catalog that is not named yet and not in `without`,
    `unaided` for those of them that need no help; `-NAME` takes one away again. Custom startups are
    noted in `classes`.
    """
    names = None
    if startups is not None:
        names = [s if isinstance(s, str) else classes.name(s) for s in startups]
    variants = _native.variants(names, [*without])
    for _, startup, _ in variants:
        if startup is not None:
            classes.name(startup)  # one in a file is read
    return [Variant(name, startup, cc) for name, startup, cc in variants]
