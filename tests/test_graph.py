"""The recorded graph as Python sees it: leaves, nodes, saved tensors, modes, and leaving the graph."""

import gc
import warnings

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(torch, *values, **options):
    return torch.tensor(list(values) or [1.0, 2.0, 3.0], requires_grad=True, **options)


# ---- what a node is called and where it leads

NODES = {
    "add": lambda torch, x: x + 1,
    "sub": lambda torch, x: x - x,
    "reversed sub": lambda torch, x: 1 - x,
    "mul": lambda torch, x: x * 2,
    "div": lambda torch, x: 1 / x,
    "div by tensor": lambda torch, x: x / x,
    "neg": lambda torch, x: -x,
    "pow number": lambda torch, x: x**2,
    "pow tensor": lambda torch, x: x**x,
    "number pow": lambda torch, x: 2**x,
    "exp": lambda torch, x: x.exp(),
    "sum": lambda torch, x: x.sum(),
    "sum dim": lambda torch, x: x.sum(0),
    "mean": lambda torch, x: x.mean(),
    "max": lambda torch, x: x.max(),
    "amax": lambda torch, x: x.amax(0),
    "matmul vectors": lambda torch, x: x @ x,
    "mm": lambda torch, x: torch.mm(x[None], x[:, None]),
    "select": lambda torch, x: x[0],
    "slice": lambda torch, x: x[1:],
    "index": lambda torch, x: x[[0, 0]],
    "unsqueeze": lambda torch, x: x[None],
    "view": lambda torch, x: x.view(3, 1),
    "reshape": lambda torch, x: x.reshape(3, 1),
    "expand": lambda torch, x: x.expand(2, 3),
    "transpose": lambda torch, x: x[None].transpose(0, 1),
    "T": lambda torch, x: x[None].T,
    "permute": lambda torch, x: x[None].permute(1, 0),
    "squeeze": lambda torch, x: x[None].squeeze(),
    "squeeze dim": lambda torch, x: x[None].squeeze(0),
    "cat": lambda torch, x: torch.cat([x, x]),
    "stack": lambda torch, x: torch.stack([x, x]),
    "clone": lambda torch, x: x.clone(),
    "to": lambda torch, x: x.double(),
    "where": lambda torch, x: torch.where(x > 0, x, x),
    "clamp": lambda torch, x: x.clamp(0, 1),
    "relu": lambda torch, x: x.relu(),
    "unbind": lambda torch, x: x.unbind()[1],
    "split": lambda torch, x: x.split(2)[1],
    "var": lambda torch, x: x.var(),
    "norm": lambda torch, x: x.norm(),
    "prod": lambda torch, x: x.prod(),
    "cumsum": lambda torch, x: x.cumsum(0),
    "softmax": lambda torch, x: x.softmax(0),
    "in place": lambda torch, x: x.clone().mul_(2),
    "in place through a view": lambda torch, x: _written_through_view(x),
}


def _written_through_view(x):
    y = x * 1
    y[0] = 5.0
    return y


@pytest.mark.parametrize("make", NODES.values(), ids=NODES.keys())
def test_nodes_are_called_as_in_pytorch(make):
    def describe(torch):
        node = make(torch, leaf(torch)).grad_fn
        children = [(child.name() if child else None, number) for child, number in node.next_functions]
        return node.name(), type(node).__name__, children

    agree(describe)


def test_next_functions_number_the_outputs():
    def numbers(torch):
        x = leaf(torch)
        parts = x.unbind()
        together = parts[2] * parts[1]
        return [number for _, number in together.grad_fn.next_functions], [part.output_nr for part in parts]

    agree(numbers)


def test_the_whole_graph_can_be_walked():
    def names(torch):
        x, w = leaf(torch), leaf(torch, 2.0, 2.0, 2.0)
        stack, found = [((x * w).sin() + w.sum()).grad_fn], []
        while stack:
            node = stack.pop()
            found.append(node.name())
            stack.extend(child for child, _ in node.next_functions if child is not None)
        return found

    agree(names)


def test_an_accumulator_is_the_same_object_while_it_is_held():
    x = leaf(chainrule)
    y, z = x * 2, x + 1
    accumulator = y.grad_fn.next_functions[0][0]
    assert accumulator is z.grad_fn.next_functions[0][0]
    assert accumulator.variable is x
    assert accumulator.name() == "torch::autograd::AccumulateGrad"
    assert accumulator.next_functions == ()


def test_only_accumulators_have_a_variable():
    with pytest.raises(AttributeError, match="variable"):
        _ = (leaf(chainrule) * 2).grad_fn.variable


def test_grad_fn_is_the_same_object_each_time():
    y = leaf(chainrule) * 2
    assert y.grad_fn is y.grad_fn
    assert (y + 1).grad_fn.next_functions[0][0] is y.grad_fn


def test_grad_is_the_same_object_each_time():
    x = leaf(chainrule)
    x.sum().backward()
    before = x.grad
    assert x.grad is before
    x.sum().backward()
    assert x.grad is before  # accumulation writes into it


def test_nodes_are_nodes():
    assert isinstance((leaf(chainrule) * 2).grad_fn, chainrule.autograd.graph.Node)
    with pytest.raises(TypeError):
        chainrule.autograd.graph.Node()


def test_metadata_belongs_to_the_node():
    y = leaf(chainrule) * 2
    y.grad_fn.metadata["seen"] = [1]
    assert y.grad_fn.metadata == {"seen": [1]}
    assert (y * 2).grad_fn.metadata == {}


def test_saved_inputs_are_the_very_tensors():
    x, w = leaf(chainrule), leaf(chainrule)
    node = (x * w).grad_fn
    assert (node._saved_self is x, node._saved_other is w) == (True, True)
    assert not hasattr(node, "saved_tensors")  # which only the nodes of Functions have, as in PyTorch


def test_only_what_a_gradient_needs_is_saved():
    x, w = leaf(chainrule), chainrule.tensor([1.0, 2.0, 3.0])
    assert (x + w).grad_fn._peek_saved() == ()
    node = (x * w).grad_fn
    assert (len(node._peek_saved()), node._saved_self, node._saved_other is w) == (1, None, True)
    assert x.sum().grad_fn._peek_saved() == ()


def test_saved_outputs_have_their_history():
    y = leaf(chainrule).exp()
    saved = y.grad_fn._saved_result
    assert saved.tolist() == y.tolist()
    assert saved.grad_fn is y.grad_fn
    assert saved.data_ptr() == y.data_ptr()


def test_saved_tensors_are_gone_after_backward():
    y = leaf(chainrule).exp().sum()
    node = y.grad_fn.next_functions[0][0]
    y.backward()
    with pytest.raises(RuntimeError, match=r"^Trying to backward through the graph a second time \(or directly access"):
        _ = node._saved_result


ONE_STEP = {
    "x + 2": lambda x: x + 2,
    "1 - x": lambda x: 1 - x,
    "-x": lambda x: -x,
    "x * 2": lambda x: x * 2,
    "2 * x": lambda x: 2 * x,
    "x.mul(2)": lambda x: x.mul(2),
    "x / 2": lambda x: x / 2,
    "2 / x": lambda x: 2 / x,
    "x ** 2": lambda x: x**2,
    "2 ** x": lambda x: 2**x,
    "x % 2": lambda x: x % 2,
    "x.div(2, floor)": lambda x: x.div(2.0, rounding_mode="floor"),
    "mul_": lambda x: x.clone().mul_(3),
    "mul_ of a part": lambda x: x.clone()[:1].mul_(3),
    "add_ of a part": lambda x: x.clone()[:1].add_(3),
    "base of a part": lambda x: (lambda y: (y[:1].sin_(), y)[1])(x.clone()),
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "x - x": lambda x: x - x,
    "many": lambda x: ((x * 2 + 1) / 3).sum(),
}


@pytest.mark.parametrize("step", ONE_STEP.values(), ids=ONE_STEP)
@pytest.mark.parametrize("size", [2, 40_000])  # the larger one is a chain
def test_a_second_backward_raises_where_something_was_kept(step, size):
    """A factor that is a number is kept too: PyTorch makes a tensor of it."""

    def program(torch):
        x = torch.full((size,), 1.5, requires_grad=True)
        y = step(x)
        y.backward(torch.ones_like(y))
        y.backward(torch.ones_like(y))
        return x.grad[:2]

    agree(program)


def test_second_derivatives_through_the_result_of_a_written_part():
    def program(torch):
        x = torch.tensor([0.5, 0.25, 2.0], dtype=torch.float64, requires_grad=True)
        y = x.clone()
        part = y[:2]
        part.tanh_()
        (first,) = torch.autograd.grad((y**3).sum() + (part * y[1:]).sum(), x, create_graph=True)
        return torch.autograd.grad((first * first.detach().cos()).sum(), x)

    agree(program)


# ---- leaves and requires_grad


def flags(*tensors):
    return [(t.requires_grad, t.is_leaf, t.grad_fn is None) for t in tensors]


def test_leaves_and_results():
    def program(torch):
        x, plain = leaf(torch), torch.ones(3)
        return flags(x, plain, x * 2, plain * 2, x.detach(), (x * 2).detach(), x.clone(), x[0], x.data, x > 1, x.long())

    agree(program)


def test_requires_grad_spreads_from_any_input():
    def program(torch):
        x, plain = leaf(torch), torch.ones(3)
        return flags(
            x + plain, plain + x, torch.cat([plain, x]), torch.where(plain > 0, plain, x), plain.where(x > 0, plain)
        )

    agree(program)


REQUIRES_GRAD = {
    "on a leaf": lambda torch: torch.ones(2).requires_grad_().requires_grad,
    "off a leaf": lambda torch: leaf(torch).requires_grad_(False).requires_grad,
    "on a non-leaf": lambda torch: (leaf(torch) * 2).requires_grad_().requires_grad,
    "off a non-leaf": lambda torch: (leaf(torch) * 2).requires_grad_(False),
    "integers": lambda torch: torch.tensor([1]).requires_grad_(),
    "integers by keyword": lambda torch: torch.tensor([1], requires_grad=True),
    "booleans": lambda torch: torch.tensor([True]).requires_grad_(),
    "integers off": lambda torch: torch.tensor([1]).requires_grad_(False).requires_grad,
    "complex": lambda torch: torch.tensor([1j]).requires_grad_().requires_grad,
    "half": lambda torch: torch.ones(2, dtype=torch.float16).requires_grad_().requires_grad,
}


@pytest.mark.parametrize("program", REQUIRES_GRAD.values(), ids=REQUIRES_GRAD.keys())
def test_requires_grad_(program):
    agree(program, words=5)


def test_setting_requires_grad_by_assignment():
    def program(torch):
        x = torch.ones(2)
        x.requires_grad = True
        y = x * 2
        seen = [x.requires_grad, y.requires_grad]
        x.requires_grad = False
        return [*seen, x.requires_grad, y.requires_grad]

    agree(program)
    agree(lambda torch: setattr(leaf(torch) * 2, "requires_grad", False), words=8)
    agree(lambda torch: setattr(torch.ones(2), "requires_grad", 1))


def test_a_leaf_switched_off_after_use_still_gets_its_gradient():
    def program(torch):
        x = leaf(torch)
        y = (x * x).sum()
        x.requires_grad_(False)
        try:
            y.backward()
        finally:
            seen = x.grad
        return seen

    ours, theirs = leaf(chainrule), leaf(reference)
    del ours, theirs
    agree(program)


def test_a_non_leafs_grad_warns():
    y = leaf(chainrule) * 2
    with pytest.warns(
        UserWarning, match=r"^The \.grad attribute of a Tensor that is not a leaf Tensor is being accessed"
    ):
        assert y.grad is None
    z = leaf(chainrule) * 2
    z.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert z.grad is None


# ---- assigning .grad

ASSIGNED = {
    "a tensor": lambda torch, x: torch.tensor([1.0, 2.0, 3.0]),
    "none": lambda torch, x: None,
    "a number": lambda torch, x: 1.0,
    "itself": lambda torch, x: x,
    "wrong shape": lambda torch, x: torch.ones(2),
    "wrong dtype": lambda torch, x: torch.ones(3, dtype=torch.float64),
    "with history": lambda torch, x: x * 2,
}


@pytest.mark.parametrize("value", ASSIGNED.values(), ids=ASSIGNED.keys())
def test_assigning_grad(value):
    def program(torch):
        x = leaf(torch)
        x.grad = value(torch, x)
        return x.grad

    agree(program)


def test_an_assigned_gradient_is_the_object_itself_and_is_added_to():
    x = leaf(chainrule)
    mine = chainrule.tensor([10.0, 20.0, 30.0])
    x.grad = mine
    assert x.grad is mine
    (x * 2).sum().backward()
    assert mine.tolist() == [12.0, 22.0, 32.0]


def test_deleting_grad():
    def program(torch):
        x = leaf(torch)
        x.sum().backward()
        del x.grad
        return x.grad

    agree(program)


# ---- leaving the graph


def test_detach_shares_memory_and_versions():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        d = y.detach()
        d[0] = 7.0
        return y, d, y._version, d._version, d.data_ptr() == y.data_ptr(), flags(d)

    agree(program)


def test_writing_into_a_detached_alias_is_noticed():
    def program(torch):
        x = leaf(torch)
        y = x.exp()
        y.detach().zero_()
        y.sum().backward()
        return x.grad

    agree(program, words=10)


def test_detach_in_place():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        same = y.detach_()
        return same is y, flags(y), y

    agree(program)
    agree(lambda torch: flags(leaf(torch).detach_()))
    agree(lambda torch: (leaf(torch) * 2)[0].detach_(), words=4)


def test_data_is_outside_the_version_check():
    def program(torch):
        x = leaf(torch)
        y = x * x
        x.data.mul_(10)
        versions = x._version, x.data._version
        y.sum().backward()
        return x, x.grad, versions

    agree(program)


def test_assigning_data():
    def program(torch):
        x = leaf(torch)
        x.data = torch.tensor([4.0, 5.0])
        (x * x).sum().backward()
        return x, x.grad, x.is_leaf

    agree(program)


def test_assigning_data_of_another_kind():
    def program(torch):
        x = torch.ones(2)
        x.data = torch.tensor([1, 2])
        return x

    agree(program)
    agree(lambda torch: setattr(torch.ones(2), "data", 3.0))
    agree(lambda torch: setattr(leaf(torch), "data", torch.tensor([1, 2])), words=4)


READINGS = {
    "item": lambda x: x.sum().item(),
    "tolist": lambda x: x.tolist(),
    "float": lambda x: float(x[0]),
    "int": lambda x: int(x[0]),
    "bool": lambda x: bool(x[0]),
    "index": lambda x: [1, 2, 3][x[0].long()],
    "repr": lambda x: len(repr(x.detach())),
}


@pytest.mark.parametrize("read", READINGS.values(), ids=READINGS.keys())
def test_reading_values_mid_way_changes_no_gradient(read):
    def program(torch):
        x = leaf(torch)
        y = x * x
        seen = read(y)
        (y * x).sum().backward()
        return seen, x.grad

    agree(program)


def test_numpy_needs_a_detached_tensor():
    agree(lambda torch: leaf(torch).numpy(), words=10)
    agree(lambda torch: leaf(torch).detach().numpy().tolist())
    agree(lambda torch: leaf(torch).numpy(force=True).tolist())


# ---- recording on and off


def test_no_grad_and_enable_grad_nest():
    def program(torch):
        x = leaf(torch)
        seen = [torch.is_grad_enabled(), (x * 2).requires_grad]
        with torch.no_grad():
            seen += [torch.is_grad_enabled(), (x * 2).requires_grad, x.requires_grad]
            with torch.enable_grad():
                seen += [torch.is_grad_enabled(), (x * 2).requires_grad]
                with torch.set_grad_enabled(False):
                    seen += [torch.is_grad_enabled()]
                seen += [torch.is_grad_enabled()]
            seen += [torch.is_grad_enabled()]
        return [*seen, torch.is_grad_enabled()]

    agree(program)


def test_modes_end_when_an_exception_leaves_them():
    def program(torch):
        for mode in (torch.no_grad(), torch.set_grad_enabled(False), torch.inference_mode()):
            try:
                with mode:
                    raise KeyError
            except KeyError:
                pass
        return torch.is_grad_enabled()

    agree(program)


def test_one_mode_object_can_be_entered_twice():
    def program(torch):
        mode, seen = torch.no_grad(), []
        for _ in range(2):
            with mode:
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        return seen

    agree(program)


DECORATORS = {
    "no_grad()": lambda torch: torch.no_grad(),
    "no_grad": lambda torch: torch.no_grad,
    "enable_grad()": lambda torch: torch.enable_grad(),
    "enable_grad": lambda torch: torch.enable_grad,
    "set_grad_enabled": lambda torch: torch.set_grad_enabled(False),
    "inference_mode()": lambda torch: torch.inference_mode(),
    "inference_mode": lambda torch: torch.inference_mode,
    "inference_mode(False)": lambda torch: torch.inference_mode(False),
}


@pytest.mark.parametrize("decorator", DECORATORS.values(), ids=DECORATORS.keys())
@pytest.mark.parametrize("around", [True, False], ids=["recording", "not recording"])
def test_modes_as_decorators(decorator, around):
    def program(torch):
        x = leaf(torch)
        with torch.set_grad_enabled(around):

            @decorator(torch)
            def product(a, *, b):
                """Multiplies."""
                return torch.is_grad_enabled(), (a * b).requires_grad

            return product.__name__, product.__doc__, product(x, b=x), product(x, b=2.0), torch.is_grad_enabled()

    agree(program)


def test_a_decorated_function_may_raise_and_recurse():
    def program(torch):
        @torch.no_grad()
        def count_down(n):
            if n == 0:
                raise ValueError
            return count_down(n - 1)

        try:
            count_down(3)
        except ValueError:
            return torch.is_grad_enabled()

    agree(program)


def test_a_decorated_generator_switches_only_while_it_runs():
    def program(torch):
        seen = []

        @torch.no_grad()
        def numbers():
            got = yield torch.is_grad_enabled()
            seen.append((got, torch.is_grad_enabled()))
            try:
                yield torch.is_grad_enabled()
            except KeyError:
                seen.append(torch.is_grad_enabled())
            yield torch.is_grad_enabled()
            return "done"

        def driver():
            return (yield from numbers())

        generator = driver()
        seen.append((next(generator), torch.is_grad_enabled()))
        seen.append((generator.send("hello"), torch.is_grad_enabled()))
        seen.append((generator.throw(KeyError()), torch.is_grad_enabled()))
        try:
            next(generator)
        except StopIteration as stop:
            seen.append((stop.value, torch.is_grad_enabled()))
        return seen

    agree(program)


def test_a_decorated_generator_can_be_closed():
    def program(torch):
        seen = []

        @torch.no_grad()
        def numbers():
            try:
                while True:
                    yield torch.is_grad_enabled()
            finally:
                seen.append(torch.is_grad_enabled())

        generator = numbers()
        seen.append(next(generator))
        generator.close()
        return seen, torch.is_grad_enabled()

    agree(program)


def test_set_grad_enabled_acts_at_once():
    def program(torch):
        seen = []
        try:
            torch.set_grad_enabled(False)
            seen.append(torch.is_grad_enabled())
            torch.set_grad_enabled(mode=True)
            seen.append(torch.is_grad_enabled())
        finally:
            torch.set_grad_enabled(True)
        return seen

    agree(program)


def test_results_of_no_grad_are_constants():
    def program(torch):
        x = leaf(torch)
        with torch.no_grad():
            factor = x * x
        (factor * x).sum().backward()
        return factor, x.grad

    agree(program)


def test_a_leaf_may_be_updated_under_no_grad():
    def program(torch):
        x = leaf(torch)
        (x * x).sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
            x[0] = 5.0
        return x, x.is_leaf, x.requires_grad

    agree(program)


def test_the_mode_belongs_to_the_thread():
    import threading

    seen = []
    with chainrule.no_grad():
        thread = threading.Thread(target=lambda: seen.append(chainrule.is_grad_enabled()))
        thread.start()
        thread.join()
    assert seen == [True]


# ---- retain_grad


def test_retain_grad():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        y.retain_grad()
        y.retain_grad()  # once is enough
        (y * y).sum().backward(retain_graph=True)
        first = y.grad.clone()
        (y * 3).sum().backward()
        return first, y.grad, x.grad, y.retains_grad, x.retains_grad

    agree(program)


def test_retain_grad_on_leaves_and_constants():
    agree(lambda torch: (leaf(torch).retain_grad(), leaf(torch).retains_grad))
    agree(lambda torch: torch.ones(2).retain_grad(), words=3)


def test_retain_grad_under_autograd_grad():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        y.retain_grad()
        found = torch.autograd.grad((y * y).sum(), x)
        return found, y.grad

    agree(program)


def test_retained_gradients_follow_in_place_writes():
    def program(torch):
        x = leaf(torch)
        y = x * 2
        y.retain_grad()
        y.mul_(5)
        (y * y).sum().backward()
        return y.grad, x.grad

    agree(program)


@pytest.mark.parametrize("library", [chainrule, reference], ids=["chainrule", "torch"])
def test_the_graph_keeps_hooks_on_the_nodes_of_its_leaves(library):
    x, seen = library.ones(3, requires_grad=True), []
    y = (x * 2).sum()

    def leaf_node():
        return y.grad_fn.next_functions[0][0].next_functions[0][0]

    leaf_node().register_hook(lambda inputs, outputs: seen.append("after"))
    leaf_node().register_prehook(lambda gradients: (gradients[0] * 3,))
    gc.collect()
    y.backward()
    assert (seen, x.grad.tolist()) == (["after"], [6.0] * 3)
    y = None
    (x * 5).sum().backward()
    assert (seen, x.grad.tolist()) == (["after"], [11.0] * 3)
