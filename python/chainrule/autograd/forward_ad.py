"""Forward mode: dual numbers, a value and its tangent."""

from typing import NamedTuple

from .. import _core
from .._core import Tensor
from ..error_words import at_call as _at_call

_current_level = -1


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, None where it has none.

    >>> forward = torch.autograd.forward_ad
    >>> with forward.dual_level():
    ...     forward.unpack_dual(forward.make_dual(torch.tensor(3.), torch.tensor(1.)))
    UnpackedDualTensor(primal=tensor(3.), tangent=tensor(1.))
    """

    primal: Tensor
    tangent: Tensor | None


def _claim_level() -> bool:
    """Opens a level unless one is open; of several threads one gets it."""
    global _current_level
    if _current_level >= 0:  # no call between here and the next line: no other thread may come in between
        return False
    _current_level += 1
    _core.enter_dual_level()
    return True


def enter_dual_level() -> int:
    """Opens a level; tangents live until it is closed.

    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> torch.autograd.forward_ad.exit_dual_level()
    """
    if not _claim_level():
        raise _at_call(RuntimeError, "Nested forward mode AD is not supported at the moment")
    return _current_level


def exit_dual_level(*, level: int | None = None) -> None:
    """Closes the level.

    >>> level = torch.autograd.forward_ad.enter_dual_level()
    >>> torch.autograd.forward_ad.exit_dual_level()
    """
    global _current_level
    if _current_level < 0 and level is None:
        raise _at_call(RuntimeError, "Dual level must be a positive number: no level is open.")
    if level is not None and level != _current_level:
        raise _at_call(
            RuntimeError,
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported.",
        )
    _current_level -= 1
    _core.exit_dual_level()


class dual_level:  # noqa: N801
    """with dual_level(): make_dual, calculate, unpack_dual.

    >>> forward = torch.autograd.forward_ad
    >>> with forward.dual_level():
    ...     x = forward.make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     forward.unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exception) -> None:
        exit_dual_level()


def _check_level(function: str, level: int | None) -> None:
    if level is None:
        return
    if not isinstance(level, int):
        raise _at_call(TypeError, f"{function}(): argument 'level' must be int, not {type(level).__name__}")
    if level != _current_level:
        raise _at_call(
            RuntimeError, f"Invalid level given to {function}: {level}, but the open level is {_current_level}"
        )


def check_tangent(tensor: Tensor, tangent: Tensor) -> None:
    """Raises if the tangent has another shape than the tensor."""
    if tensor.shape != tangent.shape:
        raise _at_call(
            RuntimeError,
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}.",
        )


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` that carries `tangent`; `level` may be the open one only.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     x = torch.autograd.forward_ad.make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     print(torch.autograd.forward_ad.unpack_dual(x * x).tangent)
    tensor(6.)
    """
    if (_current_level if level is None else level) < 0:
        raise _at_call(
            RuntimeError,
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.",
        )
    if tensor.is_nested or tangent.is_nested:
        raise _at_call(NotImplementedError, "aten._make_dual.default: nested tensors carry no tangents; values() does")
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise _at_call(ValueError, f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise _at_call(ValueError, f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    _check_level("_make_dual", level)
    if _core.tangent(tensor) is not None:
        raise _at_call(
            RuntimeError,
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{_current_level} is not supported.",
        )
    check_tangent(tensor, tangent)
    if _core.tangent(tangent) is not None:
        raise _at_call(
            RuntimeError,
            "Setting a forward grad that itself has a forward gradient at the same level"
            f"{_current_level} is not supported.",
        )
    dual = tensor.view(tensor.shape) if tensor.is_contiguous() else tensor[...]
    _core.make_dual(dual, tangent)
    return dual


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value and the tangent of a dual tensor; `level` may be the open one only.

    >>> with torch.autograd.forward_ad.dual_level():
    ...     x = torch.autograd.forward_ad.make_dual(torch.tensor(3.), torch.tensor(1.))
    ...     print(torch.autograd.forward_ad.unpack_dual(x * x).primal)
    tensor(9.)
    """
    if not isinstance(tensor, Tensor):
        raise _at_call(
            TypeError, f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type(tensor).__name__}"
        )
    if _current_level < 0 or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    _check_level("_unpack_dual", level)
    tangent = _core.tangent(tensor)
    return UnpackedDualTensor(_core.primal(tensor) if tensor.requires_grad else tensor.detach(), tangent)
