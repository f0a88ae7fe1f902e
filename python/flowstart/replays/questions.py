"""What is asked of a replay beyond its rows."""

from dataclasses import dataclass, field

from flowstart.errors import RequestError
from flowstart.inference import Limits
from flowstart.inference.gates import OPTIONS
from flowstart.replays.answer import MOST_REPEATS


@dataclass(frozen=True)
class Questions:
    """What is asked of a replay beyond its rows."""

    rollout: float | None = None
    """The part of the connections that is switched in a pass of its own."""
    repeats: int = MOST_REPEATS
    """At most so many perturbed repeats widen the intervals."""
    buffers: bool = True
    """Whether buffers that are assumed are also taken for smaller and larger ones."""
    calibrate: bool = True
    """Whether the capture is also replayed as it was recorded, and compared with the recording."""
    when: tuple[str, ...] = ()
    """Networks that have a verdict by themselves, for settings that can be limited to them."""
    limits: Limits = field(default_factory=Limits)
    """The most that a variant may do in any part of the traffic and be recommended."""

    def __post_init__(self) -> None:
        if self.rollout is not None and not 0 < self.rollout < 1:
            raise RequestError(
                f"rollout: `{100 * self.rollout:g}%` is out of range; "
                "a part above 0% and below 100% is needed"
            )
        if self.repeats < 0:
            raise RequestError(f"repeats: `{self.repeats}` is out of range; 0 or more are needed")

    @property
    def options(self) -> dict[str, str | None]:
        """The options of the command line that ask the same."""
        once = self.repeats == 0 and not self.buffers and not self.calibrate
        limits = {}
        for field_name, option in OPTIONS.items():
            value, usual = getattr(self.limits, field_name), getattr(Limits, field_name)
            limits[option] = None if value == usual else f"{100 * value:g}%"
        return {
            "rollout": None if self.rollout is None else f"{100 * self.rollout:g}%",
            **limits,
            "no_uncertainty": SWITCH if once else None,
        }


SWITCH = "--"
"""Stands for an option without a value."""
ONCE = Questions(repeats=0, buffers=False, calibrate=False)
"""One replay, without uncertainty."""
