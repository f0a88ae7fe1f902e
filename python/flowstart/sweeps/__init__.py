"""Families of paths, and every startup on all of them.

`language` makes cells of what is asked, `runs` makes rows of cells, `execution` has them made by
workers, and keeps them.
"""
