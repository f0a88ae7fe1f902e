"""Size classes, the same in all tables."""

CLASSES = (
    ("below 10 kB", 0, 10_000),
    ("10 to 100 kB", 10_000, 100_000),
    ("100 kB to 1 MB", 100_000, 1_000_000),
    ("1 to 10 MB", 1_000_000, 10_000_000),
    ("above 10 MB", 10_000_000, None),
)
"""Size classes: name, and bytes from and below."""
