"""What the paper published, by the names of the targets."""

from flowstart.papers.published import Published

NAME = "hystart"
PUBLISHED = Published("flowstart.papers.hystart", NAME)
number = PUBLISHED.number
