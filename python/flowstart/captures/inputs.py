"""Which files are to be read."""

import pathlib
from collections.abc import Sequence

from flowstart.errors import RequestError
from flowstart.model import input_files


def listed(files: Sequence[str | pathlib.Path]) -> list[str]:
    """The files in the order given, folders as their files by name."""
    paths: list[str] = []
    for given in files:
        path = pathlib.Path(given)
        if str(given) != "-":
            input_files.check(path, "; give - to read a pipe from the standard input")
        if not path.is_dir():
            paths.append(str(given))
            continue
        inside = sorted(f for f in path.iterdir() if f.is_file() and not f.name.startswith("."))
        if not inside:
            raise RequestError(f"{given}: the folder holds no files; captures or logs are needed")
        paths += map(str, inside)
    twice = next((path for i, path in enumerate(paths) if path in paths[:i]), None)
    if twice is not None:
        raise RequestError(f"{twice} is given twice; its connections would count double")
    return paths
