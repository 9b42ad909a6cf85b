"""Every view op, each kind of write, view and base written in every order, against PyTorch."""

from __future__ import annotations

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

VIEWS = {
    "view": lambda x: x.view(6),
    "view_as": lambda x: x.view_as(x),
    "view of the dtype": lambda x: x.view(x.dtype),
    "reshape": lambda x: x.reshape(3, 2),
    "t": lambda x: x.t(),
    "T": lambda x: x.T,
    "mT": lambda x: x.mT,
    "H": lambda x: x.H,
    "adjoint": lambda x: x.adjoint(),
    "transpose": lambda x: x.transpose(0, 1),
    "permute": lambda x: x.permute(1, 0),
    "movedim": lambda x: x.movedim(0, 1),
    "select": lambda x: x.select(1, 1),
    "index": lambda x: x[0],
    "slice": lambda x: x[:, 1:],
    "steps": lambda x: x[:, ::2],
    "ellipsis": lambda x: x[..., 0],
    "None": lambda x: x[None],
    "tuple": lambda x: x[(0, slice(0, 2))],
    "narrow": lambda x: x.narrow(1, 1, 2),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[None].squeeze(),
    "squeeze several": lambda x: x[None, :, None].squeeze((0, 2)),
    "flatten": lambda x: x.flatten(),
    "unflatten": lambda x: x.unflatten(1, (3, 1)),
    "diagonal": lambda x: x.diagonal(1),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "as_strided": lambda x: x.as_strided((2, 2), (3, 1), 1),
    "expand": lambda x: x.expand(2, 2, 3),
    "expand a column": lambda x: x[:, :1].expand(2, 3),
    "expand_as": lambda x: x.expand_as(x),
    "broadcast_to": lambda x: x.broadcast_to(2, 3),
    "split": lambda x: x.split(1, 1)[1],
    "split of sizes": lambda x: x.split([1, 2], 1)[1],
    "chunk": lambda x: x.chunk(2, 0)[1],
    "unbind": lambda x: x.unbind(0)[1],
    "iteration": lambda x: list(x)[1],
    "tensor_split": lambda x: x.tensor_split(2, 1)[0],
    "hsplit": lambda x: x.hsplit(3)[1],
    "detach": lambda x: x.detach(),
    "data": lambda x: x.data,
    "itself": lambda x: x.contiguous(),
    "twice": lambda x: x.mT[1:].mT,
}
WRITES = {
    "multiply": lambda v, w: v.mul_(w),
    "zero": lambda v, w: v.copy_(v.new_zeros(())),
    "assign": lambda v, w: v.__setitem__(..., w * 2),
    "fill where": lambda v, w: v.clamp_(0.0, 1.2),
}


def into_view(torch, view, write, base, w):
    v = view(base)
    write(v, w)
    return v


def into_base(torch, view, write, base, w):
    v = view(base)
    write(base, w)
    return v


def by_turns(torch, view, write, base, w):
    v = view(base)
    write(v, w)
    base.mul_(w)
    write(v, w)
    return v


def into_another(torch, view, write, base, w):
    v, other = view(base), view(base)
    write(other, w)
    return v


def into_a_view_of_the_view(torch, view, write, base, w):
    v = view(base)
    write(v[...], w)
    return v


def after_use(torch, view, write, base, w):
    v = view(base)
    used = base.exp() * v.sum()
    write(v, w)
    return used


def into_a_view_without_grad(torch, view, write, base, w):
    with torch.no_grad():
        v = view(base)
    write(v, w)
    return v


def behind_a_view_without_grad(torch, view, write, base, w):
    with torch.no_grad():
        v = view(base)
    write(base, w)
    return v


def unrecorded(torch, view, write, base, w):
    v = view(base)
    with torch.no_grad():
        write(base, w)
    return v


def unrecorded_into_a_view_without_grad(torch, view, write, base, w):
    with torch.no_grad():
        v = view(base)
        write(v, w)
    return v


ORDERS = [
    *(into_view, into_base, by_turns, into_another, into_a_view_of_the_view, after_use),
    *(into_a_view_without_grad, behind_a_view_without_grad),
    *(unrecorded, unrecorded_into_a_view_without_grad),
]
# PyTorch calls the middle view Alias; the class of the error is the same.
OTHER_WORDS = {(into_a_view_of_the_view, name) for name in ("split", "split of sizes", "chunk", "unbind", "iteration")}


def program(view, write, order):
    def run(torch):
        x = torch.linspace(0.5, 2.5, 6).view(2, 3).clone().requires_grad_()
        w = torch.tensor(1.5, requires_grad=True)
        base = x * 1
        shown = order(torch, VIEWS[view], WRITES[write], base, w)
        shown.grad_fn  # noqa: B018  raises where a history cannot follow
        loss = (base.sin() * torch.arange(1, 7).view(2, 3)).sum() + (shown * shown).sum() * 0.5
        gradients = torch.autograd.grad(loss, [x, w], allow_unused=True)
        return base.detach(), shown.detach(), base._version, shown._is_view(), gradients

    return run


@pytest.mark.parametrize("order", ORDERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("view", VIEWS)
def test_a_write(view, order):
    for write in WRITES:
        agree(program(view, write, order), words=0 if (order, view) in OTHER_WORDS else 4)


def test_an_iterated_tensor_may_not_be_written_row_by_row():
    x = chainrule.ones(2, 2, requires_grad=True) * 1
    for row in x:
        with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being modified inplace"):
            row.mul_(2)
        break


def test_a_view_with_a_lost_history_can_be_printed_and_read_without_recording():
    base = chainrule.ones(2, requires_grad=True) * 1
    first, _ = base.unbind()
    base.mul_(2)
    assert repr(first).endswith("grad_fn=<Invalid>)")
    with chainrule.no_grad():
        assert (first + 1).item() == 3


@pytest.mark.parametrize("shape", [(4, 2), (8,)])
def test_writes_through_complex_views_of_real_tensors(shape):
    def program(torch):
        x = torch.arange(8.0).reshape(shape).requires_grad_()
        base = x * 1
        view = torch.view_as_complex(base.reshape(4, 2))
        view[1:].mul_(2 + 1j)
        further = torch.view_as_real(view)[2]
        (base.sin().sum() + view.abs().sum() + further.sum()).backward()
        return base, x.grad

    agree(program)
