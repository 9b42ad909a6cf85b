"""nan_guard(): stops at the first operation, forward or backward, that makes a NaN or an infinity."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..tensor_methods import _add_hook
from ..watchers import unwatch, watch
from .display import bracketed, number_text
from .graph import Graph, Node, operation_name
from .module_calls import ModuleCalls
from .names import Names
from .nan_hints import hint_for, overflow_hint
from .running import place_of
from .source import Line, line_at, line_of

__all__ = ["NonFinite", "NonFiniteError", "nan_guard"]

Index = tuple[int, ...]


@dataclass
class NonFinite:
    """Where a NaN or an infinity came from."""

    what: Literal["NaN", "inf", "-inf"]
    state: Literal["made here", "passed on", "masked later"]
    phase: Literal["forward", "backward"]
    operation: str
    line: Line | None
    index: Index  # of the first such element
    inputs: dict[str, str] = field(default_factory=dict)  # what went in there
    chain: list[str] = field(default_factory=list)  # from there to the loss
    hint: str = ""
    variable: str | None = None  # that its line gives the value to
    module: str | None = None  # path of the module that ran
    step: int = 1  # backward passes within the guard, and this one
    kept: str = ""  # the file that has the batch

    def __str__(self) -> str:
        where = f" at index {list(self.index)}" if self.index else ""
        verb = {"made here": "made", "passed on": "passed on", "masked later": "made, and masked later,"}[self.state]
        inside = f", in {self.module}" if self.module else ""
        when = f", in step {self.step}" if self.step > 1 else ""
        lines = [f"{self.what} {verb} by {self.operation} in the {self.phase} pass{where}{inside}{when}."]
        if self.line:
            lines.append(f"  here: {self.line}")
        if self.variable and not self.variable.startswith("("):
            lines.append(f"  The variable: {self.variable}")
        if self.inputs:
            lines.append("  with " + ", ".join(f"{name} = {value}" for name, value in self.inputs.items()))
        if self.chain:
            lines.append("  from there to the loss: " + " -> ".join(self.chain))
        if self.hint:
            lines.append(f"  {self.hint}")
        if self.kept:
            lines.append(f"  The batch is kept: torch.load({self.kept!r})['batch']")
        return "\n".join(lines)


class NonFiniteError(RuntimeError):
    """Raised within nan_guard(); `origin` has the facts."""

    def __init__(self, origin: NonFinite):
        super().__init__(str(origin))
        self.origin = origin


class nan_guard:  # noqa: N801
    """Within it, the first operation that makes a NaN or an infinity out of finite numbers raises NonFiniteError.

    Infinities that the program writes itself (masks of -inf) and NaN in its data are passed on. With
    stop_at_forward=False, what is made in the forward pass is kept in `seen`; it raises only if it reaches the loss.
    `keep` is a file for the first bad batch: what the model was called with, or the operation if there is no model.
    """

    _running: nan_guard | None = None

    def __init__(self, stop_at_forward: bool = True, keep: str | os.PathLike[str] | None = None):
        self.stop_at_forward, self.keep = stop_at_forward, keep
        self.steps = 0  # backward passes so far
        self._calls = ModuleCalls()
        self.seen: list[NonFinite] = []
        self._root: Tensor | None = None

    def __enter__(self) -> nan_guard:
        if nan_guard._running is not None:
            raise at_call(RuntimeError, "nan_guard() is already on")
        nan_guard._running = self
        watch(self._call)
        self._calls.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        nan_guard._running = None
        unwatch(self._call)
        self._calls.stop()
        self._root = None

    # ---- forward

    def _call(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        name = getattr(function, "__name__", "?")
        if name == "backward":
            self._before_backward(args[0])
            result = function(*args, **kwargs)
            self.steps += 1
            return result
        elif name.endswith("_") and not name.endswith("__"):
            return self._written(function, name, args, kwargs)
        result = function(*args, **kwargs)
        for tensor in _tensors(result):
            if tensor.grad_fn is not None:
                self._watch_node(tensor.grad_fn)
            if not name.startswith(("empty", "new_empty")):
                self._look(tensor, name, args, kwargs)
        return result

    def _written(self, function: Callable, name: str, args: tuple, kwargs: dict) -> Any:
        """An operation in place: what went in is told by a copy from before."""
        before = tuple(a.detach().clone() if i == 0 and isinstance(a, Tensor) else a for i, a in enumerate(args))
        result = function(*args, **kwargs)
        if isinstance(result, Tensor):
            if result.grad_fn is not None:
                self._watch_node(result.grad_fn)
            self._look(result, name, before, kwargs)
        return result

    def _look(self, result: Tensor, name: str, args: tuple, kwargs: dict) -> None:
        what, index = first_bad(result)
        if what is None:
            return
        given = [*args, *kwargs.values()]
        if what == "NaN" and any(_has_nan(a) for a in given):
            return
        if what != "NaN" and any(_has_infinity(a) for a in given):
            return
        here = line_of(_core.current_line())
        line = line_at(result.grad_fn._code) if result.grad_fn is not None else here
        operation = name.strip("_") if name.startswith("__") else name
        inputs = _inputs_at(result, index, operation, args, kwargs)
        origin = NonFinite(what, "made here", "forward", operation, line or here, index, inputs)
        origin.hint = overflow_hint(operation, what, result, inputs) or hint_for(operation, what, "forward", line)
        origin.step, origin.variable = self.steps + 1, line.target if line else None
        module = self._calls.running[-1] if self._calls.running else None
        origin.module = Names().of_modules.get(id(module)) if module is not None else None
        self.seen.append(origin)
        if self.stop_at_forward:
            raise self._error(origin, args)

    def _error(self, origin: NonFinite, args: tuple = ()) -> NonFiniteError:
        if self.keep is not None:
            from ..serialization import save

            batch = self._calls.batch or args
            unwatch(self._call)  # saving calculates
            save({"batch": batch, "step": origin.step, "operation": origin.operation}, self.keep)
            watch(self._call)
            origin.kept = os.fspath(self.keep)
        return NonFiniteError(origin)

    # ---- backward

    def _before_backward(self, root: Tensor) -> None:
        what, _ = first_bad(root)
        if what is not None and root.requires_grad:
            raise self._error(self._reached(root, what))
        for origin in self.seen:
            origin.state = "masked later"
        self._root = root
        stack, known = [root.grad_fn], set()
        while stack:
            node = stack.pop()
            if node is None or isinstance(node, Tensor) or id(node) in known:
                continue
            known.add(id(node))
            self._watch_node(node)
            stack += [target for target, _ in node._edges]

    def _reached(self, root: Tensor, what: Any) -> NonFinite:
        if self.seen:
            return self.seen[0]
        line = line_at(root.grad_fn._code) if root.grad_fn is not None else None
        operation = root.grad_fn.operation if root.grad_fn is not None else "the program"
        hint = f"The loss is {what} and no operation made it: it came in with the data, or with a parameter."
        found = NonFinite(what, "passed on", "forward", operation, line, (), _bad_leaves(root), [], hint)
        found.step = self.steps + 1
        return found

    def _watch_node(self, node: Any) -> None:
        hooks = node._hooks()
        if not any(isinstance(h, _NodeWatch) for h in hooks.values()):
            _add_hook(hooks, _NodeWatch(node))

    def _backward(self, node: Any, input: int, gradient: Tensor, outgoing: tuple) -> None:
        what, index = first_bad(gradient)
        if what is None:
            return
        operation = operation_name(node.operation)
        origin = NonFinite(what, "made here", "backward", operation, line_at(node._code), index)
        graph = None if self._root is None else Graph([self._root], Names())
        found = None if graph is None else next((n for n in graph.nodes if n.raw is node), None)
        g = outgoing[0] if outgoing else None
        at = index if g is not None and g.shape == gradient.shape else None
        if g is not None:
            origin.inputs["the gradient that arrived"] = _at(g, at)
        for name, tensor, _, is_current in node._peek_saved():
            if tensor is not None and is_current:
                shown = index if tensor.shape == gradient.shape else None
                origin.inputs["input" if name == "self" else name or "saved"] = _at(tensor, shown)
        zero = g is not None and at is not None and g[at].item() == 0
        mask = _mask_above(found) if zero and found is not None else None
        if found is not None:
            origin.chain = _chain(found)
            origin.variable, origin.module = found.variable, found.module
        origin.step = self.steps + 1
        origin.hint = hint_for(operation, what, "backward", origin.line, mask, zero)
        raise self._error(origin)


class _NodeWatch:
    """A node's hook; it knows its node without owning it."""

    def __init__(self, node: Any):
        self._operation, self._id = node.operation, id(node)

    def __call__(self, grad_inputs: tuple, grad_outputs: tuple) -> None:
        guard = nan_guard._running
        if guard is None or any(g is not None and first_bad(g)[0] for g in grad_outputs):
            return
        for i, g in enumerate(grad_inputs):
            if g is not None and first_bad(g)[0] is not None:
                guard._backward(_node_with(self._id), i, g, grad_outputs)


def _node_with(identity: int) -> Any:
    from .graph import living_nodes

    return next(n for n in living_nodes() if id(n) == identity)


# ---- looking at numbers


def first_bad(t: Tensor) -> tuple[Literal["NaN", "inf", "-inf"] | None, Index]:
    """What the first element that is not finite is, and where: a NaN before an infinity."""
    if not (t.is_floating_point() or t.is_complex()) or t.numel() == 0:
        return None, ()
    t = t.detach()
    if bool(t.isfinite().all().item()):
        return None, ()
    bad = t.isnan()
    is_nan = bool(bad.any().item())
    if not is_nan:
        bad = ~t.isfinite()
    flat = int(bad.reshape(-1).to(_core.int64).argmax().item())
    index: list[int] = []
    for size in reversed(t.shape):
        index.insert(0, flat % size)
        flat //= size
    if is_nan:
        return "NaN", tuple(index)
    return ("-inf" if not t.is_complex() and t[tuple(index)].item() < 0 else "inf"), tuple(index)


def _tensors(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    return [t for item in value for t in _tensors(item)] if isinstance(value, list | tuple) else []


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return value != value
    return any(t.is_floating_point() and bool(t.detach().isnan().any().item()) for t in _tensors(value))


def _has_infinity(value: Any) -> bool:
    if isinstance(value, float):
        return value in (float("inf"), float("-inf"))
    return any(t.is_floating_point() and bool(t.detach().isinf().any().item()) for t in _tensors(value))


def _at(t: Tensor, index: Index | None) -> str:
    if index is not None:
        return number_text(t.detach()[index].item())
    from .display import value_text

    return value_text(t.detach())


def _inputs_at(result: Tensor, index: Index, operation: str, args: tuple, kwargs: dict) -> dict[str, str]:
    names, place_in_program = Names(), place_of()
    written = place_in_program.arguments(operation) if place_in_program else []
    shown = {}

    def said(i: int) -> str:
        return bracketed(written[i]) if i < len(written) else f"argument {i + 1}"

    for i, value in enumerate([*args, *kwargs.values()]):
        if isinstance(value, Tensor):
            fits = value.ndim <= result.ndim and value.numel() > 0
            place = tuple(
                0 if s == 1 else k for s, k in zip(value.shape, index[len(index) - value.ndim :], strict=False)
            )
            fits = fits and len(place) == value.ndim and all(k < s for k, s in zip(place, value.shape, strict=True))
            label = names.of(value) or said(i)
            shown[f"{label}{list(place) if fits and place else ''}"] = _at(value, place if fits else None)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            shown[said(i)] = number_text(value)
    return shown


def _bad_leaves(root: Tensor) -> dict[str, str]:
    """The variables and leaves that have a NaN or an infinity already."""
    names = Names()
    known = [(leaf.label, leaf.raw) for leaf in Graph([root], names).leaves]
    known += [(name, t) for name, t in names.tensors if t.is_leaf and not t.requires_grad]
    found = {}
    for name, tensor in known:
        what, index = first_bad(tensor)
        if what is not None:
            found[f"{name}{list(index) if index else ''}"] = what
    return found


# ---- looking at the graph


def _chain(node: Node) -> list[str]:
    """One way from a node to the result."""
    way, at = [], node
    while True:
        place = f" ({at.line.place})" if at.line else ""
        way.append(f"{at.label}{place}")
        if not at.uses or len(way) > 12:
            return way
        at = at.uses[0].consumer


def _mask_above(node: Node) -> Node | None:
    """The nearest step above that sends zeros where its branch was not chosen: where, a mask, an index."""
    at = node
    for _ in range(50):
        if not at.uses:
            return None
        at = at.uses[0].consumer
        if at.operation in ("where", "masked_fill", "masked_select", "index", "mul", "clamp", "relu"):
            return at
    return None
