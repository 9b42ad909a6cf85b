"""func: derivatives as functions of functions, against PyTorch."""

from __future__ import annotations

import doctest
import sys
import typing
import warnings

import pytest
import torch as pytorch

import chainrule
import chainrule.func
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def values(library, *shape):
    count = 1
    for n in shape:
        count *= n
    return library.linspace(0.2, 1.3, count, dtype=library.float64).reshape(shape)


def x3(library):
    return values(library, 3)


class Pair(typing.NamedTuple):
    first: typing.Any
    second: typing.Any


PROGRAMS = {
    "grad": lambda t, f: f.grad(lambda x: x.sin().sum())(x3(t)),
    "grad of grad": lambda t, f: f.grad(f.grad(lambda x: x.sin()))(t.tensor(0.5)),
    "third": lambda t, f: f.grad(f.grad(f.grad(lambda x: x.exp() * x)))(t.tensor(0.5)),
    "argnums": lambda t, f: f.grad(lambda x, y: (x * y**2).sum(), argnums=(0, 1))(x3(t), x3(t)),
    "negative argnums": lambda t, f: f.grad(lambda x, y: (x * y**2).sum(), argnums=-1)(x3(t), x3(t)),
    "has_aux": lambda t, f: f.grad(lambda x: ((x * x).sum(), {"x": x * 2}), has_aux=True)(x3(t)),
    "grad_and_value": lambda t, f: f.grad_and_value(lambda x: (x * x).sum())(x3(t)),
    "grad_and_value aux": lambda t, f: f.grad_and_value(lambda x: ((x * x).sum(), x), has_aux=True)(x3(t)),
    "trees": lambda t, f: f.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x3(t), "b": [x3(t)]}),
    "named tuple": lambda t, f: tuple(f.grad(lambda p: (p.first * p.second).sum())(Pair(x3(t), x3(t)))),
    "unused": lambda t, f: f.grad(lambda x, y: y.sum(), argnums=0)(x3(t), x3(t)),
    "closure": lambda t, f: f.grad(lambda x: f.grad(lambda y: (x * y**2).sum())(x3(t)).sum())(x3(t)),
    "keywords": lambda t, f: f.grad(lambda x, *, k: (x * k).sum())(x3(t), k=3),
    "vjp": lambda t, f: with_pullback(f.vjp(lambda x: x.sin(), x3(t)), x3(t)),
    "vjp of several": lambda t, f: with_pullback(
        f.vjp(lambda x, y: (x * y, x.sum()), x3(t), x3(t)), (x3(t), t.tensor(2.0))
    ),
    "vjp aux": lambda t, f: f.vjp(lambda x: (x.sin(), x * 2), x3(t), has_aux=True)[2],
    "vjp structure": lambda t, f: f.vjp(lambda x: (x, x), x3(t))[1](x3(t)),
    "jvp": lambda t, f: f.jvp(lambda x: x.sin(), (x3(t),), (x3(t),)),
    "jvp of several": lambda t, f: f.jvp(lambda x, y: {"p": x * y, "s": x.sum()}, (x3(t), x3(t)), (x3(t), x3(t))),
    "jvp aux": lambda t, f: f.jvp(lambda x: (x.sin(), x * 2), (x3(t),), (x3(t),), has_aux=True),
    "jvp of jvp": lambda t, f: f.jvp(lambda x: f.jvp(lambda x: x.sin() * x, (x,), (x3(t),))[1], (x3(t),), (x3(t),)),
    "jvp of grad": lambda t, f: f.jvp(f.grad(lambda x: (x.exp() * x).sum()), (x3(t),), (x3(t),)),
    "grad of jvp": lambda t, f: f.grad(lambda x: f.jvp(lambda x: x.sin() * x, (x,), (x3(t),))[1].sum())(x3(t)),
    "jvp, other structure": lambda t, f: f.jvp(lambda x: x, (x3(t),), (x3(t), x3(t))),
    "linearize": lambda t, f: with_pullback(f.linearize(lambda x: x.sin() * x, x3(t)), x3(t)),
    "jacrev": lambda t, f: f.jacrev(lambda x: x.sin() * x.sum())(x3(t)),
    "jacfwd": lambda t, f: f.jacfwd(lambda x: x.sin() * x.sum())(x3(t)),
    "jacrev of matrices": lambda t, f: f.jacrev(lambda a: a @ a)(values(t, 2, 2)),
    "jacfwd of matrices": lambda t, f: f.jacfwd(lambda a: a @ a)(values(t, 2, 2)),
    "jacrev trees": lambda t, f: f.jacrev(lambda d: [d["a"] * 2, d["b"].sum() * d["a"]])({"a": x3(t), "b": x3(t)}),
    "jacfwd trees": lambda t, f: f.jacfwd(lambda d: [d["a"] * 2, d["b"].sum() * d["a"]])({"a": x3(t), "b": x3(t)}),
    "jacrev argnums": lambda t, f: f.jacrev(lambda x, y: x * y, argnums=(0, 1))(x3(t), x3(t)),
    "jacfwd argnums": lambda t, f: f.jacfwd(lambda x, y: x * y, argnums=(1,))(x3(t), x3(t)),
    "jacrev aux": lambda t, f: f.jacrev(lambda x: (x * x, x.sum()), has_aux=True)(x3(t)),
    "jacfwd aux": lambda t, f: f.jacfwd(lambda x: (x * x, x.sum()), has_aux=True)(x3(t)),
    "jacrev of jacrev": lambda t, f: f.jacrev(f.jacrev(lambda x: (x**3) * x.sum()))(x3(t)),
    "jacfwd of jacfwd": lambda t, f: f.jacfwd(f.jacfwd(lambda x: (x**3) * x.sum()))(x3(t)),
    "jacfwd of jacrev": lambda t, f: f.jacfwd(f.jacrev(lambda x: (x**3) * x.sum()))(x3(t)),
    "jacrev of jacfwd": lambda t, f: f.jacrev(f.jacfwd(lambda x: (x**3) * x.sum()))(x3(t)),
    "hessian": lambda t, f: f.hessian(lambda x: (x.exp() * x).sum() * x[0])(x3(t)),
    "hessian argnums": lambda t, f: f.hessian(lambda x, y: (x * y * y).sum(), argnums=(0, 1))(x3(t), x3(t)),
    "per-sample gradients": lambda t, f: f.vmap(f.grad(lambda w, x: (w @ x).tanh().sum()), in_dims=(None, 0))(
        values(t, 2, 3), values(t, 4, 3)
    ),
    "per-sample gradients of a dict": lambda t, f: f.vmap(
        f.grad(lambda p, x, y: ((t.nn.functional.linear(x, p["w"], p["b"]) - y) ** 2).sum()), in_dims=(None, 0, 0)
    )({"w": values(t, 2, 3), "b": values(t, 2)}, values(t, 4, 3), values(t, 4, 2)),
    "vmap of grad of grad": lambda t, f: f.vmap(f.grad(f.grad(lambda x: x.exp() * x)))(x3(t)),
    "vmap of jacrev": lambda t, f: f.vmap(f.jacrev(lambda x: x.sin() * x.sum()))(values(t, 4, 3)),
    "vmap of jacfwd": lambda t, f: f.vmap(f.jacfwd(lambda x: x.sin() * x.sum()))(values(t, 4, 3)),
    "vmap of hessian": lambda t, f: f.vmap(f.hessian(lambda x: (x**3).sum() * x[0]))(values(t, 2, 3)),
    "vmap of vjp function": lambda t, f: f.vmap(f.vjp(lambda x: x.sin() * x.sum(), x3(t))[1])(
        t.eye(3, dtype=t.float64)
    ),
    "vmap of jvp": lambda t, f: f.vmap(lambda v: f.jvp(lambda x: x.sin() * x.sum(), (x3(t),), (v,))[1])(
        t.eye(3, dtype=t.float64)
    ),
    "vmap of linearized": lambda t, f: f.vmap(f.linearize(lambda x: x.sin() * x.sum(), x3(t))[1])(
        t.eye(3, dtype=t.float64)
    ),
    "grad of vmap": lambda t, f: f.grad(lambda w: f.vmap(lambda x: (w * x).sin().sum())(values(t, 4, 3)).sum())(x3(t)),
    "vmap twice around grad": lambda t, f: f.vmap(f.vmap(f.grad(lambda x: (x**3).sum())))(values(t, 2, 2, 3)),
    "not a number": lambda t, f: f.grad(lambda x: x)(x3(t)),
    "not a tensor": lambda t, f: f.grad(lambda x: 3.0)(x3(t)),
    "no argument": lambda t, f: f.grad(lambda x: x.sum(), argnums=2)(x3(t)),
    "twice the same": lambda t, f: f.grad(lambda x, y: x.sum(), argnums=(0, 0))(x3(t), x3(t)),
    "input is no tensor": lambda t, f: f.grad(lambda x: x)(3.0),
    "no aux": lambda t, f: f.grad(lambda x: x.sum(), has_aux=True)(x3(t)),
    "in place inside": lambda t, f: f.grad(lambda x: x.clone().mul_(x).sum())(x3(t)),
    "write into the input": lambda t, f: f.grad(lambda x: x.mul_(2).sum())(x3(t)),
    "write into a view of the input": lambda t, f: f.grad(lambda x: x[0].mul_(2).sum())(x3(t)),
    "write into the input of vjp": lambda t, f: f.vjp(lambda x: x.mul_(2), x3(t)),
    "write into the input of jacrev": lambda t, f: f.jacrev(lambda x: x.mul_(2))(x3(t)),
    "write into an input that is differentiated outside": lambda t, f: f.grad(lambda x: x.mul_(2).sum())(
        x3(t).requires_grad_() * 1
    ),
    "write into the input of jvp": lambda t, f: f.jvp(lambda x: x.mul_(2) * x, (x3(t),), (x3(t),)),
    "functionalize": lambda t, f: f.functionalize(lambda x: x.clone().mul_(3))(x3(t)),
    "functionalize writes into arguments": lambda t, f: written(f.functionalize(lambda x: x.mul_(3) + 1), x3(t)),
    "functionalize under grad": lambda t, f: f.grad(f.functionalize(lambda x: (x.clone().mul_(x)).sum()))(x3(t)),
    "functionalize what": lambda t, f: f.functionalize(lambda x: x, remove="all"),
    "no_grad around": lambda t, f: under(t.no_grad(), lambda: f.grad(lambda x: (x * x).sum())(x3(t))),
}


def with_pullback(pair, cotangents):
    return pair[0], pair[1](cotangents)


def written(function, x):
    return function(x), x


def under(context, function):
    with context:
        return function()


@pytest.mark.parametrize("case", PROGRAMS)
def test_against_pytorch(case):
    def program(library):
        with warnings.catch_warnings():  # PyTorch's own linearize warns about itself
            warnings.filterwarnings("ignore", "Attempted to insert a get_attr Node")
            return PROGRAMS[case](library, library.func)

    agree(program, words=2)


# ---- with ordinary autograd outside


def test_results_have_a_graph_where_somebody_outside_asks():
    def program(library):
        w = x3(library).requires_grad_()
        free = library.func.grad(lambda x: (x**3).sum())(x3(library))
        bound = library.func.grad(lambda x: (x**3 * w).sum())(x3(library))
        through = library.func.grad(lambda x: (x**3).sum())(w)
        bound.sum().backward()
        first = w.grad.clone()
        through.sum().backward()
        return free.requires_grad, bound.requires_grad, through.requires_grad, first, w.grad

    agree(program)


def test_jacobians_can_be_differentiated():
    def program(library):
        w = x3(library).requires_grad_()
        library.func.jacrev(lambda x: x**3)(w).sum().backward()
        first = w.grad.clone()
        library.func.jacfwd(lambda x: x**3)(w).sum().backward()
        return first, w.grad

    agree(program)


def test_nothing_is_left_behind():
    x = x3(chainrule)
    result = chainrule.func.hessian(lambda x: (x**3).sum())(x)
    assert not result.requires_grad
    assert not chainrule.func.jacfwd(chainrule.func.jacrev(lambda x: x**3))(x).requires_grad
    assert x.grad is None


@pytest.mark.parametrize("module", ["gradients", "jacobians", "vmap"])
def test_docstrings(module):
    name = f"chainrule.func.{module}"
    found = sys.modules[name] if module != "vmap" else __import__("importlib").import_module(name)
    result = doctest.testmod(found, extraglobs={"torch": chainrule})
    assert result.failed == 0


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("prepare", [False, True])
def test_jacobians_in_chunks(size, prepare):
    def program(library):
        jacrev = library.func.jacrev
        plain = jacrev(lambda x: x.sin() * x.sum(), chunk_size=size, _preallocate_and_copy=prepare)
        several = jacrev(lambda x, y: (x * y, x.sum()), argnums=(0, 1), chunk_size=size)
        return plain(x3(library)), several(x3(library), x3(library))

    agree(program)


def test_chunks_bound_the_rows_that_exist_at_once():
    function, seen = chainrule._core.gradients_by_row, []

    def counted(output, rows, *rest):
        seen.append(len(rows))
        return function(output, rows, *rest)

    chainrule._core.gradients_by_row = counted
    try:
        chainrule.func.jacrev(lambda x: x * x, chunk_size=4)(values(chainrule, 10))
    finally:
        chainrule._core.gradients_by_row = function
    assert seen == [4, 4, 2]


# ---- autograd.grad with batches of gradients


def test_is_grads_batched():
    def program(library):
        x = x3(library).requires_grad_()
        y = x.sin() * x.sum()
        return library.autograd.grad(y, x, library.eye(3, dtype=library.float64), is_grads_batched=True)

    agree(program)


# ---- what is refused, and modes

REFUSED = {
    "grad of whole numbers": lambda f, t, x: f.grad(lambda x: x.sum())(t.arange(3)),
    "argnums": lambda f, t, x: f.grad(lambda x: x.sum(), argnums="a")(x),
    "vjp of whole numbers": lambda f, t, x: f.vjp(lambda x: x.long(), x),
    "vjp of no tensor": lambda f, t, x: f.vjp(lambda x: 3, x),
    "a cotangent's shape": lambda f, t, x: f.vjp(lambda x: x * 2, x)[1](t.ones(2)),
    "a cotangent's type": lambda f, t, x: f.vjp(lambda x: x * 2, x)[1](3.0),
    "jvp of nothing": lambda f, t, x: f.jvp(t.sin, (), ()),
    "jvp of a number": lambda f, t, x: f.jvp(t.sin, (3,), (3,)),
    "a tangent's shape": lambda f, t, x: f.jvp(t.sin, (x,), (t.ones(2),)),
    "jvp to a number": lambda f, t, x: f.jvp(lambda x: 3, (x,), (x,)),
    "linearize, shape": lambda f, t, x: f.linearize(lambda a, b: a * b, x, x)[1](x, t.ones(2)),
    "linearize, dtype": lambda f, t, x: f.linearize(lambda a, b: a * b, x, x)[1](x, x.float()),
    "jacrev of whole numbers": lambda f, t, x: f.jacrev(lambda x: x.sum())(t.arange(3)),
    "jacrev to whole numbers": lambda f, t, x: f.jacrev(lambda x: x.long())(x),
    "jacrev of complex numbers": lambda f, t, x: f.jacrev(t.sin)(x + 1j),
    "jacfwd of complex numbers": lambda f, t, x: f.jacfwd(t.sin)(x + 1j),
    "jacrev to complex numbers": lambda f, t, x: f.jacrev(lambda x: x + 1j)(x),
    "jacfwd to complex numbers": lambda f, t, x: f.jacfwd(lambda x: x + 1j)(x),
    "another dict": lambda f, t, x: f.vmap(lambda d: d["b"], in_dims=({"a": 0},))({"b": x}),
    "out_dims is no number": lambda f, t, x: f.vmap(lambda x: x, out_dims="a")(x),
    "out_dims of another tree": lambda f, t, x: f.vmap(lambda x: x, out_dims=(0, 0))(x),
}


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")
@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    agree(lambda t: REFUSED[case](t.func, t, t.arange(1.0, 4.0, dtype=t.float64)), words=4)


def test_inside_inference_mode():
    def program(t):
        f, w = t.func, t.tensor(3.0, requires_grad=True)
        with t.inference_mode():
            x = t.tensor([1.0, 2.0])
            found = [
                f.grad(lambda x: (w * x**2).sum())(x),
                f.vjp(lambda x: x**2, x)[1](t.ones(2)),
                f.jacrev(lambda x: x**2)(x),
                f.hessian(lambda x: (x**3).sum())(x),
                f.vmap(f.grad(lambda x: x**2))(x),
            ]
        return [*found, f.grad(lambda x: (x**2).sum())(x)]

    agree(program)


@pytest.mark.parametrize("randomness", ["same", "different"])
def test_chunks_draw_as_the_whole(randomness):
    def program(t):
        t.manual_seed(0)
        return t.func.vmap(lambda x: x + t.randn(2), randomness=randomness, chunk_size=2)(t.zeros(4, 2))

    agree(program)


def test_one_mask_for_all_samples():
    def program(t, drop):
        t.manual_seed(1)
        return t.func.vmap(lambda x: drop(t.nn.functional, x), randomness="same")(t.arange(1.0, 41.0).view(2, 20))

    agree(lambda t: program(t, lambda f, x: f.dropout(x, 0.5)))
    agree(lambda t: program(t, lambda f, x: f.alpha_dropout(x, 0.5)))


@pytest.mark.parametrize("randomness", ["error", "same", "different"])
def test_random_slopes(randomness):
    """PyTorch refuses rrelu inside vmap, also where it draws nothing."""

    def slopes(t, training):
        return t.func.vmap(lambda x: t.rrelu(x, training=training), randomness=randomness)(t.ones(3, 5))

    agree(lambda t: slopes(t, False), words=7)
    agree(lambda t: slopes(t, True), words=7)


# ---- writing in place

CAPTURED = {
    "number": lambda t, c, x: c.mul_(2),
    "input": lambda t, c, x: c.add_(x),
    "copy_": lambda t, c, x: c.copy_(x),
    "assigned": lambda t, c, x: c.__setitem__(0, x[0]),
    "part": lambda t, c, x: c[:1].mul_(2.0),
    "zero_": lambda t, c, x: c.zero_(),
    "detached": lambda t, c, x: c.detach().add_(1),
    "random": lambda t, c, x: c.normal_(),
    "under no_grad": lambda t, c, x: t.no_grad()(c.add_)(1),
}
TRANSFORMS = {
    "grad": lambda f, g, x: f.grad(g)(x),
    "grad_and_value": lambda f, g, x: f.grad_and_value(g)(x),
    "vjp": lambda f, g, x: f.vjp(g, x)[0],
    "jvp": lambda f, g, x: f.jvp(g, (x,), (x,)),
    "jacrev": lambda f, g, x: f.jacrev(g)(x),
    "nested": lambda f, g, x: f.grad(f.grad(lambda y: g(y * x)))(x[0]),
}


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("write", CAPTURED.values(), ids=CAPTURED)
def test_what_a_function_captured_it_may_not_overwrite(write, transform):
    def program(t):
        captured, seen = t.ones(3, dtype=t.float64), []

        def function(x):
            write(t, captured, x)
            return (x * captured).sum()

        try:
            transform(t.func, function, x3(t))
        except RuntimeError as error:
            seen.append(str(error).startswith("During a grad (vjp, jvp, grad, etc) transform, the function provided"))
        return [seen, captured]  # and it is as it was

    agree(program)


def test_arguments_and_own_tensors_may_be_overwritten():
    def program(t):
        def function(x, buffer, more):
            buffer.add_(1)
            more["count"].mul_(2)
            own = t.zeros(3, dtype=t.float64)
            own[0] = x[0]
            t.func.grad(lambda y: (y * own).sum())(own)
            own.add_(x * buffer)
            return (own * more["count"]).sum()

        buffer, more = t.ones(3, dtype=t.float64), {"count": t.ones(3, dtype=t.float64)}
        result = t.func.grad(function)(x3(t), buffer, more=more)
        buffer.mul_(2)  # the transform has ended
        return [result, buffer, more["count"]]

    agree(program)


IN_PLACE = {
    "mul_": lambda t, x: (x.mul_(2) * x).sum(),
    "add_": lambda t, x: (x.add_(1) ** 2).sum(),
    "part": lambda t, x: (x[:1].mul_(3.0).sum() + x**2).sum(),
    "assigned": lambda t, x: x.__setitem__(0, 5.0) or x**2,
    "own tensor": lambda t, x: filled(t.zeros(3, dtype=t.float64), x),
    "own empty": lambda t, x: filled(t.empty(3, dtype=t.float64), x),
    "own of x": lambda t, x: filled(x.new_zeros(3), x),
    "returned": lambda t, x: x.mul_(2),
}


def filled(into, x):
    for i in range(3):
        into[i] = x[i] * x[2 - i]
    return into


@pytest.mark.parametrize("function", IN_PLACE.values(), ids=IN_PLACE)
def test_forward_jacobians_of_functions_that_write(function):
    agree(lambda t: t.func.jacfwd(lambda x: function(t, x))(x3(t)))


# ---- what belongs to graphs of the user's own

OWN_GRAPHS = {
    "backward": lambda t, x: (x * x).sum().backward(),
    "autograd.backward": lambda t, x: t.autograd.backward((x * x).sum()),
    "requires_grad_": lambda t, x: t.zeros(2).requires_grad_(),
    "requires_grad_ of the argument": lambda t, x: x.requires_grad_(),
    "retain_grad": lambda t, x: (x * 2).retain_grad(),
}
TRANSFORMS = {
    "grad": lambda t, f: t.func.grad(f)(t.ones(2)),
    "vjp": lambda t, f: t.func.vjp(f, t.ones(2)),
    "jvp": lambda t, f: t.func.jvp(f, (t.ones(2),), (t.ones(2),)),
    "vmap": lambda t, f: t.func.vmap(f)(t.ones(3, 2)),
    "hessian": lambda t, f: t.func.hessian(f)(t.ones(2)),
    "vmap of grad": lambda t, f: t.func.vmap(t.func.grad(f))(t.ones(3, 2)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("call", OWN_GRAPHS)
def test_graphs_of_the_users_own_are_refused_inside(transform, call):
    def run(t):
        def f(x):
            OWN_GRAPHS[call](t, x)
            return (x * x).sum()

        with pytest.raises(RuntimeError) as caught:
            TRANSFORMS[transform](t, f)
        return str(caught.value).split("\n")[0]

    assert run(chainrule) == run(pytorch)


def test_parameters_may_be_made_inside():
    def f(t, x):
        return (x * t.nn.Parameter(t.full((2,), 3.0))).sum() + (x * t.full((2,), 2.0, requires_grad=True)).sum()

    for library in (chainrule, pytorch):
        found = library.func.grad(lambda x, t=library: f(t, x))(library.ones(2))
        assert found.tolist() == [5.0, 5.0]
        assert not found.requires_grad  # they are gone, and nobody can ask for their gradients


def test_what_results_depend_on_beyond_the_transform():
    def program(t):
        w, ones = t.ones(2, requires_grad=True), t.ones(2)
        captured = t.func.grad(lambda x: (x * w).sum())(ones)
        argument = t.func.grad(lambda x, w: (x * w).sum())(ones, w)
        nested = t.func.grad(lambda x: t.func.grad(lambda y: (y * x * t.ones(2, requires_grad=True)).sum())(x).sum())
        _, tangent = t.func.jvp(lambda x: x * t.nn.Parameter(t.ones(2)), (ones,), (ones,))
        return captured.requires_grad, argument.requires_grad, nested(ones), tangent

    agree(program)


# ---- what is refused, what leads further out


@pytest.mark.parametrize("aux", [1, "a", None, [1.0]])
def test_auxiliary_values_are_tensors(aux):
    for call in (
        lambda t, x: t.func.grad(lambda x: (x.sum(), aux), has_aux=True)(x),
        lambda t, x: t.func.vjp(lambda x: (x, aux), x, has_aux=True),
        lambda t, x: t.func.jvp(lambda x: (x, aux), (x,), (x,), has_aux=True),
        lambda t, x: t.func.jacfwd(lambda x: (x, aux), has_aux=True)(x),
    ):
        agree(lambda t, call=call: call(t, t.ones(2)), words=4)


@pytest.mark.parametrize("output", [None, (), 1])
def test_outputs_are_tensors(output):
    for call in (
        lambda t, x: t.func.vjp(lambda x: output, x),
        lambda t, x: t.func.jvp(lambda x: output, (x,), (x,)),
        lambda t, x: t.func.jacrev(lambda x: output)(x),
    ):
        agree(lambda t, call=call: call(t, t.ones(2)), words=8)


def test_argnums():
    for argnums in ([0], 0.0, ("0",), (0, 0), 2):
        agree(lambda t, n=argnums: t.func.grad(t.mul, argnums=n)(t.ones(()), t.ones(())), words=5)


def test_no_grad_around_vjp_and_around_its_function():
    def program(t):
        x = t.tensor(3.0, requires_grad=True)
        found = []
        for first, second in ((True, False), (False, True), (False, False), (True, True)):
            with t.set_grad_enabled(first):
                out, pull = t.func.vjp(lambda x: x**2, x)
            with t.set_grad_enabled(second):
                (y,) = pull(t.tensor(1.0))
            found += [out.requires_grad, y.requires_grad, y]
        return found

    agree(program)


def test_saved_tensor_hooks():
    def program(t, transform):
        def g(x):
            with t.autograd.graph.save_on_cpu():
                return x.sin().sum()

        return transform(t)(g)(t.ones(2))

    for name in ("grad", "jacrev", "grad_and_value"):
        agree(lambda t, name=name: program(t, lambda t: getattr(t.func, name)), words=8)
    agree(lambda t: t.func.jvp(t.sin, (t.ones(2),), (t.ones(2),)))


def test_writes_into_other_arguments():
    def program(t, jacobian):
        def f(x, y):
            y.copy_(x)
            return y * y

        x, y = t.tensor([1.0, 2.0]), t.zeros(2)
        return getattr(t.func, jacobian)(f)(x, y), y

    agree(lambda t: program(t, "jacrev"))
    agree(lambda t: program(t, "jacfwd"))


def test_numbers_without_dimensions():
    for name in ("jacrev", "jacfwd"):
        agree(lambda t, name=name: getattr(t.func, name)(lambda x: x * x)(t.tensor(3.0)))


def test_gradients_of_outer_tensors_inside_vmap():
    def program(t):
        x, w = t.arange(3.0).requires_grad_(), t.tensor(2.0, requires_grad=True)
        y = x.sin() * w
        found = t.func.vmap(lambda g: t.autograd.grad(y, (x, w), g, retain_graph=True))(t.eye(3))
        return found, t.autograd.grad((x * w).sum(), (x, w), t.ones(2), is_grads_batched=True)

    agree(program)


def test_tensors_inside_transforms_print():
    def program(t):
        texts = []

        def show(x):
            texts.append(repr(x))
            return x.sum()

        x = t.arange(6.0).reshape(2, 3)
        t.func.grad(show)(x)
        t.func.vmap(show, in_dims=1)(x)
        t.func.vmap(t.func.grad(show))(x)
        t.func.grad(lambda y: t.func.vmap(lambda z: show(z * y[0, 0]))(t.ones(2, 2)).sum())(x)
        t.func.grad(t.func.grad(lambda y: show(y) * y))(t.tensor(1.0))
        t.func.grad(lambda y: (show(x.clone()), y.sum())[1])(x * 1)
        return texts

    agree(program)


def test_models_of_different_kinds_are_not_stacked():
    def program(t):
        models = [t.nn.Linear(2, 2) for _ in range(2)]
        models[0].weight.requires_grad_(False)
        return t.func.stack_module_state(models)

    agree(program, words=9)
