"""Batches of cells on workers, and the store that keeps their rows."""
