"""Forward mode: dual numbers, their levels, and the same derivatives as reverse mode and PyTorch."""

import operator
import warnings

import pytest
import torch as reference

import chainrule
import chainrule.func  # imported on first use, and keeps what it then makes: no leak
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

with warnings.catch_warnings():  # PyTorch's own, when its forward mode is used for the first time
    warnings.simplefilter("ignore", DeprecationWarning)
    import torch._decomp.decompositions_for_jvp


def dual(torch, values, tangent):
    make = torch.autograd.forward_ad.make_dual
    return make(torch.tensor(values, dtype=torch.float64), torch.tensor(tangent, dtype=torch.float64))


FUNCTIONS = {
    "polynomial": lambda torch, x: 3 * x**3 - 2 * x,
    "product": lambda torch, x: x.sin() * x.exp(),
    "quotient": lambda torch, x: x / (1 + x * x),
    "number over": lambda torch, x: 1 / x,
    "composed": lambda torch, x: (x * x).sin().exp(),
    "sum": lambda torch, x: x.sum(),
    "mean": lambda torch, x: (x * x).mean(),
    "prod": lambda torch, x: x.prod(),
    "max": lambda torch, x: x.max(),
    "norm": lambda torch, x: x.norm(),
    "softmax": lambda torch, x: x.softmax(0),
    "logsumexp": lambda torch, x: x.logsumexp(0),
    "cumsum": lambda torch, x: x.cumsum(0),
    "matmul": lambda torch, x: x[None] @ x[:, None],
    "dot": lambda torch, x: x @ x,
    "views": lambda torch, x: x.reshape(3, 1).T.expand(2, 3) * x,
    "slice": lambda torch, x: x[1:] * x[:-1],
    "index": lambda torch, x: x[[0, 0, 2]],
    "cat": lambda torch, x: torch.cat([x, x * x]),
    "stack": lambda torch, x: torch.stack([x, x.sin()]),
    "where": lambda torch, x: torch.where(x > 0, torch.ones(3, dtype=torch.float64), x),
    "where swapped": lambda torch, x: torch.where(x > 0, x * x, torch.ones(3, dtype=torch.float64)),
    "clamp": lambda torch, x: x.clamp(-1, 1),
    "constant": lambda torch, x: torch.ones(3, dtype=torch.float64) * 2,
    "detached": lambda torch, x: x.detach() * x,
    "broadcast": lambda torch, x: x * torch.ones(2, 1, dtype=torch.float64),
    "in place": lambda torch, x: (x * 1).mul_(x).sin_(),
    "clone": lambda torch, x: x.clone() * 2,
    "float": lambda torch, x: x.float() * 2,
    "unbind": lambda torch, x: x.unbind()[1] * x.unbind()[2],
    "comparison": lambda torch, x: x > 0,
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_tangents_are_pytorchs(function):
    def program(torch):
        with torch.autograd.forward_ad.dual_level():
            y = function(torch, dual(torch, [0.5, -1.5, 2.0], [1.0, 10.0, -3.0]))
            primal, tangent = torch.autograd.forward_ad.unpack_dual(y)
            return primal, tangent

    agree(program, tolerance=1e-6 if function is FUNCTIONS["float"] else 1e-12)


@pytest.mark.parametrize(
    "name", [name for name in FUNCTIONS if name not in ("constant", "detached", "float", "comparison")]
)
def test_forward_and_reverse_agree(name):
    values, tangent = [0.5, -1.5, 2.0], [1.0, 10.0, -3.0]
    function = FUNCTIONS[name]
    with chainrule.autograd.forward_ad.dual_level():
        forward = chainrule.autograd.forward_ad.unpack_dual(
            function(chainrule, dual(chainrule, values, tangent))
        ).tangent
        forward = forward.detach().clone()
    x = chainrule.tensor(values, dtype=chainrule.float64, requires_grad=True)
    y = function(chainrule, x)
    weights = chainrule.arange(1.0, y.numel() + 1, dtype=chainrule.float64).reshape(y.shape)
    (g,) = chainrule.autograd.grad(y, x, weights)
    direction = chainrule.tensor(tangent, dtype=chainrule.float64)
    assert (g * direction).sum().item() == pytest.approx((weights * forward).sum().item(), rel=1e-12)


def test_two_inputs_with_tangents():
    def program(torch):
        with torch.autograd.forward_ad.dual_level():
            x, w = dual(torch, [1.0, 2.0], [1.0, 0.0]), dual(torch, [3.0, 4.0], [0.0, 1.0])
            return torch.autograd.forward_ad.unpack_dual(x * w + x / w)

    agree(program, tolerance=1e-12)


def test_complex_tangents():
    def program(torch):
        with torch.autograd.forward_ad.dual_level():
            x = torch.autograd.forward_ad.make_dual(torch.tensor([1 + 2j]), torch.tensor([1j]))
            return torch.autograd.forward_ad.unpack_dual(x.sin() * x)

    agree(program, tolerance=1e-5)


def test_unpacking():
    def program(torch):
        ad = torch.autograd.forward_ad
        outside = torch.ones(2)
        with ad.dual_level():
            tangent = torch.tensor([5.0, 6.0])
            x = ad.make_dual(torch.ones(2), tangent)
            plain = ad.unpack_dual(torch.ones(2))
            found = ad.unpack_dual(x)
            named = found.primal, found.tangent
        return named, plain, ad.unpack_dual(outside)

    agree(program)


ERRORS = {
    "no level": lambda torch, ad: ad.make_dual(torch.ones(2), torch.ones(2)),
    "wrong shape": lambda torch, ad: _inside(ad, lambda: ad.make_dual(torch.ones(2), torch.ones(3))),
    "integers": lambda torch, ad: _inside(ad, lambda: ad.make_dual(torch.tensor([1]), torch.tensor([1]))),
    "nested": lambda torch, ad: _inside(ad, lambda: _inside(ad, lambda: None)),
    "leaving without entering": lambda torch, ad: ad.exit_dual_level(),
    "not a tensor": lambda torch, ad: _inside(ad, lambda: ad.make_dual(3.0, torch.ones(1))),
}


def _inside(ad, action):
    with ad.dual_level():
        return action()


@pytest.mark.parametrize("call", ERRORS.values(), ids=ERRORS.keys())
def test_wrong_calls(call):
    agree(lambda torch: call(torch, torch.autograd.forward_ad))


def test_a_level_closes_when_an_exception_leaves_it():
    ad = chainrule.autograd.forward_ad
    with pytest.raises(KeyError), ad.dual_level():
        raise KeyError
    with ad.dual_level():
        pass


def test_tangents_end_with_their_level():
    def program(torch):
        ad = torch.autograd.forward_ad
        with ad.dual_level():
            x = ad.make_dual(torch.ones(2), torch.ones(2))
            y = x * 2
        with ad.dual_level():
            return ad.unpack_dual(x).tangent, ad.unpack_dual(y).tangent, ad.unpack_dual(y * 2).tangent

    agree(program)


def test_the_original_tensor_gets_no_tangent():
    def program(torch):
        ad = torch.autograd.forward_ad
        x = torch.ones(2)
        with ad.dual_level():
            ad.make_dual(x, torch.ones(2))
            return ad.unpack_dual(x).tangent

    agree(program)


def test_forward_over_reverse():
    def program(torch):
        ad = torch.autograd.forward_ad
        with ad.dual_level():
            x = ad.make_dual(
                torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True),
                torch.tensor([1.0, -2.0], dtype=torch.float64),
            )
            (g,) = torch.autograd.grad((x.sin() * x * x).sum(), x, create_graph=True)
            return [part.detach() for part in ad.unpack_dual(g)]

    agree(program, tolerance=1e-12)


def test_reverse_over_forward():
    def program(torch):
        ad = torch.autograd.forward_ad
        x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
        with ad.dual_level():
            y = ad.make_dual(x, torch.tensor([1.0, -2.0], dtype=torch.float64))
            tangent = ad.unpack_dual(y.sin() * y * y).tangent
            return torch.autograd.grad(tangent.sum(), x)

    agree(program, tolerance=1e-12)


def test_no_grad_does_not_stop_tangents():
    def program(torch):
        ad = torch.autograd.forward_ad
        with ad.dual_level(), torch.no_grad():
            return ad.unpack_dual(ad.make_dual(torch.ones(2), torch.ones(2)) * 3)

    agree(program)


# ---- views: one piece of memory, one tangent


def into_a_slice(torch, d):
    y = torch.zeros(5)
    y[1:4] = d
    return y, y[2:]


def through_a_view(torch, d):
    y = torch.zeros(5)
    view = y[1:4]
    view.add_(d)
    return y, view


def seen_by_an_older_view(torch, d):
    y = torch.zeros(3)
    view = y[1:]
    y.copy_(d)
    y.mul_(2)
    return y, view, (view * view).sum()


def transposed_and_scattered(torch, d):
    y = torch.zeros(2, 3)
    y.t()[:, 0].copy_(d)
    y[1].scatter_(0, torch.tensor([0, 1]), d[:2])
    return y, y.sum(0)


WRITES = (into_a_slice, through_a_view, seen_by_an_older_view, transposed_and_scattered)


@pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
def test_a_write_into_a_view_gives_its_base_a_tangent(write):
    def program(torch):
        forward_ad = torch.autograd.forward_ad
        with forward_ad.dual_level():
            d = forward_ad.make_dual(torch.ones(3), torch.tensor([1.0, 2.0, 3.0]))
            return [forward_ad.unpack_dual(t).tangent.clone() for t in write(torch, d)]

    agree(program)


@pytest.mark.parametrize(
    "part",
    [lambda x: x[1:], lambda x: x[0], lambda x: x[::2], lambda x: x.narrow(0, 1, 2), lambda x: x.select(0, -1)],
    ids=["slice", "index", "steps", "narrow", "select"],
)
def test_forward_over_backward_of_a_part(part) -> None:
    """The gradient of a part is written through a view, and its tangent with it."""

    def product(torch):
        x, v = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 10.0, 100.0])
        return torch.func.jvp(torch.func.grad(lambda t: (part(t) ** 3).sum()), (x,), (v,))[1].tolist()

    assert product(chainrule) == product(reference)


# ---- views of dual tensors

SHOWN = {
    "a slice": lambda d: d[:2],
    "a piece": lambda d: d.split(2)[0],
    "another shape": lambda d: d.view(2, 2),
    "a view of a view": lambda d: d.view(2, 2)[0],
    "itself": lambda d: d.view_as(d),
}
WRITTEN = {
    "by a number": lambda t, d: t.mul_(3),
    "by a dual": lambda t, d: t.mul_(d.sum()),
    "zero": lambda t, d: t.zero_(),
    "fill": lambda t, d: t.fill_(2.0),
    "copy": lambda t, d: t.copy_(t.detach() + 1),
    "sign": lambda t, d: t.sign_(),
    "floor": lambda t, d: t.floor_(),
    "assignment": lambda t, d: t.__setitem__(..., d.sum() * 2),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN.keys())
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN.keys())
@pytest.mark.parametrize("into", ["view", "dual", "both"])
def test_a_view_of_a_dual_tensor_shares_its_tangent(show, write, into):
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            other = fw.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 1.0]))
            dual = fw.make_dual(torch.tensor([1.5, 2.0, -3.0, 4.0]), torch.arange(1.0, 5.0))
            view = show(dual)
            for target in {"view": [view], "dual": [dual], "both": [view, dual]}[into]:
                write(target, other)
            return [fw.unpack_dual(t).tangent.clone() for t in (view, dual)], view.clone(), dual.clone()

    agree(program)


WRITES_THAT_PASS = {
    "add_": lambda torch, x: x.add_(1),
    "sub_": lambda torch, x: x.sub_(1),
    "augmented": lambda torch, x: operator.iadd(x, 1),
    "of a tensor": lambda torch, x: x.add_(torch.ones(2, dtype=torch.float64)),
    "of a copy": lambda torch, x: x.clone().add_(1),
    "of a part": lambda torch, x: x[:1].add_(1),
    "twice": lambda torch, x: x.add_(1).mul_(2).sub_(3),
    "then squared": lambda torch, x: x.add_(1) ** 2,
}


@pytest.mark.parametrize("write", WRITES_THAT_PASS.values(), ids=WRITES_THAT_PASS)
def test_writes_that_pass_a_tangent_on_as_it_is(write):
    def program(torch):
        with torch.autograd.forward_ad.dual_level():
            x = dual(torch, [1.0, 2.0], [0.5, -1.0])
            y = write(torch, x)
            return [torch.autograd.forward_ad.unpack_dual(t).tangent for t in (x, y)]

    agree(program)


def test_writes_that_depend_on_nothing_end_a_tangent():
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            whole = torch.arange(4.0)
            whole[:2].mul_(fw.make_dual(torch.ones(2), torch.ones(2)))
            whole[1:].zero_()
            return fw.unpack_dual(whole).tangent

    agree(program)


def test_the_primal_of_a_dual_tensor_has_no_tangent():
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            x = torch.ones(2, requires_grad=True)
            for dual in (fw.make_dual(x, torch.ones(2)), fw.make_dual(x.detach(), torch.ones(2)) * 2):
                primal = fw.unpack_dual(dual).primal
                yield primal, fw.unpack_dual(primal).tangent

    agree(lambda torch: list(program(torch)))


@pytest.mark.parametrize("call", ["mul", "softmax", "cumsum"])
def test_out_takes_no_tangent(call):
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            x = fw.make_dual(torch.ones(2), torch.ones(2))
            args = (x,) if call == "mul" else (0,)
            return getattr(torch, call)(x, *args, out=torch.zeros(2))

    agree(program, words=5)


def test_a_dual_of_a_dual_is_refused():
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            return fw.make_dual(fw.make_dual(torch.ones(2), torch.ones(2)), torch.ones(2))

    agree(program, words=8)


def test_tangents_are_printed():
    def program(torch):
        fw = torch.autograd.forward_ad
        with fw.dual_level():
            return repr(fw.make_dual(torch.ones(2, requires_grad=True), torch.zeros(2)))

    agree(program)


TURNED = {
    "t_": lambda x: x.t_(),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "as_strided_": lambda x: x.as_strided_((2,), (2,), 1),
    "then written": lambda x: x.t_().mul_(3),
    "of a part": lambda x: x[1:].t_() * 2,
    "saved before": lambda x: x.exp().t_() * 2,
}


@pytest.mark.parametrize("turn", TURNED.values(), ids=TURNED.keys())
def test_a_tensor_that_becomes_a_view_takes_its_tangent_along(turn):
    def program(torch):
        with torch.autograd.forward_ad.dual_level():
            numbers = torch.arange(6.0).reshape(2, 3)
            dual = torch.autograd.forward_ad.make_dual(numbers.clone(), numbers + 10)
            return list(torch.autograd.forward_ad.unpack_dual(turn(dual * 1)))

    agree(program)
