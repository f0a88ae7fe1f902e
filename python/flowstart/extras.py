"""What parts of the package need beyond its core, and the sentence that says what to install.

A function that needs more than the core asks here before it imports it. The command that installs
it names packages, not extras: flowstart itself is on no index.
"""

import functools
import importlib.util
from collections.abc import Callable
from typing import Literal, ParamSpec, TypeAlias, TypeVar

from flowstart.errors import RequestError

Extra: TypeAlias = Literal["plot", "explore", "dask", "papers", "tuning"]

MODULES: dict[Extra, tuple[str, ...]] = {
    "plot": ("matplotlib",),
    "explore": ("starlette", "uvicorn"),
    "dask": ("distributed",),
    "papers": ("markdown_it", "matplotlib"),
    "tuning": ("optuna",),
}
"""The modules of each extra of `pyproject.toml` that flowstart imports."""
_DISTRIBUTIONS = {"markdown_it": "markdown-it-py"}
"""The name of what is installed, where a module's is another."""

Given = ParamSpec("Given")
Result = TypeVar("Result")


def missing(extra: Extra) -> list[str]:
    """What of an extra is not installed, by the names that pip knows; nothing is imported."""
    absent = (name for name in MODULES[extra] if importlib.util.find_spec(name) is None)
    return [_DISTRIBUTIONS.get(name, name) for name in absent]


def how_to_install(extra: Extra) -> str:
    """The command that installs what is missing of an extra, or all of it where nothing is."""
    names = missing(extra) or [_DISTRIBUTIONS.get(name, name) for name in MODULES[extra]]
    return f"pip install {' '.join(names)}"


def require(extra: Extra, what: str) -> None:
    """Raises RequestError where `what` needs an extra that is not installed."""
    if absent := missing(extra):
        raise RequestError(
            f"{what} needs {' and '.join(absent)}: install it with `{how_to_install(extra)}`"
        )


def needing(
    extra: Extra, what: str
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Makes a function raise RequestError where the extra that it needs is not installed."""

    def guarded(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def call(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            require(extra, what)
            return function(*args, **kwargs)

        return call

    return guarded
