"""What an autograd.Function may do: to its inputs, with views, in forward mode, inside transforms."""

import warnings
import weakref

import pytest

import chainrule
import chainrule.func
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

with warnings.catch_warnings():  # PyTorch's own, when its forward mode is used for the first time
    warnings.simplefilter("ignore", DeprecationWarning)
    import torch._decomp.decompositions_for_jvp  # noqa: F401


def define(library, forward, backward=lambda ctx, *g: g[0], **others):
    namespace = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    namespace.update({name: staticmethod(f) if callable(f) else f for name, f in others.items()})
    return type("Mine", (library.autograd.Function,), namespace)


def dirty(ctx, x):
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


def dirty_stranger(ctx, x):
    y = x.clone()
    ctx.mark_dirty(y)
    return y


def dirty_view_of_stranger(ctx, x):
    y = x.clone().view_as(x)
    ctx.mark_dirty(y)
    return y


def two_views(ctx, x):
    return x.view_as(x), x * 2


INPUTS = {
    "leaf": lambda x: x,
    "computed": lambda x: x.clone(),
    "view of a leaf": lambda x: x.view_as(x),
    "view": lambda x: x.clone().view_as(x),
    "one of several views": lambda x: x.clone().split(1)[0],
    "plain": lambda x: x.detach().clone(),
}


@pytest.mark.parametrize("make", INPUTS.values(), ids=INPUTS)
@pytest.mark.parametrize("forward", [dirty, dirty_view_of_stranger], ids=lambda f: f.__name__)
def test_dirty(forward, make):
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        return define(torch, forward).apply(make(x))

    agree(program, words=12)


def test_dirty_stranger_warns():
    function = define(chainrule, dirty_stranger)
    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        function.apply(chainrule.ones(2, requires_grad=True).clone())
    function.apply(chainrule.ones(2))


@pytest.mark.parametrize("forward", [lambda ctx, x: x, lambda ctx, x: x[:], two_views], ids=["itself", "view", "two"])
@pytest.mark.parametrize("recording", [True, False])
def test_writes_into_views_that_come_out(forward, recording):
    def program(torch):
        x = torch.ones(2, requires_grad=True).clone()
        with torch.set_grad_enabled(recording):
            y = define(torch, forward).apply(x)
        y = y[0] if isinstance(y, tuple) else y
        y += 1
        return y

    agree(program, words=14)


def test_pure_views_may_be_written_into():
    def pure(ctx, x):
        ctx._is_pure_view = True
        return x[:1]

    def program(torch):
        x = torch.ones(2, requires_grad=True)
        y = define(torch, pure, lambda ctx, g: torch.cat([g, g])).apply(x.clone())
        y *= 3
        y.sum().backward()
        return x.grad

    agree(program)


def test_many_saved_tensors():
    count = 65_537

    def forward(ctx, x):
        ctx.save_for_backward(*([x] * count))
        return x * 1

    def backward(ctx, g):
        assert len(ctx.saved_tensors) == count
        return g

    x = chainrule.ones(1, requires_grad=True)
    define(chainrule, forward, backward).apply(x).backward()
    assert x.grad.item() == 1


def test_boxed_gradients():
    def backward(ctx, gradients):
        assert isinstance(gradients, list)
        first, second = gradients[0] * 1, gradients[1] * 1
        last = weakref.ref(gradients[1])
        gradients.clear()
        assert last() is None  # nobody else holds it
        return first * 2 + second * 3

    function = define(chainrule, lambda ctx, x: (x * 2, x * 3), backward, boxed_grads_call=True)
    x = chainrule.ones(2, requires_grad=True)
    a, b = function.apply(x)
    (a + b).sum().backward()
    assert x.grad.tolist() == [5, 5]


def test_backward_outside_of_a_pass():
    seen = []

    def backward(ctx, gradients):
        seen.append(gradients)
        return gradients[0] * 2 + gradients[1] * 3

    function = define(chainrule, lambda ctx, x: (x * 2, x * 3), backward, boxed_grads_call=True)
    a, _ = function.apply(chainrule.ones(2, requires_grad=True))
    given = chainrule.ones(2), chainrule.ones(2)
    assert a.grad_fn.apply(*given).tolist() == [5, 5]
    assert seen == [list(given)]


def test_saved_tensors_that_may_be_read_once():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        reference = weakref.ref(x)
        del x
        assert reference() is None
        with pytest.raises(RuntimeError, match="saved_tensors can only be accessed once"):
            _ = ctx.saved_tensors
        return g

    function = define(chainrule, forward, backward, clear_saved_tensors_on_access=True)
    function.apply(chainrule.ones(2, requires_grad=True).clone()).sum().backward()


def test_gradients_of_outputs_that_have_none():
    def forward(ctx, x):
        y = x.clone()
        ctx.mark_non_differentiable(y)
        ctx._materialize_non_diff_grads = False
        return x * 2, y

    def backward(ctx, g, none):
        assert none is None
        return g * 2

    x = chainrule.ones(2, requires_grad=True)
    define(chainrule, forward, backward).apply(x)[0].sum().backward()
    assert x.grad.tolist() == [2, 2]


def narrowed(ctx, x):
    return x[:1]


def halves(ctx, x):
    y = x.long()
    return x * 2, y


JVPS = {
    "view": (narrowed, lambda ctx, t: t[:1]),
    "no view": (narrowed, lambda ctx, t: t[:1].clone()),
    "view of another": (narrowed, lambda ctx, t: t[:1].clone().view(1)),
    "itself": (lambda ctx, x: x, lambda ctx, t: t),
    "itself, as a view": (lambda ctx, x: x, lambda ctx, t: t.view_as(t)),
    "in place": (dirty, lambda ctx, t: t.mul_(2)),
    "not in place": (dirty, lambda ctx, t: t * 2),
    "in place, another": (dirty, lambda ctx, t: t.clone().mul_(2)),
    "of an integer": (halves, lambda ctx, t: (t, t)),
    "none of an integer": (halves, lambda ctx, t: (t * 2, None)),
    "two for one": (narrowed, lambda ctx, t: (t, t)),
    "another shape": (lambda ctx, x: x * 2, lambda ctx, t: t.sum()),
    "no tensor": (lambda ctx, x: x * 2, lambda ctx, t: "t"),
    "the same": (lambda ctx, x: x * 1, lambda ctx, t: t),
}


@pytest.mark.parametrize(("forward", "jvp"), JVPS.values(), ids=JVPS)
def test_jvp(forward, jvp):
    def program(torch):
        level = torch.autograd.forward_ad
        with level.dual_level():
            dual = level.make_dual(torch.ones(2), torch.tensor([3.0, 4.0]))
            y = define(torch, forward, jvp=jvp).apply(dual)
            return [level.unpack_dual(t).tangent for t in (y if isinstance(y, tuple) else (y,))]

    agree(program, words=10)


def test_tensors_for_jvp_and_for_backward():
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(y)
        return x * y

    def jvp(ctx, x, y):
        (saved,) = ctx.saved_tensors
        return x * saved

    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x

    def program(torch):
        level = torch.autograd.forward_ad
        x, y = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
        with level.dual_level():
            z = define(torch, forward, backward, jvp=jvp).apply(level.make_dual(x, torch.tensor(1.0)), y)
            z.backward()
            return level.unpack_dual(z).tangent, x.grad

    agree(program)


def test_setup_context_may_not_save_what_comes_back():
    def program(torch):
        setup = lambda ctx, inputs, output: ctx.save_for_backward(output)  # noqa: E731
        define(torch, lambda x: x, setup_context=setup).apply(torch.ones(2))

    agree(program, words=14)


@pytest.mark.parametrize("transform", ["grad", "jacrev", "jacfwd", "vmap", "hessian"])
def test_transforms_need_setup_context(transform):
    def program(torch):
        function = define(torch, lambda ctx, x: x * 2)
        return getattr(torch.func, transform)(lambda x: function.apply(x).sum())(torch.ones(3))

    agree(program, words=12)


def test_names_inside_transforms():
    names = []

    def f(x):
        y = define(chainrule, lambda x: x * 2, setup_context=lambda ctx, inputs, output: None).apply(x)
        names.append(type(y.grad_fn).__name__)
        return y

    chainrule.func.grad(f)(chainrule.tensor(1.0))
    assert names == ["MineGeneratedBackward"]


def test_dims_of_vmap():
    def vmap(info, in_dims, x, others):
        assert in_dims == (1, [0, None])
        return (x, others[0]), (1, 0)

    function = define(chainrule, lambda x, y: x, setup_context=lambda *a: None, vmap=vmap)
    x, y = chainrule.arange(6.0).reshape(2, 3), chainrule.arange(3.0)
    first, second = chainrule.func.vmap(lambda x, y: function.apply(x, [y, 1]), in_dims=(1, 0))(x, y)
    assert first.tolist() == x.T.tolist()
    assert second.tolist() == y.tolist()


def test_keywords():
    def program(torch):
        return define(torch, lambda ctx, x, y: x + y).apply(torch.ones(1), bad=1)

    agree(program)
    with pytest.raises(TypeError, match="got multiple values for argument 'y'"):
        define(chainrule, lambda ctx, x, y: x + y).apply(chainrule.ones(1), 2, y=1)
