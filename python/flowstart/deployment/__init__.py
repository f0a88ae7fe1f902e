"""From an answer to its use: the options of real stacks, the size of a test, what to watch."""
