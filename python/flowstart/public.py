"""Public classes: `help()` shows their docstring and their methods, and nothing of dataclasses."""

import abc
import functools
import inspect
import re
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=type)

RETURNED = inspect.Signature()
"""The `__signature__` of a class whose objects functions return: `help()` shows no arguments."""


class Public(abc.ABCMeta):
    """The type of public classes.

    `help()` lists what `dir()` of a class has: here its public methods. The docstring describes
    fields under "Attributes:", where each property is added with the first line of its docstring.
    """

    def __init__(
        cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **keywords: Any
    ) -> None:
        super().__init__(name, bases, namespace, **keywords)
        if namespace.get("__doc__"):
            cls.__doc__ = _with_properties(inspect.cleandoc(namespace["__doc__"]), cls)

    def __dir__(cls) -> list[str]:
        names = (name for name in super().__dir__() if not name.startswith("_"))
        return [name for name in names if callable(getattr(cls, name, None))]


def with_known_fields(made: Kind) -> Kind:
    """A dataclass that names the nearest field where it has none of a name, as TypeError."""
    init = made.__init__  # type: ignore[misc]
    fields = inspect.signature(made).parameters

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **values: Any) -> None:
        for name in values:
            if name not in fields:
                # It imports errors, which are public classes.
                from flowstart import _native

                near = _native.near(name, [*fields])
                hint = f"did you mean {' or '.join(near)}?" if near else "help() lists all"
                raise TypeError(f"{made.__name__}() has no field `{name}`; {hint}")
        init(self, *args, **values)

    made.__init__ = checked  # type: ignore[misc]
    return made


def _with_properties(docstring: str, of: type) -> str:
    """A docstring with a line for each property that it does not describe yet."""
    described = re.findall(r"^    (\w+)(?: \(.*\))?: ", docstring, re.MULTILINE)
    lines = [line for name, line in _properties(of).items() if name not in described]
    if not lines:
        return docstring
    about, *sections = re.split(r"\n\n(?=Attributes:|Raises:|Example:)", docstring)
    if not (sections and sections[0].startswith("Attributes:")):
        sections.insert(0, "Attributes:")
    sections[0] = "\n".join([sections[0], *lines])
    return "\n\n".join([about, *sections])


def _properties(of: type) -> dict[str, str]:
    """Lines on public properties: name, type, and the first line of the docstring."""
    lines = {}
    for kind in reversed(of.__mro__):
        for name, value in vars(kind).items():
            if isinstance(value, property):
                function = value.fget
            elif isinstance(value, functools.cached_property):
                function = value.func
            else:
                continue
            text = inspect.getdoc(function)
            if text and not name.startswith("_"):
                type_ = inspect.signature(function).return_annotation  # type: ignore[arg-type]
                type_ = type_ if isinstance(type_, str) else inspect.formatannotation(type_)
                type_ = re.sub(r"flowstart\.(?:\w+\.)*", "", type_)
                lines[name] = f"    {name} ({type_}): {text.partition(chr(10))[0]}"
    return lines
