"""autograd.Function inside vmap: its own vmap method, or its forward run on batched tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import Tensor
from ..autograd.function import Function, bind
from ..error_words import at_call
from ..pytree import broadcast_prefix, tree_flatten, tree_map, tree_unflatten
from .batch_rules import Call, rule
from .batched import at_depth, entered, wrap


class VmapInfo(NamedTuple):
    """What a Function's vmap method is told."""

    batch_size: int
    randomness: str


@rule("Function")
def apply_function(call: Call, *args: Any, **kwargs: Any) -> Any:
    """Called one level down, with arguments that are batched at the level above."""
    function: Any = call.function
    if call.info.any_function:
        return _apply_generated(function, args, call)
    if any(isinstance(t, Tensor) for t in kwargs.values()):
        raise at_call(
            NotImplementedError,
            "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors to "
            f"autograd.Function. Got: {kwargs}",
        )
    args = bind(function, *args, **kwargs) if kwargs else args
    if not function.generate_vmap_rule and function.setup_context is Function.setup_context:
        raise at_call(
            RuntimeError,
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html",
        )
    has_method = function.vmap is not Function.vmap
    if function.generate_vmap_rule:
        if has_method:
            raise at_call(
                RuntimeError,
                f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an "
                "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap "
                "staticmethod to avoid ambiguity. For more details, please see "
                "https://pytorch.org/docs/main/notes/extending.func.html",
            )
        return _apply_generated(function, args, call)
    if not has_method:
        raise at_call(
            RuntimeError,
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html",
        )
    values, in_dims = tree_map(call.as_given, args), tree_map(call.dim_of, args)
    result = function.vmap(VmapInfo(call.size, call.info.randomness), in_dims, *values)
    _check_returned(result)
    output, out_dims = result
    leaves, spec = tree_flatten(output)
    dims = broadcast_prefix(out_dims, spec)
    if dims is None or (isinstance(out_dims, (list, tuple)) and type(out_dims) is not type(output)):
        raise at_call(
            RuntimeError,
            f"The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but output has structure {spec}. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html",
        )
    came_in = {id(v): a for v, a in zip(tree_flatten(values)[0], tree_flatten(args)[0], strict=True)}
    return tree_unflatten([_rewrapped(call, t, dim, came_in) for t, dim in zip(leaves, dims, strict=True)], spec)


def _check_returned(result: Any) -> None:
    words = (
        "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible "
        "with the output. "
    )
    if not isinstance(result, tuple):
        raise at_call(RuntimeError, f"{words}Got a {type(result)} instead")
    if len(result) != 2:
        raise at_call(RuntimeError, f"{words}Got {len(result)} returns instead")


def _rewrapped(call: Call, t: Any, dim: int | None, came_in: dict[int, Any]) -> Any:
    """An output as the function of vmap gets it. What came in, changed in place, goes out as the same tensor."""
    if id(t) in came_in and isinstance(t, Tensor):
        return came_in[id(t)]
    return wrap(t.movedim(dim, 0), call.level) if isinstance(t, Tensor) and dim is not None else t


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

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            inner = ctx.inner
            inner.saved_tensors = inner.for_forward
            given = [wrap(t, level) if t is not None and b else t for t, b in zip(tangents, batched, strict=True)]
            with entered(level, call.info):
                found = function.jvp(inner, *given)
            found = found if isinstance(found, tuple) else (found,)
            return tuple(
                _expanded(call, t) if b else call.value(t) for t, b in zip(found, ctx.output_batched, strict=True)
            )

    if function.jvp is Function.jvp:
        Generated.jvp = Function.jvp
    outputs = Generated.apply(*map(call.value, args))
    wrapped = tuple(wrap(y, level) if b else y for y, b in zip(outputs, returned[1], strict=True))
    return wrapped if returned[0] else wrapped[0]


def _expanded(call: Call, tangent: Any) -> Any:
    return tangent if tangent is None else call.expanded(tangent)


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
        self.for_forward: tuple = ()
        self.non_differentiable: tuple = ()
        self.materialize_grads = True
        self.saved_tensors: tuple = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        self.for_forward = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        self.non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value

    def mark_dirty(self, *tensors: Any) -> None:
        raise at_call(RuntimeError, "vmap: a Function that changes its inputs in place needs a vmap method of its own")
