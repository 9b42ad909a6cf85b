"""Orders of arguments that PyTorch had once: taken, with its warning; and tensors that stand for numbers."""

from __future__ import annotations

import warnings

import pytest

from both import agree

CALLS = """
t.add(x, 2, x)
t.sub(x, 2, x)
x.add(2, x)
x.clone().add_(2, x)
t.addcmul(x, 2, x, x)
x.addcdiv(2, x, x)
x.clone().addcmul_(2, x, x)
t.addmm(2, m, 3, m, m)
t.addmm(2, m, m, m)
m.addmm(2, 3, m, m)
m.clone().addmm_(2, m, m)
t.addmv(2, x, 3, m, x)
t.addr(2, m, x, x)
m.addr(2, 3, x, x)
t.addbmm(2, m, 3, m[None], m[None])
m[None].baddbmm(2, m[None], m[None])
t.add(x, 2, x, out=t.empty(0))
t.add(x, 2, 3)
t.add(x, 'a', x)
t.addmm(m, 2, m, m)
t.add(x1=x, x2=x)
t.sum(a=x)
""".strip().splitlines()


@pytest.mark.parametrize("text", CALLS)
def test_calls(text):
    def program(t):
        x, m = t.tensor([1.0, 2.0]), t.tensor([[1.0, 2.0], [3.0, 4.0]])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            t.set_warn_always(True)
            try:
                result = eval(text, {"t": t, "x": x, "m": m})
            finally:
                t.set_warn_always(False)
        return result, [str(w.message).partition("\nConsider")[0] for w in caught]

    agree(program)


NUMBERS = """
x.addcmul(x, x, value=n)
x.add(x, alpha=n)
t.isclose(x, x, n)
t.full((2,), n)
t.full_like(x, n)
t.arange(n)
t.nn.functional.leaky_relu(x, n)
t.nn.functional.threshold(x, n, 1)
t.norm(x, n)
x.uniform_(0, n)
t.scalar_tensor(n)
t.clamp(x, n)
x.fill_(n.detach())
x.pow(n)
t.linspace(0, n, 3)
""".strip().splitlines()


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("text", NUMBERS)
def test_a_tensor_that_wants_a_gradient_is_no_number(text, tracked):
    """As one it would lose its gradient without a word."""

    def program(t):
        return eval(text, {"t": t, "x": t.tensor([1.0, 2.0]), "n": t.tensor(2.0, requires_grad=tracked)})

    agree(program)
