"""Where a startup fails worst: a search over paths, and what is found made as plain as it can be.

`space` has the paths, `search` finds and drops what does not matter, `result` explains each finding
in a sentence.
"""
