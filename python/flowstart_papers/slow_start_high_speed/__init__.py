"""Characterizing Slow Start in High Speed Networks (Kumazoe and others 2008)."""

from flowstart_papers.experiment import paper
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

PAPER = paper(
    __name__,
    slide4,
    cwnd,
    single,
    sessions,
    remarks,
    http,
    readings,
    buffer,
    host,
    resets,
    tell,
    detect,
)
