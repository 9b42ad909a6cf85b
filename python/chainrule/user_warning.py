"""Warnings that point at the user's line, however deep inside of chainrule they are given."""

from __future__ import annotations

import os
import sys
import warnings

_OWN = os.path.dirname(__file__) + os.sep


def warn_user(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warns at the innermost line that is not chainrule's own."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
