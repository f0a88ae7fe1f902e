"""Where a startup fails worst: a search over paths, and what is found made as plain as it can be.

`space` says over which paths, `search` finds, `shrink` drops what does not matter, `explain` says
in a sentence what happened.
"""
