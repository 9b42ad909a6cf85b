"""What the older names of amp say: torch.cuda.amp.autocast is torch.amp.autocast("cuda")."""

import warnings


def warn_renamed(device: str, name: str) -> None:
    """Warns, at the line that used the older name."""
    warnings.warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', args...)` "
        "instead.",
        FutureWarning,
        stacklevel=3,
    )
