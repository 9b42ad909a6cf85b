"""Pickling and copying: values, layouts, classes, attributes, and what tensors share with each other."""

from __future__ import annotations

import copy
import io
import pickle

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


class Mine(chainrule.Tensor):
    """A user's own class."""


class Theirs(reference.Tensor):
    pass


def again(value, protocol: int = pickle.DEFAULT_PROTOCOL):
    return pickle.loads(pickle.dumps(value, protocol))


MADE = {
    "leaf": lambda torch: torch.tensor([1.0, 2.0], requires_grad=True),
    "integers": lambda torch: torch.tensor([[1, 2], [3, 4]]),
    "transposed": lambda torch: torch.arange(6.0).reshape(2, 3).t(),
    "part": lambda torch: torch.arange(6.0).reshape(2, 3)[:, 1:],
    "scalar": lambda torch: torch.tensor(3.5),
    "empty": lambda torch: torch.zeros(0, 3),
    "bfloat16": lambda torch: torch.tensor([1.5, 2.5], dtype=torch.bfloat16),
    "complex": lambda torch: torch.tensor([1 + 2j]),
    "bool": lambda torch: torch.tensor([True, False]),
    "non-leaf": lambda torch: torch.tensor([1.0], requires_grad=True) * 2,
    "expanded": lambda torch: torch.ones(1).expand(3),
    "parameter": lambda torch: torch.nn.Parameter(torch.ones(2)),
    "large": lambda torch: torch.arange(1000.0),
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE.keys())
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickle(make, protocol):
    def program(torch):
        y = again(make(torch), protocol)
        return y, y.stride(), y.storage_offset(), y.is_leaf, type(y).__name__, y.untyped_storage().nbytes()

    agree(program)


def test_class_and_attributes_are_kept():
    x = chainrule.ones(2).as_subclass(Mine)
    x.note = ["kept"]
    y = again(x)
    assert (type(y), y.note, y.tolist()) == (Mine, ["kept"], [1.0, 1.0])
    p = chainrule.nn.Parameter(chainrule.ones(2), requires_grad=False)
    p.note = 1
    q = again(p)
    assert (type(q), q.note, q.requires_grad) == (chainrule.nn.Parameter, 1, False)


def test_tensors_of_one_storage_share_it_again():
    x = chainrule.arange(4.0)
    a, b, c = again([x, x[1:], x.data])
    a[1] = 9
    assert (b[0].item(), c[1].item()) == (9, 9)
    assert a.untyped_storage() is b.untyped_storage()


def test_an_array_of_numpy_can_be_pickled():
    import numpy as np

    assert again(chainrule.from_numpy(np.arange(4.0))[1:]).tolist() == [1.0, 2.0, 3.0]


def test_gradients_are_not_pickled():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        return again(x).grad

    agree(program)


def test_a_hook_is_lost_with_a_warning():
    x = chainrule.ones(2, requires_grad=True)
    x.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="backward hook .* on tensor will not be serialized"):
        pickle.dumps(x)


def test_out_of_band_buffers():
    """Protocol 5 hands the bytes over without a copy, where the caller asks for that."""
    x = chainrule.arange(1000.0)
    buffers = []
    text = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 500
    assert pickle.loads(text, buffers=buffers).tolist() == x.tolist()


def test_a_shortened_pickle_is_refused():
    text = pickle.dumps(chainrule.arange(10.0))
    for end in range(0, len(text) - 1, 7):
        with pytest.raises((EOFError, pickle.UnpicklingError, ValueError, IndexError, AttributeError)):
            pickle.loads(text[:end])


@pytest.mark.parametrize(
    ("offset", "size", "stride"), [(0, (4,), (1,)), (2, (2,), (1,)), (-1, (1,), (1,)), (0, (2,), (-1,)), (0, (2,), ())]
)
def test_a_forged_layout_is_refused(offset, size, stride):
    storage = chainrule.ones(3).untyped_storage()
    with pytest.raises(RuntimeError):
        storage._tensor(chainrule.float32, offset, size, stride)


def test_generators_can_be_pickled():
    g = chainrule.Generator().manual_seed(3)
    chainrule.randn(3, generator=g)
    assert chainrule.randn(5, generator=again(g)).tolist() == chainrule.randn(5, generator=g).tolist()


# ---- copy


def test_deepcopy_keeps_what_views_share():
    def program(torch):
        x = torch.arange(6.0)
        a, b, c = copy.deepcopy([x, x[1:], x.view(2, 3)])
        a[1] = 9
        return x, a, b, c, c.stride()

    agree(program)


def test_deepcopy_of_a_whole_with_gradients():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward()
        memo = {"x": x, "again": x, "part": x.grad}
        y = copy.deepcopy(memo)
        return y["x"] is y["again"], y["x"].grad, y["x"].grad is x.grad, y["part"] is y["x"].grad

    agree(program)


def test_deepcopy_of_a_parameter():
    def program(torch):
        p = torch.nn.Parameter(torch.ones(2))
        p.grad = torch.ones(2)
        q = copy.deepcopy(p)
        return q, type(q).__name__, q.grad, q.data_ptr() == p.data_ptr()

    agree(program)


def test_copy_shares_memory():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        x.note = 5
        x.grad = torch.ones(2)
        y = copy.copy(x)
        z = copy.copy(x * 2)
        return y.data_ptr() == x.data_ptr(), y.requires_grad, y.is_leaf, y.note, y.grad, z, z.is_leaf

    agree(program)


def test_a_pickler_with_ids_of_its_own():
    """A checkpoint writer can take the storages out by persistent_id."""
    x = chainrule.arange(4.0)
    stored = {}

    class Writer(pickle.Pickler):
        def persistent_id(self, obj):
            if isinstance(obj, chainrule.UntypedStorage):
                stored[obj._cdata] = obj
                return obj._cdata
            return None

    class Reader(pickle.Unpickler):
        def persistent_load(self, pid):
            return stored[pid]

    file = io.BytesIO()
    Writer(file).dump([x, x[2:]])
    a, b = Reader(io.BytesIO(file.getvalue())).load()
    assert len(stored) == 1
    assert (a.data_ptr(), b.tolist()) == (x.data_ptr(), [2.0, 3.0])


def test_constants_say_where_they_are():
    # pickle would look for them in every module otherwise, and might find them in another.
    for constant in (chainrule.float32, chainrule.strided, chainrule.channels_last):
        assert constant.__module__ == "chainrule"
        assert b"_core" not in pickle.dumps(constant)
