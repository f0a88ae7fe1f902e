"""The figures of papers: what was published, and what is measured when asked for."""
