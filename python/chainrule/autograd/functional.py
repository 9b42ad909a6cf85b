"""Jacobians and Hessians of functions of tensors, and products with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from .differentiate import grad
from .grad_mode import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_functions = _core.functions


# ---- inputs and outputs


def _as_tuple(value: Any, what: str, function: str) -> tuple[tuple, bool]:
    """Tensors as a tuple, and whether there was only one."""
    if isinstance(value, Tensor):
        return (value,), True
    several = value if isinstance(value, tuple) else (value,)
    for i, item in enumerate(several):
        if not isinstance(item, Tensor):
            place = f"Value at index {i} has" if isinstance(value, tuple) else "Given"
            raise at_call(
                TypeError,
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors. {place} "
                f"type {type(item)}.",
            )
    return several, False


def _outputs_of(value: Any, function: str) -> tuple[tuple, bool]:
    return _as_tuple(value, "outputs of the user-provided function", function)


def _start(inputs: tuple, create_graph: bool) -> tuple:
    """Inputs that are leaves of their own, or views where the result shall be differentiated again."""
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


def _finished(tensors: tuple, create_graph: bool) -> tuple:
    return tensors if create_graph else tuple(t.detach() for t in tensors)


def _single(values: tuple, one: bool) -> Any:
    return values[0] if one else values


def _check_vector(v: Any, like: tuple, one: bool, name: str, of: str) -> tuple:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise at_call(
                RuntimeError,
                "The vector v can only be None if the "
                + (f"{of} is" if of.startswith("input") else "user-provided function returns")
                + " a single Tensor with a single element.",
            )
        return (_functions["ones_like"](like[0]),)
    given, _ = _as_tuple(v, "v", name)
    if len(given) != len(like):
        raise at_call(
            RuntimeError,
            "The given v should contain a single Tensor."
            if one
            else f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}.",
        )
    for i, (a, b) in enumerate(zip(given, like, strict=True)):
        if a.shape != b.shape:
            raise at_call(
                RuntimeError,
                f"Entry {i} in v has invalid size: should be {b.shape} but got {a.shape}."
                if len(like) > 1
                else f"v has invalid size: should be {b.shape} but got {a.shape}.",
            )
    return tuple(t.detach() for t in given) if not any(t.requires_grad for t in given) else given


# What a strict call says about a gradient that did not arrive, and about one that is a constant, by stage.
_MISSING = {
    "output": "The output of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode.",
    "probe": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the "
    "double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "jacobian": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode.",
}
_CONSTANT = {
    "output": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode when create_graph=True.",
    "jacobian": "The hessian of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode when create_graph=True.",
}
_CONSTANT["probe"] = _CONSTANT["output"]


def _filled(found: tuple, like: tuple, strict: bool, stage: str, create_graph: bool) -> tuple:
    """Gradients, with zeros in place of those that did not arrive; `stage` is what they were taken of."""
    result = []
    for i, (g, x) in enumerate(zip(found, like, strict=True)):
        if strict and g is None:
            raise at_call(RuntimeError, _MISSING[stage].format(i))
        if strict and create_graph and not g.requires_grad:
            raise at_call(RuntimeError, _CONSTANT[stage].format(i))
        result.append(_functions["zeros_like"](x) if g is None else g)
    return tuple(result)


def _require_varying(gradients: tuple, strict: bool) -> None:
    """In strict mode, first derivatives that are to be differentiated must depend on the inputs."""
    for i, g in enumerate(gradients):
        if strict and g is None:
            raise at_call(RuntimeError, _MISSING["output"].format(i))
        if strict and not g.requires_grad:
            raise at_call(
                RuntimeError,
                "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                f"input {i} is independent of the input. This is not allowed in strict mode. You should ensure that "
                "your function is twice differentiable and that the jacobian depends on the inputs.",
            )


def _gradients(outputs: tuple, inputs: tuple, vectors: tuple | None, create_graph: bool) -> tuple:
    """As grad, for outputs that may not depend on anything."""
    vectors = vectors or (None,) * len(outputs)
    pairs = [(y, v) for y, v in zip(outputs, vectors, strict=True) if y.requires_grad]
    wanted = [x for x in inputs if x.requires_grad]
    if not pairs or not wanted:
        return (None,) * len(inputs)
    ys, vs = zip(*pairs, strict=True)
    found = iter(grad(ys, wanted, vs, create_graph=create_graph, retain_graph=True, allow_unused=True))
    return tuple(next(found) if x.requires_grad else None for x in inputs)


def _require_dependence(outputs: tuple, strict: bool) -> None:
    for i, y in enumerate(outputs):
        if strict and not y.requires_grad:
            raise at_call(
                RuntimeError,
                f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode.",
            )


# ---- products


def vjp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """func(*inputs), and the product of the vector v with its Jacobian.

    >>> torch.autograd.functional.vjp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 1.]))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        given, one = _as_tuple(inputs, "inputs", "vjp")
        leaves = _start(given, create_graph)
        outputs, one_output = _outputs_of(func(*leaves), "vjp")
        _require_dependence(outputs, strict)
        vectors = _check_vector(v, outputs, one_output, "vjp", "output")
        found = _filled(_gradients(outputs, leaves, vectors, create_graph), leaves, strict, "output", create_graph)
    return _single(_finished(outputs, create_graph), one_output), _single(_finished(found, create_graph), one)


def jvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """func(*inputs), and the product of its Jacobian with the vector v.

    >>> torch.autograd.functional.jvp(lambda x: x * x, torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        given, one = _as_tuple(inputs, "inputs", "jvp")
        leaves = _start(given, create_graph)
        vectors = _check_vector(v, leaves, one, "jvp", "input to the user-provided function")
        outputs, one_output = _outputs_of(func(*leaves), "jvp")
        _require_dependence(outputs, strict)
        # The product with a vector from the left is linear in it: differentiating it transposes it.
        probes = tuple(_functions["zeros_like"](y).requires_grad_() for y in outputs)
        rows = _filled(_gradients(outputs, leaves, probes, True), leaves, strict, "output", False)
        found = _gradients(rows, probes, vectors, create_graph)
        tangents = _filled(found, outputs, strict, "probe", create_graph)
    return _single(_finished(outputs, create_graph), one_output), _single(_finished(tangents, create_graph), one_output)


def _scalar_output(func: Callable, leaves: tuple, function: str, strict: bool) -> tuple[Tensor, tuple]:
    outputs, one = _outputs_of(func(*leaves), function)
    _require_dependence(outputs, strict)
    if not one or outputs[0].numel() != 1:
        raise at_call(
            RuntimeError,
            f"The Tensor returned by the function given to {function} should contain a single element"
            if one
            else f"The function given to {function} should return a single Tensor",
        )
    return outputs[0], outputs


def _first_derivatives(outputs: tuple, leaves: tuple, strict: bool) -> tuple:
    found = _gradients(outputs, leaves, None, True)
    _require_varying(found, strict)
    return _filled(found, leaves, strict, "output", False)


def vhp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """func(*inputs), one number, and the product of the vector v with its Hessian.

    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    (tensor(9.), tensor([6., 0.]))
    """
    with enable_grad():
        given, one = _as_tuple(inputs, "inputs", "vhp")
        leaves = _start(given, create_graph)
        vectors = _check_vector(v, leaves, one, "vhp", "input to the user-provided function")
        output, outputs = _scalar_output(func, leaves, "vhp", strict)
        first = _first_derivatives(outputs, leaves, strict)
        found = _filled(_gradients(first, leaves, vectors, create_graph), leaves, strict, "jacobian", create_graph)
    return _finished((output,), create_graph)[0], _single(_finished(found, create_graph), one)


def hvp(func: Callable, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple:
    """func(*inputs), one number, and the product of its Hessian with the vector v.

    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.tensor([1., 0.]))
    (tensor(9.), tensor([6., 0.]))
    """
    with enable_grad():
        given, one = _as_tuple(inputs, "inputs", "hvp")
        leaves = _start(given, create_graph)
        vectors = _check_vector(v, leaves, one, "hvp", "input to the user-provided function")
        output, outputs = _scalar_output(func, leaves, "hvp", strict)
        first = _first_derivatives(outputs, leaves, strict)
        # The Hessian is symmetric, so that the product from the left is the one from the right.
        found = _filled(_gradients(first, leaves, vectors, create_graph), leaves, strict, "jacobian", create_graph)
    return _finished((output,), create_graph)[0], _single(_finished(found, create_graph), one)


# ---- whole matrices


def _check_strategy(strategy: str, vectorize: bool, strict: bool, create_graph: bool) -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise at_call(
                NotImplementedError,
                'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are '
                "not supported "
                'together (yet). Please either set `create_graph=False` or `strategy="reverse-mode"`.',
            )
        if strict:
            raise at_call(
                RuntimeError,
                'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
                'together (yet). Please either set `strict=False` or `strategy="reverse-mode"`.',
            )
        if not vectorize:
            raise at_call(
                NotImplementedError,
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for "
                "`vectorize=True`.",
            )


def _refuse_strict(strict: bool, vectorize: bool) -> None:
    if strict and vectorize:
        raise at_call(
            RuntimeError,
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
            "together. Please "
            "either set `strict=False` or `vectorize=False`.",
        )


def jacobian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All derivatives of func(*inputs): for each output and input, a tensor of shape output.shape + input.shape.

    With strategy="forward-mode" (and vectorize=True) all directions go through the function at once; otherwise there is
    one pass backward for each number of the output.

    >>> torch.autograd.functional.jacobian(lambda x: x * x, torch.tensor([1., 2.]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    _check_strategy(strategy, vectorize, strict, create_graph)
    given, one = _as_tuple(inputs, "inputs", "jacobian")
    if strategy == "forward-mode":
        return _forward_jacobian(func, given, one)
    with enable_grad():
        leaves = _start(given, create_graph)
        outputs, one_output = _outputs_of(func(*leaves), "jacobian")
        _require_dependence(outputs, strict)
        _refuse_strict(strict, vectorize)
        result = []
        for k, y in enumerate(outputs):
            rows = [_row(y, i, leaves, create_graph, strict, k) for i in range(y.numel())]
            blocks = tuple(_stacked([row[n] for row in rows], y, x) for n, x in enumerate(leaves))
            result.append(_single(_finished(blocks, create_graph), one))
    return _single(tuple(result), one_output)


def _row(y: Tensor, i: int, leaves: tuple, create_graph: bool, strict: bool, number: int) -> tuple:
    unit = _functions["zeros"](y.numel(), dtype=y.dtype)
    unit[i] = 1
    found = _gradients((y,), leaves, (unit.reshape(y.shape),), create_graph)
    for n, g in enumerate(found):
        if strict and g is None:
            raise at_call(
                RuntimeError,
                f"Output {number} of the user-provided function is independent of input {n}. This is not allowed in "
                "strict mode.",
            )
        if strict and create_graph and not g.requires_grad:
            raise at_call(
                RuntimeError,
                f"The jacobian of the user-provided function is independent of input {n}. This is not "
                "allowed in strict "
                "mode when create_graph=True.",
            )
    return tuple(_functions["zeros_like"](x) if g is None else g for g, x in zip(found, leaves, strict=True))


def _stacked(rows: list[Tensor], y: Tensor, x: Tensor) -> Tensor:
    if not rows:
        return _functions["zeros"]((*y.shape, *x.shape), dtype=y.dtype)
    return _functions["stack"](rows).reshape((*y.shape, *x.shape))


def _construct_standard_basis_for(tensors: Any, tensor_numels: Any) -> tuple:
    """For each tensor its columns of an identity matrix over the numbers of all tensors."""
    total, start, chunks = sum(tensor_numels), 0, []
    for tensor, count in zip(tensors, tensor_numels, strict=True):
        chunk = tensor.new_zeros(total, count)
        chunk.diagonal(-start).fill_(1)
        chunks.append(chunk)
        start += count
    return tuple(chunks)


def _forward_jacobian(func: Callable, given: tuple, one: bool) -> Any:
    from ..func import jacfwd

    if _core.get_vmap_depth():
        raise at_call(
            RuntimeError,
            "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops. "
            "Use torch.func.jacfwd inside vmap.",
        )
    single: list[bool] = []

    def of_tuple(*xs: Tensor) -> tuple:
        outputs, one_output = _outputs_of(func(*xs), "jacobian")
        single.append(one_output)
        return outputs

    blocks = jacfwd(of_tuple, argnums=tuple(range(len(given))))(*(x.detach() for x in given))
    return _single(tuple(_single(row, one) for row in blocks), single[0])


def hessian(
    func: Callable,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one number as output.

    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    given, one = _as_tuple(inputs, "inputs", "hessian")
    _check_strategy(outer_jacobian_strategy, vectorize, strict, create_graph)

    def gradient(*xs: Tensor) -> Any:
        _, outputs = _scalar_output(func, xs, "hessian", strict)
        found = _gradients(outputs, xs, None, True)
        filled = tuple(_functions["zeros_like"](x) if g is None else g for g, x in zip(found, xs, strict=True))
        _require_varying(filled, strict)
        return _single(filled, one)

    if outer_jacobian_strategy == "forward-mode":
        from ..func import hessian as func_hessian

        def of_tuple(*xs: Tensor) -> Tensor:
            return _scalar_output(func, xs, "hessian", strict)[0].reshape(())

        found = func_hessian(of_tuple, argnums=tuple(range(len(given))))(*(x.detach() for x in given))
        return found[0][0] if one else found
    return jacobian(gradient, given[0] if one else given, create_graph=create_graph, strict=strict, vectorize=vectorize)
