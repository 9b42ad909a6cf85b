"""autograd.backward and autograd.grad."""

import sys
from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call, retell
from ..user_warning import warn_user
from .graph import GradientEdge, as_tensor


def _inputs_of(inputs, function: str) -> tuple:
    """The inputs, the values of a dict of them, one after the other."""
    if isinstance(inputs, Tensor):
        return (inputs,)
    if type(inputs) is dict:
        inputs = inputs.values()
    elif isinstance(inputs, Mapping):
        raise at_call(
            TypeError,
            f"`inputs` argument to `{function}()` must be a dict, not {type(inputs).__name__}. Other Mapping types are "
            "not supported.",
        )
    found = _as_tuple(inputs)
    _check_inputs(found, function)
    return found


def _outputs_of(outputs) -> tuple:
    """What is differentiated: tensors, and nothing else."""
    if isinstance(outputs, Tensor):
        return (outputs,)
    if outputs is None:
        raise at_call(TypeError, "'NoneType' object is not iterable")
    found = _as_tuple(outputs)
    if not all(isinstance(y, Tensor) for y in found):
        raise AssertionError("Expected output to be a torch.Tensor")
    return found


def _as_tuple(value) -> tuple:
    """One tensor or several; an edge of the graph counts as the tensor that stands for it."""
    if isinstance(value, Tensor) or value is None:
        return (value,)
    if isinstance(value, GradientEdge):
        return (as_tensor(value),)
    return tuple(map(as_tensor, value))


def _gradients_for(outputs: tuple, gradients) -> tuple:
    if gradients is None:
        return (None,) * len(outputs)
    gradients = _as_tuple(gradients)
    if len(gradients) == 1 and gradients[0] is None:
        return (None,) * len(outputs)
    if len(gradients) < len(outputs):
        raise at_call(RuntimeError, f"got {len(outputs)} tensors and {len(gradients)} gradients")
    return gradients[: len(outputs)]  # PyTorch does not look at further ones


def _flags(retain_graph, create_graph) -> tuple[bool, bool]:
    """A graph is kept if that is asked for, or if the gradients have one of their own that leads back to it."""
    create = bool(index(create_graph))
    return (create if retain_graph is None else bool(index(retain_graph))), create


def backward(
    tensors,
    grad_tensors=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables=None,
    inputs=None,
) -> None:
    """Adds the gradients of `tensors` into the .grad of the leaves they depend on, or of `inputs` only.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.backward(x * x)
    >>> x.grad
    tensor(6.)
    """
    if grad_variables is not None:
        warn_user("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise at_call(
                RuntimeError,
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`.",
            )
        grad_tensors = grad_variables
    wanted = () if inputs is None else _inputs_of(inputs, "backward")
    outputs = _outputs_of(tensors)
    retain, create_graph = _flags(retain_graph, create_graph)
    starts = _gradients_for(outputs, grad_tensors)
    try:
        _core.run_backward(outputs, starts, retain, create_graph, wanted)
    except RuntimeError as error:
        retell(error)
        raise


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of the sum of `outputs` with respect to `inputs`, a tuple, or for a dict of inputs a dict; touches
    no .grad.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    if not only_inputs:
        warn_user(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    if allow_unused is False and materialize_grads:
        raise at_call(
            ValueError,
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
        )
    outs, ins = _outputs_of(outputs), _inputs_of(inputs, "grad")
    _check_differentiable(outs, ins)
    retain, create_graph = _flags(retain_graph, create_graph)
    allow = materialize_grads if allow_unused is None else bool(index(allow_unused))
    starts = _gradients_for(outs, grad_outputs)
    try:
        if is_grads_batched:
            _check_starts(outs, starts, True)
            found = _over_batch(outs, starts, ins, retain, create_graph)
        else:
            found = _run(outs, starts, ins, retain, create_graph)
    except RuntimeError as error:
        retell(error)
        raise
    found = _fill_unused(found, ins, allow, materialize_grads, create_graph, inputs)
    if "chainrule.nested.kinds" in sys.modules:  # only then can there be nested tensors
        found = tuple(x._as_gradient(g) if x.is_nested else g for x, g in zip(ins, found, strict=True))
    return dict(zip(inputs, found, strict=True)) if type(inputs) is dict else found


def _run(outputs: tuple, gradients: tuple, inputs: tuple, retain: bool, create_graph: bool) -> tuple:
    if _core.get_vmap_depth():
        from ..func.batched_gradients import gradients_inside

        _check_starts(outputs, gradients, False)
        return gradients_inside(outputs, gradients, inputs, retain, create_graph)
    return _core.gradients_of(outputs, gradients, inputs, retain, create_graph)


def _over_batch(outputs: tuple, gradients: tuple, inputs: tuple, retain: bool, create_graph: bool) -> tuple:
    """One pass for each of the gradients that are stacked in the first dimension."""
    sizes = {len(g) if g is not None and g.dim() else -1 for g in gradients}
    if len(sizes) != 1 or -1 in sizes:
        raise at_call(
            ValueError,
            "grad(is_grads_batched=True): every gradient needs a first dimension, of the same length for all, got "
            f"shapes {[None if g is None else tuple(g.shape) for g in gradients]}",
        )
    (size,) = sizes
    rows = [
        _run(outputs, tuple(g[i] for g in gradients), inputs, retain or i + 1 < size, create_graph) for i in range(size)
    ]
    stack, zeros = _core.functions["stack"], _core.functions["zeros"]
    if not rows:
        return tuple(zeros((0, *x.shape), dtype=x.dtype) for x in inputs)
    return tuple(None if column[0] is None else stack(list(column)) for column in zip(*rows, strict=True))


def _check_starts(outputs: tuple, gradients: tuple, batched: bool) -> None:
    for i, (y, g) in enumerate(zip(outputs, gradients, strict=True)):
        if not isinstance(y, Tensor) or not isinstance(g, Tensor):
            continue
        shape = g.shape[1:] if batched else g.shape
        if shape != y.shape:
            where = f"grad_output[{i}] has a shape of {shape} and output[{i}] has a shape of {y.shape}."
            if not batched:
                raise at_call(RuntimeError, f"Mismatch in shape: {where}")
            raise at_call(
                RuntimeError,
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: {where} If you only want some tensors in `grad_output` to be "
                "considered batched, consider using vmap.",
            )
        if y.is_complex() != g.is_complex():
            raise at_call(
                RuntimeError,
                "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                f"dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {y.dtype}.",
            )


def _check_inputs(inputs: Sequence, function: str) -> None:
    if not inputs:
        raise at_call(RuntimeError, f"`inputs` argument to `{function}()` cannot be empty.")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            raise at_call(
                RuntimeError, f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}"
            )


def _check_differentiable(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    for tensor in outputs:
        if not tensor.requires_grad:
            return  # the engine says so
    for i, tensor in enumerate(inputs):
        if not tensor.requires_grad:
            raise at_call(
                RuntimeError,
                "One of the differentiated Tensors does not require grad\n"
                f"  Input {i} has requires_grad=False: set it before the calculation, x.requires_grad_().",
            )


def _why_unused(inputs: list) -> str:
    """What the user calls the inputs, and what became of them."""
    from ..explain.inquiry import Inquiry
    from ..explain.names import Names

    inquiry = Inquiry(Names())
    return "".join(f"\n  {inquiry.cause(t, None)}" for t in inputs if isinstance(t, Tensor) and inquiry.names.of(t))


def _fill_unused(
    gradients: tuple, inputs: tuple, allow: bool, materialize: bool, create_graph: bool, given: Any
) -> tuple:
    """The gradients of which some are None, if that is allowed; zeros in their place if that is asked for."""
    unused = [i for i, g in enumerate(gradients) if g is None]
    if not unused:
        return gradients
    if not allow:
        why = _why_unused([inputs[i] for i in unused])
        raise at_call(
            RuntimeError,
            f"The differentiated Tensor at index {unused[0]} appears to not have been used in the graph. Set "
            "allow_unused=True if this is the desired behavior.\n"
            f"  Not used: input {', '.join(map(str, unused))} of {len(inputs)}.{why}",
        )
    if not materialize:
        return gradients
    if isinstance(given, (list, tuple)) and any(isinstance(given[i], GradientEdge) for i in unused):
        raise at_call(RuntimeError, "materialize_grads cannot be used when the given input is a GradientEdge")
    zeros_like = _core.functions["zeros_like"]
    return tuple(
        zeros_like(x, requires_grad=create_graph) if g is None else g for g, x in zip(gradients, inputs, strict=True)
    )
