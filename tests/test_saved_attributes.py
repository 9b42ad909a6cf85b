"""What a node shows of what it keeps, beside PyTorch: grad_fn._saved_dim, grad_fn._saved_other."""

from __future__ import annotations

from typing import Any

import pytest
import torch as pytorch

import chainrule


def matrix(torch: Any) -> Any:
    return torch.arange(1.0, 7.0).reshape(2, 3).requires_grad_()


def image(torch: Any) -> Any:
    return torch.arange(48.0).reshape(1, 3, 4, 4).requires_grad_()


def square(torch: Any) -> Any:
    """Symmetric and positive, with different eigenvalues."""
    return torch.tensor([[3.0, 1.0], [1.0, 5.0]], requires_grad=True)


def shown(value: Any) -> Any:
    """A value that both libraries can be compared by."""
    if isinstance(value, (pytorch.Tensor, chainrule.Tensor)):
        return ("tensor", tuple(value.shape), [round(float(v), 3) for v in value.detach().flatten().tolist()])
    return tuple(map(shown, value)) if isinstance(value, (tuple, list)) else value


def attributes(node: Any) -> dict[str, Any]:
    names = [name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")]
    return {name: shown(getattr(node, f"_saved_{name}")) for name in names}


# Operations that show all that PyTorch shows.
ALL_SHOWN = {
    "sum": lambda t: matrix(t).sum(),
    "sum over a dimension": lambda t: matrix(t).sum(1),
    "sum over dimensions": lambda t: matrix(t).sum((0, 1), keepdim=True),
    "mean": lambda t: matrix(t).mean(),
    "mean over a dimension": lambda t: matrix(t).mean(0, keepdim=True),
    "var": lambda t: matrix(t).var(1, correction=0),
    "std": lambda t: matrix(t).std((0, 1)),
    "amax": lambda t: matrix(t).amax(1),
    "max": lambda t: matrix(t).max(),
    "max over a dimension": lambda t: matrix(t).max(1).values,
    "min over a dimension": lambda t: matrix(t).min(0, keepdim=True).values,
    "median": lambda t: matrix(t).median(1).values,
    "logsumexp": lambda t: matrix(t).logsumexp(0),
    "prod": lambda t: matrix(t).prod(1),
    "norm": lambda t: matrix(t).norm(dim=1),
    "pow": lambda t: matrix(t) ** 2,
    "pow of tensors": lambda t: matrix(t) ** matrix(t),
    "square": lambda t: matrix(t).square(),
    "mul by a number": lambda t: matrix(t) * 2,
    "mul by a fraction": lambda t: matrix(t) * 0.5,
    "mul by a constant": lambda t: matrix(t) * t.ones(3),
    "mul of tensors": lambda t: matrix(t) * matrix(t),
    "div": lambda t: matrix(t) / 4,
    "add": lambda t: matrix(t) + 1,
    "add scaled": lambda t: t.add(matrix(t), matrix(t), alpha=3),
    "sub": lambda t: matrix(t) - 1,
    "rsub": lambda t: 1 - matrix(t),
    "clamp": lambda t: matrix(t).clamp(0, 1),
    "clamp from below": lambda t: matrix(t).clamp(min=2),
    "where": lambda t: t.where(matrix(t) > 2, matrix(t), 0.0),
    "lerp": lambda t: t.lerp(matrix(t), matrix(t), 0.25),
    "relu": lambda t: matrix(t).relu(),
    "leaky_relu": lambda t: t.nn.functional.leaky_relu(matrix(t), 0.125),
    "elu": lambda t: t.nn.functional.elu(matrix(t), 0.5),
    "gelu": lambda t: t.nn.functional.gelu(matrix(t)),
    "softplus": lambda t: t.nn.functional.softplus(matrix(t)),
    "hardtanh": lambda t: t.nn.functional.hardtanh(matrix(t), -0.5, 0.5),
    "qr": lambda t: t.linalg.qr(matrix(t)).Q,
    "eigh": lambda t: t.linalg.eigh(square(t)).eigenvalues,
    "det": lambda t: t.linalg.det(square(t)),
    "slogdet": lambda t: t.linalg.slogdet(square(t)).logabsdet,
    "inv": lambda t: t.linalg.inv(square(t)),
    "cholesky": lambda t: t.linalg.cholesky(square(t)),
    "cholesky_inverse": lambda t: t.cholesky_inverse(square(t)),
    "solve_triangular": lambda t: t.linalg.solve_triangular(square(t), square(t), upper=True),
    "matrix_exp": lambda t: t.linalg.matrix_exp(square(t)),
    "pinv": lambda t: t.linalg.pinv(matrix(t)),
    "exp": lambda t: matrix(t).exp(),
    "view": lambda t: matrix(t).view(6),
    "reshape": lambda t: matrix(t).t().reshape(6),
    "permute": lambda t: image(t).permute(2, 0, 3, 1),
    "transpose": lambda t: matrix(t).transpose(0, 1),
    "expand": lambda t: matrix(t)[None].expand(4, 2, 3),
    "squeeze": lambda t: image(t).squeeze(0),
    "squeeze all": lambda t: image(t).squeeze(),
    "unsqueeze": lambda t: matrix(t).unsqueeze(1),
    "select": lambda t: matrix(t)[:, 2],
    "narrow": lambda t: matrix(t).narrow(1, 1, 2),
    "index": lambda t: matrix(t)[:, t.tensor([0, 2])],
    "index_put": lambda t: matrix(t).index_put((t.tensor([0]),), t.zeros(3), accumulate=True),
    "index_select": lambda t: matrix(t).index_select(1, t.tensor([2, 0])),
    "masked_fill": lambda t: matrix(t).masked_fill(t.tensor([True, False, True]), 5.0),
    "scatter_add": lambda t: matrix(t).scatter_add(1, t.tensor([[0], [2]]), matrix(t)),
    "diagonal": lambda t: matrix(t).diagonal(1),
    "unfold": lambda t: matrix(t).unfold(1, 2, 1),
    "cat": lambda t: t.cat([matrix(t), matrix(t)], 1),
    "stack": lambda t: t.stack([matrix(t), matrix(t)], 2),
    "split": lambda t: matrix(t).split(2, 1)[0],
    "split_with_sizes": lambda t: matrix(t).split([1, 2], 1)[0],
    "unbind": lambda t: matrix(t).unbind(1)[0],
    "flip": lambda t: matrix(t).flip(1),
    "roll": lambda t: matrix(t).roll(1, 0),
    "repeat": lambda t: matrix(t).repeat(2, 1),
    "triu": lambda t: matrix(t).triu(1),
    "cumsum": lambda t: matrix(t).cumsum(1),
    "sort": lambda t: matrix(t).sort(1).values,
    "topk": lambda t: matrix(t).topk(2, 1).values,
    "pad": lambda t: t.nn.functional.pad(matrix(t), (1, 2)),
    "softmax": lambda t: matrix(t).softmax(1),
    "log_softmax": lambda t: matrix(t).log_softmax(0),
    "mse_loss": lambda t: t.nn.functional.mse_loss(matrix(t), t.zeros(2, 3)),
    "smooth_l1_loss": lambda t: t.nn.functional.smooth_l1_loss(matrix(t), t.zeros(2, 3), reduction="sum", beta=2.0),
    "huber_loss": lambda t: t.nn.functional.huber_loss(matrix(t), t.zeros(2, 3), reduction="none", delta=3.0),
    "linear": lambda t: t.nn.functional.linear(matrix(t), matrix(t), t.ones(2).requires_grad_()),
    "mm": lambda t: matrix(t) @ matrix(t).t(),
    "addmm": lambda t: t.addmm(matrix(t), square(t), matrix(t), beta=2, alpha=0.5),
    "addbmm": lambda t: t.addbmm(square(t), square(t)[None], square(t)[None], beta=0.5),
    "conv2d": lambda t: t.nn.functional.conv2d(image(t), t.ones(2, 3, 2, 2), padding=1, stride=2),
    "conv2d with a bias": lambda t: t.nn.functional.conv2d(image(t), t.ones(2, 3, 2, 2), t.ones(2)),
    "conv_transpose2d": lambda t: t.nn.functional.conv_transpose2d(
        image(t), t.ones(3, 4, 2, 3), t.ones(4), stride=2, padding=1, output_padding=(0, 1)
    ),
    "interpolate": lambda t: t.nn.functional.interpolate(image(t), (2, 2), mode="bilinear"),
    "interpolate by a scale": lambda t: t.nn.functional.interpolate(image(t), scale_factor=1.5, mode="nearest"),
    "select_scatter": lambda t: matrix(t).select_scatter(t.zeros(2), 1, 0),
    "slice_scatter": lambda t: matrix(t).slice_scatter(t.zeros(2, 1), 1, 2),
    "diagonal_scatter": lambda t: matrix(t).diagonal_scatter(t.zeros(2)),
    "as_strided_scatter": lambda t: matrix(t).as_strided_scatter(t.zeros(2), (2,), (3,), 1),
    "channel_shuffle": lambda t: t.nn.functional.channel_shuffle(image(t), 3),
    "affine_grid": lambda t: t.nn.functional.affine_grid(matrix(t)[None], (1, 1, 2, 2), align_corners=False),
    "selu": lambda t: t.selu(matrix(t)),
    "logit": lambda t: matrix(t).sigmoid().logit(),
    "frexp": lambda t: matrix(t).frexp().mantissa,
    "mvlgamma": lambda t: (matrix(t) + 2).mvlgamma(3),
    "reflection_pad": lambda t: t.nn.functional.pad(image(t)[0], (1, 2), mode="reflect"),
    "replication_pad": lambda t: t.nn.functional.pad(image(t), (1, 2, 0, 1), mode="replicate"),
    "binary_cross_entropy": lambda t: t.nn.functional.binary_cross_entropy(matrix(t).sigmoid(), t.ones(2, 3)),
}


@pytest.mark.parametrize("name", ALL_SHOWN)
def test_nodes_show_what_they_keep(name):
    node, reference = ALL_SHOWN[name](chainrule).grad_fn, ALL_SHOWN[name](pytorch).grad_fn
    assert type(node).__name__ == type(reference).__name__
    assert attributes(node) == attributes(reference)


# Operations that keep other tensors than PyTorch's, or not all options; what they show is what PyTorch shows.
PARTS = {
    "gather": lambda t: matrix(t).gather(1, t.tensor([[0], [2]])),
    "max_pool2d": lambda t: t.nn.functional.max_pool2d(image(t), 2, 2, 1),
    "avg_pool2d": lambda t: t.nn.functional.avg_pool2d(image(t), 2, 1, count_include_pad=False),
    "addr": lambda t: t.addr(t.ones(2, 2), t.ones(2).requires_grad_(), t.ones(2), beta=3),
    "cross_entropy": lambda t: t.nn.functional.cross_entropy(matrix(t), t.tensor([0, 1]), ignore_index=5),
    "embedding": lambda t: t.nn.functional.embedding(t.tensor([0, 1]), matrix(t), padding_idx=1),
    "cholesky": lambda t: t.linalg.cholesky(t.eye(2).requires_grad_()),
}


@pytest.mark.parametrize("name", PARTS)
def test_nodes_show_some_of_what_pytorch_shows(name):
    here, there = attributes(PARTS[name](chainrule).grad_fn), attributes(PARTS[name](pytorch).grad_fn)
    common = here.keys() & there.keys()
    assert common or name == "cholesky"
    assert {k: here[k] for k in common} == {k: there[k] for k in common}


def test_dimensions_count_from_the_front():
    """PyTorch shows -1 as 18446744073709551615."""
    x = matrix(chainrule)
    assert x.sum(-1).grad_fn._saved_dim == (1,)
    assert x[:, -1].grad_fn._saved_index == 2
    assert chainrule.cat([x, x], -1).grad_fn._saved_dim == 1


def test_plain_values_stay_after_backward_and_tensors_do_not():
    y = matrix(chainrule).softmax(1)
    node = y.grad_fn
    y.sum().backward()
    assert node._saved_dim == 1
    with pytest.raises(RuntimeError, match="a second time"):
        _ = node._saved_result
    with pytest.raises(AttributeError, match="_saved"):
        _ = matrix(chainrule).sum().grad_fn._saved_nothing


def test_functions_written_in_python_name_what_they_keep():
    a = chainrule.eye(2).requires_grad_()
    node = chainrule.linalg.inv(a).grad_fn
    saved = [name for name in dir(node) if name.startswith("_saved_")]
    assert saved
    for name in saved:
        getattr(node, name)
