"""A branch as a function."""

from ..control_flow import cond as cond
