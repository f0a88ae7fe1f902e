"""`python -m flowstart` is the command `flowstart`."""

import sys

from flowstart.cli import main

if __name__ == "__main__":
    sys.exit(main())
