"""The inputs that the paper leaves open, and which of its statements hold under which reading."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from flowstart_papers import published, readings
from flowstart_papers.hystart import algorithm, figures, utilisation
from flowstart_papers.hystart.setups import LITERAL, Setup
from flowstart_papers.lab import Lab
from flowstart_papers.readings import Reading
from flowstart_papers.target import Measured, Value

PACKAGE = "flowstart_papers.hystart"
INPUTS = readings.open_inputs(PACKAGE)
CELLS = readings.grid(
    readings.alone(INPUTS),
    readings.crossed(INPUTS, ("cc of Fig. 1", "a SACK block")),
    readings.crossed(INPUTS, ("initial window", "receiver of Fig. 3 (c)")),
    readings.crossed(INPUTS, ("initial window", "hosts of Fig. 2")),
    readings.crossed(INPUTS, ("fixed in Fig. 4", "others' SACK")),
)
FIGURES = (
    algorithm.limited,
    figures.figure1,
    figures.figure2,
    figures.packet_pairs,
    figures.figure3,
    utilisation.figure4,
    utilisation.figure5,
)


def setup(reading: Reading) -> Setup:
    """The set-up that a reading stands for."""
    return replace(LITERAL, **readings.changes(INPUTS, reading))


def measure(lab: Lab, cells: Sequence[Reading]) -> list[Mapping[str, Measured | Value]]:
    """All printed statements under each reading; runs that it does not touch are run once."""
    return [
        {name: one for figure in FIGURES for name, one in figure(lab, setup(cell)).items()}
        for cell in cells
    ]


HY_READINGS = readings.experiment(
    name="HY-READINGS",
    question="Which of its statements hold under which reading of what it leaves open?",
    inputs=INPUTS,
    cells=CELLS,
    targets=published.of(PACKAGE).targets,
    measure=measure,
)
