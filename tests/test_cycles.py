"""Programs that tie knots of tensors, nodes, contexts and hooks: after each, everything is freed."""

from __future__ import annotations

import contextlib
import gc

import pytest

import chainrule
import chainrule.func
import chainrule.utils.checkpoint

graph, func, forward_ad = chainrule.autograd.graph, chainrule.func, chainrule.autograd.forward_ad


def leaf():
    return chainrule.ones(4, requires_grad=True)


def function(forward, backward):
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Made", (chainrule.autograd.Function,), members).apply


def second_derivatives():
    x = leaf()
    (x**3).sum().backward(create_graph=True)
    (x.grad**2).sum().backward(create_graph=True)


def a_gradient_kept_by_its_leaf():
    x = leaf()
    (x.kept,) = chainrule.autograd.grad((x**3).sum(), x, create_graph=True)


def a_context_that_holds_itself():
    def forward(ctx, x):
        ctx.itself, ctx.input, ctx.output = ctx, x, x * 2
        ctx.save_for_backward(x, ctx.output)
        return ctx.output

    y = function(forward, lambda ctx, g: g)(leaf())
    y.node = y.grad_fn


def a_context_that_holds_its_output_after_backward():
    def forward(ctx, x):
        ctx.output = x * 2
        return ctx.output

    function(forward, lambda ctx, g: g)(leaf()).sum().backward()


def a_function_twice_differentiated():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    x = leaf()
    y = function(forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2)(x)
    (g,) = chainrule.autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward(create_graph=True)


def an_exception_in_backward():
    def backward(ctx, g):
        raise ValueError

    x = leaf()
    with contextlib.suppress(ValueError):
        (function(lambda ctx, x: x * 2, backward)(x) * x).sum().backward()


def an_exception_in_forward():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        raise ValueError

    with contextlib.suppress(ValueError):
        function(forward, lambda ctx, g: g)(leaf())


def hooks_that_hold_what_they_watch():
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: y * g)
    y.grad_fn.register_hook(lambda inputs, outputs, held=y: None)
    x.register_post_accumulate_grad_hook(lambda p, held=x: None)
    graph.register_multi_grad_hook((x, y), lambda gradients: x)
    y.sum().backward()


def saved_tensors_packed_with_their_leaf():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: (t, x), lambda packed: packed[0]):
        y = (x * x).exp()
    y.node = y.grad_fn


def a_saved_tensor_packed_with_its_result():
    x = leaf()
    y = x * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: (t, y), lambda packed: packed[0])


def an_unpack_hook_that_is_refused():
    x = leaf()
    with graph.saved_tensors_hooks(lambda t: t, lambda t: chainrule.ones(7)):
        y = x * x
    with pytest.raises(RuntimeError, match="packed"):
        y.sum().backward()


def checkpoints():
    for run in (True, False):
        y = chainrule.utils.checkpoint.checkpoint(lambda x: x.sin().exp(), leaf(), use_reentrant=False)
        y.itself = y
        if run:
            y.sum().backward()


def dual_tensors_and_their_views():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(chainrule.ones(4), chainrule.ones(4))
        view = dual[:2]
        view.mul_(2)
        dual.mul_(3)
        other = view.view(2, 1)
        other.zero_()
        dual.kept = (dual, view, other)


def functions_of_functions():
    x = chainrule.ones(3)
    func.hessian(lambda x: (x**3).sum())(x)
    func.vmap(func.grad(lambda a: a**2))(x)
    func.jacfwd(chainrule.sin)(x)
    func.vjp(chainrule.sin, x)
    func.linearize(chainrule.sin, x)


def functions_of_functions_that_raise():
    for transform in (func.grad, func.vmap, func.jacrev, func.jacfwd, func.hessian):
        with contextlib.suppress(ZeroDivisionError):
            transform(lambda x: 1 / 0)(chainrule.ones(3))


def anomalies():
    x = chainrule.tensor([-1.0], requires_grad=True)
    with contextlib.suppress(RuntimeError), chainrule.autograd.set_detect_anomaly(True):
        x.sqrt().sum().backward()


def views_and_writes():
    base = leaf() * 1
    view = base[:2]
    view.mul_(2)
    base.add_(view.sum())
    base.view_of_it = view
    base.sum().backward()


PROGRAMS = [
    *(second_derivatives, a_gradient_kept_by_its_leaf, a_context_that_holds_itself),
    *(a_context_that_holds_its_output_after_backward, a_function_twice_differentiated, an_exception_in_backward),
    *(an_exception_in_forward, hooks_that_hold_what_they_watch, saved_tensors_packed_with_their_leaf),
    *(a_saved_tensor_packed_with_its_result, an_unpack_hook_that_is_refused, checkpoints),
    *(dual_tensors_and_their_views, functions_of_functions, functions_of_functions_that_raise, anomalies),
    views_and_writes,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_nothing_is_left(program):
    program()  # what is made once stays: classes, caches
    gc.collect()
    before = chainrule._core.live_tensors(), chainrule._core.live_nodes()
    for _ in range(2):
        program()
    gc.collect()
    assert (chainrule._core.live_tensors(), chainrule._core.live_nodes()) == before
