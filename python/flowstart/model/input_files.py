"""Text files that a request names, or that a folder of results holds: none is read without a bound.

Captures, logs and traces of rates have readers that hold one piece at a time: `captures/sources.py`
and the crates `capture` and `sim`.
"""

import json
import os
import pathlib
import stat
import tomllib
from typing import Any

from flowstart.errors import RequestError

MAX_BYTES = 4 << 20
"""Of a file that people write, some 100,000 flows. Parsed it takes up to 40 times as much."""
MAX_RESULT_BYTES = 64 << 20
"""Of a document that flowstart wrote."""
_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe that takes the place of a checked file does not wait for a writer."""


def path_of(value: object, right: str) -> pathlib.Path:
    """The path of a file's or folder's name; `right` is what else the argument takes."""
    if not isinstance(value, str | os.PathLike):
        raise RequestError(f"`{value!r}`: {right} is needed")
    return pathlib.Path(value)


def check(file: str | os.PathLike[str], hint: str = "") -> None:
    """Raises RequestError for a device, pipe or socket: reading one may wait or never end."""
    try:
        mode = pathlib.Path(file).stat().st_mode
    except (OSError, ValueError):
        return  # reported where it is opened
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise RequestError(f"{file}: it is not a regular file{hint}")


def content(file: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a regular file. Raises RequestError where it is larger or cannot be read."""
    check(file)
    try:
        with open(file, "rb", opener=lambda name, _: os.open(name, _OPEN)) as stream:
            content = stream.read(max_bytes + 1)
    except FileNotFoundError:
        raise RequestError(f"{file}: there is no such file") from None
    except OSError as error:
        raise RequestError(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise RequestError(f"{str(file)!r}: a file's name has no null character") from None
    if content is None:  # of a special file that is regular by its mode
        raise RequestError(f"{file}: cannot be read: it waits for data")
    if len(content) > max_bytes:
        raise RequestError(f"{file}: it is larger than the limit of {max_bytes >> 20} MiB")
    return content


def read(path: pathlib.Path, what: str, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The content of a file: TOML, or JSON where its name ends so; `what` is `a scenario`."""
    form, parsed = ("JSON", json.loads) if path.suffix == ".json" else ("TOML", tomllib.loads)
    try:
        document = parsed(content(path, max_bytes).decode("utf-8"))
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file; {what} is {form} in UTF-8") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise RequestError(f"{path}: not {form}: {error}") from None
    except RequestError:
        raise
    except ValueError:
        raise RequestError(f"{path}: a number in it has thousands of digits") from None
    except RecursionError:
        raise RequestError(f"{path}: its lists or tables are nested too deeply") from None
    if not isinstance(document, dict):
        raise RequestError(f"{path}: {what} is an object, not a list or a value")
    return document
