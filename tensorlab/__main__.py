"""Run the command line with `python -m tensorlab`."""

import sys

from tensorlab.cli import main

if __name__ == "__main__":
    sys.exit(main())
