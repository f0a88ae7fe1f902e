"""What the paper published, by the names of the targets."""

from flowstart_papers.published import Published

NAME = "hystart"
PUBLISHED = Published("flowstart_papers.hystart", NAME)
number = PUBLISHED.number
