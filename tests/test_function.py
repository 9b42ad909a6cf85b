"""autograd.Function and autograd.differentiable: gradients that are written in Python."""

import doctest
import gc
import sys
import weakref

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401
from chainrule.autograd import differentiable, keep

pytestmark = pytest.mark.usefixtures("no_leaks")


def values(library, *shape, requires_grad=True):
    """The same numbers for both libraries."""
    count = 1
    for n in shape:
        count *= n
    return library.linspace(0.3, 1.7, count).reshape(shape).requires_grad_(requires_grad)


def define(library, forward, backward, **others):
    """A Function from two plain functions."""
    namespace = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    namespace.update({name: staticmethod(f) if callable(f) else f for name, f in others.items()})
    return type("Mine", (library.autograd.Function,), namespace)


def exp_forward(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y


def exp_backward(ctx, g):
    (y,) = ctx.saved_tensors
    return g * y


# ---- values and gradients


def test_a_saved_output_has_its_history_in_a_first_backward_pass():
    """Implicit functions differentiate by it there."""

    def program(library):
        seen = []

        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            seen.extend([y.requires_grad, y.is_leaf, library.is_grad_enabled()])
            return g * y

        x = values(library, 3)
        define(library, exp_forward, backward).apply(x).sum().backward()
        return seen, x.grad

    agree(program)


def test_value_gradient_and_second_gradient():
    def program(library):
        exp, x = define(library, exp_forward, exp_backward), values(library, 3)
        y = exp.apply(x)
        (g,) = library.autograd.grad(y.sum(), x, create_graph=True)
        (second,) = library.autograd.grad(g.sum(), x, create_graph=True)
        return y, g, second, library.autograd.grad(second.sum(), x), y.grad_fn.name(), type(y.grad_fn).__name__

    agree(program)


def test_non_tensors_go_through():
    def forward(ctx, x, power, label, y):
        ctx.power = power
        seen.append(ctx.needs_input_grad)
        return x**power, label, None, y.long()

    def backward(ctx, *gradients):
        seen.append([None if g is None else g.tolist() for g in gradients])
        return gradients[0] * ctx.power, None, None, None

    seen: list = []

    def program(library):
        del seen[:]
        x, y = values(library, 2), values(library, 2, requires_grad=False)
        power, label, none, whole = define(library, forward, backward).apply(x, 2, "name", y)
        power.sum().backward()
        nodes = [n and n[0] and type(n[0]).__name__ for n in power.grad_fn.next_functions]
        return x.grad, power, label, none, whole, list(seen), nodes, power.grad_fn.power

    agree(program)


def test_setup_context_with_defaults_and_keywords():
    def forward(x, scale=2.0):
        return x * scale

    def setup_context(ctx, inputs, output):
        ctx.scale = inputs[1]
        ctx.save_for_backward(output)

    def backward(ctx, g):
        return g * ctx.scale + ctx.saved_tensors[0] * 0, None

    def program(library):
        f, x = define(library, forward, backward, setup_context=setup_context), values(library, 3)
        return [library.autograd.grad(f.apply(*args, **kwargs).sum(), x) for args, kwargs in CALLS(x)]

    CALLS = lambda x: (((x,), {}), ((x, 3.0), {}), ((x,), {"scale": 4.0}))  # noqa: E731, N806
    agree(program)


def test_vjp_is_another_name():
    def program(library):
        f = type(
            "V", (library.autograd.Function,), {"forward": staticmethod(exp_forward), "vjp": staticmethod(exp_backward)}
        )
        x = values(library, 2)
        return library.autograd.grad(f.apply(x).sum(), x)

    agree(program)


@pytest.mark.parametrize("materialize", [True, False])
def test_materialized_gradients(materialize):
    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 2, x * 3

    def program(library):
        def backward(ctx, a, b):
            seen.append((a is None, b is None))
            return a if a is not None else b

        seen: list = []
        x = values(library, 2)
        define(library, forward, backward).apply(x)[0].sum().backward()
        return seen, x.grad

    agree(program)


@pytest.mark.parametrize("result", ["non", "int", "input"])
def test_non_differentiable_outputs(result):
    def forward(ctx, x):
        other = {"non": x + 1, "int": (x * 3).int(), "input": x}[result]
        ctx.mark_non_differentiable(other)
        return x * 2, other

    def program(library):
        f = define(library, forward, lambda ctx, g, h: g * 2 + h)
        x = values(library, 2)
        y, other = f.apply(x)
        return library.autograd.grad(y.sum(), x), other.requires_grad, other.is_leaf, other is x, other

    agree(program)


# ---- in place and views


def doubled(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def test_dirty_input():
    def program(library):
        double, x = define(library, doubled, lambda ctx, g: g * 2), values(library, 3)
        y = x * 1
        z = double.apply(y)
        return library.autograd.grad(y.sum(), x), z is y, type(y.grad_fn).__name__, y._version

    agree(program)


def test_dirty_view_rewrites_its_base():
    def program(library):
        double, x = define(library, doubled, lambda ctx, g: g * 2), values(library, 3)
        y = x * 1
        double.apply(y[1:])
        return library.autograd.grad((y * y).sum(), x), type(y.grad_fn).__name__

    agree(program)


def test_dirty_second_argument():
    def forward(ctx, a, b):
        ctx.mark_dirty(b)
        return b.mul_(a)

    def backward(ctx, g):
        return g * 5, g * 7

    # PyTorch loses the gradient of the argument before the one that is written.
    a, x = values(chainrule, 2), values(chainrule, 4)
    y = x * 1
    define(chainrule, forward, backward).apply(a, y[1:3])
    found = chainrule.autograd.grad(y.sum(), (a, x))
    assert [g.tolist() for g in found] == [[5, 5], [1, 7, 7, 1]]


BAD_WRITES = {
    "leaf": lambda f, x: f.apply(x),
    "view of a leaf": lambda f, x: f.apply(x[:1]),
}


@pytest.mark.parametrize("case", BAD_WRITES)
def test_dirty_leaves_are_refused(case):
    def program(library):
        return BAD_WRITES[case](define(library, doubled, lambda ctx, g: g), values(library, 2))

    agree(program, words=5)


def test_dirty_but_not_returned():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2).clone()

    agree(lambda library: define(library, forward, lambda ctx, g: g).apply(values(library, 2) * 1), words=12)


def test_input_returned_as_it_is():
    def program(library):
        identity, x = define(library, lambda ctx, x: x, lambda ctx, g: g * 3), values(library, 2)
        y = identity.apply(x)
        plain = values(library, 2, requires_grad=False)
        return y is x, y._base is x, library.autograd.grad(y.sum(), x), identity.apply(plain) is plain

    agree(program)


@pytest.mark.parametrize("write", [lambda y, b: y.add_(1), lambda y, b: (b.add_(1), y.grad_fn)])
def test_views_made_inside_may_not_be_written(write):
    def program(library):
        f = define(library, lambda ctx, x: x.view(-1), lambda ctx, g: g * 3)
        base = values(library, 2) * 1
        write(f.apply(base), base)

    agree(program, words=12)


def test_what_forward_records_is_replaced():
    def program(library):
        def forward(ctx, x):
            with library.enable_grad():
                return x * 2

        x = values(library, 2)
        y = define(library, forward, lambda ctx, g: g * 10).apply(x)
        return library.autograd.grad(y.sum(), x), type(y.grad_fn).__name__

    agree(program)


# ---- mistakes


RETURNS = {
    "too few": lambda g: (),
    "too many": lambda g: (g, None, g),
    "more Nones": lambda g: (g, None, None),
    "a number": lambda g: (3, None),
    "for a number": lambda g: (g, g),
    "wrong shape": lambda g: (g[:1].expand(2, 5), None),
    "to be summed": lambda g: (g.expand(4, 3), None),
    "another dtype": lambda g: (g.double(), None),
    "None": lambda g: None,
    "a list": lambda g: [g, None],
}


@pytest.mark.parametrize("case", RETURNS)
def test_what_backward_returns_is_checked(case):
    def program(library):
        x = values(library, 3)
        define(library, lambda ctx, x, n: x * n, lambda ctx, g: RETURNS[case](g)).apply(x, 2).sum().backward()
        return x.grad

    agree(program, words=6)


MISTAKES = {
    "no forward": lambda library: library.autograd.Function.apply(values(library, 2)),
    "no backward": lambda library: (
        type("F", (library.autograd.Function,), {"forward": staticmethod(exp_forward)})
        .apply(values(library, 2))
        .sum()
        .backward()
    ),
    "both": lambda library: (
        define(library, exp_forward, exp_backward, vjp=exp_backward).apply(values(library, 2)).sum().backward()
    ),
    "saving a number": lambda library: define(
        library, lambda ctx, x: (ctx.save_for_backward(3), x * 2)[1], exp_backward
    ).apply(values(library, 2)),
    "raises in forward": lambda library: define(library, lambda ctx, x: 1 / 0, exp_backward).apply(values(library, 2)),
    "raises in backward": lambda library: (
        define(library, exp_forward, lambda ctx, g: 1 / 0).apply(values(library, 2)).sum().backward()
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case):
    agree(MISTAKES[case], words=2)


def test_saved_tensors_are_checked_and_freed():
    def overwritten(library):
        x = values(library, 2)
        y = define(library, exp_forward, exp_backward).apply(x)
        with library.no_grad():
            y.add_(1)
        y.sum().backward()

    def twice(library):
        y = define(library, exp_forward, exp_backward).apply(values(library, 2)).sum()
        y.backward()
        y.backward()

    def late(library):
        y = define(library, exp_forward, exp_backward).apply(values(library, 2))
        y.sum().backward()
        return y.grad_fn.saved_tensors

    for program in (overwritten, twice, late):
        agree(program, words=10)


def test_second_output_is_saved_as_such():
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return x * 2, y

    def backward(ctx, a, b):
        (y,) = ctx.saved_tensors
        return a * 2 + b * y

    def program(library):
        x = values(library, 2)
        _, y = define(library, forward, backward).apply(x)
        (g,) = library.autograd.grad(y.sum(), x, create_graph=True)
        return g, library.autograd.grad(g.sum(), x)

    agree(program)


def test_once_differentiable():
    def program(library):
        once = library.autograd.function.once_differentiable(exp_backward)
        x, g0 = values(library, 2), values(library, 2)
        y = define(library, exp_forward, once).apply(x)
        (g,) = library.autograd.grad(y, x, g0, create_graph=True)
        g.sum().backward()

    agree(program, words=10)


# ---- forward mode


def tangent_of(library, f, *inputs):
    forward_ad = library.autograd.forward_ad
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(x, x * 0 + 1) for x in inputs]
        outputs = f(*duals)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        return [forward_ad.unpack_dual(y).tangent for y in outputs]


def test_jvp():
    def forward(ctx, x, scale, y):
        ctx.save_for_forward(x)
        return x * scale, y * 2

    def jvp(ctx, x, scale, y):
        assert scale is None
        assert len(ctx.saved_tensors) == 1
        return x * 5, y * 2

    def program(library):
        f = define(library, forward, lambda ctx, *g: None, jvp=jvp)
        plain, x = values(library, 2, requires_grad=False), values(library, 2, requires_grad=False)
        return tangent_of(library, lambda x: f.apply(x, 5, plain), x)

    agree(program)


def test_forward_mode_from_backward():
    """PyTorch asks for a jvp; a backward that can be differentiated is enough here."""
    f = define(chainrule, exp_forward, exp_backward)
    x = values(chainrule, 3, requires_grad=False)
    (tangent,) = tangent_of(chainrule, f.apply, x)
    assert tangent.tolist() == x.exp().tolist()

    several = define(chainrule, lambda ctx, x, y: (x * 2, x + y * 3), lambda ctx, a, b: (a * 2 + b, b * 3))
    first, second = tangent_of(chainrule, several.apply, x, x)
    assert first.tolist() == [2.0] * 3
    assert second.tolist() == [4.0] * 3


def test_backward_that_cannot_stand_in_for_jvp():
    def program(library):
        once = library.autograd.function.once_differentiable(exp_backward)
        return tangent_of(library, define(library, exp_forward, once).apply, values(library, 2, requires_grad=False))

    agree(program, words=12)


# ---- the context


def test_context_is_freed_with_the_graph():
    def forward(ctx, x):
        ctx.output = y = x * 2  # a cycle: y owns the node, which is ctx
        return y

    x = values(chainrule, 2)
    y = define(chainrule, forward, lambda ctx, g: g * 2).apply(x)
    assert y.grad_fn.output is y
    watched = weakref.ref(y)
    del y
    gc.collect()
    assert watched() is None


def test_no_history_without_need():
    def program(library):
        f = define(library, exp_forward, exp_backward)
        plain = f.apply(values(library, 2, requires_grad=False))
        with library.no_grad():
            return plain.grad_fn is None, f.apply(values(library, 2)).requires_grad

    agree(program)


def test_lines():
    f = define(chainrule, exp_forward, exp_backward)
    x = values(chainrule, 2)
    y = f.apply(x)
    assert y.grad_fn.source[3] == "y = f.apply(x)"
    (g,) = chainrule.autograd.grad(y.sum(), x, create_graph=True)
    assert g.grad_fn.source[3] == "return g * y"


# ---- the decorator


@differentiable
def cube(x):
    return x * x * x


@cube.gradient
def _(g, x):
    return 3 * g * x * x


@differentiable(name="DivmodBackward0", constant=(1,))
def halve(x, by=2.0, *, plus=None):
    scaled = x / by
    return keep((scaled if plus is None else scaled + plus, x + 1, x.int()), factor=1 / by)


@halve.gradient("x")
def _(g, factor):
    return g[0] * factor


@halve.gradient("plus")
def _(g, y, needs):
    assert needs.plus
    assert len(y) == 3
    calls.append("plus")
    return g[0]


calls: list = []


def close(a, b):
    return (a - b).abs().max().item() < 1e-6


def test_gradient_of_two_plain_functions():
    x = values(chainrule, 3).double().detach().requires_grad_()
    z = (x * x * x).sum()
    (g,) = chainrule.autograd.grad(cube(x).sum(), x, create_graph=True)
    (h,) = chainrule.autograd.grad(g.sum(), x)
    assert close(g, chainrule.autograd.grad(z, x)[0])
    assert close(h, 6 * x)
    assert cube(x).grad_fn.name() == "CubeBackward"
    (tangent,) = tangent_of(chainrule, cube, x.detach())
    assert close(tangent, 3 * x * x)


def test_decorator_with_names_defaults_and_kept_values():
    x, plus = values(chainrule, 2), values(chainrule, 2)
    del calls[:]
    y, constant, whole = halve(x, by=4.0)
    assert y.grad_fn.name() == "DivmodBackward0"
    assert not constant.requires_grad
    assert whole.dtype == chainrule.int32
    y.sum().backward()
    assert x.grad.tolist() == [0.25, 0.25]
    assert calls == []
    halve(x.detach(), plus=plus)[0].sum().backward()
    assert calls == ["plus"]
    assert plus.grad.tolist() == [1, 1]


def test_decorator_saves_what_gradients_read():
    x = values(chainrule, 2)
    y = cube(x)
    assert [t is x for t in y.grad_fn.saved_tensors] == [True]
    with chainrule.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_mistakes_with_the_decorator():
    @differentiable
    def f(x, n):
        return x * n

    x = values(chainrule, 2)
    with pytest.raises(NotImplementedError, match=r"f\(\) has no gradient"):
        f(x, 2).sum().backward()
    with pytest.raises(TypeError, match="no parameter 'z'"):
        f.gradient("z")
    with pytest.raises(TypeError, match="missing a required argument: 'n'"):
        f(x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'm'"):
        f(x, 2, m=2)
    f.gradient(lambda g, nothing: g)
    with pytest.raises(TypeError, match="asks for 'nothing'"):
        f(x, 2)


@pytest.mark.parametrize("module", ["function", "differentiable"])
def test_docstrings(module):
    result = doctest.testmod(sys.modules[f"chainrule.autograd.{module}"], extraglobs={"torch": chainrule})
    assert result.attempted
    assert not result.failed


def test_a_class_needs_no_module() -> None:
    """Code that is executed in a bare namespace has no __name__, and its classes no __module__."""
    names: dict = {"torch": chainrule}
    exec("class Double(torch.autograd.Function):\n    forward = staticmethod(lambda ctx, x: x * 2)", names)
    assert names["Double"].apply(chainrule.tensor(3.0)).item() == 6


def test_an_input_that_comes_back_is_a_view_also_where_nothing_is_recorded() -> None:
    """There forward is called without a node, and what it returns is the same."""
    for result in (lambda x: x, lambda x: (x * 2, x)):
        f = differentiable(result)
        x = chainrule.ones(2)
        last = f(x) if isinstance(f(x), chainrule.Tensor) else f(x)[1]
        assert last is not x
        assert last.data_ptr() == x.data_ptr()
