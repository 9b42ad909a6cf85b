"""Writes docs/coverage.md: PyTorch's own database of operations, run on chainrule beside PyTorch (some minutes)."""

from __future__ import annotations

import pathlib
from collections import defaultdict

import torch
from torch.testing._internal.common_methods_invocations import op_db

from conformance import DTYPES, measure_all, title
from nearness import error_ratio

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "coverage.md"
ASPECTS = {
    "forward": "value",
    "grad": "gradient",
    "gradgrad": "second gradient",
    "inplace": "in place",
    "inplace_grad": "gradient in place",
    "method": "method",
    "out": "`out=`",
    "alias": "alias",
}
# Why an operation differs, or is not there. A run that finds one without a reason says so.
ONCE = "calculated in float32 and rounded once; PyTorch rounds in between"
SUMS = "the same sums in another order"
FINER = "another formula, with smaller errors"
FOREIGN = "the sample's options hold a dtype of PyTorch's own"
REASONS = {
    **dict.fromkeys(
        (
            *("addbmm", "addr", "index_reduce.mean", "log_softmax", "logit", "linspace.tensor_overload"),
            *("nn.functional.adaptive_avg_pool3d", "nn.functional.batch_norm", "nn.functional.conv_transpose1d"),
            "nn.functional.binary_cross_entropy_with_logits",
            *("nn.functional.conv_transpose2d", "nn.functional.grid_sample", "nn.functional.instance_norm"),
            *("nn.functional.interpolate.area", "nn.functional.interpolate.bicubic"),
            *("nn.functional.interpolate.linear", "nn.functional.interpolate.trilinear", "nn.functional.normalize"),
        ),
        ONCE,
    ),
    **dict.fromkeys(("polygamma.polygamma_n_0", "special.polygamma.special_polygamma_n_0", "logcumsumexp"), FINER),
    "fft.hfft2": SUMS,
    "nn.functional.conv_transpose3d": f"float32: {SUMS}; bfloat16: {ONCE}",
    "div.trunc_rounding": "the exact quotient is truncated; PyTorch rounds it to bfloat16 first",
    "special.bessel_j0": "PyTorch is off by up to 4e-7",
    "special.bessel_y1": "PyTorch is off by up to 8e-7",
    "as_strided_scatter": "PyTorch gives a gradient to an element that is overwritten",
    "nn.functional.linear_cross_entropy.chunked": FOREIGN,
    "nn.functional.linear_cross_entropy.chunked_none": FOREIGN,
    "matrix_exp": "calculated in double and rounded; PyTorch gives NaN for bfloat16",
}
# Where nothing is rounded.
EXACT = {REASONS[name] for name in ("as_strided_scatter", "special.bessel_j0", "special.bessel_y1")}
EXACT.add(FOREIGN)


def table(rows: list[dict]) -> list[str]:
    """One line per dtype: how many of the operations that were measured pass, aspect by aspect."""
    lines = ["| dtype | " + " | ".join(ASPECTS.values()) + " |", "| --- |" + " --- |" * len(ASPECTS)]
    for dtype in DTYPES:
        cells = []
        for aspect in ASPECTS:
            found = [row["aspects"].get(aspect) for row in rows if row["dtype"] == dtype]
            measured = sum(bool(what) for what in found)
            cells.append(f"{found.count('pass')}/{measured}" if measured else "")
        lines.append(f"| {dtype} | " + " | ".join(cells) + " |")
    return lines


def wrong_inputs(rows: list[dict]) -> str:
    """How the errors compare, in a sentence."""
    counted = [row["aspects"]["errors"] for row in rows if "errors" in row["aspects"]]
    total, raised, classes, words = (
        sum(errors[key] for errors in counted) for key in ("n", "ok", "type_match", "message_match")
    )
    return (
        f"Of {total} wrong inputs {raised} raise, {classes} with the class that PyTorch's tests ask for, {words} with "
        "words that match theirs."
    )


def remaining(rows: list[dict]) -> list[str]:
    """What does not pass, with the dtypes and the reason."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        for aspect in ASPECTS:
            if row["aspects"].get(aspect, "") not in ("pass", ""):
                found[row["op"]][row["dtype"]].add(ASPECTS[aspect])
    lines = ["| operation | what differs | why | error / PyTorch's |", "| --- | --- | --- | --- |"]
    for op, dtypes in sorted(found.items()):
        what = "; ".join(f"{dtype}: {', '.join(sorted(aspects))}" for dtype, aspects in sorted(dtypes.items()))
        lines.append(f"| `{op}` | {what} | {REASONS.get(op, 'not looked into')} | {nearness(op, dtypes)} |")
    return lines


def nearness(name: str, dtypes: dict[str, set[str]]) -> str:
    """How large chainrule's mean error is beside PyTorch's, where the two differ by rounding."""
    if REASONS.get(name) in EXACT:
        return ""
    op = next(o for o in op_db if name == title(o))
    parts = []
    for dtype, aspects in sorted(dtypes.items()):
        kind = "value" if "value" in aspects else "gradient"
        ratio = error_ratio(op, getattr(torch, dtype), kind == "gradient")
        parts.append(f"{dtype}: {'PyTorch has NaN' if ratio != ratio else f'{ratio:.2f}'}")
    return "; ".join(parts)


def page(rows: list[dict]) -> str:
    text = [
        "# How much of PyTorch is there",
        "",
        "PyTorch tests itself with a database of its operations: sample inputs, wrong inputs, dtypes. These tables",
        "are what chainrule passes of it, operation by operation, compared with PyTorch 2.13.0 in the same process.",
        "`python tools/coverage.py` writes them anew; internal names (an underscore, `ops.aten`) are left out.",
        "",
        *table(rows),
        "",
        wrong_inputs(rows),
        "",
        "## What differs",
        "",
        "The last column is measured where results differ by rounding: the mean error of chainrule's values (of the",
        "gradients, where only they differ) over that of PyTorch's, both against PyTorch's in float64.",
        "",
        *remaining(rows),
        "",
        TRAINING,
        OWN_TESTS,
    ]
    return "\n".join(text)


# The same kind of run over PyTorch's databases of modules and optimisers, by hand.
TRAINING = """\
## Modules, optimisers, schedules

All 114 modules of PyTorch's database pass: construction, value, state, gradient, second gradient, `repr`, state dicts,
errors. Of 15 optimisers 14 pass in every configuration, and all 16 schedules do. LBFGS passes in one of five
configurations.

Its other four runs are chaotic: 400 evaluations blow a difference in the last bit up to 2.3 (1.4 where PyTorch is
compared with itself, in the same configurations, under `MKL_CBWR=COMPATIBLE`; 2.3 under `ATEN_CPU_CAPABILITY=default`).
The optimiser is not to blame: with PyTorch's `tanh`, its gradient, its sums and its products of vectors put in place of
chainrule's, all five runs are PyTorch's to the last bit, parameters, losses and gradients. Each of the four is needed
for that. They round otherwise because PyTorch's `tanh` is SLEEF's, its `dot` is MKL's, and its sums go in 16 strands
where chainrule's go in 32. `tests/test_optim.py` compares an objective on which none of this matters, bit for bit.
"""


# The files of PyTorch's test folder, by hand.
OWN_TESTS = """\
## PyTorch's own test files

Half of what PyTorch 2.13.0 tests in these files was run on chainrule, each test under a time limit in a process of its
own: sparse, quantised, nested and named tensors, the compiler, CUDA and private modules left out.

| files | passed |
| --- | --- |
| test_autograd, autograd/test_functional, autograd/test_complex | 245 of 249 |
| functorch/test_eager_transforms | 142 of 144 |
| test_nn | 331 of 331 |
| 45 others: test_torch, test_linalg, functorch/test_vmap, nn/*, distributions/*, test_serialization … | 3999 of 4021 |

What stays different, by behaviour:

- complex32 and float8 were not there yet when this was measured; nearly all that fails of the 45 files asks for one
  of them.
- **PyTorch is wrong.** A write through a complex view of a real tensor, whose gradient PyTorch loses in part
  (`test_autograd_inplace_views_cross_dtype`); a neg view given away by DLPack with the wrong sign (refused here);
  `mm` of a CPU and a meta tensor, which gives memory as it was found (a meta tensor here, and the gradient is refused);
  the gradient of `block_diag` after an empty vector, whose row it forgets (8 in the place of 11 for
  `block_diag(ones(2, 2), empty(0), s)` with weights 0 to 11); Chebyshev polynomials of NaN, which give what lay in
  memory (4.6e-310); `batch_norm_update_stats` with running statistics of fewer channels, which writes beyond them.
- Where NaN or infinity is among the arguments, these differ, and our values follow the formula: gradients of `prod` and
  `cumprod` (PyTorch divides by the element: `cumprod([nan, 2])` has the gradient [3, nan], not [nan, nan]); gradients
  of `relu6`, `hardtanh`, `elu`, `celu`, `selu`, `hardswish`, `softshrink` and `hardshrink` at NaN, which in PyTorch are
  one value in a vector of the processor and another in the elements left over (ours is that of the latter); `mode`,
  which PyTorch sorts by a comparison that NaN confuses; infinite positions of `grid_sample`; Bessel functions
  of infinity, 0 here and NaN there.
- An expanded tensor with a history refuses `zero_` and `fill_` at the write; PyTorch refuses the pass. A view that one
  call made with others, or that a custom Function gave out, keeps its history after an unrecorded write into its memory
  (under `no_grad` or through `detach()`), which does not change derivatives; PyTorch refuses it from there on.
- A tensor that shares its storage and grows (`x.detach().resize_(larger)`) gets memory of its own, and
  `x.data.resize_(larger)` is refused: tensors keep the address of their elements. In PyTorch the others follow.
- `vmap` runs an operation without a rule for at most 2^30 samples.
- The version of a tensor is that of its memory: after `x.data = y` it is y's, and a view taken before goes on counting
  with the old memory.
- `linear` is one node, `AddmmBackward0` without a `TBackward0` before it, so the order in which hooks of the two are
  called cannot be PyTorch's. A leaf is its own edge; its AccumulateGrad node exists while somebody holds it.
- Operations that are deterministic here (`max_unpool`, `put_`) do not raise under `use_deterministic_algorithms`.
- A pass keeps only what its gradients need. Where PyTorch keeps more (a convolution's input beside a constant weight)
  it refuses a pass after a write that chainrule carries out.
- `vmap` has no limit on shapes that depend on values in backward, so `jacrev(chunk_size=1)` works where PyTorch raises.
- Forward mode of `igamma`, `igammac` and `special.zeta` by their second input exists; PyTorch has none.
- A conjugated gradient comes back resolved, and an optimiser refuses a parameter with the conjugate bit.
- A NumPy complex64 operand keeps its imaginary part.
"""


if __name__ == "__main__":
    found = measure_all()
    PAGE.write_text(page(found))
    print(f"{PAGE.name}: {len(found)} operations and dtypes")
