"""Startups from outside the catalog, and the names under which a scenario has them.

A scenario is text, so a class stands in it by name; the classes themselves go to the
simulator beside it.
"""

import ast
import hashlib
import inspect
import os
import pathlib
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from flowstart.errors import Location, RequestError
from flowstart.model import input_files
from flowstart.model.catalog import list_algorithms
from flowstart.model.startup import Startup, hooks, label

StartupLike: TypeAlias = str | Startup | type[Startup]
"""A startup of the catalog by name, one in a file as `FILE.py:CLASS`, or one in Python."""

Portable: TypeAlias = tuple[tuple[str, str | Startup], ...]
"""Startups by name for other processes: those in a file by its absolute path."""

BEGINNERS = ("flows", "web")
"""The lists of a scenario whose entries name a startup."""

_FILE = re.compile(r"(?P<file>[^,]*\.py)(?::(?P<kind>[^:]*)(?::(?P<arguments>.*))?)?", re.DOTALL)


@dataclass
class CustomStartups:
    """The classes behind the names."""

    known: dict[str, Startup] = field(default_factory=dict)
    from_files: bool = True
    """Whether every name says where its class is, so that a command line can repeat it."""

    def name(self, startup: object, location: Location = ("startups",)) -> str:
        """The name that stands for `startup` from now on; a name of the catalog is its own."""
        if isinstance(startup, str):
            if startup not in self.known and _FILE.fullmatch(startup):
                self.known[startup] = load(startup)
            return startup
        made = _made(startup, location)
        name = label(made)
        if any(name == listed.name for listed in list_algorithms("startup")):
            raise RequestError(f"startup `{name}`: the catalog has one; give yours another `name`")
        if type(self.known.setdefault(name, made)) is not type(made):
            raise RequestError(f"startup `{name}`: two classes have this name; change a `name`")
        self.from_files = False
        return name

    def names(self, startups: Sequence[object]) -> tuple[str, ...]:
        """The names of several."""
        return tuple(self.name(startup) for startup in startups)

    def settle(self, document: dict[str, Any]) -> dict[str, Any]:
        """A scenario's document with names in the place of classes."""
        lists = {kind: document.get(kind) for kind in BEGINNERS}
        return document | {
            kind: [self._settled(entry, (kind, i)) for i, entry in enumerate(entries)]
            for kind, entries in lists.items()
            if isinstance(entries, list)
        }

    def _settled(self, entry: Any, location: Location) -> Any:
        """An entry of `flows` or `web` with a name in the place of a class."""
        if not isinstance(entry, dict) or not isinstance(
            entry.get("startup"), str | type | Startup
        ):
            return entry
        return entry | {"startup": self.name(entry["startup"], (*location, "startup"))}

    def natives(self) -> dict[str, tuple[Callable[[], Startup], list[str]]]:
        """What the simulator needs of each."""
        return {name: (_maker(s), hooks(type(s))) for name, s in self.known.items()}

    def portable(self) -> Portable:
        """These for other processes, wherever they work."""
        return tuple((n, _absolute(n) if is_in_a_file(n) else s) for n, s in self.known.items())

    @classmethod
    def loaded(cls, portable: Portable) -> Self:
        """Those of another process; raises what there is to raise of files."""
        return cls({n: load(s) if isinstance(s, str) else s for n, s in portable})


def load(spec: str) -> Startup:
    """The startup that `FILE.py:CLASS` or `FILE.py:CLASS:name=value,...` means."""
    match = _FILE.fullmatch(spec)
    if not match:
        raise RequestError(f"startup `{spec}`: FILE.py:CLASS is needed")
    file = pathlib.Path(match["file"])
    kind = _class(spec, file, (match["kind"] or "").strip())
    arguments = _arguments(spec, match["arguments"] or "")
    try:
        return kind(**arguments)
    except TypeError as error:
        raise RequestError(f"startup `{spec}`: {error}") from error
    except (RequestError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise _refused(spec, file, error) from error


def is_in_a_file(name: object) -> bool:
    """Whether this names a startup in a file of Python."""
    return isinstance(name, str) and _FILE.fullmatch(name) is not None


def short(name: str) -> str:
    """A name without the folders of its file, for tables."""
    match = _FILE.fullmatch(name)
    return name[len(match["file"]) - len(pathlib.Path(match["file"]).name) :] if match else name


def beside(name: object, folder: pathlib.Path) -> object:
    """A startup of a scenario's file: one in a file of its own is looked for beside it."""
    if not isinstance(name, str) or not is_in_a_file(name):
        return name
    file, rest = parted(name)
    return name if file.is_absolute() else f"{os.path.relpath(folder / file)}{rest}"


def parted(name: str) -> tuple[pathlib.Path, str]:
    """The file in the name of a startup in a file, and what follows it: `:CLASS`."""
    match = _FILE.fullmatch(name)
    if not match:
        raise ValueError(f"`{name}` names no startup in a file")
    return pathlib.Path(match["file"]), name[match.end("file") :]


def _absolute(name: str) -> str:
    file, rest = parted(name)
    return f"{file.resolve()}{rest}"


def _class(spec: str, file: pathlib.Path, name: str) -> type[Startup]:
    namespace = _module(spec, file)
    kinds = {
        key: value
        for key, value in namespace.items()
        if isinstance(value, type) and issubclass(value, Startup) and value is not Startup
    }
    if name in kinds:
        return kinds[name]
    if name in namespace:
        raise RequestError(f"startup `{spec}`: `{name}` is not a class derived from fs.Startup")
    if not kinds:
        raise RequestError(f"startup `{spec}`: {file} has no class derived from fs.Startup")
    there = ", ".join(f"`{file}:{kind}`" for kind in kinds)
    problem = f"{file} has no `{name}`" if name else "which class of it is not said"
    raise RequestError(f"startup `{spec}`: {problem}; there is {there}")


def _module(spec: str, file: pathlib.Path) -> Mapping[str, Any]:
    """The names that a file defines; its text is run once, with its folder's modules at hand.

    Compiled here: Python's own loader takes an edit of the same second and length for no edit.
    """
    try:
        text = input_files.content(file)
    except RequestError as error:
        raise RequestError(f"startup `{spec}`: {error}") from None
    path = file.resolve()
    name = f"flowstart_custom_{hashlib.sha256(os.fsencode(path) + text).hexdigest()}"
    if name in sys.modules:
        return vars(sys.modules[name])
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(text, path, "exec"), vars(module))
    except BaseException as error:  # Ctrl-C leaves no half of a module either
        del sys.modules[name]
        if isinstance(error, RequestError | KeyboardInterrupt):
            raise
        raise _refused(spec, file, error) from error
    finally:
        sys.path.remove(str(path.parent))
    return vars(module)


def _refused(spec: str, file: pathlib.Path, error: BaseException) -> RequestError:
    """What a file raises when it is loaded, also SystemExit, which would end this process."""
    problem = f"{file}{_line(error, file.resolve())}: {type(error).__name__}: {error}"
    return RequestError(f"startup `{spec}`: {problem}")


def _line(error: BaseException, path: pathlib.Path) -> str:
    """Where in the file an error arose."""
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    frames = inspect.getinnerframes(error.__traceback__) if error.__traceback__ else []
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""


def _arguments(spec: str, text: str) -> dict[str, Any]:
    """`name=value,...` as a constructor takes it: Python's literals, otherwise text."""
    arguments: dict[str, Any] = {}
    for piece in (p.strip() for p in text.split(",")) if text.strip() else ():
        if not piece:
            raise RequestError(f"startup `{spec}`: empty at a comma; leave the comma out")
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise RequestError(f"startup `{spec}`: `{piece}` should be written name=value")
        if name in arguments:
            raise RequestError(f"startup `{spec}`: `{name}` is given twice")
        try:
            arguments[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            arguments[name] = value
    return arguments


def _made(startup: object, location: Location) -> Startup:
    if isinstance(startup, type) and issubclass(startup, Startup):
        return startup()
    if isinstance(startup, Startup):
        return startup
    raise RequestError(
        f"{startup!r} is neither the name of a startup nor derived from fs.Startup", location
    )


def _maker(template: Startup) -> Callable[[], Startup]:
    args, kwargs = template._arguments
    return lambda: type(template)(*args, **kwargs)
