"""What the records cannot try of the operations that neural networks stand on: writes, state, errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import chainrule
from oracle import assert_same, find, ours, outcome


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("p", [1.0, 2.0, float("inf")])
def test_embedding_renorm(dtype, p):
    """Rows that are named are scaled down to the norm, in place; the others stay."""
    weight = torch.from_numpy(np.random.default_rng(0).uniform(-2, 2, (6, 4))).to(getattr(torch, dtype))
    indices = torch.tensor([[1, 3], [3, 5]])
    mine = ours(weight)
    result = chainrule.embedding_renorm_(mine, ours(indices), 1.5, p)
    assert result is mine
    assert_same(mine, torch.embedding_renorm_(weight, indices, 1.5, p))


ERRORS = [
    ("embedding", (torch.ones(5, 2), torch.tensor([1.0]))),
    ("embedding", (torch.ones(5, 2), torch.tensor([7]))),
    ("embedding", (torch.ones(5, 2), torch.tensor([-1]))),
    ("embedding", (torch.ones(5), torch.tensor([1]))),
    ("nll_loss_nd", (torch.ones(4, 5), torch.tensor([1, 2, 3, 9]))),
    ("nll_loss_nd", (torch.ones(4, 5), torch.tensor([1, 2, 3]))),
    ("nll_loss_nd", (torch.ones(4, 5), torch.tensor([1, 2, 3, 1]).int())),
    ("nll_loss_nd", (torch.ones(4, 5), torch.tensor([1, 2, 3, 1]), torch.ones(4))),
    ("nll_loss_nd", (torch.ones(()), torch.tensor(1))),
    ("nll_loss_nd", (torch.ones(2, 3, 4, 5), torch.ones(2, 4).long())),
    ("nll_loss_nd", (torch.ones(2, 3, 4, 5), torch.ones(2, 4, 6).long())),
    ("cross_entropy_loss", (torch.ones(4, 5), torch.tensor([1, 2, 3, 9]))),
    ("cross_entropy_loss", (torch.ones(4, 5), torch.tensor([1, 2, 3, 1]), None, 1, -100, 2.0)),
    ("cross_entropy_loss", (torch.ones(4, 5), torch.ones(4, 5).long())),
]


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda v: v if isinstance(v, str) else "")
def test_errors(name, args):
    """PyTorch's class and first words."""
    _, expected = outcome(find(torch, name), *args)
    _, found = outcome(find(chainrule, name), *(ours(a) if isinstance(a, torch.Tensor) else a for a in args))
    assert isinstance(found, type(expected))
    assert str(found)[:18] == str(expected)[:18]
