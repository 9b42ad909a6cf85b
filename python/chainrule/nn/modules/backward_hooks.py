"""Full backward hooks: a module's inputs and outputs pass through an identity whose backward calls the hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import Tensor, is_grad_enabled
from ...autograd import Function
from ...error_words import at_call
from ...user_warning import warn_user


class BackwardHookFunction(Function):
    """The identity of several tensors; backward hands all their gradients to one function."""

    @staticmethod
    def forward(ctx: Any, hook: Callable, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.hook = hook
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*(t for t in tensors if not t.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor | None) -> tuple:  # pyright: ignore[reportIncompatibleMethodOverride]
        return None, *ctx.hook(gradients)


class BackwardHook:
    """The backward hooks of one call of a module."""

    def __init__(self, module: Any, hooks: list[Callable], pre_hooks: list[Callable]):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: tuple | None = None
        self.n_inputs = -1
        self.has_inputs = False

    def watch_inputs(self, args: tuple) -> tuple:
        """The arguments, watched: the hooks run when the gradients of all of them are known."""
        self.n_inputs = len(args)
        watched = self._watch(args, self._at_inputs)
        self.has_inputs = watched is not None
        return args if watched is None else watched

    def watch_outputs(self, result: Any) -> Any:
        """The result, watched: the pre-hooks run when its gradients are known."""
        if not isinstance(result, (Tensor, tuple)):
            warn_user(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors"
                f" but received {type(result)}"
            )
            return result
        outputs = result if isinstance(result, tuple) else (result,)
        watched = self._watch(outputs, self._at_outputs)
        if watched is None:
            return result
        return watched if isinstance(result, tuple) else watched[0]

    def _watch(self, values: tuple, at: Callable) -> tuple | None:
        """The values with their tensors replaced by watched ones, or None if no tensor requires a gradient."""
        where = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        tensors = [values[i] for i in where]
        if not is_grad_enabled() or not any(t.requires_grad for t in tensors):
            return None

        def hook(gradients: tuple) -> tuple:
            full: list[Tensor | None] = [None] * len(values)
            for i, gradient in zip(where, gradients, strict=True):
                full[i] = gradient
            changed = at(tuple(full))
            return tuple(changed[i] for i in where)

        watched = list(values)
        for i, tensor in zip(where, BackwardHookFunction.apply(hook, *tensors), strict=True):
            watched[i] = tensor
        return tuple(watched) if type(values) is tuple else type(values)(*watched)  # a namedtuple stays one

    def _at_outputs(self, grad_outputs: tuple) -> tuple:
        for hook in self.pre_hooks:
            grad_outputs = _changed(hook(self.module, grad_outputs), grad_outputs, "output")
        if self.has_inputs:
            self.grad_outputs = grad_outputs
            return grad_outputs
        self._hook_without_inputs(grad_outputs)
        return grad_outputs

    def _hook_without_inputs(self, grad_outputs: tuple) -> None:
        warn_user(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no "
            "inputs require gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "  # noqa: E501
            "for more details."
        )
        for hook in self.hooks:
            result = hook(self.module, (None,) * self.n_inputs, grad_outputs)
            if result is not None and not (isinstance(result, tuple) and all(r is None for r in result)):
                raise at_call(
                    RuntimeError,
                    "Backward hook for Modules where no input requires gradient should always return None or "
                    "None for all gradients.",
                )

    def _at_inputs(self, grad_inputs: tuple) -> tuple:
        if self.grad_outputs is None:
            return grad_inputs
        for hook in self.hooks:
            grad_inputs = _changed(hook(self.module, grad_inputs, self.grad_outputs), grad_inputs, "input")
        self.grad_outputs = None
        return grad_inputs


def _changed(result: Any, before: tuple, what: str) -> tuple:
    if result is None:
        return before
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(before):
        raise at_call(
            RuntimeError,
            f"Backward {'pre ' if what == 'output' else ''}hook returned an invalid number of grad_{what}, "
            f"got {len(result)}, but expected {len(before)}",
        )
    return result


# ---- the deprecated kind

_DEPRECATED = "is deprecated and will be removed in future versions. This hook will be missing "
_WAY_OUT = "Please use register_full_backward_hook to get the documented behavior."


def hook_first_node(args: tuple, result: Any, hooks: list[Callable]) -> None:
    """The deprecated kind of backward hook: on the node of the first tensor in the result."""
    tensor = result
    while not isinstance(tensor, Tensor):
        if isinstance(tensor, dict):
            tensor = next(value for value in tensor.values() if isinstance(value, Tensor))
        else:
            tensor = tensor[0]
    node: Any = tensor.grad_fn
    if node is not None:
        for hook in hooks:
            node.register_hook(hook)
        words = _what_is_missed(args, result, node)
        if words:
            warn_user(words, FutureWarning)


def _what_is_missed(args: tuple, result: Any, node: Any) -> str | None:
    """Why the hook of this node is not called with all gradients of the module's inputs and outputs."""
    results = (result,) if isinstance(result, Tensor) else result
    if not _all_tensors(results):
        return (
            "Using non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
            f"{_DEPRECATED}some of the grad_output. {_WAY_OUT}"
        )
    if not _all_tensors(args):
        return (
            "Using non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of "
            f"Tensors {_DEPRECATED}some of the grad_input. {_WAY_OUT}"
        )
    nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    if not nodes or (len(nodes) == 1 and node not in nodes):
        return (
            "Using a non-full backward hook when outputs are nested in python data structure "
            f"{_DEPRECATED}some grad_output."
        )
    if len(nodes) > 1:
        return (
            "Using a non-full backward hook when outputs are generated by different autograd Nodes "
            f"{_DEPRECATED}some grad_output. {_WAY_OUT}"
        )
    if {a.grad_fn for a in args if a.grad_fn is not None} != {before for before, _ in node.next_functions}:
        return (
            "Using a non-full backward hook when the forward contains multiple autograd Nodes "
            f"{_DEPRECATED}some grad_input. {_WAY_OUT}"
        )
    return None


def _all_tensors(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, Tensor) for value in values)
