"""doctor(model, loss): silent mistakes that train badly and raise nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._core import Tensor
from .doctor_loss import in_the_loss
from .doctor_numbers import in_the_numbers
from .doctor_training import in_the_training
from .edges import reaches
from .findings import Doctor, Finding
from .inquiry import Inquiry
from .names import Names
from .registration import unregistered

__all__ = ["Doctor", "Finding", "doctor"]


def doctor(model: Any, loss: Tensor, optimizer: Any = None, accumulate: int = 1) -> Doctor:
    """Looks for silent mistakes. Best asked after the forward pass and before backward().

    `accumulate` is the number of backward passes per step of the optimiser.
    """
    names = Names(about=[model, loss])
    found = Doctor(_registration(model, names))
    if not loss.requires_grad or loss.grad_fn is None:
        found.append(_untrained(loss, names))
        return found
    inquiry = Inquiry(names)
    graph, flow = inquiry.flow_of(loss)
    found += in_the_loss(loss, graph, names)
    found += in_the_training(model, loss, optimizer, accumulate, graph, flow, names)
    found += _unreached(model, loss, inquiry)
    zeros = list(_zeros(model, loss, inquiry))
    found += [*zeros, *(in_the_numbers(model, graph, flow, names) if loss.numel() == 1 else ())]
    return found


def _registration(model: Any, names: Names) -> Iterator[Finding]:
    for cause in unregistered(model, names):
        yield Finding("not registered", f"{cause.name}: {cause.text}", cause.cure, cause.line)


def _untrained(loss: Tensor, names: Names) -> Finding:
    cause = Inquiry(names).of_a_constant(loss)
    if loss.requires_grad:
        text = f"the loss is a leaf, requires_grad was set on it by hand: {cause.text}"
        return Finding("nothing trains", text, "calculate the loss without leaving the graph", cause.line)
    return Finding("nothing trains", f"the loss has no graph: {cause.text}", cause.cure, cause.line)


def _unreached(model: Any, loss: Tensor, inquiry: Inquiry) -> Iterator[Finding]:
    trained = [(path, p) for path, p in model.named_parameters() if p.requires_grad]
    left_out = [(path, p) for path, p in trained if not reaches(loss, p)]
    for path, p in left_out[:1] if len(left_out) == len(trained) else left_out:
        cause = inquiry.of_a_leaf(p, loss, path)
        who = "all parameters of the model" if len(left_out) == len(trained) > 1 else path
        yield Finding("no path to the loss", f"{who}: {cause.text}", cause.cure, cause.line)


def _zeros(model: Any, loss: Tensor, inquiry: Inquiry) -> Iterator[Finding]:
    """The first parameter whose gradient is exactly zero, and the step that makes it so."""
    graph, flow = inquiry.flow_of(loss)
    if graph.released or loss.numel() != 1:
        return
    for path, p in model.named_parameters():
        node = graph.find(p) if p.requires_grad else None
        gradient = flow.gradient(node) if node else None
        if gradient is not None and not bool((gradient != 0).any().item()):
            cause = inquiry.saturation(p, loss)
            if (
                cause is not None and cause.kind != "cancelled"
            ):  # nothing is wrong, there is only one parameter too many
                yield Finding("zero gradient", f"{path}: {cause.text}", cause.cure, cause.line)
                return
