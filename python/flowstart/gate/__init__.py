"""The gate of a maintainer: whether a change made starts worse than a recorded base."""
