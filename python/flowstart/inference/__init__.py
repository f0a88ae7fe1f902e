"""How sure differences between variants are: statistics, simultaneous intervals, what to choose.

It is given plain arrays and names, and knows neither captures nor the simulator.
"""

from flowstart.inference.data import Group, Row, Statistic
from flowstart.inference.intervals import intervals
from flowstart.inference.recommendation import Recommendation, Rule, recommend

__all__ = ["Group", "Recommendation", "Row", "Rule", "Statistic", "intervals", "recommend"]
