"""The doctor looks at the numbers: inputs, units that never fire, gradients from layer to layer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .findings import Finding
from .flow import Flow
from .graph import Graph, Node
from .health import layer_verdicts
from .names import Names

__all__ = ["in_the_numbers"]

# By layer, what its data is called.
_FIRST = {"linear": "mat1", "addmm": "mat1", "mm": "self", "convolution": "input", "lstm": "self"}
_LARGE, _UNLIKE = 100.0, 1000.0  # inputs of this size, features so far apart
_NOTICEABLE = 30.0
_SAMPLES, _UNITS = 8, 4  # fewer say nothing about units that never fire
_DEAD = 0.75


def in_the_numbers(model: Any, graph: Graph, flow: Flow, names: Names) -> Iterator[Finding]:
    """Mistakes that the values and gradients of this batch show."""
    if not graph.released:
        yield from _inputs(graph, names)
        yield from _dead_units(graph)
        yield from _by_layer(model, graph, flow, names)


def _inputs(graph: Graph, names: Names) -> Iterator[Finding]:
    """Data that goes into the first layer as it was measured: pixels up to 255, years beside fractions."""
    for node in graph.nodes:
        data = _data_of(node)
        if data is None or any("norm" in e.consumer.operation for e in node.uses):
            continue
        with no_grad():
            square = data.detach().double().square()
            size = math.sqrt(square.mean().item())
            columns = square.mean(0).sqrt() if data.ndim == 2 and data.shape[0] > 1 else square[:0].reshape(-1)
            present = columns[columns > 0]
        what = _name(data, names)
        cure = "bring each feature near 0 with deviation 1: (x - x.mean(0)) / x.std(0); pixels / 255"
        if size >= _LARGE and math.isfinite(size):
            text = f"{what} has numbers of size {size:.3g} (root of the mean square) when it comes to the first layer"
            yield Finding("inputs not normalised", text, cure, node.line)
            return
        if present.numel() > 1 and present.max().item() >= max(_NOTICEABLE, _UNLIKE * present.min().item()):
            low, high = present.min().item(), present.max().item()
            text = (
                f"the features of {what} differ in size from {low:.3g} to {high:.3g} when they come to the first layer"
            )
            yield Finding("inputs not normalised", text, cure, node.line)
            return


def _data_of(node: Node) -> Tensor | None:
    """What a layer is given, if that is data and no result."""
    slot = _FIRST.get(node.operation)
    if slot is None or any(not e.producer.is_leaf for e in node.inputs):
        return None
    kept = next((s.value for s in node.saved if s.name == slot and not s.is_output), None)
    if kept is None or kept.requires_grad or not kept.is_floating_point() or kept.numel() == 0:
        return None
    return kept


def _name(data: Tensor, names: Names) -> str:
    memory = data.untyped_storage().data_ptr()
    same = (n for n, t in names.tensors if t.untyped_storage().data_ptr() == memory and t.numel() == data.numel())
    return names.of(data) or next(same, "the input")


def _dead_units(graph: Graph) -> Iterator[Finding]:
    """Units of a relu that are zero for the whole batch, if most of them are; all of them: the gradient is zero."""
    for node in graph.nodes:
        result = next((s.value for s in node.saved if s.is_output and s.is_current), None)
        if node.operation != "relu" or result is None or result.ndim < 2 or result.shape[0] < _SAMPLES:
            continue
        with no_grad():
            channels = 1 if result.ndim > 3 else result.ndim - 1
            firing = (result.detach() > 0).transpose(0, channels).reshape(result.shape[channels], -1).any(1)
        units, dead = firing.numel(), int((~firing).sum().item())
        if units >= _UNITS and _DEAD * units <= dead < units:
            text = f"{dead} of {units} units of {node.label} are zero for every sample of the batch; they do not learn"
            cure = "a smaller learning rate, another initialisation, or leaky_relu"
            yield Finding("dead units", text, cure, node.line)
            return


def _by_layer(model: Any, graph: Graph, flow: Flow, names: Names) -> Iterator[Finding]:
    """The worst layer whose gradient vanishes or explodes."""
    prefix = names.of_modules.get(id(model), "")
    gradients = {id(n.raw): g for n in graph.leaves if (g := flow.gradient(n)) is not None}
    layers = layer_verdicts(model, prefix, gradients)
    for verdict in ("exploding", "vanishing"):
        sick = [layer for layer in layers if layer.verdict == verdict and layer.gradient_norm]
        if not sick:
            continue
        worst = (max if verdict == "exploding" else min)(sick, key=lambda layer: layer.gradient_norm or 0.0)
        most = max(layers, key=lambda layer: layer.gradient_norm or 0.0)
        beside = f", that of {most.name} {most.gradient_norm:.3g}" if most is not worst else ""
        text = f"the gradient of {worst.name} has norm {worst.gradient_norm:.3g}, "
        text += f"its weights {worst.weight_norm:.3g}{beside}"
        cures = {
            "exploding": "clip_grad_norm_() before the step, smaller initial weights, or normalisation between layers",
            "vanishing": "relu in place of sigmoid or tanh, normalisation between layers, or connections around them",
        }
        line = next((n.line for n in graph.nodes if n.module == worst.name and not n.is_leaf), None)
        yield Finding(f"{verdict} gradients", text, cures[verdict], line)  # type: ignore[arg-type]
        return
