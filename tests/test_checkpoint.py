"""utils.checkpoint: parts of a calculation that are done again in backward."""

import warnings

import pytest
import torch.utils.checkpoint  # noqa: F401  (for the reference)

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")
BOTH = pytest.mark.parametrize("reentrant", [False, True])


def leaf(library, *values):
    return library.tensor(values or (0.5, 0.25), requires_grad=True)


@BOTH
def test_gradients_and_number_of_calls(reentrant):
    def program(library):
        calls = []

        def part(x, w):
            calls.append(library.is_grad_enabled())
            return (x * w).exp().sin()

        x, w = leaf(library), leaf(library)
        y = library.utils.checkpoint.checkpoint(part, x, w, use_reentrant=reentrant)
        before = len(calls)
        y.sum().backward()
        return x.grad, w.grad, before, len(calls), y

    agree(program)


@BOTH
def test_random_numbers_are_the_same_again(reentrant):
    def part(library):
        return lambda x: x * library.rand(2) * library.rand(2).exp()

    def program(library):
        library.manual_seed(3)
        x = leaf(library)
        y = library.utils.checkpoint.checkpoint(part(library), x, use_reentrant=reentrant)
        after = library.rand(1)
        y.sum().backward()
        return y, x.grad, after, library.rand(1)

    agree(program)


def test_nothing_is_kept():
    x = chainrule.rand(1000, requires_grad=True)
    y = chainrule.utils.checkpoint.checkpoint(lambda x: x.sin().cos().exp(), x, use_reentrant=False)
    assert all(type(o).__name__ == "_Place" for o in _saved_objects(y))


def _saved_objects(y):
    import gc

    found = gc.get_referents(y.grad_fn)
    for promise in [o for o in found if isinstance(o, tuple)]:  # the unpack hook, and the shape that it has to return
        found.extend(promise)
    return [o for o in found if not isinstance(o, (chainrule.autograd.Node, type(lambda: 0), type, int, tuple))]


def test_nested():
    def program(library):
        checkpoint, calls = library.utils.checkpoint.checkpoint, []

        def inner(x):
            calls.append("inner")
            return x.exp().sin()

        def outer(x):
            calls.append("outer")
            return checkpoint(inner, x * 2, use_reentrant=False).cos()

        x = leaf(library)
        y = checkpoint(outer, x, use_reentrant=False)
        y.sum().backward()
        return x.grad, calls[:2]

    agree(program)


def test_second_order_and_grad():
    def program(library):
        x = leaf(library)
        y = library.utils.checkpoint.checkpoint(lambda x: x.exp() * x, x, use_reentrant=False)
        (g,) = library.autograd.grad(y.sum(), x, create_graph=True)
        return g, library.autograd.grad(g.sum(), x)

    agree(program)


def test_twice_with_retain_graph():
    def program(library):
        x = leaf(library)
        y = library.utils.checkpoint.checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False).sum()
        y.backward(retain_graph=True)
        y.backward()
        return x.grad

    agree(program)


def test_keywords_structures_and_contexts():
    def program(library):
        log = []

        class Note:
            def __init__(self, name):
                self.name = name

            def __enter__(self):
                log.append(self.name)

            def __exit__(self, *exception):
                log.append("end of " + self.name)

        def part(x, *, scale):
            return {"y": x * scale, "z": [x.exp()]}

        x = leaf(library)
        out = library.utils.checkpoint.checkpoint(
            part, x, scale=3, use_reentrant=False, context_fn=lambda: (Note("first"), Note("second"))
        )
        (out["y"] + out["z"][0]).sum().backward()
        return x.grad, log

    agree(program)


def test_early_stop():
    def program(library):
        log = []

        def part(x):
            y = x.exp().sin()
            log.append("after")
            return y

        for early in (True, False):
            with library.utils.checkpoint.set_checkpoint_early_stop(early):
                library.utils.checkpoint.checkpoint(part, leaf(library), use_reentrant=False).sum().backward()
            log.append(early)
        return log

    agree(program)


def different_each_time(library, change):
    """A function that does something else the second time."""
    calls = []

    def part(x):
        calls.append(1)
        return change(library, x) if len(calls) > 1 else x.exp().sin()

    return part


CHANGES = {
    "fewer": lambda library, x: x.exp(),
    "shape": lambda library, x: x[:1].exp().sin(),
}


@pytest.mark.parametrize("case", CHANGES)
def test_another_calculation_the_second_time(case):
    def program(library):
        part = different_each_time(library, CHANGES[case])
        y = library.utils.checkpoint.checkpoint(part, leaf(library), use_reentrant=False)
        with pytest.raises(library.utils.checkpoint.CheckpointError) as caught:
            y.sum().backward()
        return str(caught.value).split()[:8]

    agree(program)


def test_overwritten_argument():
    def program(library):
        x = leaf(library) * 1
        y = library.utils.checkpoint.checkpoint(lambda x: x.exp(), x, use_reentrant=False)
        x.add_(1)
        y.sum().backward()

    agree(program, words=8)


MISTAKES = {
    "keyword": lambda library, f: f(lambda x: x, leaf(library), use_reentrant=True, scale=2),
    "check": lambda library, f: f(lambda x: x, leaf(library), use_reentrant=False, determinism_check="some"),
    "context": lambda library, f: f(lambda x: x, leaf(library), use_reentrant=True, context_fn=print),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case):
    agree(lambda library: MISTAKES[case](library, library.utils.checkpoint.checkpoint), words=3)


def test_warnings():
    def texts(library, f):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            f(library)
        return [str(w.message)[:60] for w in seen]

    def program(library):
        checkpoint = library.utils.checkpoint.checkpoint
        return (
            texts(library, lambda library: checkpoint(lambda x: x * 2, leaf(library))),
            texts(library, lambda library: checkpoint(lambda x: x * 2, library.ones(1), use_reentrant=True)),
        )

    agree(program)


@BOTH
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequential(segments, reentrant):
    def program(library):
        steps = [lambda x: x.exp(), lambda x: x.sin(), lambda x: x * x, lambda x: x.tanh()]
        x = leaf(library)
        y = library.utils.checkpoint.checkpoint_sequential(steps, segments, x, use_reentrant=reentrant)
        y.sum().backward()
        return y, x.grad

    agree(program)


@pytest.mark.parametrize("how", ["argument", "setting"])
def test_debug_lists_the_operations_of_both_calculations(how):
    checkpointing, calls = chainrule.utils.checkpoint, []

    def part(x):
        calls.append(1)
        return x.sin().cos() if len(calls) == 1 else x.cos()

    with checkpointing.set_checkpoint_debug_enabled(True if how == "setting" else None):
        y = checkpointing.checkpoint(part, leaf(chainrule), use_reentrant=False, debug=how == "argument")
    with pytest.raises(
        checkpointing.CheckpointError, match="An error happened while unpacking tensors; dump"
    ) as caught:
        y.sum().backward()
    first, second = str(caught.value).split("Operations executed during recomputation:")
    assert "sin(torch.float32[2])" in first
    assert "sin(" not in second.split("You are seeing")[0]
    assert "test_checkpoint.py:" in second


def test_groups_of_passes():
    def program(library, group):
        calls = []

        def part(x):
            calls.append(1)
            y = x.sin().cos()
            return y, y.sin().cos()

        checkpoint = library.utils.checkpoint
        x = leaf(library)
        y, z = checkpoint.checkpoint(part, x, use_reentrant=False)
        import contextlib

        with checkpoint.GraphExecGroup() if group else contextlib.nullcontext():
            (g,) = library.autograd.grad(z.sum(), y)
            (g,) = library.autograd.grad(y, x, g)
        return len(calls), g

    agree(lambda library: program(library, True))
    agree(lambda library: program(library, False))


def test_passes_of_a_group_do_not_overlap():
    def program(library):
        x = leaf(library)
        y = library.utils.checkpoint.checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False)
        with library.utils.checkpoint.GraphExecGroup():
            y.sum().backward(retain_graph=True)
            y.sum().backward()

    with pytest.raises(RuntimeError, match="Performing two backward calls that overlap"):
        program(chainrule)


def test_derivatives_inside_without_an_early_stop():
    def program(library):
        def part(x):
            y = x.sin().exp()
            (g,) = library.autograd.grad(y.sum(), x, create_graph=True)
            return g.sin() * y

        x = leaf(library)
        with library.utils.checkpoint.set_checkpoint_early_stop(False):
            library.utils.checkpoint.checkpoint(part, x, use_reentrant=False).sum().backward()
        return x.grad

    agree(program)


def test_more_tensors_than_before():
    calls = []

    def part(x):
        calls.append(1)
        return x.sin().exp() if len(calls) == 1 else x.sin().exp().sin()

    checkpoint = chainrule.utils.checkpoint
    with checkpoint.set_checkpoint_early_stop(False):
        y = checkpoint.checkpoint(part, leaf(chainrule), use_reentrant=False)
        with pytest.raises(RuntimeError, match="trying to save more tensors during recomputation"):
            y.sum().backward()


def test_reentrant_passes_have_no_selected_inputs():
    x = leaf(chainrule)
    y = chainrule.utils.checkpoint.checkpoint(chainrule.exp, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match=r"torch\.utils\.checkpoint is incompatible"):
        chainrule.autograd.grad(y.sum(), x)
