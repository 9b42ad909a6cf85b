"""Recorded steps: a function that runs as usual a few times, and then as a list of kernel calls, without Python."""

from .step import RecordedStep as RecordedStep
from .step import record as record

__all__ = ["RecordedStep", "record"]
