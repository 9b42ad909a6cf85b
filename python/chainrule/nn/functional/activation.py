"""Activation functions, with PyTorch's signatures over the core's functions."""

from ... import _core
from ..._core import Tensor
from ...error_words import at_call
from ...user_warning import warn_user

_functions = _core.functions

# Those that take no `inplace` are the core's own functions.
sigmoid, tanh = _functions["sigmoid"], _functions["tanh"]
prelu, gelu, softplus = _functions["prelu"], _functions["gelu"], _functions["softplus"]
hardshrink, softshrink, logsigmoid = (_functions[name] for name in ("hardshrink", "softshrink", "logsigmoid"))
relu_, hardtanh_, threshold_ = _functions["relu_"], _functions["hardtanh_"], _functions["threshold_"]
leaky_relu_, elu_, rrelu_ = _functions["leaky_relu_"], _functions["elu_"], _functions["rrelu_"]
celu_, selu_ = _functions["celu_"], _functions["selu_"]


def _apply(name: str, inplace: bool, *args) -> Tensor:
    return _functions[name + "_" if inplace else name](*args)


_relu = _functions["relu"]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x).

    Shape and dtype: Those of the input.
    Derivative: g where x is positive, 0 elsewhere

    >>> torch.nn.functional.relu(torch.tensor([-1., 0., 2.]))
    tensor([0., 0., 2.])
    """
    return relu_(input) if inplace else _relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(0, x), 6).

    Shape and dtype: Those of the input.
    Derivative: g where x lies between 0 and 6, 0 elsewhere

    >>> torch.nn.functional.relu6(torch.tensor([-1., 3., 7.]))
    tensor([0., 3., 6.])
    """
    return _apply("hardtanh", inplace, input, 0.0, 6.0)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x, held between min_val and max_val.

    Shape and dtype: Those of the input.
    Derivative: g where x lies between the bounds, 0 elsewhere

    >>> torch.nn.functional.hardtanh(torch.tensor([-2., 0.5, 2.]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise at_call(ValueError, "min_val cannot be greater than max_val")
    return _apply("hardtanh", inplace, input, min_val, max_val)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, `value` elsewhere.

    Shape and dtype: Those of the input.
    Derivative: g where x is above the threshold, 0 elsewhere

    >>> torch.nn.functional.threshold(torch.tensor([-1., 0.5, 2.]), 1., 0.)
    tensor([0., 0., 2.])
    """
    return _apply("threshold", inplace, input, threshold, value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, negative_slope * x elsewhere.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g where x is positive, g * negative_slope elsewhere

    >>> torch.nn.functional.leaky_relu(torch.tensor([-1., 0., 2.]), 0.1)
    tensor([-0.1000,  0.0000,  2.0000])
    """
    return _apply("leaky_relu", inplace, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g where x is positive, g * alpha * exp(x) elsewhere

    >>> torch.nn.functional.elu(torch.tensor([-1., 0., 2.]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
    return _apply("elu", inplace, input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g where x is positive, g * exp(x / alpha) elsewhere

    >>> torch.nn.functional.celu(torch.tensor([-1., 0., 2.]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
    if alpha == 0:
        raise at_call(RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU")
    return _apply("celu", inplace, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the two constants that keep mean and variance.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g * scale where x is positive, g * scale * alpha * exp(x) elsewhere

    >>> torch.nn.functional.selu(torch.tensor([-1., 0., 2.]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
    return _apply("selu", inplace, input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x).

    Shape and dtype: Those of the input, which is floating or complex.
    Derivative: g * s * (1 + x * (1 - s)), where s = sigmoid(x)

    >>> torch.nn.functional.silu(torch.tensor([-1., 0., 2.]))
    tensor([-0.2689,  0.0000,  1.7616])
    """
    return _apply("silu", inplace, input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x)).

    Shape and dtype: Those of the input, which is floating.
    Derivative: g * (t + x * sigmoid(x) * (1 - t * t)), where t = tanh(softplus(x))

    >>> torch.nn.functional.mish(torch.tensor([-1., 0., 2.]))
    tensor([-0.3034,  0.0000,  1.9440])
    """
    return _apply("mish", inplace, input)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(x + 3) / 6.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g / 6 where x lies between -3 and 3, 0 elsewhere

    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4., 0., 1.]))
    tensor([0.0000, 0.5000, 0.6667])
    """
    return _apply("hardsigmoid", inplace, input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * relu6(x + 3) / 6.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g above 3, g * (x / 3 + 1 / 2) between -3 and 3, 0 below

    >>> torch.nn.functional.hardswish(torch.tensor([-4., 0., 1.]))
    tensor([-0.0000, 0.0000, 0.6667])
    """
    return _apply("hardswish", inplace, input)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).

    Shape and dtype: Those of the input.
    Derivative: g * tanh(x) ** 2

    >>> torch.nn.functional.tanhshrink(torch.tensor([-1., 0., 2.]))
    tensor([-0.2384,  0.0000,  1.0360])
    """
    return input - input.tanh()


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).

    Shape and dtype: Those of the input.
    Derivative: g / (1 + |x|) ** 2

    >>> torch.nn.functional.softsign(torch.tensor([-1., 0., 3.]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    return input / (input.abs() + 1)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a * sigmoid(b) for the two halves a and b of the input along `dim`.

    Shape and dtype: The shape of the input with half the size at `dim`; its dtype.
    Derivative: a: g * sigmoid(b), b: g * a * sigmoid(b) * (1 - sigmoid(b))

    >>> torch.nn.functional.glu(torch.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """
    return _functions["glu"](input, dim)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _core.dtype | None = None) -> Tensor:
    """exp(x) along `dim`, divided by its sum.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: y * (g - sum(g * y))

    >>> torch.nn.functional.softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    return input.softmax(_given_dim("softmax", input, dim, _stacklevel), dtype=dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _core.dtype | None = None
) -> Tensor:
    """The logarithm of softmax, calculated without leaving the logarithm.

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: g - exp(y) * sum(g)

    >>> torch.nn.functional.log_softmax(torch.tensor([1., 2., 3.]), dim=0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
    return input.log_softmax(_given_dim("log_softmax", input, dim, _stacklevel), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: _core.dtype | None = None) -> Tensor:
    """softmax(-x).

    Shape and dtype: The shape of the input; its dtype, which is floating, or `dtype`.
    Derivative: -y * (g - sum(g * y))

    >>> torch.nn.functional.softmin(torch.tensor([1., 2., 3.]), dim=0)
    tensor([0.6652, 0.2447, 0.0900])
    """
    return (-input).softmax(_given_dim("softmin", input, dim, _stacklevel), dtype=dtype)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """leaky_relu with a slope that is drawn anew for each element in training, and their mean otherwise.

    Shape and dtype: Those of the input, which is floating.
    Derivative: g where x is positive, g * slope elsewhere

    >>> torch.nn.functional.rrelu(torch.tensor([-1., 0., 2.]), 0.25, 0.25)
    tensor([-0.2500,  0.0000,  2.0000])
    """
    return _apply("rrelu", inplace, input, lower, upper, training)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A differentiable sample of softmax(logits); hard: one-hot, with the gradient of the soft one.

    Shape and dtype: Those of the logits.
    Derivative: that of softmax((logits + noise) / tau)

    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.gumbel_softmax(torch.tensor([0., 100.]), hard=True)
    tensor([0., 1.])
    """
    if eps != 1e-10:
        warn_user("`eps` parameter is deprecated and has no effect.")
    noise = -_functions["empty_like"](logits, memory_format=_core.contiguous_format).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    largest = soft.detach().argmax(dim, keepdim=True)
    places = _functions["arange"](soft.shape[dim]).reshape([-1] + [1] * (soft.dim() - 1 - dim % soft.dim()))
    return (places == largest).to(soft.dtype) - soft.detach() + soft


def _given_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    """PyTorch still guesses a dimension that was not given, and warns."""
    if dim is not None:
        return dim
    message = (
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
    )
    warn_user(message)
    return 0 if input.dim() in (0, 1, 3) else 1
