"""Characterizing Slow Start in High Speed Networks (Kumazoe and others 2008)."""

from flowstart_papers.experiment import Paper
from flowstart_papers.slow_start_high_speed import (
    buffer,
    cwnd,
    detect,
    host,
    http,
    readings,
    remarks,
    resets,
    sessions,
    single,
    slide4,
    tell,
)
from flowstart_papers.slow_start_high_speed.assumptions import ASSUMPTIONS
from flowstart_papers.slow_start_high_speed.published import NAME, PUBLISHED

PAPER = Paper(
    name=NAME,
    title="Characterizing Slow Start in High Speed Networks",
    source="K. Kumazoe, D. Cavendish, M. Tsuru, Y. Oie, M. Gerla; slides, IRTF, November 2008;"
    " measurements between Kyushu, Chicago and North Carolina",
    package=__name__,
    targets=PUBLISHED.targets,
    experiments=(
        *slide4.EXPERIMENTS,
        *cwnd.EXPERIMENTS,
        *single.EXPERIMENTS,
        *sessions.EXPERIMENTS,
        *remarks.EXPERIMENTS,
        *http.EXPERIMENTS,
        *readings.EXPERIMENTS,
        *buffer.EXPERIMENTS,
        *host.EXPERIMENTS,
        *resets.EXPERIMENTS,
        *tell.EXPERIMENTS,
        *detect.EXPERIMENTS,
    ),
    assumptions=ASSUMPTIONS,
)
