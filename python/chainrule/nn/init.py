"""Filling tensors with first values; with the same seed the numbers are PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from .. import _core
from .._core import Generator, Tensor
from ..autograd.grad_mode import no_grad
from ..error_words import at_call as _at_call
from ..user_warning import warn_user as _warn_user

_functions = _core.functions

_GAINS = {"sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4, "linear": 1}
_GAINS |= {f"conv{kind}{n}d": 1 for kind in ("", "_transpose") for n in (1, 2, 3)}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the spread of values through a nonlinearity; `param` is leaky_relu's slope.

    >>> torch.nn.init.calculate_gain("relu")
    1.4142135623730951
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise _at_call(ValueError, f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity not in _GAINS:
        raise _at_call(ValueError, f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


# ---- plain distributions


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Numbers between a and b, all equally likely.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.uniform_(torch.empty(3))
    tensor([0.4963, 0.7682, 0.0885])
    """
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normally distributed numbers.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.normal_(torch.empty(3))
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normally distributed numbers, drawn again where they fall outside of [a, b].

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.trunc_normal_(torch.empty(100)).abs().max() <= 2
    tensor(True)
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        _warn_user(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )

    if tensor.is_meta:  # nothing to draw, and no draw to look at
        return tensor

    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    if tensor.is_meta:  # nothing is drawn, so nothing is outside
        return tensor
    # Where few normal numbers would be kept, uniform ones are drawn and kept by their density.
    draw = _redrawn if below(b) - below(a) > 0.3 else _kept_by_density
    return draw(tensor, mean, std, a, b, generator)


def _redrawn(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None) -> Tensor:
    low, high = (_functions["tensor"](x, dtype=tensor.dtype, device=tensor.device).item() for x in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while (outside := (result < low) | (result > high)).any():
        again = _functions["empty_like"](result).normal_(mean, std, generator=generator)
        result = _functions["where"](outside, again, result)
    return tensor if result is tensor else tensor.copy_(result)


def _kept_by_density(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> Tensor:
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    level = _functions["empty_like"](tensor)

    def refused(candidates: Tensor) -> Tensor:
        log_density = candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        return level.uniform_(generator=generator).log_().gt(log_density)

    result = tensor.uniform_(a, b, generator=generator)
    pending = refused(result.clone())
    while pending.any():
        candidates = _functions["empty_like"](tensor).uniform_(a, b, generator=generator)
        result = _functions["where"](pending, candidates, result)
        pending = _functions["where"](pending, refused(candidates), pending)
    return tensor if result is tensor else tensor.copy_(result)


# ---- constants


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere.

    >>> torch.nn.init.constant_(torch.empty(3), 0.5)
    tensor([0.5000, 0.5000, 0.5000])
    """
    return tensor.fill_(val)


@no_grad()
def ones_(tensor: Tensor) -> Tensor:
    """Ones everywhere.

    >>> torch.nn.init.ones_(torch.empty(3))
    tensor([1., 1., 1.])
    """
    return tensor.fill_(1.0)


@no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    """Zeros everywhere.

    >>> torch.nn.init.zeros_(torch.empty(3))
    tensor([0., 0., 0.])
    """
    return tensor.zero_()


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix.

    >>> torch.nn.init.eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndimension() != 2:
        raise _at_call(ValueError, "Only tensors with 2 dimensions are supported")
    return tensor.copy_(_functions["eye"](*tensor.shape))


@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The kernel of a convolution that keeps its input, as far as there are channels, in each of `groups`.

    >>> torch.nn.init.dirac_(torch.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    if tensor.ndimension() not in (3, 4, 5):
        raise _at_call(ValueError, "Only tensors with 3, 4, or 5 dimensions are supported")
    sizes = tensor.size()
    if sizes[0] % groups != 0:
        raise _at_call(ValueError, "dim 0 must be divisible by groups")
    per_group = sizes[0] // groups
    middle = tuple(size // 2 for size in sizes[2:])
    tensor.zero_()
    for group in range(groups):
        for channel in range(min(per_group, sizes[1])):
            tensor[(group * per_group + channel, channel, *middle)] = 1
    return tensor


# ---- by the number of inputs and outputs


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise _at_call(ValueError, "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    shape = tensor.shape
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise _at_call(ValueError, f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform numbers; the spread keeps that of values and of gradients.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.xavier_uniform_(torch.empty(2, 2))
    tensor([[-0.0092,  0.6570],
            [-1.0080, -0.9013]])
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal numbers; the spread keeps that of values and of gradients.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.xavier_normal_(torch.empty(2, 2))
    tensor([[ 1.0896, -0.2075],
            [-1.5406,  0.4019]])
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform numbers; the spread keeps that of values (fan_in) or of gradients (fan_out) through a nonlinearity.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.kaiming_uniform_(torch.empty(2, 2))
    tensor([[-0.0130,  0.9291],
            [-1.4256, -1.2747]])
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal numbers; the spread keeps that of values (fan_in) or of gradients (fan_out) through a nonlinearity.

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.kaiming_normal_(torch.empty(2, 2))
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor: Tensor) -> bool:
    if 0 not in tensor.shape:
        return False
    _warn_user("Initializing zero-element tensors is a no-op")
    return True


# ---- matrices


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """A matrix with orthogonal rows or columns, whichever are fewer; further dimensions count as columns.

    >>> q = torch.nn.init.orthogonal_(torch.empty(2, 2))
    >>> torch.allclose(q @ q.t(), torch.eye(2), atol=1e-6)
    True
    """
    if tensor.ndimension() < 2:
        raise _at_call(ValueError, "Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        basis = _orthonormal_columns(drawn.t() if rows < columns else drawn)
        tensor.copy_((basis.t() if rows < columns else basis).reshape(tensor.shape))
        return tensor.mul_(gain)


def _orthonormal_columns(matrix: Tensor) -> Tensor:
    """The factor Q of matrix = QR with a positive diagonal in R, by Gram and Schmidt, twice, in double precision."""
    columns: list[Tensor] = []
    for column in matrix.double().unbind(1):
        for _ in range(2 if columns else 0):
            before = _functions["stack"](columns, 1)
            column = column - before.mv(before.t().mv(column))
        columns.append(column / column.norm())
    return _functions["stack"](columns, 1).to(matrix.dtype)


@no_grad()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal numbers, of which the fraction `sparsity` of each column is zero.

    >>> torch.nn.init.sparse_(torch.empty(4, 2), sparsity=0.5).count_nonzero(0)
    tensor([2, 2])
    """
    if tensor.ndimension() != 2:
        raise _at_call(ValueError, "Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[_functions["randperm"](rows)[:zeros], column] = 0
    return tensor


# ---- old names


def _old_name(function: Callable) -> Any:
    name = function.__name__

    @wraps(function)
    def deprecated(*args: Any, **kwargs: Any) -> Any:
        _warn_user(f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.", FutureWarning)
        return function(*args, **kwargs)

    deprecated.__name__ = name[:-1]
    return deprecated


uniform = _old_name(uniform_)
normal = _old_name(normal_)
constant = _old_name(constant_)
eye = _old_name(eye_)
dirac = _old_name(dirac_)
xavier_uniform = _old_name(xavier_uniform_)
xavier_normal = _old_name(xavier_normal_)
kaiming_uniform = _old_name(kaiming_uniform_)
kaiming_normal = _old_name(kaiming_normal_)
orthogonal = _old_name(orthogonal_)
sparse = _old_name(sparse_)


# ---- the same without a name: what packages take from PyTorch's file


@no_grad()
def _no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Generator | None = None) -> Tensor:
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def _no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Generator | None = None) -> Tensor:
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    return tensor.fill_(val)


@no_grad()
def _no_grad_zero_(tensor: Tensor) -> Tensor:
    return tensor.zero_()


_no_grad_trunc_normal_ = trunc_normal_
