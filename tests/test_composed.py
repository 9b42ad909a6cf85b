"""Operations written in Python: their errors in PyTorch's words, warnings, and what the sample records cannot say."""

from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest
import torch

import chainrule
from chainrule.ops.einsum import _cheapest
from oracle import assert_same, assert_same_outcome, ours, outcome

# Programs that fail in both libraries, with the same class and the same first words.
ERRORS = """
torch.einsum("i")
torch.einsum("i,j", ones(2))
torch.einsum("i", ones(2), ones(3))
torch.einsum("i1", ones(2, 3))
torch.einsum("i.", ones(2))
torch.einsum("....i", ones(2))
torch.einsum("...i...", ones(2))
torch.einsum("ij", ones(2))
torch.einsum("...ij", ones(2))
torch.einsum("ii", ones(2, 3))
torch.einsum("ij,jk", ones(2, 3), ones(4, 5))
torch.einsum("i->ii", ones(2))
torch.einsum("i->k", ones(2))
torch.einsum("i->i....", ones(2))
torch.einsum("i->i.", ones(2))
torch.einsum("i->1", ones(2))
torch.einsum("i->i->i", ones(2))
torch.einsum(ones(2), [52])
torch.einsum(5, ones(2))
torch.einsum("i,i", ones(2), 3)
torch.tensordot(ones(2, 3), ones(3, 2), -1)
torch.tensordot(ones(2, 3), ones(3, 2), 3)
torch.tensordot(ones(2, 3), ones(3, 2), 1.5)
torch.tensordot(ones(2, 3), ones(3, 2), ([1, 1], [0, 0]))
torch.tensordot(ones(2, 3), ones(3, 2), ([5], [0]))
torch.tensordot(ones(2, 3), ones(3, 2), ([0, 1], [0]))
torch.tensordot(ones(2, 3), ones(3, 2), ([0], [0]))
torch.tensordot(ones(2, 3), ones(3, 2).double(), 1)
torch.tensordot(ones(2, 3), ones(3, 2), torch.tensor([1, 2, 3]))
torch.cross(ones(2, 3), ones(3, 3), 1)
torch.cross(ones(2, 2), ones(2, 2))
torch.cross(ones(2, 3), ones(3), 0)
torch.cross(ones(2, 3), ones(2, 3), dim=0)
torch.cross(ones(3).bool(), ones(3).bool(), 0)
torch.cross(ones(3), ones(3), 5)
torch.dist(ones(3).long(), ones(3).long())
torch.cdist(ones(3), ones(3, 2))
torch.cdist(ones(3, 2), ones(3))
torch.cdist(ones(3, 2), ones(3, 4))
torch.cdist(ones(3, 2), ones(3, 2), -1.0)
torch.cdist(ones(3, 2).int(), ones(3, 2))
torch.cdist(ones(3, 2), ones(3, 2), compute_mode="fast")
torch.cdist(ones(3, 2).half(), ones(3, 2).half())
torch.cdist(ones(3, 2), ones(3, 2).double())
torch.cov(ones(2, 2, 2))
torch.cov(ones(2).bool())
torch.cov(ones(2, 3), fweights=ones(3))
torch.cov(ones(2, 3), fweights=ones(4).long())
torch.cov(ones(2, 3), fweights=-ones(3).long())
torch.cov(ones(2, 3), aweights=ones(3).long())
torch.cov(ones(2, 3), aweights=ones(2, 2))
torch.cov(ones(2, 3), aweights=ones(3) * 0)
torch.corrcoef(ones(2, 2, 2))
torch.diff(ones(2, 3), -1)
torch.diff(torch.tensor(1.0))
torch.diff(ones(2, 3), prepend=ones(3))
torch.diff(ones(2, 3), prepend=ones(3, 1))
torch.gradient(ones(2, 3), spacing=[1, 2, 3])
torch.gradient(ones(2, 3), spacing=[1.0], dim=[0, 1])
torch.gradient(ones(2, 3), dim=(0, 0))
torch.gradient(ones(2, 3), dim=2)
torch.gradient(ones(2, 3), edge_order=3)
torch.gradient(ones(1, 3))
torch.gradient(ones(2, 3), spacing=[ones(2, 2)], dim=0)
torch.gradient(ones(3).byte())
torch.trapezoid(torch.tensor(1.0))
torch.trapezoid(ones(2, 3), ones(4))
torch.trapezoid(ones(3).bool())
torch.trapezoid(ones(3), dx=True)
torch.cumulative_trapezoid(ones(2, 3), ones(4))
torch.cartesian_prod()
torch.cartesian_prod(ones(2, 2), ones(2))
torch.combinations(ones(2, 2))
torch.combinations(ones(3), -1)
torch.meshgrid()
torch.meshgrid(ones(3), indexing="ji")
torch.meshgrid(ones(3), ones(3).long(), indexing="ij")
torch.meshgrid(ones(2, 2), indexing="ij")
torch.vander(ones(2, 2))
torch.vander(ones(2), -1)
torch.unravel_index(ones(2), (2, 3))
torch.unravel_index(ones(2).long(), (2.0, 3))
torch.unravel_index(ones(2).long(), (2, -3))
torch.unravel_index(ones(2).long(), 1.5)
torch.rot90(ones(2, 3), 1, [0])
torch.rot90(ones(2, 3), 1, [0, 0])
torch.rot90(ones(2, 3), 1, [0, 2])
torch.rot90(ones(3))
torch.fliplr(ones(3))
torch.flipud(torch.tensor(1.0))
torch.isclose(ones(3), ones(3).double())
torch.isclose(ones(3), ones(3), -1.0)
torch.isclose(ones(3), ones(3), 1.0, -1.0)
torch.isclose(ones(3), 1.0)
torch.equal(ones(3), 1.0)
torch.is_nonzero(ones(3))
torch.logspace(0, 1, -1)
torch.logspace(ones(1), 1, 3)
torch.logspace(0, 1, 3, dtype=torch.bool)
torch.renorm(ones(2, 3), 0, 0, 1)
torch.renorm(ones(2, 3), 1, 0, -1)
torch.renorm(ones(3), 1, 0, 1)
torch.renorm(ones(2, 3), 1, 3, 1)
torch.renorm(ones(2, 3), 1j, 0, 1)
torch.frexp(ones(3).long())
torch.mvlgamma(ones(3), 0)
torch.mvlgamma(ones(3).bool(), 1)
"""


@pytest.mark.parametrize("program", ERRORS.strip().split("\n"))
def test_error(program):
    mine, reference = (
        outcome(eval, program, {"torch": library, "ones": library.ones})[1] for library in (chainrule, torch)
    )
    assert type(mine) is type(reference), f"{mine!r} instead of {reference!r}"
    first_words = re.split(r"[.:;,] |\n|\.$", str(reference))[0]
    assert str(mine).startswith(first_words), f"{mine} instead of {reference}"


@pytest.mark.parametrize(
    "program",
    [
        "torch.cross(torch.ones(2, 3), torch.ones(2, 3))",
        "torch.meshgrid(torch.ones(3), torch.ones(2))",
        "torch.cov(torch.ones(2, 3), correction=3)",
    ],
)
def test_warning_names_the_users_line(program):
    with pytest.warns(UserWarning, match=r"torch.cross|torch.meshgrid|cov\(\)") as caught:
        eval(compile(program, "user.py", "eval"), {"torch": chainrule})
    assert caught[0].filename == "user.py"


def test_vander_has_a_gradient():
    """Sum of x**k: the derivative is the sum of k * x**(k - 1)."""
    x = chainrule.tensor([0.5, 2.0], dtype=chainrule.float64, requires_grad=True)
    chainrule.vander(x, 4).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1 + 2 * v + 3 * v**2 for v in (0.5, 2.0)])


def test_an_integer_cannot_hold_the_logarithm_in_place():
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Long"):
        chainrule.ones(3, dtype=chainrule.int64).mvlgamma_(1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_frexp_of_every_size_of_number(dtype):
    limits = np.finfo(dtype)
    values = [0.0, -0.0, np.inf, -np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal, -3.0, 0.75]
    reference = torch.tensor(np.array(values, dtype))
    for mine, expected in zip(chainrule.frexp(ours(reference)), torch.frexp(reference), strict=True):
        assert_same(mine, expected)


# ---- einsum


def random_equation(seed: int) -> tuple[str, list[tuple[int, ...]]]:
    """Operands with repeated letters, broadcast ones, ellipses; an output or none."""
    r = random.Random(seed)
    sizes = dict(zip("abcdE", (2, 3, 4, 1, 2), strict=True))
    terms, shapes = [], []
    for _ in range(r.randint(1, 4)):
        letters = r.choices("abcdE", k=r.randint(0, 3))
        ellipsis = r.random() < 0.3
        at = r.randint(0, len(letters))
        shape = [sizes[c] for c in letters]
        terms.append("".join(letters[:at]) + ("..." if ellipsis else "") + "".join(letters[at:]))
        shapes.append((*shape[:at], *((5, 2)[r.randint(0, 2) :] if ellipsis else ()), *shape[at:]))
    known = sorted(set("".join(terms)) - {"."})
    equation = ",".join(terms)
    if r.random() < 0.7:
        output = r.sample(known, r.randint(0, len(known)))
        equation += "->" + "".join(output) + ("..." if r.random() < 0.8 else "")
    return equation, shapes


@pytest.mark.parametrize("seed", range(60))
def test_einsum_of_random_equations(seed):
    equation, shapes = random_equation(seed)
    reference = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    mine = [ours(t) for t in reference]
    assert_same_outcome(
        outcome(chainrule.einsum, equation, *mine), outcome(torch.einsum, equation, *reference), 10.0, equation
    )


def test_einsum_by_lists_of_numbers():
    a, b = torch.randn(2, 3, 4), torch.randn(2, 4, 5)
    calls = [([0, 1, 2], [0, 2, 3]), ([0, 1, 2], [0, 2, 3], [3, 0]), ([..., 1, 2], [..., 2, 30], [..., 30, 1])]
    for first, second, *output in calls:
        expected = torch.einsum(a, first, b, second, *output)
        assert_same(chainrule.einsum(ours(a), first, ours(b), second, *output), expected, 10.0)


def test_einsum_contracts_the_cheapest_pair_first():
    """In the order written, the chain would make a matrix of 3000 x 3000."""
    operands = [chainrule.ones(shape) for shape in ((3000, 1), (1, 3000), (3000, 1))]
    parts = [(t, list(row)) for t, row in zip(operands, ("ij", "jk", "kl"), strict=True)]
    assert _cheapest(parts, ["i", "l"], {"i": 3000, "j": 1, "k": 3000, "l": 1}) == (1, 2)
    result = chainrule.einsum("ij,jk,kl->il", *operands)
    assert tuple(result.shape) == (3000, 1)
    assert result[0, 0] == 3000


def test_combinations_are_those_of_itertools():
    for choose, replaced in ((itertools.combinations, False), (itertools.combinations_with_replacement, True)):
        for n, r in itertools.product(range(5), range(1, 4)):
            expected = list(choose(range(n), r))
            assert chainrule.combinations(chainrule.arange(n), r, replaced).tolist() == [list(row) for row in expected]
    assert chainrule.combinations(chainrule.ones(3), 70).shape == (0, 70)
    for r in (65537, 2**62):  # too many, which is seen before they are listed
        with pytest.raises(RuntimeError):
            chainrule.combinations(chainrule.ones(3), r, True)


def test_chain_matmul_is_deprecated_as_in_pytorch():
    shapes = [(2, 3), (3, 4), (4, 2)]
    mine = [chainrule.arange(a * b, dtype=chainrule.float64).reshape(a, b) for a, b in shapes]
    theirs = [torch.arange(a * b, dtype=torch.float64).reshape(a, b) for a, b in shapes]
    with pytest.warns(UserWarning, match="chain_matmul is deprecated"):
        result = chainrule.chain_matmul(*mine)
    with pytest.warns(UserWarning, match="chain_matmul is deprecated"):
        expected = torch.chain_matmul(*theirs)
    assert result.tolist() == expected.tolist()
