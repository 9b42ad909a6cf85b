"""What the records cannot try of the operations that neural networks stand on: writes, state, errors."""

from __future__ import annotations

import itertools

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


@pytest.mark.parametrize(
    ("name", "shape"),
    [("batch_norm", (4, 3)), *itertools.product(["batch_norm", "instance_norm"], [(4, 3, 5), (2, 3, 4, 5)])],
)
def test_running_statistics(name, shape):
    """They move towards the batch's by the momentum when training, and are used otherwise."""
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


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1, 1, shape))


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(("name", "gates"), [("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)])
def test_packed_sequences(name, gates, bidirectional):
    """Sequences of several lengths: outputs, last states and gradients."""
    directions = 2 if bidirectional else 1
    sizes = [(5, 3), (gates * 4, 3), (gates * 4, 4), (gates * 4,), (gates * 4,)]
    data, *weights = (random(*s, seed=i) for i, s in enumerate([(9, 3), *sizes[1:] * directions]))
    batch_sizes = torch.tensor([4, 3, 1, 1])
    state = [random(directions, 4, 4, seed=20 + i) for i in range(2 if name == "lstm" else 1)]
    results = []
    for library, wrap in ((torch, torch.clone), (chainrule, ours)):
        leaves = [wrap(t).requires_grad_() for t in (data, *state, *weights)]
        hidden = leaves[1 : 1 + len(state)]
        outputs = getattr(library, name)(
            leaves[0], wrap(batch_sizes), hidden if name == "lstm" else hidden[0], leaves[1 + len(state) :],
            True, 1, 0.0, False, bidirectional,
        )  # fmt: skip
        sum((o * o).sum() for o in outputs).backward()
        results.append([*outputs, *(leaf.grad for leaf in leaves)])
    for expected, mine in zip(*results, strict=True):
        assert_same(mine, expected)


def test_dropout_between_layers_and_in_attention():
    """The same numbers as PyTorch's for the same seed."""
    weights = [
        random(*s, seed=i).float() for i, s in enumerate([(8, 3), (8, 2), (8,), (8,), (8, 2), (8, 2), (8,), (8,)])
    ]
    x, h, c = random(5, 4, 3).float(), random(2, 4, 2).float(), random(2, 4, 2, seed=1).float()
    q, k, v = (random(2, 3, 5, 4, seed=i).float() for i in range(3))
    results = []
    for library, wrap in ((torch, torch.clone), (chainrule, ours)):
        library.manual_seed(3)
        out = library.lstm(wrap(x), [wrap(h), wrap(c)], [wrap(w) for w in weights], True, 2, 0.4, True, False, False)
        attention = find(library, "scaled_dot_product_attention")
        results.append([*out, attention(wrap(q), wrap(k), wrap(v), dropout_p=0.3)])
    for expected, mine in zip(*results, strict=True):
        assert_same(mine, expected)


def test_attention_of_rows_that_see_nothing():
    mask = torch.ones(5, 6, dtype=torch.bool)
    mask[2] = False
    results = []
    for library, wrap in ((torch, torch.clone), (chainrule, ours)):
        leaves = [wrap(random(1, 2, n, 4, seed=n)).requires_grad_() for n in (5, 6, 6)]
        out = find(library, "scaled_dot_product_attention")(*leaves, attn_mask=wrap(mask))
        out.sum().backward()
        results.append([out, *(leaf.grad for leaf in leaves)])
    for expected, mine in zip(*results, strict=True):
        assert_same(mine, expected)


@pytest.mark.parametrize(
    ("shape", "kernel", "out", "samples"),
    [((2, 3, 8, 9), (2, 3), (3, 4), (2, 3, 2)), ((2, 6, 7, 8), (2, 2, 3), (3, 2, 4), (1, 2, 3))],
)
def test_fractional_pool(shape, kernel, out, samples):
    """Values, positions and gradients; the windows lie where PyTorch's lie."""
    name = f"fractional_max_pool{len(kernel)}d"
    x, numbers = random(*shape).requires_grad_(), random(*samples, seed=1).abs()
    mine = ours(x).requires_grad_()
    expected = getattr(torch._C._nn, name)(x, kernel, out, numbers)
    result = chainrule._core.functions[f"_{name}"](mine, kernel, out, ours(numbers))
    for m, e in zip(result, expected, strict=True):
        assert_same(m, e)
    expected[0].square().sum().backward()
    result[0].square().sum().backward()
    assert_same(mine.grad, x.grad)


def test_unpool():
    """Values go back to where they came from, and gradients the other way."""
    for dims in (2, 3):
        x = random(2, 3, *(4, 6, 4)[:dims]).requires_grad_()
        values, indices = getattr(torch._C._nn, f"max_pool{dims}d_with_indices")(x.detach(), 2)
        leaf = values.clone().requires_grad_()
        mine = ours(values).requires_grad_()
        more = ((1,) * dims, (0,) * dims) if dims == 3 else ()
        expected = getattr(torch._C._nn, f"max_unpool{dims}d")(leaf, indices, x.shape[2:], *more)
        result = chainrule._core.functions[f"_max_unpool{dims}d"](mine, ours(indices), tuple(x.shape[2:]), *more)
        assert_same(result, expected)
        expected.square().sum().backward()
        result.square().sum().backward()
        assert_same(mine.grad, leaf.grad)
        with pytest.raises(RuntimeError, match="Found an invalid max index: 999"):
            chainrule._core.functions[f"_max_unpool{dims}d"](mine, ours(indices) * 0 + 999, tuple(x.shape[2:]), *more)


# ---- optimisers

STEPS = {
    "_fused_sgd_": [
        (1, {"weight_decay": 0.1, "momentum": 0.9, "lr": 0.1, "dampening": 0.2, "nesterov": False, "maximize": False}),
        (1, {"weight_decay": 0.0, "momentum": 0.9, "lr": 0.1, "dampening": 0.0, "nesterov": True, "maximize": True}),
        (0, {"weight_decay": 0.1, "momentum": 0.0, "lr": 0.1, "dampening": 0.0, "nesterov": False, "maximize": False}),
    ],
    "_fused_adam_": [
        (
            3,
            {
                "lr": 0.1,
                "beta1": 0.8,
                "beta2": 0.9,
                "weight_decay": 0.1,
                "eps": 1e-6,
                "amsgrad": True,
                "maximize": False,
            },
        ),
        (
            2,
            {
                "lr": 0.1,
                "beta1": 0.8,
                "beta2": 0.9,
                "weight_decay": 0.0,
                "eps": 1e-6,
                "amsgrad": False,
                "maximize": True,
            },
        ),
    ],
    "_fused_adamw_": [
        (
            2,
            {
                "lr": 0.1,
                "beta1": 0.8,
                "beta2": 0.9,
                "weight_decay": 0.1,
                "eps": 1e-6,
                "amsgrad": False,
                "maximize": False,
            },
        ),
    ],
    "_fused_adagrad_": [(1, {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "eps": 1e-6, "maximize": False})],
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in STEPS.items() for case in cases])
def test_fused_steps(name, case):
    """Three steps over two parameters, those of PyTorch's fused kernels."""
    states, options = case
    shapes = [(3, 4), (50_001,)]
    lists = [[random(*s, seed=10 * i + j).abs() for j, s in enumerate(shapes)] for i in range(2 + states)]
    mine = [[ours(t) for t in row] for row in lists]
    for step in (1, 2, 3):
        for library, rows in ((torch, lists), (chainrule, mine)):
            extra = {**options, "is_first_step": step == 1} if "sgd" in name else options
            steps = [library.tensor(float(step)) for _ in shapes]
            arguments = [rows[0], rows[1], *rows[2:]]
            if "adam" in name:
                arguments += [[]] * (5 - len(arguments)) + [steps]
            elif "adagrad" in name:
                arguments.append(steps)
            elif not states:
                arguments.append([])
            getattr(library, name)(*arguments, **extra)
    for ours_row, theirs_row in zip(mine, lists, strict=True):
        for m, t in zip(ours_row, theirs_row, strict=True):
            assert_same(m, t)


def test_clip_to_norm():
    for p in (2.0, 1.0, float("inf")):
        gradients = [random(3, 4), random(7, seed=1)]
        mine = [ours(g) for g in gradients]
        parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in gradients]
        for parameter, g in zip(parameters, gradients, strict=True):
            parameter.grad = g.clone()
        expected = torch.nn.utils.clip_grad_norm_(parameters, 0.5, p)
        assert_same(chainrule._core.functions["_clip_to_norm_"](mine, 0.5, p), expected)
        for m, parameter in zip(mine, parameters, strict=True):
            assert_same(m, parameter.grad)


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
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 3, 3, 3))),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), torch.ones(5))),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 9, 9))),
    ("conv2d", (torch.ones(8, 8), torch.ones(6, 4, 3, 3))),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(5, 2, 3, 3), None, 1, 0, 1, 2)),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, 0)),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, (1, 2, 3))),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, 1, -1)),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, 2, "same")),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3), None, 1, "same")),
    ("conv3d", (torch.ones(2, 4, 8, 8, 8), torch.ones(6, 4, 3), None, 1, "same")),
    ("conv1d", (torch.ones(2, 4, 8), torch.ones(6, 4, 3, 3, 3), None, 1, "same")),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, 1, "half")),
    ("conv2d", (torch.ones(2, 4, 8, 8), torch.ones(6, 4, 3, 3), None, 1, 0, 1, 0)),
    ("conv_transpose2d", (torch.ones(2, 4, 8, 8), torch.ones(5, 6, 3, 3))),
    ("conv_transpose2d", (torch.ones(2, 4, 8, 8), torch.ones(4, 6, 3, 3), None, 1, 0, 1)),
    ("instance_norm", (torch.ones(2, 4, 3), None, None, None, None, False, 0.1, 1e-5, True)),
]


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=lambda v: v if isinstance(v, str) else "")
def test_errors(name, args):
    """PyTorch's class and first words."""
    _, expected = outcome(find(torch, name), *args)
    _, found = outcome(find(chainrule, name), *(ours(a) if isinstance(a, torch.Tensor) else a for a in args))
    assert isinstance(found, type(expected))
    assert str(found)[:18] == str(expected)[:18]
