"""The backward pass: backward, autograd.grad, accumulation, freed graphs, orders of derivative, hooks, re-entrance."""

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(torch, *values, **options):
    return torch.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True, **options)


# ---- backward's arguments


def test_a_gradient_for_a_vector():
    def program(torch):
        x = leaf(torch)
        y = x * x
        y.backward(torch.tensor([1.0, 10.0, 100.0]))
        return x.grad

    agree(program)


def test_a_gradient_for_a_scalar():
    def program(torch):
        x = leaf(torch)
        (x * x).sum().backward(torch.tensor(3.0))
        return x.grad

    agree(program)


GRADIENTS = {
    "wrong shape": lambda torch: torch.ones(2),
    "broadcastable shape": lambda torch: torch.ones(1),
    "a number": lambda torch: 1.0,
    "a list": lambda torch: [1.0, 1.0, 1.0],
    "other dtype": lambda torch: torch.ones(3, dtype=torch.float64),
    "requires grad": lambda torch: torch.ones(3, requires_grad=True),
}


@pytest.mark.parametrize("gradient", GRADIENTS.values(), ids=GRADIENTS.keys())
def test_odd_gradients(gradient):
    def program(torch):
        x = leaf(torch)
        (x * x).backward(gradient(torch))
        return x.grad

    agree(program)


def test_the_given_gradient_is_neither_kept_nor_written():
    def program(torch):
        x, g = leaf(torch), torch.ones(3)
        x.backward(g)
        x.backward(g)
        return g, x.grad, x.grad is g

    agree(program)


def test_a_leaf_is_its_own_graph():
    def program(torch):
        x = leaf(torch, 2.0)
        x.backward()
        x.sum().backward()
        return x.grad

    agree(program)


def test_backward_without_a_graph():
    agree(lambda torch: torch.ones(1).backward(), words=12)
    agree(lambda torch: leaf(torch, 1.0).detach().backward(), words=12)


def test_backward_of_complex_needs_a_gradient():
    agree(lambda torch: leaf(torch, 1j).backward(), words=8)


def test_several_outputs():
    def program(torch):
        x = leaf(torch)
        y, z = x * x, x.sum()
        torch.autograd.backward([y, z, y], [torch.ones(3), None, torch.tensor([0.0, 1.0, 0.0])])
        return x.grad

    agree(program)


BACKWARD_ERRORS = {
    "too few gradients": lambda torch, x: torch.autograd.backward([x, x], [torch.ones(3)]),
    "empty inputs": lambda torch, x: x.sum().backward(inputs=[]),
    "inputs of another kind": lambda torch, x: x.sum().backward(inputs=[3]),
    "gradient missing for a vector": lambda torch, x: torch.autograd.backward([x.sum(), x * 2]),
    "input without requires_grad": lambda torch, x: x.sum().backward(inputs=[torch.ones(2)]),
    "too many gradients": lambda torch, x: torch.autograd.backward(x.sum(), [None, torch.ones(3), 3]),
}


@pytest.mark.parametrize("call", BACKWARD_ERRORS.values(), ids=BACKWARD_ERRORS.keys())
def test_wrong_calls_of_backward(call):
    agree(lambda torch: call(torch, leaf(torch)))


def test_inputs_limit_what_is_filled():
    def program(torch):
        x, w = leaf(torch), leaf(torch, 4.0, 5.0, 6.0)
        y = x * w
        (y * y).sum().backward(inputs=[x])
        return x.grad, w.grad

    agree(program)


def test_inputs_may_be_one_tensor_or_a_non_leaf():
    def program(torch):
        x, w = leaf(torch), leaf(torch, 4.0, 5.0, 6.0)
        y = x * w
        y.retain_grad()
        (y * y).sum().backward(inputs=x, retain_graph=True)
        (y * y).sum().backward(inputs=[y, w])
        return x.grad, w.grad, y.grad

    agree(program)


def test_inputs_do_not_run_the_other_branches():
    x, w = leaf(chainrule), leaf(chainrule)
    seen = []
    branch = w * 2
    branch.register_hook(seen.append)
    (x * 2 + branch).sum().backward(inputs=[x])
    assert seen == []


# ---- accumulation


def test_gradients_accumulate():
    def program(torch):
        x = leaf(torch)
        for k in range(1, 4):
            (x**k).sum().backward()
        return x.grad

    agree(program)


def test_a_tensor_used_many_times():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        total = sum((y * k + x / k for k in range(1, 20)), start=x * 0)
        (total * y).sum().backward()
        return x.grad

    agree(program)


def test_the_sum_of_a_pass_is_formed_before_it_is_added():
    # 1 + (eps + eps) differs from (1 + eps) + eps in float32.
    def program(torch):
        x = leaf(torch, 1.0)
        x.grad = torch.tensor([1.0])
        eps = 6e-8
        (x * eps + x * eps + x * eps).sum().backward()
        return x.grad.item() - 1.0

    agree(program, tolerance=0.0)


def test_two_leaves_never_share_a_gradient():
    def program(torch):
        x, w = leaf(torch), leaf(torch)
        (x + w).sum().backward()
        x.grad.mul_(100)
        return x.grad, w.grad

    agree(program)


def test_broadcast_inputs_get_gradients_of_their_shape():
    def program(torch):
        a = torch.randn(4, 1, 3, requires_grad=True)
        b = torch.randn(5, 1, requires_grad=True)
        c = torch.randn((), requires_grad=True)
        ((a * b + c) ** 2).sum().backward()
        return a.grad, b.grad, c.grad

    agree(program, tolerance=1e-5)


def test_gradients_have_their_leafs_dtype():
    def program(torch):
        x = leaf(torch, dtype=torch.float16)
        w = leaf(torch, dtype=torch.float64)
        (x.float() * w).sum().backward()
        return x.grad, w.grad

    agree(program)


def test_equal_constants_are_different_leaves():
    def program(torch):
        a, b = leaf(torch, 3.0), leaf(torch, 3.0)
        (a + b).sum().backward()
        return a.grad, b.grad

    agree(program)


# ---- freed graphs


def test_a_second_backward_raises():
    def program(torch):
        y = leaf(torch).exp().sum()
        y.backward()
        y.backward()

    agree(program, words=12)


def test_the_error_of_a_second_backward_names_the_line():
    y = leaf(chainrule).exp().sum()  # the line
    y.backward()
    with pytest.raises(
        RuntimeError, match=r"made here: .*test_engine.py:\d+, in .*: y = leaf\(.*# the line   \[ExpBackward0\]"
    ):
        y.backward()


def test_retain_graph():
    def program(torch):
        x = leaf(torch)
        y = x.exp().sum()
        y.backward(retain_graph=True)
        y.backward(retain_graph=True)
        y.backward()
        return x.grad

    agree(program)


def test_a_shared_part_is_freed_too():
    def program(torch):
        x = leaf(torch)
        shared = x.exp()
        shared.sum().backward()
        (shared * 2).sum().backward()

    agree(program, words=12)


def test_nodes_that_save_nothing_can_run_again():
    def program(torch):
        x = leaf(torch)
        y = (x + 1).sum()
        y.backward()
        y.backward()
        return x.grad

    agree(program)


def test_grad_frees_only_what_it_walked():
    def program(torch):
        x, w = leaf(torch), leaf(torch)
        a, b = x.exp(), w.exp()
        y = (a + b).sum()
        torch.autograd.grad(y, x)
        try:
            y.backward()
        except RuntimeError:
            pass
        else:
            return "no error"
        b.sum().backward()
        return w.grad

    agree(program)


# ---- autograd.grad


def test_grad_touches_no_grad():
    def program(torch):
        x, w = leaf(torch), leaf(torch, 4.0, 5.0, 6.0)
        found = torch.autograd.grad((x * w).sum(), [x, w])
        return found, x.grad, w.grad

    agree(program)


GRAD_CALLS = {
    "one input": lambda torch, x, w: torch.autograd.grad((x * w).sum(), x),
    "the same input twice": lambda torch, x, w: torch.autograd.grad((x * w).sum(), (x, x, w)),
    "a non-leaf": lambda torch, x, w: _grad_of_middle(torch, x, w),
    "the output itself": lambda torch, x, w: _grad_of_itself(torch, x),
    "a leaf as output": lambda torch, x, w: torch.autograd.grad(x, x, torch.ones(3)),
    "several outputs": lambda torch, x, w: torch.autograd.grad([x.sum(), (x * w).sum()], [x, w]),
    "grad_outputs": lambda torch, x, w: torch.autograd.grad(x * w, [x, w], torch.tensor([1.0, 0.0, 2.0])),
    "grad_outputs with None": lambda torch, x, w: torch.autograd.grad([x.sum(), x * w], x, [None, torch.ones(3)]),
    "grad_outputs to spare": lambda torch, x, w: torch.autograd.grad(x.sum(), x, [torch.tensor(2.0), torch.ones(3), 3]),
    "unused": lambda torch, x, w: torch.autograd.grad(x.sum(), [x, w]),
    "unused allowed": lambda torch, x, w: torch.autograd.grad(x.sum(), [x, w], allow_unused=True),
    "unused as zeros": lambda torch, x, w: torch.autograd.grad(x.sum(), [w, x], materialize_grads=True),
    "contradiction": lambda torch, x, w: torch.autograd.grad(x.sum(), w, allow_unused=False, materialize_grads=True),
    "input without requires_grad": lambda torch, x, w: torch.autograd.grad(x.sum(), torch.ones(3)),
    "no inputs": lambda torch, x, w: torch.autograd.grad(x.sum(), []),
    "output without requires_grad": lambda torch, x, w: torch.autograd.grad(torch.ones(1), x),
    "vector": lambda torch, x, w: torch.autograd.grad(x * w, x),
    "wrong shape": lambda torch, x, w: torch.autograd.grad(x.sum(), x, torch.ones(2)),
    "detached input": lambda torch, x, w: torch.autograd.grad(x.sum(), x.detach().requires_grad_()),
    "a view made later": lambda torch, x, w: torch.autograd.grad(x.sum(), x[0]),
}


def _grad_of_middle(torch, x, w):
    y = x * w
    z = y.sin()
    return torch.autograd.grad((z * y).sum(), [z, y, w])


def _grad_of_itself(torch, x):
    y = (x * x).sum()
    return torch.autograd.grad(y, [y, x])


@pytest.mark.parametrize("call", GRAD_CALLS.values(), ids=GRAD_CALLS.keys())
def test_grad(call):
    agree(lambda torch: call(torch, leaf(torch), leaf(torch, 4.0, 5.0, 6.0)), words=4)


def test_unused_inputs_are_named():
    x, w = leaf(chainrule), leaf(chainrule)
    with pytest.raises(RuntimeError, match=r"Not used: input 1 of 2"):
        chainrule.autograd.grad(x.sum(), [x, w])


def test_grad_of_many_inputs():
    def program(torch):
        xs = [leaf(torch, float(i)) for i in range(50)]
        total = sum((x * x for x in xs), start=torch.zeros(1))
        return torch.autograd.grad(total, xs[::2])

    agree(program)


# ---- any order

FUNCTIONS = {
    "polynomial": lambda torch, x: 3 * x**5 - x**4 + 2 * x**3 - 7 * x,
    "sin": lambda torch, x: x.sin(),
    "exp": lambda torch, x: (2 * x).exp(),
    "sin(x) exp(x)": lambda torch, x: x.sin() * x.exp(),
    "quotient": lambda torch, x: x.cos() / (1 + x * x),
    "tanh": lambda torch, x: x.tanh(),
    "log sigmoid": lambda torch, x: x.sigmoid().log(),
    "matrix product": lambda torch, x: (x[None] @ (x * x)[:, None]).reshape(1)[0] * x,
    "views": lambda torch, x: x.reshape(3, 1).T.expand(2, 3).prod(0),
    "in place": lambda torch, x: (x * 1).mul_(x).sin_().mul_(x),
    "in place on itself": lambda torch, x: _cubed_in_place(x),
    "in place through a view": lambda torch, x: _first_element_squared(x),
}


def _cubed_in_place(x):
    y = x * 1
    y.mul_(y.clone())
    return y.mul_(x)


def _first_element_squared(x):
    y = x * 1
    y[0].mul_(x[0])
    y[1:].exp_()
    return y * x


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_derivatives_up_to_order_four(function):
    def program(torch):
        x = leaf(torch, 0.3, -0.8, 1.7, dtype=torch.float64)
        current, found = function(torch, x).sum(), []
        for _ in range(4):
            (current,) = torch.autograd.grad(current, x, create_graph=True)
            found.append(current.detach())
            current = current.sum()
        return found

    agree(program, tolerance=1e-9)


def test_the_tenth_derivative():
    x = leaf(chainrule, 0.5, dtype=chainrule.float64)
    y = (2 * x).sin()
    for _ in range(10):
        (y,) = chainrule.autograd.grad(y, x, create_graph=True)
    expected = -1024 * (2 * x).sin()  # the tenth derivative of sin is -sin
    assert abs(y.item() - expected.item()) < 1e-9


def test_create_graph_in_backward():
    def program(torch):
        x = leaf(torch)
        (x**3).sum().backward(create_graph=True)
        first = x.grad
        x.grad = None
        (first * first).sum().backward()
        return first, x.grad

    agree(program, tolerance=1e-5)


def test_create_graph_accumulates_into_a_new_tensor():
    def program(torch):
        x = leaf(torch)
        (x**3).sum().backward(create_graph=True)
        first = x.grad
        (x**2).sum().backward(create_graph=True)
        result = first is x.grad, first, x.grad, x.grad.requires_grad
        x.grad = None
        return result

    agree(program)


def test_a_gradient_penalty():
    def program(torch):
        x = torch.randn(4, 3)
        w = torch.randn(3, 1, requires_grad=True)
        x.requires_grad_()
        out = (x @ w).tanh().sum()
        (g,) = torch.autograd.grad(out, x, create_graph=True)
        (out + ((g.norm(dim=1) - 1) ** 2).mean()).backward()
        return w.grad, x.grad

    agree(program, tolerance=1e-5)


def test_nested_derivatives_do_not_mix():
    # d/dx [x * d/dy (x + y) at y = x] at 5 is 1.
    def program(torch):
        x = leaf(torch, 5.0)
        y = x.detach().clone().requires_grad_()
        (inner,) = torch.autograd.grad(x + y, y, create_graph=True)
        return torch.autograd.grad(x * inner, x)

    agree(program)


def test_hessian_vector_product():
    def program(torch):
        x, v = leaf(torch, dtype=torch.float64), torch.tensor([1.0, -1.0, 0.5], dtype=torch.float64)
        (g,) = torch.autograd.grad((x.prod() * x.sin()).sum(), x, create_graph=True)
        return torch.autograd.grad(g, x, v)

    agree(program, tolerance=1e-9)


# ---- hooks on tensors


def test_tensor_hooks_see_and_replace_gradients():
    def program(torch):
        x, seen = leaf(torch), []
        y = x * 2
        y.register_hook(lambda g: seen.append(("first", g)))
        y.register_hook(lambda g: g * 10)
        y.register_hook(lambda g: seen.append(("third", g)))
        x.register_hook(lambda g: seen.append(("leaf", g)))
        x.register_hook(lambda g: g + 1)
        (y * y).sum().backward()
        return seen, x.grad

    agree(program)


def test_a_leafs_hook_sees_the_sum_once():
    def program(torch):
        x, seen = leaf(torch), []
        x.register_hook(lambda g: seen.append(g))
        (x * 2 + x * 3).sum().backward()
        (x * 4).sum().backward()
        return seen, x.grad

    agree(program)


def test_hooks_can_be_removed():
    def program(torch):
        x, seen = leaf(torch), []
        handles = [x.register_hook(lambda g, k=k: seen.append(k)) for k in range(3)]
        x.sum().backward()
        handles[1].remove()
        handles[1].remove()
        x.sum().backward()
        with handles[0]:
            x.sum().backward()
        x.sum().backward()
        return seen

    agree(program)


def test_a_hook_may_remove_itself():
    def program(torch):
        x, seen = leaf(torch), []
        handle = x.register_hook(lambda g: (seen.append("once"), handle.remove())[0])
        x.register_hook(lambda g: seen.append("always"))
        x.sum().backward()
        x.sum().backward()
        return seen

    agree(program)


HOOK_RESULTS = {
    "none": lambda torch, g: None,
    "a number": lambda torch, g: 1.0,
    "another shape": lambda torch, g: torch.ones(2),
    "a broadcastable shape": lambda torch, g: torch.ones(1),
    "another dtype": lambda torch, g: g.double(),
    "a constant": lambda torch, g: torch.zeros(3),
    "raises": lambda torch, g: {}["missing"],
}


@pytest.mark.parametrize("result", HOOK_RESULTS.values(), ids=HOOK_RESULTS.keys())
@pytest.mark.parametrize("on_leaf", [True, False], ids=["leaf", "non-leaf"])
def test_what_a_hook_may_return(result, on_leaf):
    def program(torch):
        x = leaf(torch)
        y = x * 2
        (x if on_leaf else y).register_hook(lambda g: result(torch, g))
        y.sum().backward()
        return x.grad

    agree(program)


def test_hooks_need_requires_grad():
    agree(lambda torch: torch.ones(1).register_hook(print), words=8)
    agree(lambda torch: torch.ones(1).register_post_accumulate_grad_hook(print), words=4)
    agree(lambda torch: (leaf(torch) * 2).register_post_accumulate_grad_hook(print), words=6)


def test_hooks_run_for_grad_too():
    def program(torch):
        x, seen = leaf(torch), []
        y = x * 2
        y.register_hook(lambda g: g * 10)
        x.register_hook(lambda g: g + 1)
        x.register_post_accumulate_grad_hook(lambda t: seen.append("accumulated"))
        return torch.autograd.grad(y.sum(), [x, y]), seen

    agree(program)


def test_post_accumulate_hooks():
    def program(torch):
        x, seen = leaf(torch), []
        handle = x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.clone())))
        (x * 2).sum().backward()
        (x * 3).sum().backward()
        handle.remove()
        (x * 4).sum().backward()
        return seen, x.grad

    agree(program)


def test_an_optimiser_step_inside_a_post_accumulate_hook():
    def program(torch):
        x = leaf(torch)

        def step(t):
            with torch.no_grad():
                t -= 0.1 * t.grad
            t.grad = None

        x.register_post_accumulate_grad_hook(step)
        for _ in range(3):
            (x * x).sum().backward()
        return x, x.grad

    agree(program)


def test_hooks_with_create_graph_are_differentiated():
    def program(torch):
        x = leaf(torch)
        y = x * x
        y.register_hook(lambda g: g * x.detach() * x)
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return g, torch.autograd.grad(g.sum(), x)

    agree(program)


def test_a_hook_stays_with_the_value_it_saw():
    def program(torch):
        x, seen = leaf(torch), []
        y = x * 2
        y.register_hook(lambda g: seen.append(("before", g)))
        y.mul_(5)
        y.register_hook(lambda g: seen.append(("after", g)))
        y.sum().backward()
        return seen, x.grad

    agree(program)


def test_grad_mode_inside_hooks():
    def program(torch):
        x, seen = leaf(torch), []
        x.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
        (x * x).sum().backward()
        torch.autograd.grad((x * x).sum(), x, create_graph=True)
        with torch.no_grad():
            pass
        return seen, torch.is_grad_enabled()

    agree(program)


# ---- hooks on nodes


def test_node_hooks_and_prehooks():
    x, w = leaf(chainrule), leaf(chainrule, 4.0, 5.0, 6.0)
    y = x * w
    seen = []
    y.grad_fn._prehooks()[1] = lambda outputs: seen.append(("pre", len(outputs), outputs[0].tolist()))
    y.grad_fn._prehooks()[2] = lambda outputs: (outputs[0] * 10,)
    y.grad_fn._hooks()[1] = lambda inputs, outputs: seen.append(("post", len(inputs), outputs[0].tolist()))
    y.grad_fn._hooks()[2] = lambda inputs, outputs: (inputs[0] + 1, None)
    y.sum().backward()
    assert seen == [("pre", 1, [1.0, 1.0, 1.0]), ("post", 2, [10.0, 10.0, 10.0])]
    assert x.grad.tolist() == [41.0, 51.0, 61.0]
    assert w.grad is None
    y.grad_fn._hooks().clear()
    y.grad_fn._prehooks().clear()


@pytest.mark.parametrize("result", [(), (1, 2), 3, "ab"], ids=repr)
def test_node_hooks_must_return_one_gradient_per_input(result):
    y = leaf(chainrule) * 2
    y.grad_fn._prehooks()[0] = lambda outputs: result
    with pytest.raises((RuntimeError, TypeError)):
        y.sum().backward()


# ---- exceptions and re-entrance


class StopError(Exception):
    pass


def _raise_stop(*_):
    raise StopError


def test_an_exception_in_a_hook_leaves_nothing_pending():
    x, w = leaf(chainrule), leaf(chainrule, 1.0, 1.0, 1.0)
    y = x * 2
    z = y * w + x * w
    handle = y.register_hook(_raise_stop)
    for _ in range(3):
        with pytest.raises(StopError):
            z.sum().backward(retain_graph=True)
    handle.remove()
    x.grad = w.grad = None
    z.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]
    assert w.grad.tolist() == [3.0, 6.0, 9.0]


def test_an_exception_in_a_leafs_hook_leaves_nothing_pending():
    x, w = leaf(chainrule), leaf(chainrule)
    handles = [t.register_hook(_raise_stop) for t in (x, w)]
    for _ in range(2):
        with pytest.raises(StopError):
            (x * w).sum().backward()
    for handle in handles:
        handle.remove()
    (x * w).sum().backward()
    assert x.grad.tolist() == w.grad.tolist() == [1.0, 2.0, 3.0]


def test_an_exception_in_a_gradient_function_leaves_nothing_pending():
    x = leaf(chainrule)
    y, w = x * x, x.exp()
    broken = y.sin()
    with chainrule.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (broken + w).sum().backward(retain_graph=True)
    x.grad = None
    (w * 2).sum().backward()
    assert x.grad.tolist() == pytest.approx([2 * 2.718281828, 2 * 7.389056099, 2 * 20.08553692])


def test_keyboard_interrupt_leaves_a_working_engine():
    x = leaf(chainrule)

    def interrupt(_):
        raise KeyboardInterrupt

    y = x * 2
    handle = y.register_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        (y * x).sum().backward(retain_graph=True)
    handle.remove()
    x.grad = None
    (y * x).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_a_signal_stops_a_long_backward():
    import signal

    x = leaf(chainrule, 1.0)
    y = x
    for _ in range(300_000):
        y = y * 1.0

    def run_and_wait():
        y.backward(retain_graph=True)
        signal.pause()  # the pass may have ended before the alarm

    signal.signal(signal.SIGALRM, lambda *_: _raise_stop())
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        with pytest.raises(StopError):
            run_and_wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    x.grad = None
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_backward_inside_a_hook():
    def program(torch):
        x, w, seen = leaf(torch), leaf(torch), []

        def nested(g):
            inner = leaf(torch, 2.0)
            (inner**3).backward()
            seen.append(inner.grad)
            (w * 3).sum().backward()

        y = x * w
        y.register_hook(nested)
        (y * w).sum().backward()
        return seen, x.grad, w.grad

    agree(program)


@pytest.mark.parametrize("hooked", [True, False], ids=["hooked leaf", "plain leaf"])
@pytest.mark.parametrize("filled", [True, False], ids=["with grad", "without grad"])
def test_grad_of_the_same_graph_inside_a_hook(hooked, filled):
    def program(torch):
        x, seen = leaf(torch), []
        if filled:
            x.grad = torch.ones(3)
        if hooked:
            x.register_hook(lambda g: g * 1)
        shared = x.exp()
        late = shared * x
        early = shared.sin() + x

        # Runs when late's and early's consumers have delivered to `shared` already in part.
        def nested(g):
            seen.append(torch.autograd.grad(shared.sum(), x, retain_graph=True)[0])

        early.register_hook(nested)
        late.register_hook(nested)
        (late * early).sum().backward(retain_graph=True)
        return seen, x.grad

    agree(program, tolerance=1e-5)


def test_backward_of_the_same_graph_inside_a_hook():
    def program(torch):
        x, depth = leaf(torch), [0]
        shared = x.exp()
        late, early = shared * x, shared.sin() + x
        total = (late * early).sum()

        def nested(g):
            if depth[0] == 0:
                depth[0] += 1
                total.backward(retain_graph=True)

        early.register_hook(nested)
        total.backward(retain_graph=True)
        return x.grad

    agree(program, tolerance=1e-5)


def test_deep_re_entrance():
    def program(torch):
        x, count = leaf(torch, 1.0), [0]

        def nested(g):
            if count[0] < 60:
                count[0] += 1
                y = x * count[0]
                y.register_hook(nested)
                y.sum().backward()

        nested(None)
        return x.grad, count

    agree(program)


def test_a_hook_may_change_the_outputs_history():
    x = leaf(chainrule)
    y = x.exp()
    z = y.sum()
    z.register_hook(lambda g: (z.detach_(), None)[1])
    y.register_hook(lambda g: (y.detach_(), None)[1])
    z.backward()
    assert x.grad.tolist() == pytest.approx([2.718281828, 7.389056099, 20.08553692])


def test_a_hook_may_drop_the_gradient_it_got():
    x = leaf(chainrule)

    def hook(g):
        x.grad = None

    y = x * 2
    y.register_hook(hook)
    (y + x).sum().backward()
    assert x.grad is not None


# ---- the layout of .grad

LAYOUTS = {
    "a transposed use": lambda torch, a: (a.clone(), lambda x: x.t() * torch.arange(6.0).reshape(3, 2)),
    "a product with the transpose": lambda torch, a: (a.clone(), lambda x: torch.ones(4, 3) @ x.t()),
    "two uses": lambda torch, a: (a.clone(), lambda x: x.t().reshape(-1) * 2 + x.reshape(-1)),
    "a transposed leaf": lambda torch, a: (a.t().detach(), lambda x: x * torch.arange(6.0).reshape(3, 2)),
    "channels last": lambda torch, a: (torch.arange(24.0).reshape(1, 2, 3, 4), lambda x: x.permute(0, 2, 3, 1) ** 2),
    "a leaf with gaps": lambda torch, a: (torch.arange(12.0).reshape(3, 4)[:, ::2].detach(), lambda x: x**2),
    "an expanded leaf": lambda torch, a: (torch.ones(3).expand(2, 3).detach(), lambda x: x**2),
    "a sum": lambda torch, a: (a.clone(), lambda x: x.sum()),
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("hooked", [False, True])
def test_a_gradient_is_laid_out_as_its_leaf(name, hooked):
    """So x.grad.view(-1) works whenever x.view(-1) does."""

    def program(torch):
        x, use = LAYOUTS[name](torch, torch.arange(6.0).reshape(2, 3))
        x.requires_grad_()
        if hooked:
            x.register_hook(lambda g: None)
        use(x).sum().backward()
        return x.grad, x.grad.stride()

    agree(program)


# ---- inputs, nodes


@pytest.mark.parametrize("keys", [("x", "y"), (0, 1)])
def test_dictionaries_of_inputs(keys):
    def program(torch):
        x, y, unused = leaf(torch), leaf(torch), leaf(torch)
        inputs = dict(zip(keys, (x, y), strict=True))
        z = (x * y).sum()
        found = torch.autograd.grad(z, inputs, retain_graph=True)
        missing = torch.autograd.grad(z, {"u": unused}, materialize_grads=True, retain_graph=True)
        torch.autograd.backward(z, inputs=inputs, retain_graph=True)
        z.backward(inputs=inputs)
        return found, missing, x.grad, y.grad

    agree(program)


def test_other_mappings_are_no_inputs():
    import collections

    def program(torch, use):
        x = leaf(torch)
        return use(torch, x.sum(), collections.OrderedDict(x=x))

    agree(lambda torch: program(torch, lambda t, y, d: t.autograd.grad(y, d)), words=8)
    agree(lambda torch: program(torch, lambda t, y, d: t.autograd.backward(y, inputs=d)), words=8)


def test_materialized_gradients_can_be_differentiated():
    def program(torch):
        x, a = leaf(torch, 0.5), leaf(torch, 1.0)
        first = torch.autograd.grad(x * a, x, create_graph=True)
        second = torch.autograd.grad(first, x, create_graph=True, materialize_grads=True)
        return torch.autograd.grad(second, x, materialize_grads=True)

    agree(program)


def test_nodes_can_be_called():
    def program(torch, *gradients):
        x = leaf(torch)
        return (x**2).grad_fn(*gradients)

    agree(lambda torch: program(torch, torch.ones(3)))
    agree(lambda torch: program(torch), words=6)
    agree(lambda torch: program(torch, torch.ones(3), torch.ones(3)), words=6)


def test_the_node_of_an_input_runs():
    def program(torch):
        log = []
        x = leaf(torch, 1.0)
        y = x.clone()
        y.grad_fn.register_prehook(lambda gs: log.append("before"))
        y.register_hook(lambda g: log.append("hook") or g * 3)
        y.sum().backward(inputs=(y,))
        return log, y.grad

    agree(program)


def test_hooks_of_a_leaf_see_one_gradient():
    def program(torch):
        x = leaf(torch)
        node = x.view_as(x).grad_fn.next_functions[0][0]
        x.register_hook(lambda g: g - 2)
        node.register_prehook(lambda gs: (gs[0] / 5,))
        x.register_post_accumulate_grad_hook(lambda x: x.grad.add_(0.5) and None)
        node.register_hook(lambda inputs, outputs: setattr(x, "grad", outputs[0] * 10))
        x.sum().backward()
        return x.grad

    agree(program)


def test_a_saved_tensor_that_lost_its_history():
    def program(torch, function):
        x = leaf(torch, 1.0).clone()
        y = function(x)
        x.detach_()
        return y.backward()

    agree(lambda torch: program(torch, torch.sin), words=10)
    agree(lambda torch: program(torch, torch.exp))


def test_the_error_of_an_overwritten_tensor_names_its_operation():
    def program(torch):
        x = leaf(torch)
        y = x + 1
        z = y * y
        with torch.no_grad():
            y += 1
        z.sum().backward()

    agree(program, words=30)


@pytest.mark.parametrize("outputs", [[None], ["a"], [1.0]])
def test_what_is_no_tensor_is_not_differentiated(outputs):
    x = leaf(chainrule)
    with pytest.raises(AssertionError, match=r"Expected output to be a torch\.Tensor"):
        chainrule.autograd.backward(outputs, [None])
    with pytest.raises(AssertionError, match=r"Expected output to be a torch\.Tensor"):
        chainrule.autograd.grad([x.sum(), *outputs], x)
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        chainrule.autograd.backward(None)
    with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
        chainrule.autograd.grad(None, x)
