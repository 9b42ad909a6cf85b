"""The search for the cause of a missing gradient: what is alive is asked first, then the source is read."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import Any

from .._core import Tensor
from .assigned import made_at
from .causes import Cause, chosen_cause, cut_cause
from .edges import reaches
from .flow import Flow
from .graph import Graph, living_tensors, operation_name
from .names import Names, is_module
from .said import backward_calls, called_above, freezing, thawed
from .saturation import Saturation
from .source import Line, line_at, line_of
from .trail import Trail, base_of

__all__ = ["Cause", "Inquiry"]

_SHORT = 50  # characters of an expression that is called by its text


class Inquiry:
    """Looks for the cause, in the order in which causes hide each other."""

    def __init__(self, names: Names):
        self.names, self.trail, self.zeros = names, Trail(names), Saturation(names)

    def cause(self, tensor: Tensor, loss: Tensor | None) -> Cause:
        name = self.names.of(tensor) or "the tensor"
        if not tensor.requires_grad:
            return self.of_a_constant(tensor)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gradient = tensor.grad
        if gradient is not None:
            return self._of_a_gradient(tensor, gradient, loss, name)
        if tensor.grad_fn is not None and not tensor.retains_grad:
            return self._of_a_result(tensor, name)
        if tensor.grad_fn is not None and _is_released(tensor if loss is None else loss):
            text = "it is not a leaf, and retain_grad() was called only after backward() had passed it"
            return Cause("non-leaf", name, text, called_above(self.names, f"{name}.retain_grad()"))
        return self.of_a_leaf(tensor, loss, name)

    def flow_of(self, loss: Tensor) -> tuple[Graph, Flow]:
        """The graph of a result and the gradients in it."""
        return self.zeros.flow_of(loss)

    def saturation(self, tensor: Tensor, loss: Tensor) -> Cause | None:
        """The step that makes zeros of a gradient, or None if the gradient is not zero."""
        return self.zeros.saturation(tensor, loss)

    # ---- tensors that do not require a gradient

    def of_a_constant(self, tensor: Tensor) -> Cause:
        """Where a value without history lost it."""
        name = self.names.of(tensor) or "the tensor"
        if tensor._cut is not None:
            by, line = tensor._cut
            return cut_cause(name, by, line_of(line))
        owner = self.names.modules.get(name.rpartition(".")[0])
        if owner is not None and name.rpartition(".")[2] in owner._buffers:
            text = "it is a buffer of its module: part of its state, but not trained"
            cure = f"if it is to be trained, self.{name.rpartition('.')[2]} = nn.Parameter(...)"
            return Cause("not asked for", name, text, self._made(tensor), cure)
        if owner is not None and name.rpartition(".")[2] in owner._parameters:
            line = freezing(self.names, name.partition(".")[0]) or self._made(tensor)
            cure = f"if it is to be trained, {name}.requires_grad_()"
            return Cause("not asked for", name, "it is a parameter that was frozen (requires_grad=False)", line, cure)
        left = chosen_cause(name, self.trail.origin(tensor), "what it was calculated from")
        if left is not None:
            return left
        frozen = self._frozen(tensor, name)
        if frozen is not None:
            return frozen
        if not (tensor.is_floating_point() or tensor.is_complex()):
            kind = str(tensor.dtype).rpartition(".")[2]
            return Cause("integer cast", name, f"it is of dtype {kind}, and only floating dtypes have gradients")
        if not self.trail.is_known(tensor):
            text = "it has no history: it was made without requires_grad=True, or what it was calculated from left the "
            return Cause("not asked for", name, f"{text}graph; what made it is not known here")
        text = "it was made without requires_grad=True, and not calculated from a tensor that has it"
        return Cause("not asked for", name, text, self._made(tensor))

    def of_an_expression(self, e: ast.expr, value: Callable[[ast.AST], Any]) -> Cause | None:
        """Where the value of an expression, which no variable holds, lost its history; None if that is not known."""
        text = " ".join(ast.unparse(e).split())
        name = text if len(text) <= _SHORT else "the loss"
        left = chosen_cause(name, self.trail.origin_of(e), "what it was calculated from")
        if left is not None:
            return left
        held = {n.id: value(n) for n in ast.walk(e) if isinstance(n, ast.Name)}
        cut = [t for t in held.values() if isinstance(t, Tensor) and not t.requires_grad and t._cut is not None]
        return self.of_a_constant(cut[0]) if len(cut) == 1 else None

    def _frozen(self, tensor: Tensor, name: str) -> Cause | None:
        """A network whose parameters are all frozen, if the value came out of it."""
        made = self._made(tensor)
        for path, module in self.names.modules.items():
            parameters = [] if "." in path else list(module.parameters())
            called = made is not None and f"{path}(" in made.text
            if parameters and called and not any(p.requires_grad for p in parameters):
                text = f"it was calculated by {path}, whose parameters are all frozen (requires_grad=False)"
                return Cause("not asked for", name, text, freezing(self.names, path) or made)
        return None

    # ---- results

    def _of_a_result(self, tensor: Tensor, name: str) -> Cause:
        node = tensor.grad_fn
        line = line_at(node._code)
        leaf = _first_leaf(node)
        known = None if leaf is None else self.names.of(leaf)
        whose = f", calculated from the leaf {known}" if known else ""
        text = f"it is not a leaf: it is the result of {operation_name(node.operation)}{whose}, and "
        advice = None
        if line is not None and re.search(rf"\b{re.escape(name)}\b.*=.*\b{re.escape(name)}\b", line.text):
            advice = f"if {name} is to be changed and to stay a leaf, write into it within no_grad()"
            advice += f" ({name} -= ..., {name}.copy_(...)); else call retain_grad() before backward()"
        return Cause("non-leaf", name, f"{text}backward() fills .grad of leaves only", line, advice)

    # ---- leaves

    def of_a_leaf(self, leaf: Tensor, loss: Tensor | None, name: str) -> Cause:
        """Why no gradient came to a leaf."""
        results = [loss] if loss is not None else living_tensors()
        reached = [t for t in results if t.requires_grad and t.grad_fn is not None and reaches(t, leaf)]
        cleared = line_of(leaf._cleared)
        if cleared is not None and (reached or loss is None):
            return Cause("cleared", name, "its gradient was there and was cleared", cleared)
        if reached and loss is not None:
            text = "the loss depends on it, but backward() has not run"
            return Cause("backward not called", name, text, line_at(reached[0].grad_fn._code))
        left = chosen_cause(name, self.trail.lost(leaf, loss))
        if left is not None and not reached:
            return left
        if loss is None:
            return self._without_loss(leaf, name, reached, left)
        return self._not_reached(leaf, loss, name)

    def _without_loss(self, leaf: Tensor, name: str, reached: list[Tensor], left: Cause | None) -> Cause:
        if not reached:
            known = self.trail.is_known(leaf)
            text = "nothing was calculated from it" if known else "nothing that has a graph was calculated from it"
            return Cause("never used", name, text, self._made(leaf))
        newest = max(reached, key=lambda t: t.grad_fn._sequence_nr())
        if left is not None and newest.numel() != 1:
            return left
        shown = self.names.of(newest) or newest.grad_fn.operation
        line = line_at(newest.grad_fn._code)
        if self._ran_backward(leaf) and not any(_is_released(t) for t in reached):
            text = f"backward() was called, but not on {shown}, which was calculated from it"
            return Cause("output not used", name, text, line)
        text = f"{shown} was calculated from it, but backward() has not run on that"
        return Cause("backward not called", name, text, line)

    def _ran_backward(self, leaf: Tensor) -> bool:
        """Whether a backward() is written where the leaf, or the model that it belongs to, is a variable."""
        scope, name = self.names.home(leaf), self.names.of(leaf)
        if scope is None or name is None:
            return False
        model = base_of(scope, name)[1]
        return bool(backward_calls(self.names, model if is_module(model) else leaf))

    def _not_reached(self, leaf: Tensor, loss: Tensor, name: str) -> Cause:
        users = [t for t in living_tensors() if reaches(t, leaf)]
        if users:
            newest = max(users, key=lambda t: t.grad_fn._sequence_nr())
            line = line_at(newest.grad_fn._code)
            shown = self.names.of(newest) or newest.grad_fn.operation
            text = f"{shown} was calculated from it, but {self.names.of(loss) or 'the loss'} does not use that"
            return Cause("output not used", name, text, line)
        twin = self._twin(leaf, loss, name)
        if twin is not None:
            text = f"the loss was not calculated from it, but from {twin}, which is another tensor"
            return Cause("never used", name, text, self._made(leaf))
        uses, asked = self.trail.uses(leaf), thawed(self.names, name)
        if asked is not None and any(line != asked for line in uses[: uses.index(asked) if asked in uses else 0]):
            text = "it was used before requires_grad was set on it, so what was calculated then knows nothing of it"
            return Cause("not asked for", name, text, asked)
        cut = self.trail.cut_in(leaf, loss, name)
        if cut is not None:
            return cut
        if uses:
            return Cause("output not used", name, "what was calculated from it is not part of the loss", uses[-1])
        return Cause("never used", name, "the loss was not calculated from it", self._made(leaf))

    def _twin(self, leaf: Tensor, loss: Tensor, name: str) -> str | None:
        """The same parameter of another module (a deep copy, a new one), if the loss was calculated from that."""
        path = name.partition(".")[2]
        for other in Graph([loss], self.names).leaves if path and loss.grad_fn is not None else ():
            if other.variable and other.variable.partition(".")[2] == path and other.raw.shape == leaf.shape:
                return other.variable
        return None

    # ---- gradients of zeros

    def _of_a_gradient(self, tensor: Tensor, gradient: Tensor, loss: Tensor | None, name: str) -> Cause:
        if gradient.numel() == 0 or bool((gradient != 0).any().item()):
            return Cause("there", name, "it has a gradient")
        written = line_of(gradient._written)
        if written is not None and "zero" in written.text:
            return Cause("cleared", name, "its gradient was set to zero", written)
        results = [loss] if loss is not None else sorted(living_tensors(), key=lambda t: -t.grad_fn._sequence_nr())
        for result in results:
            if result.requires_grad and reaches(result, tensor):
                found = self.zeros.saturation(tensor, result)
                if found is not None:
                    return found
        return Cause("saturated", name, "its gradient is exactly zero, and its graph is gone")

    # ---- the user's source

    def _made(self, tensor: Tensor) -> Line | None:
        return made_at(self.names, tensor)


def _first_leaf(node: Any) -> Tensor | None:
    """One of the leaves that a result was calculated from: that of the first input."""
    while not isinstance(node, Tensor):
        below = [target for target, _ in node._edges if target is not None]
        if not below:
            return None
        node = below[0]
    return node


def _is_released(tensor: Tensor) -> bool:
    seen, stack = set(), [tensor.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or isinstance(node, Tensor) or id(node) in seen:
            continue
        if node._released:
            return True
        seen.add(id(node))
        stack += [target for target, _ in node._edges]
    return False
