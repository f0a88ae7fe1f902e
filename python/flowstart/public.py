"""Public classes: `help()` shows their docstring and their methods, and nothing of dataclasses."""

import abc
import functools
import inspect
import re
from typing import Any

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


def _with_properties(docstring: str, of: type) -> str:
    """A docstring with a line for each property that it does not describe yet."""
    described = re.findall(r"^    (\w+): ", docstring, re.MULTILINE)
    lines = [
        f"    {name}: {text}" for name, text in _properties(of).items() if name not in described
    ]
    if not lines:
        return docstring
    about, *sections = re.split(r"\n\n(?=Attributes:|Raises:|Example:)", docstring)
    if not (sections and sections[0].startswith("Attributes:")):
        sections.insert(0, "Attributes:")
    sections[0] = "\n".join([sections[0], *lines])
    return "\n\n".join([about, *sections])


def _properties(of: type) -> dict[str, str]:
    """The first lines of the docstrings of public properties."""
    return {
        name: inspect.cleandoc(value.__doc__).partition("\n")[0]
        for kind in reversed(of.__mro__)
        for name, value in vars(kind).items()
        if isinstance(value, property | functools.cached_property)
        and not name.startswith("_")
        and value.__doc__
    }
