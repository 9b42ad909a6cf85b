"""The doctor looks at how the model is trained: optimiser, learning rate, modes, what is left over from before."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..happenings import happened_at
from .assigned import assignment
from .edges import reaches
from .findings import Finding
from .flow import Flow
from .graph import Graph, Node
from .health import step_of
from .names import Names
from .said import backward_calls, zeroes_below
from .source import Line, line_at

__all__ = ["in_the_training"]

_FAR = 1.0  # an update of this size against the weights
_UNCHANGED = 0.01  # of the elements, at most, move


def in_the_training(
    model: Any, loss: Tensor, optimizer: Any, accumulate: int, graph: Graph, flow: Flow, names: Names
) -> Iterator[Finding]:
    """Mistakes around the step."""
    yield from _optimiser(model, optimizer, names)
    yield from _frozen(model, optimizer, names)
    yield from _rate(model, optimizer, graph, flow, names)
    yield from _accumulation(model, graph, accumulate, names)
    yield from _evaluating(model, loss, names)
    yield from _batches_of_one(graph, names)


def _optimiser(model: Any, optimizer: Any, names: Names) -> Iterator[Finding]:
    if optimizer is None:
        return
    known = {id(p) for group in optimizer.param_groups for p in group["params"]}
    left_out = [path for path, p in model.named_parameters() if p.requires_grad and id(p) not in known]
    if left_out:
        variable = names.variable(optimizer)
        name = f"{variable[1]} " if variable else ""
        shown = ", ".join(left_out[:4]) + (f" and {len(left_out) - 4} more" if len(left_out) > 4 else "")
        text = f"the optimiser {name}does not have {shown}"
        cure = "make it from model.parameters(), after all layers exist"
        yield Finding("not in the optimiser", text, cure, _line_of(optimizer, names))


def _accumulation(model: Any, graph: Graph, accumulate: int, names: Names) -> Iterator[Finding]:
    old = [path for path, p in model.named_parameters() if p.grad is not None and bool((p.grad != 0).any().item())]
    if accumulate > 1 and not _divided_by(graph.roots[0], accumulate):
        text = f"gradients of {accumulate} passes are added, but the loss is not divided by {accumulate}"
        cure = f"(loss / {accumulate}).backward(), as long as the loss is a mean"
        yield Finding("accumulation not scaled", text, cure, graph.roots[0].line)
    elif accumulate == 1 and old and not graph.released and not zeroes_below(names):
        text = f"{len(old)} parameters still have gradients of an earlier pass, to which the next backward() adds"
        cure = "zero_grad() in each step, before backward(); doctor(..., accumulate=k) if the sum is meant"
        calls = backward_calls(names, model)
        yield Finding("not zeroed", text, cure, calls[0] if len(calls) == 1 else None)


def _divided_by(root: Node, count: int) -> bool:
    """Whether a division by the count, or a multiplication by its inverse, is among the last steps."""
    at = root
    for _ in range(4):
        if at.is_leaf or not at.inputs:
            return False
        recorded = at.raw._operands
        for number in recorded[2] if recorded else ():
            if isinstance(number, float) and number and (abs(number - count) < 1e-6 or abs(number * count - 1) < 1e-6):
                return True
        at = at.inputs[0].producer
    return False


def _evaluating(model: Any, loss: Tensor, names: Names) -> Iterator[Finding]:
    """model.eval() was called and model.train() was not, though the loss is to be trained with."""
    idle = [type(m).__name__ for m in model.modules() if _behaves_otherwise(m)]
    if model.training or not idle or not any(p.requires_grad and reaches(loss, p) for p in model.parameters()):
        return
    text = f"the model is in evaluation mode, so that {' and '.join(sorted(set(idle))[:4])} do not train"
    cure = "call model.train() before the forward pass; if this loss is only looked at, under no_grad(), all is well"
    yield Finding("evaluation mode", text, cure, _switched_off_at(model, names))


def _switched_off_at(model: Any, names: Names) -> Line | None:
    """Where eval() was called, of the model or of one around it."""
    around = [m for m in names.modules.values() if not m.training and any(part is model for part in m.modules())]
    return next((line for m in [model, *around] if (line := line_at(happened_at(m)))), None)


def _behaves_otherwise(module: Any) -> bool:
    return bool(getattr(module, "p", 0) and "Dropout" in type(module).__name__) or hasattr(module, "running_mean")


def _line_of(optimizer: Any, names: Names) -> Line | None:
    """Where it was made; a class of the user's own calls chainrule's, and where it was called itself is not known."""
    made, variable = line_at(happened_at(optimizer)), names.variable(optimizer)
    if made is not None and "super()" not in made.text:
        return made
    return assignment(*variable) if variable else None


def _frozen(model: Any, optimizer: Any, names: Names) -> Iterator[Finding]:
    """Parameters that the optimiser has and that no gradient comes to."""
    given = [] if optimizer is None else [p for group in optimizer.param_groups for p in group["params"]]
    known = {id(p): path for path, p in model.named_parameters()}
    frozen = [known[id(p)] for p in given if not p.requires_grad and id(p) in known]
    if frozen:
        shown = ", ".join(frozen[:4]) + (f" and {len(frozen) - 4} more" if len(frozen) > 4 else "")
        text = f"the optimiser has {shown}, which requires_grad=False keeps from being trained"
        cure = "give it those that are trained: [p for p in model.parameters() if p.requires_grad]; or unfreeze them"
        yield Finding("frozen in the optimiser", text, cure, _line_of(optimizer, names))


def _rate(model: Any, optimizer: Any, graph: Graph, flow: Flow, names: Names) -> Iterator[Finding]:
    """A step that moves the weights by more than their size, or not at all; a copy of the optimiser makes it."""
    if optimizer is None or graph.released or any("initial_lr" in g for g in optimizer.param_groups):
        return  # a scheduler may be warming up
    nodes = [(p, graph.find(p)) for _, p in model.named_parameters() if p.requires_grad]
    gradients = {id(p): g for p, n in nodes if n is not None and (g := flow.gradient(n)) is not None}
    step = step_of(optimizer, gradients)
    if step is None:
        return
    weights = [p for p, _ in nodes if p.ndim > 1 and id(p) in step]
    with no_grad():
        size = math.sqrt(sum(p.detach().double().square().sum().item() for p in weights))
        moved = math.sqrt(sum(step[id(p)].double().square().sum().item() for p in weights))
        pushed = sum((gradients[i] != 0).sum().item() for i in step if i in gradients)
        changed = sum((step[i] != 0).sum().item() for i in step if i in gradients)
    rate = ", ".join(dict.fromkeys(f"{group['lr']:g}" for group in optimizer.param_groups if "lr" in group))
    if size and moved > _FAR * size:
        text = f"with lr={rate} the next step moves the weights by {moved / size:.3g} times their own size"
        yield Finding(
            "learning rate", text, "a smaller learning rate: 1e-3 of their size is usual", _line_of(optimizer, names)
        )
    elif pushed and changed < _UNCHANGED * pushed:
        text = f"with lr={rate} the next step changes {changed:.0f} of the {pushed:.0f} numbers that have a gradient"
        yield Finding("learning rate", text, "a larger learning rate", _line_of(optimizer, names))


def _batches_of_one(graph: Graph, names: Names) -> Iterator[Finding]:
    """Batch norm takes mean and variance over the batch."""
    for node in graph.nodes:
        module = names.modules.get(node.module or "")
        if node.operation == "batch_norm" and node.shape[0] == 1 and getattr(module, "training", False):
            text = f"{node.module} normalises with the statistics of its batch, and that is a single sample"
            cure = "larger batches, or GroupNorm or LayerNorm, which look at each sample alone"
            yield Finding("batch of one", text, cure, node.line)
            return
