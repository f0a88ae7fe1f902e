"""A user's own transfers, replayed under one variant after another.

Every connection of the capture becomes a conversation in the simulator, alone on its path and
again together with all others of its path. A path is the bottleneck to one remote network, or one
for all.
"""

from flowstart.replays.answer import Questions
from flowstart.replays.execute import study
from flowstart.replays.result import Replay
from flowstart.replays.settings import Settings

__all__ = ["Questions", "Replay", "Settings", "study"]
