"""Measurements of the connections of this machine's servers, by a BPF program."""
