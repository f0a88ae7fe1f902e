"""The map: of rate and round trip, and of the folders of sweeps."""
