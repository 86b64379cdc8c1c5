"""``python -m napkin``: answers on the command line.  See ``napkin.cli``."""

import sys

from napkin.cli import main

sys.exit(main(sys.argv[1:]))
