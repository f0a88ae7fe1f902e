"""Families of paths, and every start-up on all of them."""
