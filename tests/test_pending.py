"""Large elementwise operations wait and run together: nobody may notice, except by the clock."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
import torch

import chainrule
from chainrule import _core

LARGE = 300_000  # more than the size from which operations wait


def ramp(n: int = LARGE, **kwargs) -> chainrule.Tensor:
    return chainrule.linspace(-2, 2, n, **kwargs)


def by_parts(f, *tensors):
    """The same in pieces that are too small to wait."""
    size = 50_000
    pieces = [f(*(t[i : i + size] for t in tensors)) for i in range(0, len(tensors[0]), size)]
    return chainrule.cat(pieces)


def chain(x, y):
    a = x * y + 1.5
    b = chainrule.sin(a) - 2.0 / (y * y + 1)
    return chainrule.exp(-b * b).tanh() + 3 - x


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_to_the_bit(dtype):
    x, y = ramp(dtype=getattr(chainrule, dtype)), ramp(dtype=getattr(chainrule, dtype)).flip(0)
    assert (chain(x, y) == by_parts(chain, x, y)).all()


def test_gradients_equal_pytorch():
    x, tx = ramp(dtype=chainrule.float64).requires_grad_(), torch.linspace(-2, 2, LARGE, dtype=torch.float64)
    tx.requires_grad_()
    (x * chainrule.sin(x) + chainrule.exp(-x * x)).sum().backward()
    (tx * torch.sin(tx) + torch.exp(-tx * tx)).sum().backward()
    # Terms of size one cancel near zero, so their rounding is what remains there.
    np.testing.assert_allclose(x.grad.numpy(), tx.grad.numpy(), rtol=1e-12, atol=1e-15)


def test_longer_than_the_queue():
    x = ramp()
    y, expected = x, x.numpy().copy()
    for _ in range(60):
        y = y * 0.5 + 1
        expected = expected * np.float32(0.5) + np.float32(1)
    np.testing.assert_array_equal(y.numpy(), expected)


def test_writing_an_input_afterwards_does_not_change_the_result():
    x = chainrule.ones(LARGE)
    y = x + 1
    x.mul_(10)
    x[3] = 7.0
    x += 1
    assert y.sum().item() == 2 * LARGE


def test_writing_through_data_and_views():
    x = chainrule.ones(LARGE)
    alias, row = x.data, x.view(3, -1)
    y = x * 2
    alias.zero_()
    z = x + 1
    row.fill_(5)
    assert y.sum().item() == 2 * LARGE
    assert z.sum().item() == LARGE


def test_memory_of_numpy_is_read_at_once():
    array = np.ones(LARGE, dtype=np.float32)
    y = chainrule.from_numpy(array) + 1
    array[:] = 9
    assert y.sum().item() == 2 * LARGE


def test_exported_memory_is_read_at_once():
    x = chainrule.ones(LARGE)
    array = x.numpy()
    y = x + 1
    array[:] = 9
    assert y.sum().item() == 2 * LARGE


def test_writing_into_a_pending_result():
    x = chainrule.ones(LARGE)
    y = x + 1
    y[0] = 0.0
    y.mul_(3)
    assert y[0].item() == 0
    assert y[1].item() == 6


def test_versions_are_checked():
    x = chainrule.ones(LARGE, requires_grad=True)
    y = x.exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_shapes_and_dtypes_take_turns():
    a, b, c = ramp(), ramp(2 * LARGE), ramp(dtype=chainrule.float64)
    results = []
    for _ in range(3):
        a, b, c = a + 1, b * 2, c - 1
        results += [a, b, c]
    for start, step, t in ((ramp(), 3, a), (ramp(dtype=chainrule.float64), -3, c)):
        np.testing.assert_allclose(t.numpy(), start.numpy() + step, atol=1e-6)
    np.testing.assert_allclose(b.numpy(), ramp(2 * LARGE).numpy() * 8)


def test_a_tensor_with_an_operation_on_itself():
    x = ramp()
    y = x + x
    z = y * y - y
    del y
    np.testing.assert_array_equal(z.numpy(), (2 * x.numpy()) ** 2 - 2 * x.numpy())


def test_lets_go_of_what_it_held():
    x = ramp()
    gc.collect()  # what earlier tests left behind
    before = _core.live_tensors()
    y = chainrule.exp(x + 1)
    gone = weakref.ref(y)
    del y
    _core.settle()
    gc.collect()
    assert gone() is None
    assert _core.live_tensors() == before


def test_a_callback_may_calculate_while_the_queue_is_let_go():
    x, seen = ramp(), []
    y = x + 1

    def on_death(_):
        seen.append((x * 2).sum().item())

    reference = weakref.ref(y, on_death)
    del y
    _core.settle()
    assert len(seen) == 1
    assert reference() is None


def test_subclasses_parameters_and_no_grad():
    class Mine(chainrule.Tensor):
        pass

    x = ramp().as_subclass(Mine)
    y = x * 2 + 1
    assert type(y) is Mine
    np.testing.assert_array_equal(y.numpy(), ramp().numpy() * 2 + 1)
    p = chainrule.nn.Parameter(ramp())
    with chainrule.no_grad():
        q = p * 2
    assert not q.requires_grad
    assert q.sum().item() == pytest.approx((p.detach() * 2).sum().item())


def test_threads_share_one_queue():
    failures = []

    def work(seed: int):
        x = chainrule.full((LARGE,), float(seed))
        for _ in range(5):
            y = chainrule.exp(x * 0) + x
            if y.sum().item() != (seed + 1) * LARGE:
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_every_way_to_look_at_a_value_settles():
    x = chainrule.ones(LARGE)
    looks = [
        lambda y: y[5].item(),
        lambda y: y.tolist()[5],
        lambda y: y.numpy()[5],
        lambda y: float(memoryview(y)[5]),
        lambda y: y.clone()[5].item(),
        lambda y: y.view(-1, 3)[0, 0].item(),
        lambda y: y.T[5].item(),
        lambda y: y.data[5].item(),
        lambda y: y.detach()[5].item(),
        lambda y: (y @ x).item() / LARGE,
        lambda y: y.max().item(),
        lambda y: next(iter(y)).item(),
        lambda y: eval(repr(y).split("[")[1].split(",")[0]),
        lambda y: (y > 1.5).sum().item() / LARGE * 2,
        lambda y: chainrule.where(y > 1, y, x)[0].item(),
        lambda y: chainrule.cat([y, y])[LARGE].item(),
        lambda y: y.to(chainrule.float64)[1].item(),
        lambda y: (y * chainrule.ones(1))[2].item(),
        lambda y: (2.0 in y) * 2.0,
    ]
    for i, look in enumerate(looks):
        assert look(x + 1) == 2.0, i
