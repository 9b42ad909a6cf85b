"""Jacobians and Hessians of functions of tensors, and products with them."""

from collections.abc import Callable

from .. import _core
from .._core import Tensor
from .differentiate import grad
from .grad_mode import enable_grad


def _as_tuple(value) -> tuple[tuple, bool]:
    return ((value,), True) if isinstance(value, Tensor) else (tuple(value), False)


def _call(func: Callable, inputs, create_graph: bool) -> tuple[tuple, tuple, bool, bool]:
    """The function's outputs for inputs that are leaves of their own, and whether each side was one tensor."""
    given, one_input = _as_tuple(inputs)
    leaves = tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in given)
    with enable_grad():
        outputs, one_output = _as_tuple(func(*leaves))
    return leaves, outputs, one_input, one_output


def _rows(output: Tensor, inputs: tuple, create_graph: bool, strict: bool) -> list[tuple]:
    """The gradient of each element of `output` with respect to all inputs."""
    rows = []
    for element in output.reshape(-1):
        if not element.requires_grad:
            if strict:
                raise RuntimeError("Output 0 of the user-provided function is independent of the input.")
            rows.append((None,) * len(inputs))
            continue
        rows.append(grad(element, inputs, retain_graph=True, create_graph=create_graph, allow_unused=True))
    return rows


def jacobian(
    func: Callable,
    inputs,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
):
    """All derivatives of func(*inputs): for each output and input, a tensor of shape output.shape + input.shape."""
    if vectorize or strategy != "reverse-mode":
        raise NotImplementedError("jacobian(vectorize=True) and strategy='forward-mode' are not there yet")
    leaves, outputs, one_input, one_output = _call(func, inputs, create_graph)
    stack, zeros_like = _core.functions["stack"], _core.functions["zeros_like"]
    result = []
    for output in outputs:
        rows = _rows(output, leaves, create_graph, strict)
        blocks = []
        for i, x in enumerate(leaves):
            if strict and any(row[i] is None for row in rows):
                raise RuntimeError(
                    f"Output 0 of the user-provided function is independent of input {i}. "
                    "This is not allowed in strict mode."
                )
            flat = [zeros_like(x) if row[i] is None else row[i] for row in rows]
            blocks.append(stack(flat).reshape((*output.shape, *x.shape)))
        result.append(blocks[0] if one_input else tuple(blocks))
    return result[0] if one_output else tuple(result)


def hessian(func: Callable, inputs, create_graph: bool = False, strict: bool = False):
    """The second derivatives of a function with one scalar output."""
    given, one_input = _as_tuple(inputs)

    def gradient(*xs):
        output = func(*xs)
        if output.numel() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        found = grad(output.reshape(()), xs, create_graph=True, materialize_grads=True)
        return found[0] if one_input else found

    return jacobian(gradient, given[0] if one_input else given, create_graph=create_graph, strict=strict)
