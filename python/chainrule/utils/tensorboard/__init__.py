"""SummaryWriter: event files for TensorBoard, through the `tensorboard` package."""

from .writer import SummaryWriter

__all__ = ["SummaryWriter"]
