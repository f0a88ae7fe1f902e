"""A user's own transfers, replayed under one start-up after another.

Every transfer of the capture becomes a flow of its size and round trip on a connection
that is open already, alone on its path and again together with all others of its path at
the times of the capture. A path is the bottleneck to one remote network, or one for all.
"""

from flowstart.replay.execute import replay
from flowstart.replay.result import Replay
from flowstart.replay.settings import Settings

__all__ = ["Replay", "Settings", "replay"]
