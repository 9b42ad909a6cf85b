"""A gradient in two plain functions: the value, and beside it what its gradient is."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, NoReturn, overload

from .._core import Tensor, call_plainly
from ..error_words import at_call
from .function import Function, signature_of

__all__ = ["Differentiable", "differentiable", "keep"]


class _Kept(NamedTuple):
    result: Any
    values: dict[str, Any]


def keep(result: Any, **values: Any) -> Any:
    """`return keep(y, factor=lu)` from a differentiable function: its gradient may ask for `factor` by that name.

    >>> import chainrule as torch
    >>> from chainrule.autograd import differentiable, keep
    >>> @differentiable
    ... def squared_sine(x):
    ...     s = x.sin()
    ...     return keep(s * s, sine=s)
    >>> @squared_sine.gradient("x")
    ... def _(g, x, sine):
    ...     return g * 2 * sine * x.cos()
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> squared_sine(x).backward()
    >>> x.grad
    tensor(0.9093)
    """
    return _Kept(result, values)


Shown = Mapping[str, str | tuple[str, ...]]


class _Gradient(NamedTuple):
    inputs: tuple[str, ...]  # the parameters whose gradients it gives
    function: Callable
    reads: tuple[str, ...]  # what it asks for, by name


class Differentiable:
    """A function with gradients; made by `differentiable`."""

    def __init__(self, forward: Callable, name: str | None, constant: tuple[int, ...], shown: Shown):
        functools.update_wrapper(self, forward)
        parameters = signature_of(forward).parameters.values()
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            raise at_call(TypeError, f"{forward.__name__}() takes *args or **kwargs; write an autograd.Function for it")
        self._forward = forward
        self._parameters = tuple(p.name for p in parameters)
        self._positional = sum(p.kind is not p.KEYWORD_ONLY for p in parameters)
        self._defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self._constant = constant
        self._shown = {"y": "result", **shown}
        self._gradients: list[_Gradient] = []
        self._plans: dict[tuple[bool, ...], Any] = {}
        words = "".join(word[:1].upper() + word[1:] for word in forward.__name__.split("_"))
        namespace = {
            "__module__": forward.__module__,
            "_node_name": name or f"{words}Backward",
            "generate_vmap_rule": True,
            "forward": staticmethod(self._run_forward),
            "backward": staticmethod(self._run_backward),
        }
        maker: Any = type(Function)
        function = maker(words, (Function,), namespace)
        self._apply: Callable = function.apply
        self._node_type = function._backward_cls

    @overload
    def gradient(self, function: Callable, /) -> Differentiable: ...
    @overload
    def gradient(self, *inputs: str) -> Callable[[Callable], Differentiable]: ...
    def gradient(self, *inputs: Any) -> Any:
        """Registers the function that calculates the gradients: of all parameters, or of the named ones only.

        It asks by name for what it needs, and only that is kept until backward: `g` is the gradient of the result,
        `y` the result, `needs` tells whose gradient is wanted (`needs.x`), a parameter's name is its argument, and
        further names are what forward handed to `keep`. For several results g and y are tuples; a gradient that did
        not arrive is None. It returns a gradient for each of its inputs, or one value for the first; None stands for
        zero. A function registered for some inputs runs only if the gradient of one of them is wanted.
        """
        if len(inputs) == 1 and callable(inputs[0]):
            return self._add(inputs[0], self._parameters)
        unknown = [name for name in inputs if name not in self._parameters]
        if unknown:
            raise at_call(TypeError, f"{self._forward.__name__}() has no parameter {unknown[0]!r}")
        return lambda function: self._add(function, inputs)

    def _add(self, function: Callable, inputs: tuple[str, ...]) -> Differentiable:
        self._gradients.append(_Gradient(inputs, function, tuple(signature_of(function).parameters)))
        self._plans.clear()
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != self._positional or self._positional != len(self._parameters):
            args = self._bind(args, kwargs)
        if self._positional == len(self._parameters):
            result = call_plainly(self._forward, *args)
            if result is not NotImplemented:
                return result[0] if isinstance(result, _Kept) else result
        outputs = self._apply(*args)
        return outputs if isinstance(outputs, Tensor) else outputs[-1](outputs[:-1])

    def _bind(self, args: tuple, kwargs: dict) -> tuple:
        if len(args) > self._positional or kwargs.keys() - set(self._parameters[len(args) :]):
            signature_of(self._forward).bind(*args, **kwargs)  # raises, in Python's words
        values = {**self._defaults, **kwargs}
        try:
            return args + tuple(values[name] for name in self._parameters[len(args) :])
        except KeyError:
            signature_of(self._forward).bind(*args, **kwargs)
            raise

    # ---- the Function behind it

    def _run_forward(self, ctx: Any, *args: Any) -> Any:
        keywords = dict(zip(self._parameters[self._positional :], args[self._positional :], strict=True))
        result = self._forward(*args[: self._positional], **keywords)
        kept: dict[str, Any] = {}
        if isinstance(result, _Kept):
            result, kept = result
        outputs = tuple(result) if isinstance(result, tuple) else (result,)
        if self._constant:
            ctx.mark_non_differentiable(*(outputs[i] for i in self._constant))
        ctx.set_materialize_grads(False)
        reads = self._plan(ctx.needs_input_grad)[1]
        if reads:
            kept.setdefault("y", None)
            try:
                values = [args[i] if i is not None else kept[name] for name, i in reads]
            except KeyError as missing:
                self._raise_unknown(missing.args[0])
            if reads[-1][0] == "y":
                values[-1:] = outputs
            ctx.save_for_backward(*(v if isinstance(v, Tensor) else None for v in values))
            ctx.others = tuple(None if isinstance(v, Tensor) else v for v in values)
        # What puts several outputs together again follows them.
        return (*outputs, getattr(type(result), "_make", type(result))) if isinstance(result, tuple) else result

    def _raise_unknown(self, name: str) -> NoReturn:
        raise at_call(
            TypeError,
            f"the gradient of {self._forward.__name__}() asks for {name!r}, which is none of its parameters, g, y, "
            "needs, or what the function handed to keep()",
        ) from None

    def _plan(self, needs: tuple[bool, ...]) -> tuple[list[_Gradient], list[tuple[str, int | None]]]:
        """The gradients to calculate and what they read: names, with the argument's number; y comes last."""
        plan = self._plans.get(needs)
        if plan is None:
            wanted = {name for name, need in zip(self._parameters, needs, strict=True) if need}
            running = [g for g in self._gradients if wanted.intersection(g.inputs)]
            names = dict.fromkeys(name for g in running for name in g.reads)
            numbers = {name: i for i, name in enumerate(self._parameters)}
            given = ({"g", "needs", "y"} & names.keys()) - numbers.keys()
            reads = [(name, numbers.get(name)) for name in names if name not in given]
            plan = self._plans[needs] = (running, reads + ([("y", None)] if "y" in given else []))
            for name, _ in plan[1]:
                self._show(name)
        return plan

    def _show(self, name: str) -> None:
        """What is kept is an attribute of the node, as in PyTorch: grad_fn._saved_A."""
        shown = self._shown.get(name, name)
        if isinstance(shown, str):
            self._show_as(shown, lambda ctx: self._kept(ctx).get(name))
            return
        for i, part in enumerate(shown):
            if part:
                self._show_as(part, lambda ctx, i=i: self._kept(ctx)[name][i])

    def _show_as(self, name: str, find: Callable) -> None:
        if not hasattr(self._node_type, f"_saved_{name}"):
            setattr(self._node_type, f"_saved_{name}", property(find))

    def _kept(self, ctx: Any) -> dict[str, Any]:
        """What was kept for the gradients, by name; of several results y is a tuple."""
        names = [name for name, _ in self._plan(ctx.needs_input_grad)[1]]
        if not names:
            return {}
        saved = [t if t is not None else v for t, v in zip(ctx.saved_tensors, ctx.others, strict=True)]
        if len(saved) > len(names):
            saved[len(names) - 1 :] = [tuple(saved[len(names) - 1 :])]
        return dict(zip(names, saved, strict=True))

    def _run_backward(self, ctx: Any, *gradients: Any) -> tuple:
        if not self._gradients:
            raise at_call(NotImplementedError, f"{self._forward.__name__}() has no gradient; write one with .gradient")
        needs = ctx.needs_input_grad
        if all(g is None for g in gradients):
            return (None,) * len(needs)
        running = self._plan(needs)[0]
        g = gradients[:-1] if len(gradients) > 1 else next(iter(gradients))
        values: dict[str, Any] = {"g": g, **self._kept(ctx)}
        wanted = dict(zip(self._parameters, needs, strict=True))
        values.setdefault("needs", SimpleNamespace(**wanted))
        found: dict[str, Any] = {}
        for gradient in running:
            found.update(self._evaluate(gradient, values))
        return tuple(found.get(name) if wanted[name] else None for name in self._parameters)

    def _evaluate(self, gradient: _Gradient, values: dict) -> dict[str, Any]:
        result = gradient.function(*(values[name] for name in gradient.reads))
        several = result if isinstance(result, tuple) else (result,)
        if len(several) > len(gradient.inputs):
            raise at_call(
                RuntimeError,
                f"the gradient of {self._forward.__name__}() returned {len(several)} gradients for "
                f"{len(gradient.inputs)} inputs",
            )
        return dict(zip(gradient.inputs, several, strict=False))


@overload
def differentiable(forward: Callable, /) -> Differentiable: ...
@overload
def differentiable(
    *, name: str | None = None, constant: tuple[int, ...] = (), shown: Shown = ...
) -> Callable[[Callable], Differentiable]: ...
def differentiable(
    forward: Callable | None = None,
    /,
    *,
    name: str | None = None,
    constant: tuple[int, ...] = (),
    shown: Shown = MappingProxyType({}),
) -> Any:
    """Gives a function a gradient of its own.

    >>> import chainrule as torch
    >>> from chainrule.autograd import differentiable
    >>> @differentiable
    ... def scaled_exp(x, scale):
    ...     return (x * scale).exp()
    >>> @scaled_exp.gradient("x")
    ... def _(g, y, scale):
    ...     return g * y * scale
    >>> x = torch.tensor([0.0, 1.0], requires_grad=True)
    >>> scaled_exp(x, 2.0).sum().backward()
    >>> x.grad
    tensor([ 2.0000, 14.7781])

    The function itself runs without recording. Its gradient may be differentiated again, and so it also gives forward
    mode, if it is written with tensors' operations. What the gradient asks for by name is kept for it, see
    `Differentiable.gradient`.

    Args:
        forward: the function; its tensors are direct arguments, not inside lists.
        name: of the nodes in the graph, `ScaledExpBackward` if none is given.
        constant: the numbers of results that have no gradient; results of integers have none anyway.
        shown: other names under which the nodes show what they keep: {"x": "input"} for `grad_fn._saved_input`. Those
            of several results, {"y": ("Q", "R")}, stand in place of `_saved_result`; "" shows none.
    """
    if forward is not None:
        return Differentiable(forward, name, constant, shown)
    return lambda function: Differentiable(function, name, constant, shown)
