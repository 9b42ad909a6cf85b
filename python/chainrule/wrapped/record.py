"""Autograd above a class that dispatches: an operation becomes a node, whose gradient is made of operations again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.function import Function
from ..error_words import at_call
from ..ops.overloads import aten
from .dispatch import _writes, dispatch, tensors_in
from .gradients import CONSTANT, Gradient, gradient_of

__all__ = ["recorded"]


class _Call:
    """One recorded operation, as its gradient reads it."""

    def __init__(self, op: Any, args: tuple, options: dict[str, Any], gradient: Gradient) -> None:
        self.op, self.args, self.options, self.gradient = op, args, options, gradient
        self.tensors = [*tensors_in((*args, *options.values()))]
        self.versions = {id(x): x._version for x in self.tensors}
        self.needs: tuple[bool, ...] = ()
        self.shapes = [x.shape for x in self.tensors]
        self.kind: Any = None  # of several results
        self.result: Any = None

    def run(self) -> Any:
        """The results, as tensors that have no history yet."""
        if _writes(self.op):
            read = dispatch(aten.clone.default, self.args[:1], {}) if 0 in self.gradient.reads else self.args[0]
            dispatch(self.op, self.args, self.options)
            written, self.args = self.args[0], (read, *self.args[1:])
            self.versions[id(read)] = read._version
            return written
        result = dispatch(self.op, self.args, self.options)
        if isinstance(result, (tuple, list)):
            self.kind = type(result)
            if self.gradient.reads_result:
                self.result = tuple(dispatch(aten.detach.default, (each,), {}) for each in result)
            return tuple(result)
        if any(result is x for x in self.tensors):
            result = dispatch(aten.detach.default, (result,), {})
        if self.gradient.reads_result:
            self.result = dispatch(aten.detach.default, (result,), {})
        return result

    def rebuilt(self, results: Any) -> Any:
        """Several results as the operation gave them."""
        if self.kind is None:
            return results
        return getattr(self.kind, "_make", self.kind)(results)

    def gradients(self, given: tuple) -> list[Any]:
        """One for each tensor."""
        if self.gradient.function is None:
            raise at_call(
                NotImplementedError,
                f"{self.op}: chainrule has no gradient of it for tensors of a class with a __torch_dispatch__",
            )
        for x in (self.args[i] for i in self.gradient.reads if i < len(self.args)):
            if isinstance(x, Tensor) and x._version != self.versions[id(x)]:
                self._raise_changed(x)
        g = given[0] if self.kind is None else given
        found = self.gradient.function(self, g, *self.args, **self.options)
        found = [*found] if isinstance(found, (tuple, list)) else [found]
        return found + [None] * (len(self.tensors) - len(found))

    def _raise_changed(self, x: Tensor) -> None:
        now, then = x._version, self.versions[id(x)]
        raise at_call(
            RuntimeError,
            "one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"[{x.type()} {list(x.shape)}] is at version {now}; expected version {then} instead.",
        )


def _forward(ctx: Any, call: _Call, *tensors: Tensor) -> Any:
    result = call.run()
    if _writes(call.op):
        ctx.mark_dirty(result)
    ctx.set_materialize_grads(False)
    ctx.call = call
    ctx.save_for_backward(_core.functions["empty"](0))  # what is released with the graph
    return result


def _backward(ctx: Any, *given: Any) -> tuple:
    _ = ctx.saved_tensors  # raises if they were released
    call = ctx.call
    call.needs = ctx.needs_input_grad[1:]
    if all(g is None for g in given):
        return (None,) * (1 + len(call.tensors))
    return None, *(g if need else None for g, need in zip(call.gradients(given), call.needs, strict=True))


def _saved(i: int) -> property:
    return property(lambda ctx: ctx.call.args[i])


@cache
def _function(node: str, shown: tuple[str, ...]) -> Callable:
    namespace = {"_node_name": node, "forward": staticmethod(_forward), "backward": staticmethod(_backward)}
    maker: Any = type(Function)
    made = maker(node, (Function,), namespace)
    for i, name in enumerate(shown):
        if name:
            setattr(made._backward_cls, f"_saved_{name}", _saved(i))
    return made.apply


def recorded(op: Any, args: tuple, options: dict[str, Any]) -> Any:
    """What the class gives, with a history."""
    if op.overloadpacket.__name__ in CONSTANT:
        return dispatch(op, args, options)
    if _writes(op) and args[0].is_leaf and args[0].requires_grad:
        raise at_call(RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.")
    call = _Call(op, args, options, gradient_of(op))
    return call.rebuilt(_function(call.gradient.node, call.gradient.shown)(call, *call.tensors))
