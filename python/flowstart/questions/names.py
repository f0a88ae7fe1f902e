"""The names that complete a value, for shells."""

from collections.abc import Iterable

from flowstart import _native
from flowstart.model import specs, stack
from flowstart.model.catalog import list_algorithms
from flowstart.model.path import named_paths


def algorithms() -> list[str]:
    """Everything in the catalog."""
    return [algorithm.name for algorithm in list_algorithms()]


def startup() -> list[str]:
    """The startup algorithms."""
    return [algorithm.name for algorithm in list_algorithms("startup")]


def startups() -> list[str]:
    """The startup algorithms, and the names of groups of them."""
    return [*startup(), specs.ALL, specs.UNAIDED]


def ccs() -> list[str]:
    """The congestion controls."""
    return [algorithm.name for algorithm in list_algorithms("cc")]


def queues() -> list[str]:
    """The queue disciplines."""
    return [algorithm.name for algorithm in list_algorithms("queue")]


def paths() -> Iterable[str]:
    """The named paths."""
    return named_paths()


def stacks() -> Iterable[str]:
    """The presets of endpoints."""
    return stack.PRESETS


def live_stacks() -> Iterable[str]:
    """The real stacks of this build."""
    return _native.BUILT_LIVE_STACKS


def kernel_startups() -> Iterable[str]:
    """The startups that this build can load into the kernel."""
    return _native.KERNEL_STARTUPS
