"""torch.utils._python_dispatch: modes see operations under aten's names."""

import importlib

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


def logging_mode(torch):
    base = importlib.import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode

    class Log(base):
        def __init__(self):
            super().__init__()
            self.seen = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    return Log()


@BOTH
def test_operations_by_their_overloads(torch):
    x, y = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0]])
    with logging_mode(torch) as log:
        _ = x + y, x * 2, x > 0, x >= y, x.sum(), x.sum(1), x.mean(), x.max(), x.max(1), x**2, x.exp(), -x
        x.add_(y)
        _ = torch.mm(x, y.detach().clone().view(2, 1)), torch.where(x > 0, x, y)
    assert log.seen == [
        *("aten.add.Tensor", "aten.mul.Tensor", "aten.gt.Scalar", "aten.ge.Tensor", "aten.sum.default"),
        *("aten.sum.dim_IntList", "aten.mean.default", "aten.max.default", "aten.max.dim", "aten.pow.Tensor_Scalar"),
        *("aten.exp.default", "aten.neg.default", "aten.add_.Tensor", "aten.detach.default", "aten.clone.default"),
        *("aten.view.default", "aten.mm.default", "aten.gt.Scalar", "aten.where.self"),
    ]


COMPOSED = {
    "linear": lambda t, x, w, b, v: t.nn.functional.linear(x, w, b),
    "linear without bias": lambda t, x, w, b, v: t.nn.functional.linear(x, w),
    "linear on batches": lambda t, x, w, b, v: t.nn.functional.linear(x.expand(2, 2, 3), w, b),
    "linear on a vector": lambda t, x, w, b, v: (t.nn.functional.linear(v, w, b), t.nn.functional.linear(v, w)),
    "matmul": lambda t, x, w, b, v: (x @ w.t(), x @ v, v @ v, v @ w.t()),
    "matmul of batches": lambda t, x, w, b, v: x.expand(2, 2, 3) @ w.t().expand(2, 3, 4),
    "matmul of a batch": lambda t, x, w, b, v: x.expand(2, 2, 3) @ w.t(),
    "softmax": lambda t, x, w, b, v: (t.softmax(x, 1), t.nn.functional.log_softmax(x, dim=-1)),
    "conversions": lambda t, x, w, b, v: (x.double(), x.float(), x.to(t.float64), x.to("cpu"), x.half()),
    "shapes": lambda t, x, w, b, v: (
        x.reshape(3, 2),
        x.t().reshape(6),
        x.flatten(),
        x.t().contiguous(),
        x.swapaxes(0, 1),
    ),
    "parts": lambda t, x, w, b, v: (x.chunk(3, 1), x.split([1, 1]), x.narrow(1, 0, 2), x[:, 1:], x.unbind(0)),
    "layers": lambda t, x, w, b, v: (t.nn.functional.layer_norm(x, (3,)), t.nn.functional.dropout(x, 0.5, False)),
    "convolution": lambda t, x, w, b, v: t.nn.functional.conv1d(x[None], w[:, :2, None], b, padding=1),
    "reductions": lambda t, x, w, b, v: (x.sum(1, keepdim=True), x.mean(0), x.max(dim=1), x.sum().item()),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_what_is_composed_is_seen_in_its_parts(name):
    logs, found = [], []
    for torch in (chainrule, reference):
        x, w, b = (torch.arange(float(n)).reshape(shape) for n, shape in ((6, (2, 3)), (12, (4, 3)), (4, (4,))))
        with logging_mode(torch) as log:
            results = COMPOSED[name](torch, x, w, b, x[0])
        logs.append([each for each in log.seen if each != "aten.select.int"])
        results = results if isinstance(results, tuple) else (results,)
        found.append([r.tolist() for r in results if isinstance(r, torch.Tensor)])
    assert logs[0] == logs[1]
    for ours, theirs in zip(*found, strict=True):
        reference.testing.assert_close(reference.tensor(ours), reference.tensor(theirs))


@BOTH
def test_a_mode_answers_instead(torch):
    base = importlib.import_module(f"{torch.__name__}.utils._python_dispatch").TorchDispatchMode

    class Zeros(base):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            return torch.zeros_like(result) if func is torch.ops.aten.exp.default else result

    x = torch.ones(2)
    with Zeros():
        assert torch.exp(x).tolist() == [0.0, 0.0]
    assert torch.exp(x).tolist() != [0.0, 0.0]


@BOTH
def test_gradients_pass_through_a_mode(torch):
    x = torch.tensor([2.0], requires_grad=True)
    with logging_mode(torch):
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [4.0]


def test_the_stack_of_modes():
    dispatch = importlib.import_module("chainrule.utils._python_dispatch")
    outer, inner = logging_mode(chainrule), logging_mode(chainrule)
    with outer, inner:
        assert dispatch._get_current_dispatch_mode() is inner
        chainrule.ones(1).exp()
        with dispatch._disable_current_modes():
            chainrule.ones(1).cos()
    assert dispatch._get_current_dispatch_mode() is None
    assert inner.seen == outer.seen == ["aten.ones.default", "aten.exp.default"]


@BOTH
def test_the_tensor_on_the_right(torch):
    """What a mode calls gives what the operator gives."""
    x, whole = torch.tensor([2.0, 5.0]), torch.tensor([2, 5])
    uses = [lambda: 3 - x, lambda: 3 / x, lambda: 2**x, lambda: 7 // x, lambda: 7 % x, lambda: 3 + x, lambda: 3 * x]
    uses += [lambda: 1 << whole, lambda: 64 >> whole, lambda: 6 & whole, lambda: x - 3]
    expected = [use().tolist() for use in uses]
    with logging_mode(torch) as log:
        found = [use().tolist() for use in uses]
    assert found == expected
    assert log.seen[:4] == ["aten.rsub.Scalar", "aten.reciprocal.default", "aten.mul.Tensor", "aten.pow.Scalar"]


@BOTH
def test_indices_and_shapes(torch):
    x, rows = torch.arange(24.0).reshape(2, 3, 4), torch.tensor([1, 0])
    uses = [
        lambda: x[0],
        lambda: x[..., 1:3],
        lambda: x[:, None, -1],
        lambda: x[rows],
        lambda: x[:, rows, ::2],
        lambda: x[x > 3],
        lambda: x.reshape(3, 8),
        lambda: x.permute(2, 0, 1),
        lambda: x.flip(0, 1),
    ]
    expected = [use().tolist() for use in uses]
    with logging_mode(torch) as log:
        found = [use().tolist() for use in uses]
        x[0, 1:] = 3
        x[:, rows] = torch.ones(4)
    assert found == expected
    assert x[0].tolist() == [[1.0] * 4, [1.0] * 4, [3.0] * 4]
    assert log.seen[:3] == ["aten.select.int", "aten.slice.Tensor", "aten.unsqueeze.default"]
    assert "aten.index.Tensor" in log.seen
    assert "aten.index_put_.default" in log.seen
