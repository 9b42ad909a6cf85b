"""Tangents of views and of their bases: one memory, laid out as the tensors are, whatever is written where."""

import warnings

import pytest

import chainrule
import chainrule.func
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

with warnings.catch_warnings():  # PyTorch's own, when its forward mode is used for the first time
    warnings.simplefilter("ignore", DeprecationWarning)
    import torch._decomp.decompositions_for_jvp  # noqa: F401


def in_level(body):
    """A program that runs with a dual tensor of shape [2, 3] and returns tangents."""

    def program(torch):
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            x = torch.arange(6.0).reshape(2, 3)
            dual = forward.make_dual(x, torch.ones(2, 3) * 2)
            return [forward.unpack_dual(t).tangent for t in body(torch, dual, x)]

    return program


def write_through_view(torch, dual, x):
    view = dual.narrow(1, 0, 2)
    view *= 3
    return dual, view, x


def write_base_behind_view(torch, dual, x):
    view = dual[0]
    dual.mul_(5)
    return view, dual


def write_into_plain(torch, dual, x):
    plain = torch.zeros(3, 2)
    other = plain[1:]
    plain.t()[0] = dual[1]
    return plain, other


def write_transposed(torch, dual, x):
    base = torch.ones(3, 2)
    view = base.transpose(0, 1)
    view.mul_(dual)
    view.add_(dual)
    return base, view


def write_detached(torch, dual, x):
    base = torch.zeros(2, 3)
    base.detach().add_(dual)
    return (base,)


def write_primal(torch, dual, x):
    primal = torch.autograd.forward_ad.unpack_dual(dual).primal
    primal.mul_(2)
    return primal, dual


def read_after_add(torch, dual, x):
    y = dual + 1
    y.mul_(3)  # the tangent of y is not that of dual
    return y, dual


def overwritten(torch, dual, x):
    y = dual.clone()
    y.fill_(1)
    z = dual.clone()
    z.zero_()
    return y, z


def drawn(torch, dual, x):
    y = dual.clone()
    y.normal_()
    z = dual.clone()
    z.uniform_()
    one, spread = dual * 0 + 1, torch.normal(0.0, dual.abs() + 1)
    normal = torch.normal(dual), torch.normal(dual, 0.5), torch.normal(one, dual.abs() + 1), spread
    return y, z, torch.bernoulli(dual * 0 + 0.5), torch.poisson(dual), *normal


def compared(torch, dual, x):
    y = dual.clone()
    y.eq_(1)
    return y, dual.floor(), dual.sign()


def complex_parts(torch, dual, x):
    z = torch.complex(dual, dual * 2)
    z.real.mul_(3)
    torch.view_as_real(z)[..., 1] = dual
    return z, z.imag


def real_pairs(torch, dual, x):
    base = dual.reshape(3, 2).clone()
    view = torch.view_as_complex(base)
    view.mul_(1j)
    return base, torch.view_as_real(view)


def pieces(torch, dual, x):
    y = dual.clone()
    parts = y.split(1)
    parts[0].add_(dual[1] * 10)
    return y, *parts


def cut(torch, dual, x):
    y = dual.clone()
    y.detach_()
    return y, dual.detach()


PROGRAMS = (
    *(write_through_view, write_base_behind_view, write_into_plain, write_transposed, write_detached, write_primal),
    *(read_after_add, overwritten, drawn, compared, complex_parts, real_pairs, pieces, cut),
)


@pytest.mark.parametrize("body", PROGRAMS, ids=lambda f: f.__name__)
def test_writes(body):
    agree(in_level(body))


def test_tangent_is_kept_as_it_is():
    forward = chainrule.autograd.forward_ad
    with forward.dual_level():
        x, t = chainrule.ones(2), chainrule.ones(2)
        dual = forward.make_dual(x, t)
        assert forward.unpack_dual(dual).tangent is t
        dual *= 2
        assert t.tolist() == [2, 2]
        assert forward.unpack_dual(dual).tangent is t
        wide = chainrule.ones(5)[:4]  # lies in a larger memory than the tangent does
        assert forward.unpack_dual(forward.make_dual(wide, chainrule.ones(4))).tangent.untyped_storage().nbytes() == 20


@pytest.mark.parametrize("in_dims", [0, 1, 2])
def test_views_under_vmap_of_jvp(in_dims):
    def program(torch):
        def f(x, y):
            view = x[:, ::2]
            view.copy_(y)
            other = x[0]
            x.mul_(2)
            return view, x, other

        def push(x, xt, y, yt):
            return torch.func.jvp(f, (x, y), (xt, yt))

        def laid(*shape):
            t = torch.arange(float(2 * shape[0] * shape[1])).reshape(2, *shape)
            return t.movedim(0, in_dims).contiguous().sin()

        return torch.func.vmap(push, in_dims=in_dims)(laid(2, 6), laid(2, 6).cos(), laid(2, 3), laid(2, 3).cos())

    agree(program)


def test_subclasses():
    def program(torch):
        class Mine(torch.Tensor):
            pass

        x = torch.tensor([1.0, 2.0]).as_subclass(Mine)
        found = torch.func.jacfwd(torch.sin)(x)
        return torch.Tensor.as_subclass(found, torch.Tensor)

    agree(program)


def test_out_and_nesting():
    def out(torch):
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            dual = forward.make_dual(torch.ones(2), torch.ones(2))
            torch.add(torch.ones(2), 1, out=dual)

    def twice(torch):
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            dual = forward.make_dual(torch.ones(2), torch.ones(2))
            forward.make_dual(torch.ones(2), dual)

    agree(out)
    agree(twice, words=12)
