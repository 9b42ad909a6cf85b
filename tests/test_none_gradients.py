"""Gradients that are None on their way through the graph: hooks see them, functions written in Python get zeros."""

from __future__ import annotations

import pytest

from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(torch):
    return torch.tensor([1.0, 2.0], requires_grad=True)


def ends_here(torch):
    """A function whose gradient is None."""

    class Ends(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    return Ends.apply


def watched(torch, log, materialize=True):
    """The identity, which says what arrives at its backward."""

    class Watched(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            log.append(g)
            return g

    return Watched.apply


def every_hook(torch):
    log, x = [], leaf(torch)
    y = x * 1
    x.register_hook(lambda g: log.append(("leaf", g)))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", p.grad)))
    y.register_hook(lambda g: log.append(("tensor", g)))
    y.grad_fn.register_prehook(lambda g: log.append(("before", g)))
    y.grad_fn.register_hook(lambda i, o: log.append(("after", i, o)))
    ends_here(torch)(y).sum().backward()
    return log, x.grad


def hooks_of_the_accumulator(torch):
    log, x = [], leaf(torch)
    y = ends_here(torch)(x)
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda g: log.append(("before", g)))
    accumulator.register_hook(lambda i, o: log.append(("after", i, o)))
    y.sum().backward()
    return log


def an_output_that_is_not_used(torch):
    log, x = [], leaf(torch)
    a, b = x.unbind(0)
    b.register_hook(lambda g: log.append(g))
    b.retain_grad()
    a.backward()
    return log, b.grad, x.grad


def a_hook_cannot_make_something_of_nothing(torch):
    a, b = leaf(torch).unbind(0)
    b.register_hook(lambda g: torch.ones(()))
    a.backward()


def a_node_hook_cannot_either(torch):
    y = leaf(torch) * torch.ones(2)
    y.grad_fn.register_hook(lambda i, o: (i[0], torch.ones(2)))
    y.sum().backward()


def zeros_for_python(torch):
    log, x = [], leaf(torch)
    ends_here(torch)(watched(torch, log)(x)).sum().backward()
    return log, x.grad


def none_for_python_that_wants_it(torch):
    log, x = [], leaf(torch)
    ends_here(torch)(watched(torch, log, materialize=False)(x)).sum().backward()
    return log, x.grad


def none_from_a_prehook(torch):
    x = leaf(torch)
    y = x * 2
    y.grad_fn.register_prehook(lambda g: (None,))
    y.sum().backward()
    return x.grad


def beside_another_gradient(torch):
    log, x = [], leaf(torch)
    x.register_hook(lambda g: log.append(g))
    y = x * 3
    y.register_hook(lambda g: log.append(g))
    (ends_here(torch)(y).sum() + (y * y).sum()).backward()
    return log, x.grad


def hooks_on_several(torch):
    log, x, y = [], leaf(torch), leaf(torch)
    torch.autograd.graph.register_multi_grad_hook((x, y), lambda gs: log.append(list(gs)))
    (ends_here(torch)(x).sum() + y.sum()).backward()
    return log


def what_was_saved_is_freed(torch):
    x = leaf(torch)
    y = x * x
    ends_here(torch)(y).sum().backward()
    y.sum().backward()


def large_tensors(torch):
    x = torch.ones(200_000, requires_grad=True)
    y = (x * x).sin() * x
    (ends_here(torch)(y).sum() + (y * 3).exp().mean()).backward()
    alone = torch.ones(200_000, requires_grad=True)
    ends_here(torch)((alone * alone).sin() * alone).sum().backward()
    return x.grad[:3], alone.grad


def asked_for(torch):
    log, x = [], leaf(torch)
    y = x * 2
    y.register_hook(lambda g: log.append(g))
    x.register_hook(lambda g: log.append(g))
    return torch.autograd.grad(ends_here(torch)(y).sum() + x.sum(), x), log


PROGRAMS = [
    *(every_hook, hooks_of_the_accumulator, an_output_that_is_not_used, a_hook_cannot_make_something_of_nothing),
    *(a_node_hook_cannot_either, zeros_for_python, none_for_python_that_wants_it, none_from_a_prehook),
    *(beside_another_gradient, hooks_on_several, what_was_saved_is_freed, large_tensors, asked_for),
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_none_on_its_way(program):
    agree(program, words=5)
