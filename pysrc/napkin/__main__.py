"""``python -m napkin``: answers on the command line.  See ``napkin.cli``."""

import os
import sys

from napkin.cli import main

try:
    status = main(sys.argv[1:])
    sys.stdout.flush()
except BrokenPipeError:  # a reader such as ``head`` has seen enough
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    status = 0
sys.exit(status)
