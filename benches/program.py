"""What the programs of this folder share: their exit statuses and how they read a number."""

import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from failures import BuildError, RequestError


def run(main: Callable[[], None]) -> NoReturn:
    """Ends with 0; with 2 and one line for a wrong request; with 1, and with 130 for Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except RequestError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except BuildError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def rounds(text: str) -> int:
    """How often each workload is run."""
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise RequestError(f"N `{text}`: give a whole number of rounds from 1")
    return int(text)
