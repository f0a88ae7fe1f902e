"""Jump Start (Liu, Allman, Jin, Wang 2007)."""
