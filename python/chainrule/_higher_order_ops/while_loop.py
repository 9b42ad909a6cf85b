"""A loop as a function."""

from ..control_flow import while_loop as while_loop
