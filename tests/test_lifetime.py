"""How long tensors and nodes live: long chains, reference cycles, what backward releases."""

import gc
import resource
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import chainrule
from both import no_leaks, unless_sanitized  # noqa: F401
from chainrule import _core

pytestmark = pytest.mark.usefixtures("no_leaks")


def chain(x, length):
    y = x
    for _ in range(length):
        y = y * 1.0
    return y


def resident_megabytes() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def test_a_chain_of_a_million_nodes():
    before = _core.live_nodes()
    x = chainrule.ones(1, requires_grad=True)
    after = []
    for _ in range(2):
        y = chain(x, 1_000_000)
        assert _core.live_nodes() >= 1_000_000
        y.backward()
        assert x.grad.tolist() == [1.0]
        x.grad = None
        del y
        assert _core.live_nodes() == before
        after.append(resident_megabytes())
    assert after[1] < after[0] + 40  # the second run uses the first one's memory again


def test_a_long_chain_that_is_never_run_is_freed():
    before = _core.live_nodes()
    y = chain(chainrule.ones(1, requires_grad=True), 300_000)
    del y
    assert _core.live_nodes() == before


def test_a_long_chain_is_freed_by_the_collector():
    before = _core.live_nodes()
    x = chainrule.ones(1, requires_grad=True)
    y = chain(x, 200_000)
    x.mine = y  # a cycle through the whole chain
    del x, y
    gc.collect()
    assert _core.live_nodes() == before


def test_a_long_chain_of_second_derivatives():
    x = chainrule.ones(1, dtype=chainrule.float64, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y * x
    (g,) = chainrule.autograd.grad(y, x, create_graph=True)
    (h,) = chainrule.autograd.grad(g, x)
    assert (g.item(), h.item()) == (20_001.0, 20_001.0 * 20_000.0)


def test_a_long_chain_of_views_and_writes():
    x = chainrule.ones(3, requires_grad=True)
    y = x * 1
    for _ in range(20_000):
        y[0].add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_a_graph_dies_with_its_result():
    before = _core.live_nodes()
    x = chainrule.ones(3, requires_grad=True)
    y = (x.exp() * x.sin()).sum()
    assert _core.live_nodes() > before
    del y
    assert _core.live_nodes() == before


def test_inputs_live_as_long_as_the_graph_needs_them():
    x = chainrule.ones(3, requires_grad=True)
    factor = chainrule.ones(3)
    gone = weakref.ref(factor)
    y = (x * factor).sum()
    del factor
    assert gone() is not None
    y.backward()
    assert gone() is None  # released as soon as its node had run


def test_backward_releases_saved_tensors_as_it_goes():
    x = chainrule.ones(3, requires_grad=True)
    factor = chainrule.ones(3)
    gone, seen = weakref.ref(factor), []
    y = x * 2
    y.register_hook(lambda g: seen.append(gone() is None))
    z = (y * factor).sum()
    del factor
    z.backward()
    assert seen == [True]


def test_retain_graph_keeps_saved_tensors():
    x = chainrule.ones(3, requires_grad=True)
    factor = chainrule.ones(3)
    gone = weakref.ref(factor)
    y = (x * factor).sum()
    del factor
    y.backward(retain_graph=True)
    assert gone() is not None


def test_detach_keeps_no_graph_alive():
    before = _core.live_nodes()
    y = chainrule.ones(3, requires_grad=True).exp().detach()
    assert _core.live_nodes() == before
    assert y.tolist() == pytest.approx([2.718281828] * 3)


def test_an_output_saved_by_its_own_node_is_no_cycle():
    before = _core.live_tensors()
    gc.disable()
    try:
        y = chainrule.ones(3, requires_grad=True).exp()
        del y
        assert _core.live_tensors() == before
    finally:
        gc.enable()


# ---- cycles that only the collector can free


def test_a_cycle_through_an_attribute():
    x = chainrule.ones(3, requires_grad=True)
    y = x * 2
    y.myself = y
    x.result = [y]
    gone = weakref.ref(y)
    del x, y
    gc.collect()
    assert gone() is None


def test_a_cycle_through_create_graph():
    x = chainrule.ones(3, requires_grad=True)
    (x**3).sum().backward(create_graph=True)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_a_cycle_through_a_hook():
    x = chainrule.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g, y=y: y)
    x.register_hook(lambda g, x=x: x)
    gone = weakref.ref(y), weakref.ref(x)
    del x, y
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_a_cycle_through_node_metadata():
    y = chainrule.ones(3, requires_grad=True) * 2
    y.grad_fn.metadata["output"] = y
    y.grad_fn._hooks()[0] = lambda *_, y=y: y
    gone = weakref.ref(y)
    del y
    gc.collect()
    assert gone() is None


def test_a_cycle_through_an_accumulator():
    x = chainrule.ones(3, requires_grad=True)
    x.accumulator = (x * 2).grad_fn.next_functions[0][0]
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_an_accumulator_outlives_and_is_made_again():
    x = chainrule.ones(3, requires_grad=True)
    y = x * 2
    first = y.grad_fn.next_functions[0][0]
    del first
    again = y.grad_fn.next_functions[0][0]
    assert again.variable is x


def test_a_cycle_through_a_gradient_of_a_subclass():
    class Mine(chainrule.Tensor):
        pass

    x = chainrule.Tensor._make_subclass(Mine, chainrule.ones(3), True)
    x.loop = x
    (x * x).sum().backward(create_graph=True)
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None


def test_create_graph_loops_do_not_grow():
    def steps(count):
        for _ in range(count):
            x = chainrule.ones(3, requires_grad=True)
            (x**3).sum().backward(create_graph=True)

    steps(5_000)
    gc.collect()
    before = _core.live_tensors()
    steps(5_000)
    gc.collect()
    assert _core.live_tensors() == before


def test_a_training_loop_is_flat():
    w = chainrule.randn(8, 8, requires_grad=True)
    x = chainrule.randn(4, 8)

    def step():
        loss = ((x @ w).tanh() ** 2).mean()
        loss.backward()
        with chainrule.no_grad():
            w.sub_(0.01 * w.grad)
        w.grad = None

    step()
    before = _core.live_tensors(), _core.live_nodes()
    for _ in range(2_000):
        step()
    assert (_core.live_tensors(), _core.live_nodes()) == before


# ---- exceptions


def test_an_exception_in_backward_releases_everything():
    before = _core.live_tensors(), _core.live_nodes()
    x = chainrule.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: {}["missing"])
    with pytest.raises(KeyError):
        (y.exp() * x.exp()).sum().backward()
    del x, y
    gc.collect()
    assert (_core.live_tensors(), _core.live_nodes()) == before


def test_a_hook_returning_nonsense_leaks_nothing():
    x = chainrule.ones(3, requires_grad=True)
    kept = chainrule.ones(2)
    gone = weakref.ref(kept)
    x.register_hook(lambda g, kept=kept: kept)
    with pytest.raises(RuntimeError):
        (x * 2).sum().backward()
    del x, kept
    gc.collect()
    assert gone() is None


def test_tensors_in_an_error_message_are_not_kept():
    before = _core.live_tensors()
    x = chainrule.ones(3)
    with pytest.raises(RuntimeError):
        x + chainrule.ones(4)
    del x
    gc.collect()
    assert _core.live_tensors() == before


def test_a_weak_reference_to_a_tensor_and_its_callback():
    called = []
    x = chainrule.ones(3)
    reference = weakref.ref(x, called.append)
    assert reference() is x
    del x
    assert called == [reference]


def test_a_leaf_lives_with_its_graph():
    # Only the graph holds the leaf; its identity, attributes and hooks survive.
    x = chainrule.ones(3, requires_grad=True)
    x.name_of_mine = "kept"
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    y = (x * 2).sum()
    del x
    y.backward()
    leaf = y.grad_fn.next_functions[0][0].next_functions[0][0].variable
    assert leaf.name_of_mine == "kept"
    assert leaf.grad.tolist() == seen[0] == [2.0, 2.0, 2.0]


def test_seventy_thousand_inputs_and_outputs():
    x = chainrule.ones(70_000, requires_grad=True)
    pieces = x.unbind()
    (pieces[0] + 3 * pieces[-1]).backward()
    assert (x.grad[0].item(), x.grad[-1].item(), x.grad.sum().item()) == (1.0, 3.0, 4.0)
    parts = [chainrule.ones(1, requires_grad=True) for _ in range(70_000)]
    (chainrule.cat(parts) * chainrule.arange(70_000.0)).sum().backward()
    assert [parts[i].grad.item() for i in (0, 4464, 65_536, 69_999)] == [0.0, 4464.0, 65_536.0, 69_999.0]


# ---- memory that others see


def test_borrowed_memory_stays_where_it_is():
    """What a tensor shows cannot move away under it."""
    import array
    import mmap

    grown = array.array("d", [1.0, 2.0, 3.0])
    x = chainrule.frombuffer(grown, dtype=chainrule.float64)
    with pytest.raises(BufferError):
        grown.extend([0.0] * 1000)
    assert x.tolist() == [1.0, 2.0, 3.0]
    del x
    grown.extend([4.0])

    mapped = mmap.mmap(-1, 4096)
    x = chainrule.frombuffer(mapped, dtype=chainrule.uint8)
    with pytest.raises(BufferError):
        mapped.close()
    assert x.sum().item() == 0
    del x
    mapped.close()


def test_lent_memory_outlives_the_tensors_use_of_it():
    """A buffer keeps the memory it was made for when the tensor gets other memory; such memory is not resized."""
    x = chainrule.ones(1000)
    seen = memoryview(x)
    array = np.asarray(x)
    x.data = chainrule.zeros(2000)
    y = chainrule.ones(1000)
    lent = memoryview(y)
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        y.resize_(50000)
    del x, y
    chainrule._core.trim_memory()
    assert set(seen) == {1.0}
    assert set(lent) == {1.0}
    assert array.sum() == 1000


BESIDE_LIVING_TENSORS = """
import chainrule
from test_lifetime import resident_megabytes

chainrule.memory.trim()
before = resident_megabytes()
tensors = [chainrule.full((150_000,), float(i)) for i in range(120)]  # 72 MB
kept = tensors[::12]
assert resident_megabytes() - before > 65
del tensors
chainrule.memory.trim()
assert resident_megabytes() - before < 40
assert [t.sum().item() for t in kept] == [150_000.0 * i for i in range(0, 120, 12)]
del kept
chainrule.memory.trim()
assert resident_megabytes() - before < 10
"""


@unless_sanitized
def test_trimming_gives_back_what_lies_beside_living_tensors():
    """Blocks that share pages with others are given back one by one, and the rest of them with the last."""
    # In a process of its own: what other tests have left decides which pages are touched first.
    subprocess.run([sys.executable, "-c", BESIDE_LIVING_TENSORS], check=True, cwd=Path(__file__).parent)


def test_unaligned_memory_is_copied():
    raw = np.arange(33, dtype=np.uint8)
    for dtype in ("float32", "float64", "int16", "complex64"):
        odd = raw[1:33].view(dtype)
        x = chainrule.from_numpy(odd)
        assert x.data_ptr() % odd.dtype.alignment == 0
        np.testing.assert_array_equal(x.numpy(), odd)
        np.testing.assert_array_equal(chainrule.tensor(odd[::2]).numpy(), odd[::2])


def test_a_long_chain_of_gradients_of_gradients_is_freed():
    x = chainrule.ones(1)
    for _ in range(300_000):
        y = chainrule.ones(1)
        y.grad = x
        x = y
    del x, y
