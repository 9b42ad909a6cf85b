"""Where PyTorch has the class of nested tensors; packages import it from there."""
