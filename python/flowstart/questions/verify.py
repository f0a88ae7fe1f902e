"""The fields of a comparison of both sets of a rollout."""

import os
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Annotated

from flowstart.model.quantities import share as as_share
from flowstart.questions.option import Argument, Option, Question
from flowstart.questions.replay import MAX_HARM, MAX_LOSS, MAX_P99

if TYPE_CHECKING:
    from flowstart.captures.contents import Capture

SET = "{} of a rollout: a capture, conn.log, qlog or server log, or a folder of them."
LIMITS = "Limits"


@dataclass(frozen=True)
class Verify(Question):
    """A comparison of measurements with a setting and without it."""

    control: Annotated[
        "Capture | str | os.PathLike[str]",
        Argument(SET.format("Transfers without the setting"), "CONTROL"),
    ]
    treatment: Annotated[
        "Capture | str | os.PathLike[str]",
        Argument(SET.format("Transfers with the setting"), "TREATMENT"),
    ]
    _: KW_ONLY
    before: Annotated[
        "Capture | str | os.PathLike[str] | None",
        Option(
            "Transfers of the same servers before the rollout, which narrow the intervals.", "FILE"
        ),
    ] = None
    share: Annotated[
        float | str,
        Option("Share of the connections that have the setting. [50%]", "SHARE", reads=as_share),
    ] = 0.5
    min_effect: Annotated[
        float | str | None,
        Option("Smallest gain that is worth a rollout. [1%]", "SHARE", reads=as_share),
    ] = None
    predicted: Annotated[
        str | None,
        Option(
            "Result of the replay that recommended the setting: result.json or its folder.", "FILE"
        ),
    ] = None
    setting: Annotated[
        str | None,
        Option("Setting in that result. [the recommended or only one]", "NAME"),
    ] = None
    columns: Annotated[
        Mapping[str, str] | str | None,
        Option(
            "Columns of server logs, with units where names lack them, such as "
            "bytes=size,duration=took:s:acked.",
            "NAME=COLUMN,...",
        ),
    ] = None
    max_harm: Annotated[float | str | None, replace(MAX_HARM, panel=LIMITS)] = None
    max_p99: Annotated[float | str | None, replace(MAX_P99, panel=LIMITS)] = None
    max_loss: Annotated[float | str | None, replace(MAX_LOSS, panel=LIMITS)] = None
    progress: Annotated[
        Callable[[int, int | None], object] | None,
        Option("Function of `(bytes, total)` read, which is called a few times a second.", flag=""),
    ] = None
