"""Anomaly detection: backward looks for NaN, and its errors tell where the forward call was."""

from .. import _core
from ..user_warning import warn_user

__all__ = ["detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]


class set_detect_anomaly:  # noqa: N801
    """Switches anomaly detection on or off, at once; as a context manager it switches back at the end.

    >>> with torch.autograd.set_detect_anomaly(True):
    ...     torch.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self._before = _core.get_anomaly()
        _core.set_anomaly(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception) -> None:
        _core.set_anomaly(*self._before)


class detect_anomaly:  # noqa: N801
    """Within it, backward raises at the first function that returns NaN, and names the line that called it.

    >>> with torch.autograd.detect_anomaly(check_nan=True):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    def __init__(self, check_nan: bool = True):
        self.check_nan = check_nan
        warn_user(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )

    def __enter__(self) -> None:
        self._before = _core.get_anomaly()
        _core.set_anomaly(True, self.check_nan)

    def __exit__(self, *exception) -> None:
        _core.set_anomaly(*self._before)


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on.

    >>> torch.is_anomaly_enabled()
    False
    """
    return _core.get_anomaly()[0]


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly detection, where it is on, looks for NaN.

    >>> torch.is_anomaly_check_nan_enabled()
    True
    """
    return _core.get_anomaly()[1]


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switches anomaly detection on or off.

    >>> torch.set_anomaly_enabled(False)
    """
    _core.set_anomaly(enabled, check_nan)
