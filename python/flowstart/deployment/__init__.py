"""From an answer to its use: the knobs of real stacks, the size of a test, what to watch."""
