"""Files of TOML or JSON that a request names."""

import json
import os
import pathlib
import stat
import tomllib
from typing import Any

from flowstart.errors import RequestError


def check(file: str | os.PathLike[str], hint: str = "") -> None:
    """Raises RequestError for a device, pipe or socket: reading one may wait or never end."""
    try:
        mode = pathlib.Path(file).stat().st_mode
    except (OSError, ValueError):
        return  # reported where it is opened
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise RequestError(f"{file}: it is no regular file{hint}")


def read(path: pathlib.Path, what: str) -> dict[str, Any]:
    """The content of a file: TOML, or JSON where its name ends so; `what` is `a scenario`."""
    check(path)
    form, parsed = ("JSON", json.loads) if path.suffix == ".json" else ("TOML", tomllib.loads)
    try:
        found = parsed(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RequestError(f"{path}: there is no such file") from None
    except OSError as error:
        raise RequestError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RequestError(f"{path}: not a text file; {what} is {form} in UTF-8") from None
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise RequestError(f"{path}: not {form}: {error}") from None
    except ValueError:
        raise RequestError(f"{path}: a number in it has thousands of digits") from None
    except RecursionError:
        raise RequestError(f"{path}: its lists or tables are nested too deeply") from None
    if not isinstance(found, dict):
        raise RequestError(f"{path}: {what} is an object, not a list or a value")
    return found
