"""One scenario in depth: its run, the tables and figures of it, and the files that keep them.

It stands above `render`, because a run shows itself in a notebook.
"""
