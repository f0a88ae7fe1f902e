"""What the paper published: the targets, and the values that its figures are marked with."""

from flowstart_papers.published import Published

NAME = "jump-start"
PUBLISHED = Published("flowstart_papers.jump_start", NAME)
number = PUBLISHED.number
