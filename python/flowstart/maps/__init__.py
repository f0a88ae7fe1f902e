"""Which startup serves where, by how much, how surely and at whose cost: the table of a sweep."""
