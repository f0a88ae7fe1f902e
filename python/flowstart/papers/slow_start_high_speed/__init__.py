"""Characterizing Slow Start in High Speed Networks (Kumazoe and others 2008)."""

from flowstart.papers import target
from flowstart.papers.experiment import Experiment, Paper
from flowstart.papers.slow_start_high_speed import (
    buffer,
    cwnd,
    host,
    http,
    remarks,
    sessions,
    single,
    tell,
    windows,
)
from flowstart.papers.slow_start_high_speed.assumptions import CHOSEN

NAME = "slow-start-high-speed"

EXPERIMENTS = (
    Experiment(
        id="CAV-WINDOW",
        figure="slide 4",
        question="With which window does QS-app open?",
        run=windows.run,
        quick=True,
    ),
    Experiment(
        id="CAV-1",
        figure="Chicago, cwnd dynamics",
        question="How do the windows of one transfer over 1G-1G develop, and when is it done?",
        run=cwnd.chicago,
        quick=True,
    ),
    Experiment(
        id="CAV-2",
        figure="Chicago, transaction time, expansion",
        question="Does a quick ramp-up shorten transfers where capacity expands?",
        run=single.times_expansion,
        quick=True,
    ),
    Experiment(
        id="CAV-3",
        figure="Chicago, transaction time, reduction",
        question="How long does a window for the interface take where capacity shrinks?",
        run=single.times_reduction,
        quick=True,
    ),
    Experiment(
        id="CAV-4",
        figure="Chicago, retransmissions, expansion",
        question="Who sends how much again where capacity expands?",
        run=single.again_expansion,
    ),
    Experiment(
        id="CAV-5",
        figure="Chicago, retransmissions, reduction",
        question="Who sends how much again where capacity shrinks?",
        run=single.again_reduction,
    ),
    Experiment(
        id="CAV-6",
        figure="Chicago, simultaneous sessions",
        question="What do simultaneous sessions from one server do to each other?",
        run=sessions.chicago,
    ),
    Experiment(
        id="CAV-7",
        figure="North Carolina, cwnd dynamics",
        question="Are QS-app and LSS the slowest at 220 ms?",
        run=cwnd.north_carolina,
    ),
    Experiment(
        id="CAV-8",
        figure="North Carolina, transaction time",
        question="Are all alike where capacity expands, and QS-app the slowest where it shrinks?",
        run=single.carolina,
    ),
    Experiment(
        id="CAV-9",
        figure="North Carolina, retransmissions",
        question="Who sends how much again with 1 to 8 sessions?",
        run=sessions.carolina,
    ),
    Experiment(
        id="CAV-10",
        figure="final slide",
        question="Do bursts cause loss, can a faster interface be slower, does the ramp matter?",
        run=remarks.run,
    ),
    Experiment(
        id="CAV-HTTP",
        figure="httperf runs",
        question="How long do objects take that are asked for in turn and at the same time?",
        run=http.run,
    ),
    Experiment(
        id="CAV-BUFFER",
        figure="study",
        question="Which interface queue makes half of Reno and a quarter of LSS true?",
        run=buffer.run,
    ),
    Experiment(
        id="CAV-HOST",
        figure="study",
        question="What do SACK reading and buffers make of capacity reduction?",
        run=host.run,
    ),
    Experiment(
        id="CAV-TELL",
        figure="study",
        question="What tells a sender early whether capacity expands or shrinks?",
        run=tell.run,
    ),
)

PAPER = Paper(
    name=NAME,
    title="Characterizing Slow Start in High Speed Networks",
    source="K. Kumazoe, D. Cavendish, M. Tsuru, Y. Oie, M. Gerla; slides, IRTF, November 2008;"
    " measurements between Kyushu, Chicago and North Carolina",
    package=__name__,
    targets=target.read(__name__, NAME),
    experiments=EXPERIMENTS,
    assumptions=CHOSEN,
)
