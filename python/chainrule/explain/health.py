"""Health of gradients, layer by layer: norms, the size of updates, dead units, NaN, and a verdict."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._core import Tensor
from ..autograd.grad_mode import no_grad
from .names import Names

__all__ = ["Health", "HealthLog", "Layer", "health"]

Verdict = Literal[
    "healthy", "frozen", "no gradient", "NaN", "zero", "input is zero", "vanishing", "exploding", "dead units"
]
_MEANINGS = {
    "no gradient": "backward() filled no .grad; explain_none(parameter) says why",
    "NaN": "weights or gradients are NaN or infinite; nan_guard() finds the step that made the first",
    "zero": "every gradient is exactly 0; explain_none(parameter, loss) before backward() says which step makes it so",
    "input is zero": "only the bias learns, since what comes into the layer is 0 throughout",
    "vanishing": "gradients are below 1e-7 of the weights, or below 1e-5 and a thousand times smaller than in another "
    "layer: it hardly moves; look at activations (sigmoid, tanh), initialisation, normalisation, skip connections",
    "exploding": "gradients are above 100 and above 100 times the weights: a smaller learning rate, or clip_grad_norm_",
    "dead units": "no gradient reaches more than half of the outputs, as after relu of negative numbers",
}
_VANISHING, _EXPLODING = 1e-7, 100.0  # gradient norm over weight norm
_SMALL, _FAR_BELOW = 1e-5, 1e-3  # the same, and over that of the layer where it is largest
_COLUMNS = ("layer", "parameters", "weight norm", "gradient norm", "update/weight", "dead units", "NaN", "verdict")


@dataclass(frozen=True)
class Layer:
    """One layer's numbers."""

    name: str
    parameters: int
    weight_norm: float
    gradient_norm: float | None  # None: no gradient
    update_ratio: float | None  # size of the step over that of the weights; without optimiser and lr, of the gradient
    dead: int  # output units that no gradient reaches
    units: int
    nan: int  # elements of gradients and weights that are NaN or infinite
    verdict: Verdict

    @property
    def is_sick(self) -> bool:
        return self.verdict not in ("healthy", "frozen")

    @property
    def relative_gradient(self) -> float:
        """Gradient norm over weight norm."""
        return (self.gradient_norm or 0.0) / self.weight_norm if self.weight_norm else 0.0

    def row(self) -> tuple[str, ...]:
        ratio = "-" if self.update_ratio is None else f"{self.update_ratio:.2e}"
        norm = "-" if self.gradient_norm is None else f"{self.gradient_norm:.3g}"
        dead = f"{self.dead} of {self.units}" if self.units else "-"
        return (
            self.name,
            f"{self.parameters:,}",
            f"{self.weight_norm:.3g}",
            norm,
            ratio,
            dead,
            str(self.nan),
            self.verdict,
        )


class Health(list[Layer]):
    """All layers in order."""

    has_lr = True  # else the column update/weight is gradient/weight

    @property
    def sick(self) -> list[Layer]:
        return [layer for layer in self if layer.is_sick]

    def __str__(self) -> str:
        head = [c if self.has_lr or c != "update/weight" else "gradient/weight" for c in _COLUMNS]
        rows = [head, *(layer.row() for layer in self)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_COLUMNS))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        meanings = [f"{v}: {_MEANINGS[v]}." for v in dict.fromkeys(layer.verdict for layer in self.sick)]
        return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:], *meanings])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .rich import table

        head = [c if self.has_lr or c != "update/weight" else "gradient/weight" for c in _COLUMNS]
        notes = [f"{v}: {_MEANINGS[v]}." for v in dict.fromkeys(layer.verdict for layer in self.sick)]
        return table(head, [layer.row() for layer in self], [layer.is_sick for layer in self], notes) + self.to_svg()

    def to_svg(self) -> str:
        """Gradient norms as bars on a logarithmic scale."""
        from .health_plot import bars

        return bars(self)


def health(model: Any, lr: float | None = None, optimizer: Any = None) -> Health:
    """Each layer's state after backward().

    The column update/weight is that of the step which the optimiser is going to make; with a learning rate alone, that
    of plain SGD.
    """
    name = Names().of_modules.get(id(model), "")
    with no_grad():
        updates = _updates(model, lr, optimizer)
        layers = [_layer(path or "model", m, updates) for path, m in model.named_modules(prefix=name) if _own(m)]
    found = Health(_beside_others(layers))
    found.has_lr = lr is not None or optimizer is not None
    return found


def _updates(model: Any, lr: float | None, optimizer: Any) -> dict[int, Tensor]:
    """By parameter, what a step will add to it."""
    gradients = {id(p): p.grad for p in model.parameters() if p.grad is not None}
    if optimizer is None:
        return {i: g * (lr or 1.0) for i, g in gradients.items()}
    return step_of(optimizer, gradients) or {}


def step_of(optimizer: Any, gradients: dict[int, Tensor]) -> dict[int, Tensor] | None:
    """By parameter, what the optimiser adds to it, given gradients. It makes that step on copies.

    None of what is no optimiser of chainrule's, or needs a closure.
    """
    from ..optim import LBFGS, Optimizer

    if not isinstance(optimizer, Optimizer) or isinstance(optimizer, LBFGS):
        return None
    twin = copy.deepcopy(optimizer)
    twin._optimizer_step_pre_hooks.clear()
    twin._optimizer_step_post_hooks.clear()
    pairs = [
        (p, q)
        for group, other in zip(optimizer.param_groups, twin.param_groups, strict=True)
        for p, q in zip(group["params"], other["params"], strict=True)
    ]
    for p, q in pairs:
        q.grad = gradients[id(p)].detach().clone() if id(p) in gradients else None
    twin.step()
    return {id(p): q.detach() - p.detach() for p, q in pairs if id(p) in gradients}


def layer_verdicts(model: Any, name: str, gradients: dict[int, Tensor]) -> list[Layer]:
    """Each layer's verdict from gradients that no backward() has put into .grad."""
    found = []
    for path, module in model.named_modules(prefix=name):
        parameters = [p for p in _own(module) if p.requires_grad and id(p) in gradients]
        if not parameters:
            continue
        weight, gradient = _norm(parameters), _norm([gradients[id(p)] for p in parameters])
        nan = 0 if math.isfinite(gradient) else 1
        verdict = _verdict(gradient, weight, nan, 0, 0)
        count = sum(p.numel() for p in parameters)
        found.append(Layer(path or "model", count, weight, gradient, None, 0, 0, nan, verdict))
    return _beside_others(found)


class HealthLog:
    """Health over training: call step() after each backward()."""

    def __init__(self, model: Any, lr: float | None = None, optimizer: Any = None):
        self.model, self.lr, self.optimizer = model, lr, optimizer
        self.steps: list[Health] = []

    def step(self) -> Health:
        """Notes the present state."""
        self.steps.append(health(self.model, self.lr, self.optimizer))
        return self.steps[-1]

    def __str__(self) -> str:
        lines = [f"{len(self.steps)} steps"]
        for i, layer in enumerate(self.steps[0] if self.steps else []):
            norms = [s[i].gradient_norm or 0.0 for s in self.steps]
            sick = [k for k, s in enumerate(self.steps) if s[i].is_sick]
            note = f"; {self.steps[sick[0]][i].verdict} first at step {sick[0]}" if sick else ""
            lines.append(f"  {layer.name}: gradient norm {norms[0]:.3g} -> {norms[-1]:.3g}{note}")
        return "\n".join(lines)

    __repr__ = __str__

    def to_svg(self) -> str:
        """Each layer's gradient norm as a line over the steps."""
        from .health_plot import lines

        return lines(self.steps)


def _own(module: Any) -> list[Tensor]:
    return [p for p in module._parameters.values() if p is not None]


def _layer(name: str, module: Any, updates: dict[int, Tensor]) -> Layer:
    parameters = _own(module)
    gradients = [p.grad for p in parameters if p.grad is not None]
    weight, gradient = _norm(parameters), _norm(gradients) if gradients else None
    nan = sum(int((~t.detach().isfinite()).sum().item()) for t in [*parameters, *gradients])
    steps = [updates[id(p)] for p in parameters if id(p) in updates]
    ratio = None if not steps or weight == 0 else _norm(steps) / weight
    dead, units = _dead_units(module, parameters)
    verdict = _verdict(gradient, weight, nan, dead, units)
    if gradient is None and not nan and not any(p.requires_grad for p in parameters):
        verdict = "frozen"
    if verdict == "healthy" and _only_bias(parameters):
        verdict = "input is zero"
    return Layer(name, sum(p.numel() for p in parameters), weight, gradient, ratio, dead, units, nan, verdict)


def _norm(tensors: list[Tensor]) -> float:
    return math.sqrt(sum(float(t.detach().double().square().sum().item()) for t in tensors))


def _dead_units(module: Any, parameters: list[Tensor]) -> tuple[int, int]:
    """Outputs of the first matrix whose gradient is exactly zero, and that of their bias as well.

    Rows of an embedding are its inputs: those that no sample asked for get no gradient, and nothing is wrong.
    """
    weight = next((p for p in parameters if p.ndim > 1), None)
    if weight is None or weight.grad is None or hasattr(module, "num_embeddings"):
        return 0, 0
    moving = weight.grad != 0
    if getattr(module, "transposed", False):  # a transposed convolution has its inputs first
        moving = moving.transpose(0, 1)
    rows = moving.reshape(moving.shape[0], -1).any(1)
    for bias in parameters:
        if bias.ndim == 1 and bias.grad is not None and bias.shape[0] == rows.shape[0]:
            rows = rows | (bias.grad != 0)
    return int((~rows).sum().item()), rows.shape[0]


def _only_bias(parameters: list[Tensor]) -> bool:
    """Whether the gradient of the matrix is zero throughout, and that of a bias is not."""
    gradients = [p.grad for p in parameters if p.ndim > 1 and p.grad is not None]
    return bool(gradients) and not any(bool((g != 0).any().item()) for g in gradients)


def _beside_others(layers: list[Layer]) -> list[Layer]:
    """Gradients that shrink from layer to layer vanish, long before they are too small to be told from zero."""
    limit = min(_SMALL, _FAR_BELOW * max((layer.relative_gradient for layer in layers), default=0.0))
    return [
        replace(layer, verdict="vanishing")
        if layer.verdict == "healthy" and 0 < layer.relative_gradient < limit
        else layer
        for layer in layers
    ]


def _verdict(gradient: float | None, weight: float, nan: int, dead: int, units: int) -> Verdict:
    if gradient is None:
        return "no gradient"
    if nan:
        return "NaN"
    if gradient == 0:
        return "zero"
    if weight and gradient / weight < _VANISHING:
        return "vanishing"
    if weight and gradient > _EXPLODING * max(weight, 1.0):  # what began at zero is small against any gradient
        return "exploding"
    return "dead units" if units and dead > units // 2 else "healthy"
