"""What the slides published, by the names of the targets."""

from flowstart_papers.published import Published

NAME = "slow-start-high-speed"
PUBLISHED = Published("flowstart_papers.slow_start_high_speed", NAME)
