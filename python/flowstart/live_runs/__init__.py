"""The same transfers in the simulator and in a real QUIC stack, over the same links."""
