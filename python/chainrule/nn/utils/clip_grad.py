"""Keeping gradients from growing too large."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...user_warning import warn_user

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

_functions = _core.functions
_vector_norm = _functions["linalg_vector_norm"]
_total_norm, _clip_to_norm_ = _functions["_total_norm"], _functions["_clip_to_norm_"]


def _listed(tensors: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    return [p.grad for p in _listed(parameters) if p.grad is not None]


def _in_one_call(tensors: list[Tensor], norm_type: float) -> bool:
    """Whether the core takes the norm of all tensors at once, as a number of the host's. Others are rounded tensor by
    tensor, as in PyTorch, and norms on a GPU stay there: nothing waits for them.
    """
    if any(t.is_cuda for t in tensors) or (_core.any_sparse() and any(t.is_sparse for t in tensors)):
        return False
    dtypes = {t.dtype for t in tensors}
    return norm_type in (1.0, 2.0, float("inf")) and dtypes in ({_core.float32}, {_core.float64})


def _norms(tensors: list[Tensor], norm_type: float) -> list[Tensor]:
    """Each tensor's own norm, all of them where the first tensor is."""
    norms = [_vector_norm(t, norm_type) for t in tensors]
    return [norm if norm.device == tensors[0].device else norm.to(tensors[0].device) for norm in norms]


@no_grad()
def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors as if they were one vector. (`foreach` chooses between ways that PyTorch has.)

    >>> torch.nn.utils.get_total_norm([torch.tensor([3.]), torch.tensor([4.])])
    tensor(5.)
    """
    norm_type, tensors = float(norm_type), _listed(tensors)
    if not tensors:
        return _functions["tensor"](0.0)
    if _in_one_call(tensors, norm_type):
        total = _total_norm(tensors, norm_type)
    else:
        total = _vector_norm(_functions["stack"](_norms(tensors, norm_type)), norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise at_call(
            RuntimeError,
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`",
        )
    return total


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scales the gradients so that a total norm becomes at most max_norm, in place.

    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> x.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grads_with_norm_([x], 1., torch.tensor(5.))
    >>> x.grad
    tensor([0.6000, 0.8000])
    """
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    if factor.is_cuda or factor != 1.0:  # to ask a GPU would be to wait for it
        for gradient in _gradients(parameters):
            gradient.mul_(factor if gradient.device == factor.device else factor.to(gradient.device))


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients so that their total norm is at most max_norm, in place; what it was is returned.

    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> x.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm_([x], 1.)
    tensor(5.)
    >>> x.grad
    tensor([0.6000, 0.8000])
    """
    if not isinstance(parameters, Tensor):
        is_generator = hasattr(parameters, "send")
        parameters = list(parameters)
        if is_generator and not parameters:
            warn_user("`parameters` is an empty generator, no gradient clipping will occur.")
    gradients, norm_type = _gradients(parameters), float(norm_type)
    if _in_one_call(gradients, norm_type) and not error_if_nonfinite:
        return _clip_to_norm_(gradients, float(max_norm), norm_type)
    total = get_total_norm(gradients, norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(*args: Any, **kwargs: Any) -> Tensor:
    """The old name of clip_grad_norm_.

    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> x.grad = torch.tensor([3., 4.])
    >>> torch.nn.utils.clip_grad_norm([x], 1.)
    tensor(5.)
    """
    warn_user(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning
    )
    return clip_grad_norm_(*args, **kwargs)


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Holds each element of the gradients between -clip_value and clip_value, in place.

    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> x.grad = torch.tensor([3., -4.])
    >>> torch.nn.utils.clip_grad_value_([x], 1.)
    >>> x.grad
    tensor([ 1., -1.])
    """
    clip_value = float(clip_value)
    for gradient in _gradients(parameters):
        gradient.clamp_(-clip_value, clip_value)
