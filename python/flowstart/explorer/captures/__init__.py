"""Captures: files that are dropped or named, and what their replays came to."""
