"""The fields of a sweep over a family of paths."""

import os
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Annotated

from flowstart.questions.common import ALLOW_PYTHON, PROGRESS, Bounded
from flowstart.questions.option import Argument, Option, defined

if TYPE_CHECKING:
    from flowstart.sweeps.execution.execute import Approve
    from flowstart.sweeps.language.sweep import SweepLike

RUN = "Execution"
ENDPOINT = {name: each.option for name, each in defined("Endpoint", "Endpoints").items()}
"""The options of a stack, by its definition."""


@dataclass(frozen=True)
class SweepQuestion(Bounded):
    """A sweep of every startup over a family of paths."""

    setting: Annotated[
        "SweepLike",
        Argument(
            "Sweep file, or name of a built-in sweep.",
            "SWEEP.toml|NAME",
            meaning="A sweep; its fields `path`, `flow`, `startups` and others as a mapping, with "
            "lists where values vary; its file; or the name of a built-in one.",
        ),
    ]
    folder: Annotated[
        str | os.PathLike[str], Option("Folder of the results, new or unfinished.", flag="")
    ]
    _: KW_ONLY
    workers: Annotated[
        int | None, Option("Processes of the simulation. [all cores]", panel=RUN, least=1)
    ] = None
    dask: Annotated[
        str | None,
        Option(
            "Dask scheduler with workers for the simulation, such as tcp://10.0.0.1:8786.",
            "ADDRESS",
            panel=RUN,
        ),
    ] = None
    split: Annotated[
        str | None,
        Option(
            "Training or test set of a sweep with a split. [both]",
            "train|test",
            names=lambda: ("train", "test"),
        ),
    ] = None
    window: Annotated[str | None, ENDPOINT["window"]] = None
    receiver: Annotated[str | None, ENDPOINT["receiver"]] = None
    allow_python: Annotated[bool, ALLOW_PYTHON] = False
    approve: Annotated[
        "Approve | None",
        Option(
            "Function of the estimate of a sweep of more than some seconds, which returns whether "
            "to run it. [a refusal of sweeps over an hour]",
            flag="",
        ),
    ] = None
    progress: Annotated[Callable[[int, int], object] | None, PROGRESS] = None
