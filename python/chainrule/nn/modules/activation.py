"""Activation functions as modules."""

from __future__ import annotations

from typing import Any

from ..._core import Tensor
from ...error_words import at_call
from ...lazy import elsewhere
from ...user_warning import warn_user
from .. import functional as F  # noqa: N812
from ..parameter import fresh
from .module import Module

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]

__getattr__ = elsewhere(__name__, "attention")


class _InPlace(Module):
    """An activation whose one argument is whether to overwrite the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_InPlace):
    """max(0, x).

    Args:
        inplace: whether to write into the input.

    >>> torch.nn.ReLU()(torch.tensor([-1., 1.]))
    tensor([0., 1.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class SELU(_InPlace):
    """elu with the two constants that keep mean and variance.

    >>> torch.nn.SELU()(torch.tensor([-1., 1.]))
    tensor([-1.1113,  1.0507])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(_InPlace):
    """x * sigmoid(x).

    >>> torch.nn.SiLU()(torch.tensor([-1., 1.]))
    tensor([-0.2689,  0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_InPlace):
    """x * tanh(softplus(x)).

    >>> torch.nn.Mish()(torch.tensor([-1., 1.]))
    tensor([-0.3034,  0.8651])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Hardsigmoid(_InPlace):
    """relu6(x + 3) / 6.

    >>> torch.nn.Hardsigmoid()(torch.tensor([-4., 0., 4.]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardswish(_InPlace):
    """x * relu6(x + 3) / 6.

    >>> torch.nn.Hardswish()(torch.tensor([-4., 1., 4.]))
    tensor([-0.0000, 0.6667, 4.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardtanh(Module):
    """x, held between min_val and max_val.

    >>> torch.nn.Hardtanh()(torch.tensor([-4., 0.5, 4.]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for old, new, value in (("min_value", "min_val", min_value), ("max_value", "max_val", max_value)):
            if value is not None:
                warn_user(f"keyword argument `{old}` is deprecated and rename to `{new}`", FutureWarning)
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise at_call(AssertionError, "max_val must be larger than min_val")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """min(max(0, x), 6).

    >>> torch.nn.ReLU6()(torch.tensor([-1., 1., 9.]))
    tensor([0., 1., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """x where it is above the threshold, `value` elsewhere.

    >>> torch.nn.Threshold(0.5, 9.)(torch.tensor([0., 1.]))
    tensor([9., 1.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    >>> torch.nn.ELU()(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(ELU):
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere.

    >>> torch.nn.CELU()(torch.tensor([-1., 1.]))
    tensor([-0.6321,  1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """x where it is positive, negative_slope * x elsewhere.

    Args:
        negative_slope: of the part below 0.
        inplace: whether to write into the input.

    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-1., 1.]))
    tensor([-0.1000,  1.0000])
    """

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """leaky_relu with slopes that are drawn between lower and upper in training, and their mean otherwise.

    >>> torch.nn.RReLU().eval()(torch.tensor([-1., 1.]))
    tensor([-0.2292,  1.0000])
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """x where it is positive, weight * x elsewhere, with a learned weight for all channels or for each.

    >>> torch.nn.PReLU()(torch.tensor([-1., 1.])).detach()
    tensor([-0.2500,  1.0000])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = fresh(num_parameters, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weights to their first value."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class GELU(Module):
    """x times the probability that a normal number is below x; approximate: "none" or "tanh".

    Args:
        approximate: "none", or "tanh".

    >>> torch.nn.GELU()(torch.tensor([-1., 1.]))
    tensor([-0.1587,  0.8413])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """a * sigmoid(b) for the two halves a and b of the input along `dim`.

    >>> torch.nn.GLU()(torch.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> torch.nn.Sigmoid()(torch.tensor([0., 1.]))
    tensor([0.5000, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return input.sigmoid()


class Tanh(Module):
    """The hyperbolic tangent.

    >>> torch.nn.Tanh()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return input.tanh()


class LogSigmoid(Module):
    """The logarithm of sigmoid.

    >>> torch.nn.LogSigmoid()(torch.tensor([0., 1.]))
    tensor([-0.6931, -0.3133])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|).

    >>> torch.nn.Softsign()(torch.tensor([-1., 3.]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> torch.nn.Tanhshrink()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.2384])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, and x itself where beta * x is above the threshold.

    >>> torch.nn.Softplus()(torch.tensor([0., 1.]))
    tensor([0.6931, 1.3133])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Hardshrink(Module):
    """x, and 0 between -lambd and lambd.

    >>> torch.nn.Hardshrink()(torch.tensor([-1., 0.3, 2.]))
    tensor([-1.,  0.,  2.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(Hardshrink):
    """x moved towards zero by lambd, and zero where it would pass it.

    >>> torch.nn.Softshrink()(torch.tensor([-1., 0.3, 2.]))
    tensor([-0.5000,  0.0000,  1.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Softmin(Module):
    """softmax(-x).

    >>> torch.nn.Softmin(dim=0)(torch.tensor([0., 1.]))
    tensor([0.7311, 0.2689])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Softmin):
    """exp(x) along `dim`, divided by its sum.

    Args:
        dim: along which the results add up to 1.

    >>> torch.nn.Softmax(dim=0)(torch.tensor([0., 1.]))
    tensor([0.2689, 0.7311])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(Softmin):
    """The logarithm of softmax.

    Args:
        dim: along which exponentials of the results add up to 1.

    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([0., 1.]))
    tensor([-1.3133, -0.3133])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """softmax over the channels of (N, C, H, W) or (C, H, W).

    >>> torch.nn.Softmax2d()(torch.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise at_call(ValueError, f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
