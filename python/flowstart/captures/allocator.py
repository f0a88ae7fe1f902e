"""Memory that was freed, given back to the system."""

import ctypes


def give_back() -> None:
    """Asks the allocator for what it keeps for later.

    glibc keeps what threads that have ended had freed: after a long capture hundreds of megabytes,
    which nobody asks for again. Where the C library has no `malloc_trim`, nothing happens.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)
