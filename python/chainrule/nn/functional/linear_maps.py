"""Linear and bilinear maps."""

from __future__ import annotations

from ... import _core
from ..._core import Tensor
from ...amp.precision import as_given
from ...error_words import at_call
from ...overrides import handle_torch_function, has_torch_function

_functions = _core.functions

linear = _functions["linear"]


@as_given
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1 @ weight[k] @ input2 for every k, over the last dimensions, plus bias.

    Shape and dtype: (*, out) of (*, in1), (*, in2) and weight (out, in1, in2); all have one dtype.
    Derivative: each factor: g times the two others

    >>> torch.nn.functional.bilinear(torch.tensor([1., 2.]), torch.tensor([3.]), torch.ones(1, 2, 1))
    tensor([9.])
    """
    if not isinstance(input1, Tensor) and has_torch_function((input1, input2, weight, bias)):
        return handle_torch_function(bilinear, (input1, input2, weight, bias), input1, input2, weight, bias)
    if input1.dim() != input2.dim():
        raise at_call(RuntimeError, f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for i, (a, b) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if a != b:
            raise at_call(RuntimeError, f"bilinear(): input batch dimensions do not match at dim {i}: got {a} and {b}")
    for i, x in enumerate((input1, input2), 1):
        if x.shape[-1] != weight.shape[i]:
            raise at_call(
                RuntimeError,
                f"bilinear(): input{i} size does not match weight size: got {x.shape[-1]} but expected "
                f"{weight.shape[i]}",
            )
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise at_call(
            RuntimeError,
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {weight.shape[0]}",
        )
    out, first, second = weight.shape
    rows1, rows2 = input1.reshape(-1, first), input2.reshape(-1, second)
    # (rows, in1) @ (in1, out * in2) is one product for all k.
    half = (rows1 @ weight.transpose(0, 1).reshape(first, out * second)).reshape(-1, out, second)
    result = (half @ rows2.unsqueeze(2)).squeeze(2).reshape(*input1.shape[:-1], out)
    return result if bias is None else result + bias
