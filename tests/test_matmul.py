"""Matrix products: every pair of shapes, every layout in memory, every dtype, and sizes at the edges of the blocks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import chainrule
from both import agree
from oracle import (
    DTYPES,
    Collected,
    assert_same,
    assert_same_gradients,
    assert_same_outcome,
    cast,
    gradients,
    ours,
    outcome,
)


def random(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> torch.Tensor:
    return cast(np.random.default_rng(seed + sum(shape)).uniform(-2, 2, shape), dtype)


SHAPES = [
    (),
    (3,),
    (4,),
    (3, 4),
    (4, 3),
    (0, 4),
    (4, 0),
    (2, 3, 4),
    (2, 4, 3),
    (1, 4, 3),
    (5, 1, 3, 4),
    (2, 4, 5),
    (0, 3, 4),
]


@pytest.mark.parametrize("a", SHAPES, ids=str)
def test_shapes(a):
    """matmul of every two shapes: value and gradients, or an exception of the same class."""
    with Collected() as c:
        for b in SHAPES:
            reference = [random(a).requires_grad_(), random(b, seed=50).requires_grad_()]
            mine = [ours(t).requires_grad_() for t in reference]
            found, expected = outcome(chainrule.matmul, *mine), outcome(torch.matmul, *reference)
            c.check(assert_same_outcome, found, expected, 1, f"{a} @ {b}")
            if expected[1] is None and found[1] is None:
                given = gradients(torch, [expected[0]], reference)
                c.check(assert_same_gradients, gradients(chainrule, [found[0]], mine), given, 10, f"{a} @ {b}")


LAYOUTS = {
    "plain": lambda t: t,
    "transposed": lambda t: t.transpose(-1, -2).clone().transpose(-1, -2),
    "gaps": lambda t: (torch if isinstance(t, torch.Tensor) else chainrule).stack([t, t], -1)[..., 0],
    "expanded": lambda t: t[..., :1, :].expand(t.shape),
    "backwards batch": lambda t: t.flip(0),
}


@pytest.mark.parametrize(("first", "second"), list(itertools.product(LAYOUTS, LAYOUTS)))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_layouts(first, second, dtype):
    for left, right in [((7, 5), (5, 9)), ((3, 7, 5), (3, 5, 9)), ((3, 7, 5), (5, 9))]:
        reference = [random(left, dtype), random(right, dtype, 50)]
        mine = [LAYOUTS[first](ours(reference[0])), LAYOUTS[second](ours(reference[1]))]
        reference = [LAYOUTS[first](reference[0]), LAYOUTS[second](reference[1])]
        for t in [*mine, *reference]:
            t.requires_grad_()
        found, expected = mine[0] @ mine[1], reference[0] @ reference[1]
        assert_same(found, expected)
        assert_same_gradients(
            gradients(chainrule, [found], mine), gradients(torch, [expected], reference), 10, f"{left}"
        )


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 130])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes_at_the_edges_of_blocks(size, dtype):
    for m, k, n in [(size, size, size), (size, 3, 5), (3, size, 5), (3, 5, size), (1, size, 1), (size, 1, size)]:
        a, b = random((m, k), dtype), random((k, n), dtype, 50)
        # The sum's rounding error grows with its length.
        assert_same(ours(a) @ ours(b), a @ b, max(1, size / 8), f"{m}x{k} @ {k}x{n}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    with Collected() as c:
        for other in DTYPES:
            a, b = random((3, 4), dtype), random((4, 2), other, 50)
            c.check(
                assert_same_outcome,
                outcome(chainrule.mm, ours(a), ours(b)),
                outcome(torch.mm, a, b),
                4,
                f"mm {dtype} {other}",
            )
        for name, left, right in [
            ("dot", (4,), (4,)),
            ("mv", (3, 4), (4,)),
            ("bmm", (2, 3, 4), (2, 4, 2)),
            ("outer", (3,), (4,)),
            ("matmul", (2, 3, 4), (4,)),
        ]:
            a, b = random(left, dtype), random(right, dtype, 50)
            found, expected = outcome(getattr(chainrule, name), ours(a), ours(b)), outcome(getattr(torch, name), a, b)
            c.check(assert_same_outcome, found, expected, 4, f"{name} {dtype}")


@pytest.mark.parametrize(
    "make",
    [
        lambda t: t.mm(t.zeros(3), t.zeros(3, 2)),
        lambda t: t.mm(t.zeros(2, 3), t.zeros(2, 3)),
        lambda t: t.bmm(t.zeros(2, 3, 4), t.zeros(3, 4, 5)),
        lambda t: t.mv(t.zeros(2, 3), t.zeros(2)),
        lambda t: t.dot(t.zeros(2), t.zeros(3)),
        lambda t: t.dot(t.zeros(2, 2), t.zeros(2, 2)),
        lambda t: t.outer(t.zeros(2, 2), t.zeros(2)),
        lambda t: t.addmm(t.zeros(7), t.zeros(2, 3), t.zeros(3, 4)),
        lambda t: t.zeros(2, 3) @ t.zeros(4, 5),
        lambda t: t.zeros(2, 3) @ 2,
        lambda t: t.matmul(t.zeros(2, 3)),
        lambda t: t.zeros(2, 3, 4) @ t.zeros(3, 4, 5),
        lambda t: t.mm(t.zeros(2, 2), t.zeros(2, 2, dtype=t.float64)),
        lambda t: t.baddbmm(t.zeros(3, 3), t.zeros(2, 3, 4), t.zeros(2, 5, 3)),
    ],
)
def test_bad_shapes(make):
    """The same class and PyTorch's first words."""
    (_, mine), (_, reference) = outcome(make, chainrule), outcome(make, torch)
    assert isinstance(mine, type(reference)), f"{mine!r} instead of {reference!r}"
    assert str(mine)[:12] == str(reference)[:12], f"{mine} instead of {reference}"


def test_inplace_products():
    for library in (chainrule, torch):
        assert (
            library.ones(2, 2).addmm_(library.ones(2, 3), library.ones(3, 2), beta=2, alpha=0.5).tolist()
            == [[3.5, 3.5]] * 2
        )
        assert library.ones(2).addmv_(library.ones(2, 3), library.ones(3)).tolist() == [4.0, 4.0]
        assert library.ones(1, 2).addr_(library.ones(1), library.ones(2)).tolist() == [[2.0, 2.0]]
    x = chainrule.ones(2, 2)
    assert chainrule.mm(x, x, out=x).tolist() == [[2.0, 2.0]] * 2


def test_addr_of_truth_values():
    """Weights that are no truth values are taken for those that they are."""
    for beta, alpha in ((1, 1), (3, 2), (0, 2), (1, 0), (0, 0)):
        results = []
        for library in (chainrule, torch):
            matrix, vector = library.tensor([[True, False], [False, False]]), library.tensor([True, False])
            results.append(library.addr(matrix, vector, vector, beta=beta, alpha=alpha).tolist())
        assert results[0] == results[1]


@pytest.mark.parametrize("alpha", [float("nan"), float("inf"), 300, -1, 2.5])
def test_weights_must_fit_the_integers_that_they_multiply(alpha):
    for name, shapes in (
        ("addmm", ((2, 2), (2, 2), (2, 2))),
        ("baddbmm", ((1, 2, 2),) * 3),
        ("addmv", ((2,), (2, 2), (2,))),
    ):
        agree(
            lambda torch, name=name, shapes=shapes: getattr(torch, name)(
                *(torch.ones(shape, dtype=torch.uint8) for shape in shapes), alpha=alpha
            ),
            words=6,
        )


def test_addr_takes_truth_values_as_weights_of_truth_values_only():
    for dtype in ("bool", "int64", "float32"):
        agree(
            lambda torch, dtype=dtype: torch.addr(
                *(torch.ones(shape, dtype=getattr(torch, dtype)) for shape in ((2, 3), (2,), (3,))), beta=True
            ),
            words=6,
        )
