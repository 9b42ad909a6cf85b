"""Which transform works for which operation, tried on the records of the suite; run it to write docs/transforms.md."""

from __future__ import annotations

import warnings
from pathlib import Path

import chainrule
from chainrule.autograd import forward_ad
from chainrule.func import batch_rules, vmap
from oracle import call, differentiable, gradients, outcome, pair
from samples import RECORDS
from samples.record import Record

PAGE = Path(__file__).parent.parent / "docs" / "transforms.md"
COLUMNS = ("gradient", "twice", "forward mode", "vmap", "vmap of the gradient")
SAMPLES = 2
YES, NO, NONE, LOOP = "yes", "no", "", "loop"


def tensors_of(results: list) -> list:
    return [r for r in results if isinstance(r, chainrule.Tensor)]


def reverse(record: Record) -> tuple[str, str]:
    """Whether there is a gradient, and one of the gradient."""
    inputs = pair(record, grad=True)[0]
    results, error = outcome(call, chainrule, record, inputs)
    if error is not None or not differentiable(results):
        return NONE, NONE
    first, error = outcome(gradients, chainrule, results, inputs, True)
    if error is not None:
        return NO, NO
    found = [g for g in first if g is not None and g.requires_grad]
    return YES, NO if found and outcome(gradients, chainrule, found, inputs)[1] is not None else YES


def forward(record: Record) -> str:
    """Whether a tangent comes out."""
    inputs = pair(record, grad=True)[0]
    with forward_ad.dual_level():
        duals = [
            forward_ad.make_dual(t.detach(), chainrule.ones_like(t)) if t.requires_grad else t.detach() for t in inputs
        ]
        results, error = outcome(call, chainrule, record, duals)
        if error is not None:
            return NO
        if any(forward_ad.unpack_dual(r).tangent is not None for r in tensors_of(results)):
            return YES
    # No tangent is right where all derivatives are zero.
    found = gradients(chainrule, call(chainrule, record, inputs), inputs)
    return NO if any(g is not None and g.any() for g in found) else YES


def batched(record: Record, differentiate: bool) -> str:
    """Whether the operation takes samples in one call or in a loop over them."""
    inputs = pair(record, grad=True)[0]
    if outcome(call, chainrule, record, inputs)[1] is not None:
        inputs = pair(record, "int64")[0]  # an operation of whole numbers
    chosen = [t.requires_grad for t in inputs]

    def sample(*tensors: chainrule.Tensor) -> tuple:
        return tuple(tensors_of(call(chainrule, record, list(tensors))))

    def total(*tensors: chainrule.Tensor) -> chainrule.Tensor:
        parts = [t.abs().sum() for t in sample(*tensors) if t.is_floating_point() or t.is_complex()]
        return chainrule.stack(parts).sum()

    function = total if not differentiate else chainrule.func.grad(total, tuple(i for i, c in enumerate(chosen) if c))
    batches = [chainrule.stack([t.detach()] * SAMPLES) for t in inputs]
    batch_rules._told.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        error = outcome(vmap(function if differentiate else sample, randomness="different"), *batches)[1]
    looped = any("batching rule" in str(w.message) for w in seen)
    return NO if error is not None else LOOP if looped else YES


def row(name: str, records: list[Record]) -> list[str]:
    """The marks of an operation: of its first record with a gradient, or of its first."""
    full = [r for r in records if all(0 not in draw.shape for draw in r.draws)] or records
    tried = next((r for r in full if reverse(r)[0] == YES), full[0])
    once, twice = reverse(tried)
    smooth = once == YES
    return [
        name,
        once,
        twice,
        forward(tried) if smooth else NONE,
        batched(tried, False) if tried.draws else NONE,
        batched(tried, True) if smooth else NONE,
    ]


def rows() -> list[list[str]]:
    by_name: dict[str, list[Record]] = {}
    for record in RECORDS:
        by_name.setdefault(record.name, []).append(record)
    chainrule.manual_seed(0)
    return [row(name, records) for name, records in sorted(by_name.items())]


def page(table: list[list[str]]) -> str:
    counts = [
        f"{column}: {sum(r[i] == YES for r in table)} yes, {sum(r[i] == LOOP for r in table)} by a loop, "
        f"{sum(r[i] == NO for r in table)} no"
        for i, column in enumerate(COLUMNS, 1)
    ]
    head = [
        "# Which transform works for which operation",
        "",
        "Written by `python tests/transforms_table.py`, which tries each operation of the test suite's records.",
        "An empty field: the operation has no gradient, or takes no tensor. "
        "*loop*: `vmap` runs it once per sample and says so. *no*: it raises.",
        "",
        *(f"- {line}" for line in counts),
        "",
        "| operation | " + " | ".join(COLUMNS) + " |",
        "|" + " --- |" * (len(COLUMNS) + 1),
    ]
    return "\n".join([*head, *(f"| `{r[0]}` | " + " | ".join(r[1:]) + " |" for r in table)]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(rows()))
