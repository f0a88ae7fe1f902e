"""The language of sweeps: from what is asked to cells."""
