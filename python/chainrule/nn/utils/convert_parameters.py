"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ... import _core
from ..._core import Tensor
from ...error_words import at_call

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, flattened, one after the other.

    >>> torch.nn.utils.parameters_to_vector([torch.ones(1, 2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    return _core.functions["cat"]([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives each parameter its part of the vector as data.

    >>> x = torch.nn.Parameter(torch.zeros(2))
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1., 2.]), [x])
    >>> x
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """
    if not isinstance(vec, Tensor):
        raise at_call(TypeError, f"expected torch.Tensor, but got: {type(vec).__module__}.{type(vec).__name__}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[start : start + count].reshape(parameter.shape).data
        start += count
