"""autograd.Function inside vmap: its own vmap method, or its forward run on batched tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import Tensor
from ..autograd.function import Function
from ..pytree import broadcast_prefix, tree_flatten, tree_unflatten
from .batch_rules import Call, rule
from .batched import at_depth, entered, wrap


class VmapInfo(NamedTuple):
    """What a Function's vmap method is told."""

    batch_size: int
    randomness: str


@rule("Function")
def apply_function(call: Call, *args: Any) -> Any:
    """Called one level down, with arguments that are batched at the level above."""
    function: Any = call.function
    if not function.generate_vmap_rule and function.setup_context is Function.setup_context:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    has_method = function.vmap is not Function.vmap
    if function.generate_vmap_rule:
        if has_method:
            raise RuntimeError(
                f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and "
                "an overridden "
                "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
                "avoid ambiguity."
            )
        return _apply_generated(function, args, call)
    if not has_method:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True."
        )
    in_dims = tuple(0 if call.is_batched(a) else None for a in args)
    result = function.vmap(VmapInfo(call.size, call.info.randomness), in_dims, *map(call.value, args))
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
            f"structure compatible with the output. Got {type(result)}."
        )
    output, out_dims = result
    leaves, spec = tree_flatten(output)
    dims = broadcast_prefix(out_dims, spec)
    if dims is None:
        raise RuntimeError(f"{function.__name__}.vmap returned out_dims {out_dims} that do not fit its output")
    return tree_unflatten(
        [
            wrap(leaf.movedim(dim, 0), call.level) if isinstance(leaf, Tensor) and dim is not None else leaf
            for leaf, dim in zip(leaves, dims, strict=True)
        ],
        spec,
    )


def _apply_generated(function: Any, args: tuple, call: Call) -> Any:
    """Forward and backward see batched tensors; a Function of physical tensors around them joins the graph."""
    batched = [call.is_batched(a) for a in args]
    level = call.level
    returned: list = []

    def inside(values: tuple) -> list:
        return [wrap(v, level) if b else v for v, b in zip(values, batched, strict=True)]

    class Generated(Function):
        _node_name = function._backward_cls.__name__.rpartition(".")[2]
        generate_vmap_rule = True

        @staticmethod
        def forward(ctx: Any, *values: Any) -> Any:
            with at_depth(level):
                inner = ctx.inner = _InnerContext(ctx.needs_input_grad)
                output = _run_forward(function, inner, inside(values))
            outputs = output if isinstance(output, tuple) else (output,)
            returned[:] = [isinstance(output, tuple), [call.is_batched(y) for y in outputs]]
            ctx.output_batched = returned[1]
            ctx.set_materialize_grads(inner.materialize_grads)
            ctx.mark_non_differentiable(*(call.value(t) for t in inner.non_differentiable))
            values_saved = [call.value(t) for t in inner.to_save]
            ctx.saved_batched = [call.is_batched(t) for t in inner.to_save]
            ctx.save_for_backward(*values_saved)
            return tuple(call.value(y) for y in outputs)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            inner = ctx.inner
            inner.saved_tensors = tuple(
                wrap(t, level) if b else t for t, b in zip(ctx.saved_tensors, ctx.saved_batched, strict=True)
            )
            given = [
                wrap(g, level) if g is not None and b else g for g, b in zip(gradients, ctx.output_batched, strict=True)
            ]
            with entered(level, call.info):
                found = function.backward(inner, *given)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(_summed(call, g, b) for g, b in zip(found, batched, strict=True))

    outputs = Generated.apply(*map(call.value, args))
    wrapped = tuple(wrap(y, level) if b else y for y, b in zip(outputs, returned[1], strict=True))
    return wrapped if returned[0] else wrapped[0]


def _summed(call: Call, gradient: Any, batched: bool) -> Any:
    """The gradient of an input that all samples share is the sum of theirs."""
    if gradient is None or batched:
        return call.value(gradient)
    return gradient._value.sum(0) if call.is_batched(gradient) else gradient * call.size


def _run_forward(function: Any, context: _InnerContext, args: list) -> Any:
    if function.setup_context is Function.setup_context:
        return function.forward(context, *args)
    output = function.forward(*args)
    function.setup_context(context, tuple(args), output)
    return output


class _InnerContext:
    """The ctx that forward and backward of a generated rule see."""

    def __init__(self, needs_input_grad: tuple):
        self.needs_input_grad = needs_input_grad
        self.to_save: tuple = ()
        self.non_differentiable: tuple = ()
        self.materialize_grads = True
        self.saved_tensors: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        pass

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value

    def mark_dirty(self, *tensors: Any) -> None:
        raise RuntimeError("vmap: a Function that changes its inputs in place needs a vmap method of its own")
