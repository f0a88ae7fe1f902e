"""How sure differences between variants are: statistics, simultaneous intervals, the verdict.

It is given plain arrays and names, and knows neither captures nor the simulator.
"""

from flowstart.inference.data import Row, Statistic, TransferGroup
from flowstart.inference.gates import Gate, Limits
from flowstart.inference.intervals import intervals
from flowstart.inference.verdict import (
    Check,
    Judgement,
    Status,
    Validity,
    ValidityQuestion,
    Verdict,
)

__all__ = [
    "Check",
    "Gate",
    "Judgement",
    "Limits",
    "Row",
    "Statistic",
    "Status",
    "TransferGroup",
    "Validity",
    "ValidityQuestion",
    "Verdict",
    "intervals",
]
