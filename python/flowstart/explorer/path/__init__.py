"""The explore view: startups on one path, as a table and over time."""
