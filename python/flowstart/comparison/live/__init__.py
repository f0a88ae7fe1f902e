"""The same transfers in the simulator and in a real stack, over the same links."""
