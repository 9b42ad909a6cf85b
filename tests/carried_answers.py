"""PyTorch's answers carried to a machine where there is no PyTorch: another processor, or an emulator of one.

`python tests/carried_answers.py write FILE`, with PyTorch, keeps what it gives for every sample record: values in each
dtype, and gradients. `python tests/carried_answers.py compare FILE` holds chainrule to that, with NumPy alone, and
lists what differs: what test_every_op.py compares where both are.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from samples import RECORDS
from samples.record import Record

GRADIENTS = ("float32", "float64")
# Those of oracle.py, which needs PyTorch: relative and absolute.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


class Answer(NamedTuple):
    number: int  # of the record
    dtype: str
    inputs: list
    results: list
    weights: list  # the gradients that arrive at the results
    gradients: list | None


# ---- With PyTorch ----------------------------------------------------------------------------------------------------


def answers() -> Iterator[Answer]:
    import torch

    from oracle import DTYPES, HALVES, call, differentiable, gradients, outcome, pair, weights

    for number, record in enumerate(RECORDS):
        dtypes = DTYPES if "dtypes" not in record.skip else GRADIENTS
        for dtype in (d for d in dtypes if d not in record.skip and d not in HALVES):
            differentiated = dtype in GRADIENTS and "gradient" not in record.skip
            _, inputs = pair(record, dtype, grad=differentiated)
            results, error = outcome(call, torch, record, inputs)
            if error is not None or any(isinstance(r, torch.Tensor) and r.layout != torch.strided for r in results):
                continue
            arriving, given = [], None
            if differentiated and differentiable(results):
                arriving = list(map(array, weights(differentiable(results), torch)))
                given, error = outcome(gradients, torch, results, inputs)
                given = None if error else list(map(array, given))
            yield Answer(number, dtype, list(map(array, inputs)), list(map(array, results)), arriving, given)


def array(x: Any) -> Any:
    """A tensor of either library as NumPy's; anything else as it is."""
    return np.array(x.numpy(force=True)) if hasattr(x, "detach") else x


# ---- With chainrule --------------------------------------------------------------------------------------------------


def tensors(answer: Answer, record: Record) -> list:
    import chainrule

    made = [chainrule.from_numpy(values.copy()) for values in answer.inputs]
    for tensor, draw in zip(made, record.draws, strict=True):
        if answer.gradients is not None and draw.grad and tensor.is_floating_point():
            tensor.requires_grad_()
    return made


def function(name: str) -> Any:
    import chainrule

    if name == "unfold":  # the record is the method's; nn.functional has another function of that name
        return chainrule.Tensor.unfold
    places = (chainrule.nn.functional, chainrule, chainrule.Tensor)
    return chainrule._core.functions.get(name) or next(getattr(p, name) for p in places if hasattr(p, name))


def flat(result: Any) -> list:
    return [leaf for item in result for leaf in flat(item)] if isinstance(result, (tuple, list)) else [result]


def differs(mine: Any, theirs: Any, scale: float) -> str | None:
    """What is different, or None."""
    if not isinstance(theirs, np.ndarray):
        return None if mine == theirs else f"{mine} instead of {theirs}"
    mine = array(mine)
    if mine is None or mine.dtype != theirs.dtype or mine.shape != theirs.shape:
        return f"{mine!r} instead of {theirs!r}"
    relative, absolute = (scale * t for t in TOLERANCES.get(theirs.dtype.name, (0, 0)))
    near = np.isclose(mine, theirs, rtol=relative, atol=absolute, equal_nan=True)
    return None if near.all() else f"{mine[~near][:3]} instead of {theirs[~near][:3]}"


def compared(answer: Answer) -> Iterator[str]:
    import chainrule

    record = RECORDS[answer.number]
    inputs = tensors(answer, record)
    args, kwargs = record.fill(inputs)
    results = flat(function(record.name)(*args, **kwargs))
    yield from filter(None, (differs(m, t, record.tolerance) for m, t in zip(results, answer.results, strict=True)))
    if answer.gradients is None:
        return
    outputs = [r for r in results if isinstance(r, chainrule.Tensor) and r.requires_grad]
    wanted = [t for t in inputs if t.requires_grad]
    arriving = list(map(chainrule.from_numpy, answer.weights))
    given = chainrule.autograd.grad(outputs, wanted, arriving, allow_unused=True)
    for g, tensor, theirs in zip(given, wanted, answer.gradients, strict=True):
        zero = np.zeros(tuple(tensor.shape), array(tensor).dtype)  # None counts as zero
        if found := differs(zero if g is None else g, zero if theirs is None else theirs, 10 * record.tolerance):
            yield f"gradient {found}"


def compare(kept: Iterable[Answer]) -> int:
    tried = failed = 0
    for answer in kept:
        tried += 1
        try:
            found = list(compared(answer))
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            failed += 1
            print(f"{RECORDS[answer.number]} {answer.dtype}: {found[0]}"[:300], flush=True)
    print(f"{tried - failed} of {tried} answers are PyTorch's")
    return failed


if __name__ == "__main__":
    action, file = sys.argv[1], Path(sys.argv[2])
    if action == "write":
        file.write_bytes(pickle.dumps(list(answers())))
    else:
        sys.exit(compare(pickle.loads(file.read_bytes())) > 0)
