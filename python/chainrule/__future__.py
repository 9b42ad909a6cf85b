"""torch.__future__: how Module.to and its kin put converted parameters into a module."""

from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether a conversion makes new parameters instead of changing the data of those that are there.

    >>> torch.__future__.set_overwrite_module_params_on_conversion(False)
    """
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether a conversion makes new parameters.

    >>> torch.__future__.get_overwrite_module_params_on_conversion()
    False
    """
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether a conversion swaps each parameter with the converted one: torch.utils.swap_tensors.

    >>> torch.__future__.set_swap_module_params_on_conversion(False)
    """
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether a conversion swaps parameters.

    >>> torch.__future__.get_swap_module_params_on_conversion()
    False
    """
    return _swap
