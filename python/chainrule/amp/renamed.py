"""What the older names of amp say: torch.cuda.amp.autocast is torch.amp.autocast("cuda")."""

from ..user_warning import warn_user
from .grad_scaler import GradScaler


def warn_renamed(device: str, name: str) -> None:
    """Warns, at the line that used the older name."""
    warn_user(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('{device}', args...)` "
        "instead.",
        FutureWarning,
    )


class RenamedGradScaler(GradScaler):
    """amp.GradScaler of the device that the class is for."""

    _device: str

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ):
        warn_renamed(self._device, "GradScaler")
        super().__init__(self._device, init_scale, growth_factor, backoff_factor, growth_interval, enabled)
