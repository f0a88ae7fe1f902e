"""How much Quick-Start shortens transfers when the network's latency is small (2007)."""

from flowstart.papers.experiment import Experiment, Paper
from flowstart.papers.quick_start_low_latency import (
    background,
    faster_link,
    figure2,
    figure5,
    figures34,
    ideal,
    loaded,
    refused,
    sensitivity,
    table1,
)
from flowstart.papers.quick_start_low_latency.published import NAME, TARGETS

PAPER = Paper(
    name=NAME,
    title="Quick-Start in low-latency networks",
    source="ns-2",
    package=__name__,
    targets=TARGETS,
    experiments=[
        Experiment(id="QS-T1", figure="Table I", asks="", run=table1.run, quick=True),
        Experiment(id="QS-T1i", figure="Table I", asks="", run=ideal.run, quick=True),
        Experiment(id="QS-F2", figure="Fig. 2", asks="", run=figure2.run, quick=True),
        Experiment(id="QS-F3", figure="Fig. 3", asks="", run=figures34.figure3, quick=True),
        Experiment(id="QS-F4", figure="Fig. 4", asks="", run=figures34.figure4, quick=True),
        Experiment(id="QS-F5", figure="Fig. 5", asks="", run=figure5.run, quick=True),
        Experiment(id="QS-D1", figure="Sec. IV", asks="", run=refused.run, quick=True),
        Experiment(id="QS-D2", figure="Sec. IV", asks="", run=loaded.run, quick=True),
        Experiment(id="QS-SENS", figure="study", asks="", run=sensitivity.run),
        Experiment(id="QS-BG", figure="study", asks="", run=background.run),
        Experiment(id="QS-FASTER", figure="study", asks="", run=faster_link.run),
    ],
)
