"""The explore view: start-ups on one path, as a table and over time."""
