"""What the user's code finds in .grad while a pass runs, and what becomes of its changes, beside PyTorch."""

from __future__ import annotations

import threading
import time

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def called_by_hook(library, x, call):
    y = x * 2
    y.register_hook(lambda g: call())
    return y


def called_by_prehook(library, x, call):
    y = x * 2
    y.grad_fn.register_prehook(lambda g: call())
    return y


def called_by_node_hook(library, x, call):
    y = x * 2
    y.grad_fn.register_hook(lambda i, o: call())
    return y


def called_by_leaf_hook(library, x, call):
    x.register_hook(lambda g: call())
    return x * 2


def called_after_accumulation(library, x, call):
    x.register_post_accumulate_grad_hook(lambda p: call())
    return x * 2


def called_by_function(library, x, call):
    class Function(library.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            call()
            return g * 2

    return Function.apply(x)


def called_by_unpacking(library, x, call):
    with library.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: (call(), t)[1]):
        return x.exp()


def called_by_checkpoint(library, x, call):
    def segment(v):
        call()
        return v.sin()

    return library.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)


def called_by_module(library, x, call):
    layer = library.nn.Identity()
    layer.register_full_backward_hook(lambda module, i, o: call())
    return layer(x * 2)


WAYS = [
    *(called_by_hook, called_by_prehook, called_by_node_hook, called_by_leaf_hook, called_after_accumulation),
    *(called_by_function, called_by_unpacking, called_by_checkpoint, called_by_module),
]
OF_LEAVES = WAYS[3:5]


def look(library, leaves):
    pass


def clear(library, leaves):
    leaves[0].grad = None


def clip(library, leaves):
    library.nn.utils.clip_grad_norm_(leaves[:2], 0.5)


def write(library, leaves):
    with library.no_grad():
        for leaf in leaves[:2]:
            if leaf.grad is not None:
                leaf.grad.mul_(10)


def run_another_pass(library, leaves):
    with library.enable_grad():
        (leaves[0] * leaves[1] * 5).sum().backward()


def raise_an_error(library, leaves):
    raise ZeroDivisionError


@pytest.mark.parametrize("act", [look, clear, clip, write, run_another_pass, raise_an_error])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_are_complete_or_not_there(way, act, create_graph):
    """`early` is read after x only, `late` before and after it: a part of its gradient is nowhere to be seen."""

    def program(library):
        early, late, x = (library.tensor([1.0, 2.0], requires_grad=True) for _ in range(3))
        leaves, seen, passing = (early, late, x), [], False

        def call():
            if passing:
                seen.append([None if t.grad is None else t.grad.detach().clone() for t in leaves])
                act(library, leaves)

        for _ in range(2):
            z = way(library, x, call) * late if way in OF_LEAVES else way(library, x * late, call)
            loss = ((z * early).exp() * late * early).sum()
            passing = True
            try:
                loss.backward(create_graph=create_graph)
            except ZeroDivisionError:
                seen.append("raised")
            passing = False
            for t in leaves:
                t.grad = None if t.grad is None else t.grad.detach()
        return seen, [t.grad for t in leaves]

    agree(program, tolerance=1e-5)


def test_a_sum_goes_on_where_it_was_interrupted():
    """The parts are added in the order in which they arrive, whether or not somebody looks on in between."""

    def program(library):
        w, x = library.ones(3, requires_grad=True), library.ones(3, requires_grad=True)
        last, middle = w * -(2.0**24), w * 2.0**24
        y = x * 1
        y.register_hook(lambda g: None)
        (w * 1 + middle + last + y).sum().backward()
        return w.grad

    agree(program)


def test_passes_that_meet_in_a_leaf_lose_nothing():
    """Each lets another thread run in the middle, when it has delivered a part."""

    class Function(chainrule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            time.sleep(0)
            return g

    w = chainrule.ones(4, requires_grad=True)

    def work():
        for _ in range(50):
            x = chainrule.ones(4, requires_grad=True)
            y = Function.apply(Function.apply(x * w) * w)
            (y * w).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.grad.tolist() == [600.0] * 4
