"""`python -m chainrule` is the command `chainrule`."""

import sys

from .command_line import main

sys.exit(main())
