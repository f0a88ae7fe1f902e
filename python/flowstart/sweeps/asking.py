"""What a sweep may be given as."""

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from flowstart.errors import RequestError
from flowstart.sweeps.language import named
from flowstart.sweeps.language.sweep import Sweep

SweepLike: TypeAlias = Sweep | Mapping[str, Any] | str | os.PathLike[str]
"""A sweep; what its file says, as a mapping; its file; or the name of one that ships."""


def read(setting: SweepLike, *, allow_python: bool = False) -> Sweep:
    """The sweep that is meant, checked."""
    if isinstance(setting, Sweep):
        return setting
    if isinstance(setting, Mapping):
        return Sweep.of(setting)
    file = named.file(os.fspath(setting))
    try:
        return Sweep.read(file, allow_python=allow_python)
    except RequestError as error:
        message = str(error)
        raise RequestError(
            message if message.startswith(f"{file}: ") else f"{file}: {message}"
        ) from None
