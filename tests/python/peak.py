"""The most memory that a program and the programs that it starts have held."""

PRINT = """
import pathlib, resource
own = pathlib.Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(max(int(own), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024)
"""
"""Lines that end a program: they print bytes. `RUSAGE_SELF` begins with the peak of the process
that started the program (`setmax_mm_hiwater_rss` in Linux's `exec`), so `VmHWM` stands for it."""
