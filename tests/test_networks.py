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


@pytest.mark.parametrize("name", ["batch_norm", "instance_norm"])
@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5), (2, 3, 4, 5)])
def test_running_statistics(name, shape):
    """They move towards the batch's by the momentum when training, and are used otherwise."""
    if name == "instance_norm" and len(shape) == 2:
        return
    rng = np.random.default_rng(1)
    x, mean, var = (torch.from_numpy(rng.uniform(0.5, 2, s)) for s in (shape, (3,), (3,)))
    mine = [ours(t) for t in (x, mean, var)]
    for training in (True, True, False):
        result = find(chainrule, name)(mine[0], None, None, mine[1], mine[2], training, 0.3, 1e-5, True)
        expected = find(torch, name)(x, None, None, mean, var, training, 0.3, 1e-5, True)
        assert_same(result, expected)
        assert_same(mine[1], mean)
        assert_same(mine[2], var)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_norms_of_halves_with_float_parameters(dtype):
    x = torch.from_numpy(np.random.default_rng(2).uniform(-2, 2, (4, 6, 5))).to(getattr(torch, dtype))
    weight, bias = torch.linspace(0.5, 2, 6), torch.linspace(-1, 1, 6)
    for name, args in {
        "batch_norm": (None, None, True, 0.1, 1e-5, True),
        "native_layer_norm": (1e-5,),
        "native_group_norm": (4, 6, 5, 2, 1e-5),
    }.items():
        given = (x.transpose(1, 2).contiguous(), (6,)) if "layer" in name else (x,)
        expected = find(torch, name)(*given, weight, bias, *args)
        result = find(chainrule, name)(
            *(ours(t) if torch.is_tensor(t) else t for t in given), ours(weight), ours(bias), *args
        )
        for mine, reference in zip(result, expected, strict=True) if "native" in name else [(result, expected)]:
            assert_same(mine, reference, 2)


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
    ("layer_norm", (torch.ones(2, 4), (3,))),
    ("layer_norm", (torch.ones(2, 4), ())),
    ("layer_norm", (torch.ones(2, 4), (4,), torch.ones(3))),
    ("layer_norm", (torch.ones(2, 4), (4,), torch.ones(4, dtype=torch.float64))),
    ("layer_norm", (torch.ones(2, 4).long(), (4,))),
    ("rms_norm", (torch.ones(2, 4), (4,), torch.ones(3))),
    ("batch_norm", (torch.ones(2, 4), None, None, None, None, False, 0.1, 1e-5, True)),
    ("batch_norm", (torch.ones(2, 4), torch.ones(3), None, None, None, True, 0.1, 1e-5, True)),
    ("batch_norm", (torch.ones(2, 4), None, None, torch.ones(4), None, True, 0.1, 1e-5, True)),
    ("group_norm", (torch.ones(2, 4), 3)),
    ("group_norm", (torch.ones(2, 4), 0)),
    ("group_norm", (torch.ones(2, 4), 2, torch.ones(3))),
    ("group_norm", (torch.ones(2), 1)),
    ("instance_norm", (torch.ones(2, 4, 3), None, None, None, None, False, 0.1, 1e-5, True)),
]


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda v: v if isinstance(v, str) else "")
def test_errors(name, args):
    """PyTorch's class and first words."""
    _, expected = outcome(find(torch, name), *args)
    _, found = outcome(find(chainrule, name), *(ours(a) if isinstance(a, torch.Tensor) else a for a in args))
    assert isinstance(found, type(expected))
    assert str(found)[:18] == str(expected)[:18]
