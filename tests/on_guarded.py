"""The guarded device beside the CPU: the same bits, and nobody but backends touches elements.

A program for tests/test_guarded.py, in a process with CHAINRULE_GUARDED=1. `ops DTYPE` runs every record of an op,
forward and backward, `layers` every layer, `optimisers` every optimiser. It prints what went wrong, a line a case.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import chainrule
from oracle import call, flat, is_float, outcome, pair
from samples import RECORDS
from samples.record import Record

Run = Callable[[str], list]  # what came out on the device of that name


def of_record(record: Record, dtype: str) -> Run:
    """Results, then gradients of their sum."""

    def run(device: str) -> list:
        inputs = [t.to(device) for t in pair(record, dtype)[0]]
        if record.name == "tensor_split":  # which takes indices on the CPU only
            inputs[1:] = pair(record, dtype)[0][1:]
        for t, draw in zip(inputs, record.draws, strict=True):
            t.requires_grad_(draw.grad and is_float(t))
        chainrule.manual_seed(0)
        results = call(chainrule, record, inputs)
        wanted = [t for t in inputs if t.requires_grad]
        found = [t for t in results if isinstance(t, chainrule.Tensor) and t.requires_grad]
        if not wanted or not found:
            return results
        total = sum((t.real if t.is_complex() else t).double().sum() for t in found)
        return [*results, *chainrule.autograd.grad(total, wanted, allow_unused=True)]

    return run


def of_layer(text: str, inputs: Callable) -> Run:
    """Outputs, gradients and the state after a step of training, outputs in evaluation."""

    def run(device: str) -> list:
        chainrule.manual_seed(3)
        layer = eval(text, {"torch": chainrule, **vars(chainrule.nn)}).to(device)
        arguments = [t.to(device) if isinstance(t, chainrule.Tensor) else t for t in inputs(chainrule)]
        for t in arguments:
            if isinstance(t, chainrule.Tensor) and is_float(t):
                t.requires_grad_()
        chainrule.manual_seed(4)
        outputs = [t for t in flat(layer(*arguments)) if isinstance(t, chainrule.Tensor)]
        loss: Any = sum(t.sum() for t in outputs if t.requires_grad)
        if isinstance(loss, chainrule.Tensor):
            loss.backward()
        gradients = [t.grad for t in [*layer.parameters(), *arguments] if isinstance(t, chainrule.Tensor)]
        layer.eval()
        return [*outputs, *gradients, *layer.state_dict().values(), *flat(layer(*arguments))]

    return run


def of_optimiser(name: str, options: dict) -> Run:
    """Parameters and states after five steps."""

    def run(device: str) -> list:
        chainrule.manual_seed(0)
        params = [chainrule.randn(shape).to(device).requires_grad_() for shape in ((3, 4), (4,), (2, 1, 3))]
        optimizer = getattr(chainrule.optim, name)(params, **{"lr": 0.05, **options})
        for _ in range(5):
            for p in params:
                p.grad = chainrule.randn(p.shape).to(device)
            optimizer.step()
        states = [value for state in optimizer.state.values() for value in state.values()]
        return [*params, *(s for s in states if isinstance(s, chainrule.Tensor) and s.ndim)]

    return run


def cases(what: str, dtype: str = "") -> Iterator[tuple[str, Run]]:
    if what == "ops":
        yield from ((f"{record} {dtype}", of_record(record, dtype)) for record in RECORDS)
    elif what == "layers":
        from test_nn_layers import LAYERS

        yield from ((text, of_layer(text, inputs)) for text, inputs in LAYERS)
    else:
        from test_optim import CASES

        yield from ((f"{name} {options}", of_optimiser(name, options)) for name, options in CASES)


def differs(a: Any, b: Any) -> bool:
    if not isinstance(a, chainrule.Tensor) or not isinstance(b, chainrule.Tensor):
        return a != b
    a, b = (t.detach().cpu().resolve_conj().resolve_neg() for t in (a, b))
    return a.dtype != b.dtype or a.shape != b.shape or not bool(((a == b) | ((a != a) & (b != b))).all())


def complaint(run: Run) -> str | None:
    there, here = outcome(run, "guarded"), outcome(run, "cpu")
    chainrule.ones(2).to("guarded")  # a touch is told of when a call ends, so what a backward pass touches is told here
    if faults := chainrule._core.guarded_faults():
        return f"elements are touched in {', '.join(sorted(set(faults)))}"
    if there[1] or here[1]:
        return None if type(there[1]) is type(here[1]) else f"{there[1]!r} instead of {here[1]!r}"
    if any(isinstance(t, chainrule.Tensor) and t.device.type != "guarded" for t in there[0]):
        return "a result is not on the device"
    pairs = zip(there[0], here[0], strict=True)
    return "other values" if any(differs(a, b) for a, b in pairs) else None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count = 0
    for name, run in cases(*sys.argv[1:]):
        count += 1
        if wrong := complaint(run):
            print(f"{name}: {wrong}")
    print(f"{count} cases")
