"""What the slides published, by the names of the targets."""

from flowstart_papers import published

PUBLISHED = published.of("flowstart_papers.slow_start_high_speed")
