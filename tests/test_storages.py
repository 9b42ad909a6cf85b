"""Storages, and what a tensor says about itself: predicates, old constructors, switches, shapes."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import operator
import os
import sys
import warnings
import weakref

import numpy as np
import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def x(torch):
    return torch.tensor([1.0, 2.0])


def quietly(program):
    """PyTorch's typed storages and old constructors warn that they are old."""

    def run(torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return program(torch)

    return run


def shared(torch, storage, **options):
    """Whether the tensor and the storage have one memory."""
    tensor = torch.tensor(storage, **options)
    tensor[0] = 9
    return tensor, storage.tolist()


STORAGES = {
    "bytes": lambda torch: x(torch).untyped_storage().nbytes(),
    "of a view": lambda torch: x(torch)[1:].untyped_storage().nbytes(),
    "length": lambda torch: len(x(torch).untyped_storage()),
    "one of a kind": lambda torch: (lambda t: t.untyped_storage() is t[1:].untyped_storage())(x(torch)),
    "of data": lambda torch: (lambda t: t.data.untyped_storage() is t.untyped_storage())(x(torch)),
    "of another": lambda torch: x(torch).untyped_storage() is x(torch).untyped_storage(),
    "pointer": lambda torch: (lambda t: t[1:].untyped_storage().data_ptr() == t.data_ptr())(x(torch)),
    "new": lambda torch: torch.UntypedStorage(3).nbytes(),
    "of list": lambda torch: torch.UntypedStorage([1, 2]).tolist(),
    "byte": lambda torch: x(torch).untyped_storage()[2],
    "byte outside": lambda torch: x(torch).untyped_storage()[99],
    "slice": lambda torch: x(torch).untyped_storage()[2:4].tolist(),
    "list": lambda torch: x(torch).untyped_storage().tolist(),
    "clone": lambda torch: x(torch).untyped_storage().clone().tolist(),
    "fill": lambda torch: x(torch).untyped_storage().fill_(7).tolist(),
    "copy": lambda torch: torch.UntypedStorage(8).copy_(x(torch).untyped_storage()).tolist(),
    "repr": lambda torch: repr(torch.UntypedStorage([1, 2])),
    "device": lambda torch: str(x(torch).untyped_storage().device),
    "element size": lambda torch: x(torch).untyped_storage().element_size(),
    "pinned": lambda torch: x(torch).untyped_storage().is_pinned(),
    "cuda": lambda torch: x(torch).untyped_storage().is_cuda,
    "typed": lambda torch: x(torch).storage().tolist(),
    "typed length": lambda torch: (len(x(torch).storage()), x(torch).storage().nbytes()),
    "typed item": lambda torch: x(torch).storage()[1],
    "typed slice": lambda torch: x(torch).storage()[:1],
    "typed dtype": lambda torch: str(x(torch).storage().dtype),
    "typed repr": lambda torch: repr(x(torch).storage()),
    "typed of list": lambda torch: torch.TypedStorage([1.0, 2.0]).tolist(),
    "old class": lambda torch: repr(torch.LongStorage([1, 2])),
    "old class of a size": lambda torch: torch.HalfStorage(3).nbytes(),
    "old class of a tensor": lambda torch: torch.FloatStorage(torch.ones(2)),
    "old class with too much": lambda torch: torch.FloatStorage(1, 2),
    "instances": lambda torch: [isinstance(x(torch).storage(), c) for c in (torch.FloatStorage, torch.IntStorage)],
    "default class": lambda torch: torch.Storage is torch.FloatStorage,
    "storage_type": lambda torch: torch.ones(1).int().storage_type() is torch.IntStorage,
    "type": lambda torch: torch.ones(1).bfloat16().storage().type(),
    "converted": lambda torch: repr(torch.FloatStorage([1.5, 0]).int()),
    "of big-endian bytes": lambda torch: torch.ShortStorage.from_buffer(b"\0\1\0\2", "big").tolist(),
    "of bytes": lambda torch: torch.UntypedStorage.from_buffer(b"abc", dtype=torch.uint8).tolist(),
    "of bytes in no order": lambda torch: torch.ShortStorage.from_buffer(b"ab", "up"),
    "byteswap": lambda torch: (lambda s: (s.byteswap(torch.int16), s.tolist()))(torch.UntypedStorage([1, 2, 3, 4])),
    "tensor of a storage": lambda torch: torch.FloatTensor(torch.FloatStorage([1.0, 2.0])),
    "set_": lambda torch: torch.empty(0).set_(x(torch).untyped_storage()),
    "set_ a part": lambda torch: torch.empty(0).set_(torch.arange(6.0).untyped_storage(), 1, (2, 2)),
    "set_ with strides": lambda torch: torch.empty(0).set_(torch.arange(6.0).untyped_storage(), 1, (2, 2), (1, 2)),
    "set_ typed": lambda torch: torch.empty(0).set_(x(torch).storage()),
    "set_ shares": lambda torch: (lambda s: (torch.empty(0).set_(s).fill_(3), s.tolist()))(x(torch).untyped_storage()),
    "set_ to nothing": lambda torch: torch.empty(0).set_("storage"),
    "empty repr": lambda torch: repr(torch.FloatStorage()),
    "is_storage": lambda torch: (torch.is_storage(x(torch)), torch.is_storage(x(torch).untyped_storage())),
    "is_shared": lambda torch: x(torch).is_shared(),
    "is_set_to": lambda torch: (lambda t: (t.is_set_to(t), t.is_set_to(t[:1]), t.is_set_to(t.view(2))))(x(torch)),
    "tensor over a storage": lambda torch: shared(torch, x(torch).untyped_storage(), dtype=torch.float32),
    "tensor over typed": lambda torch: shared(torch, x(torch).storage()),
    "tensor over bytes": lambda torch: torch.tensor(torch.UntypedStorage(range(16))),
    "tensor of another dtype": lambda torch: torch.tensor(x(torch).storage(), dtype=torch.int32),
    "new over a storage": lambda torch: torch.ones(1).new(x(torch).untyped_storage()),
    "meta": lambda torch: repr(torch.TypedStorage([1, 2], dtype=torch.int64, device="meta")),
    "meta untyped": lambda torch: repr(torch.UntypedStorage(7, device="meta")),
    "meta element": lambda torch: torch.UntypedStorage(7, device="meta")[0],
    "meta list": lambda torch: torch.TypedStorage(3, device="meta").tolist(),
    "meta cpu": lambda torch: torch.TypedStorage(3, device="meta").cpu(),
    "meta resize": lambda torch: torch.UntypedStorage(7, device="meta").resize_(20).nbytes(),
    "meta source": lambda torch: torch.TypedStorage([1.0]).copy_(torch.TypedStorage(1, device="meta")),
    "meta address": lambda torch: torch.UntypedStorage(7, device="meta").data_ptr(),
    "meta shared": lambda torch: torch.UntypedStorage(7, device="meta").share_memory_(),
    "meta of a tensor": lambda torch: repr(torch.ones(3, device="meta").untyped_storage()),
    "typed resizable": lambda torch: x(torch).storage().resizable(),
    "typed bytes": lambda torch: torch.zeros(9).storage().__sizeof__() - torch.zeros(1).storage().__sizeof__(),
    "of a NumPy integer": lambda torch: torch.FloatStorage(np.int16(3)).size(),
    "set_ larger": lambda torch: list(torch.zeros(1).set_(torch.ones(2).untyped_storage(), 0, (3, 3)).shape),
    "set_ before the beginning": lambda torch: torch.zeros(1).set_(torch.ones(2).untyped_storage(), -1, (2,)),
    "is_set_to a number": lambda torch: x(torch).is_set_to(5),
}


def test_a_storage_keeps_its_attributes():
    """The object lives as long as the memory, whoever holds it; see core/bindings/types/storage_type.cpp."""
    tensor = chainrule.ones(3)
    storage = tensor.untyped_storage()
    storage.mark = "here"
    weak = weakref.ref(storage)
    del storage
    assert tensor.untyped_storage().mark == "here"
    held = weak()
    del tensor
    assert held is weak()
    assert len(held) == 12
    del held
    assert weak() is None


def test_cycles_of_storages_are_collected():
    storage = chainrule.UntypedStorage(4)
    storage.itself = storage
    weak = weakref.ref(storage)
    del storage
    gc.collect()
    assert weak() is None


def test_subclasses_of_storages():
    class Storage(chainrule.UntypedStorage):
        pass

    before = sys.getrefcount(Storage)
    for _ in range(100):
        Storage(4)
    assert sys.getrefcount(Storage) == before


@pytest.mark.parametrize("program", STORAGES.values(), ids=STORAGES.keys())
def test_storages(program):
    agree(quietly(program))


def test_writes_through_a_storage_reach_the_tensor():
    t = chainrule.zeros(2)
    storage = t.untyped_storage()
    storage[3] = 64
    assert t.tolist() == [2.0, 0.0]
    storage[2:4].fill_(0)
    assert t.tolist() == [0.0, 0.0]


def test_a_storage_outlives_its_tensors():
    t = chainrule.tensor([1.5] * 100)
    storage = t.untyped_storage()
    del t
    gc.collect()
    assert storage._tensor(chainrule.float32, 99, (1,), (1,)).tolist() == [1.5]


def _writes(weight, counts):
    with chainrule.no_grad():
        weight += 1
    counts[0] = weight.is_shared() and weight.requires_grad and isinstance(weight, chainrule.nn.Parameter)


def test_forked_processes_share_memory():  # tests/scripts/hogwild.py has a spawned one
    layer, counts = chainrule.nn.Linear(2, 1), chainrule.zeros(2, dtype=chainrule.int64)
    weight = chainrule.nn.init.ones_(layer.weight)
    layer.share_memory()
    counts.share_memory_()
    process = multiprocessing.get_context("fork").Process(target=_writes, args=(layer.weight, counts))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert layer.weight is weight
    assert weight.tolist() == [[2, 2]]
    assert counts.tolist() == [1, 0]


def test_sharing_memory():
    def program(torch):
        x, empty = torch.full((2, 3), 5.0), torch.zeros(0)
        before = x.is_shared(), x.untyped_storage().is_shared()
        same = x.share_memory_() is x and empty.share_memory_() is empty
        mp = torch.multiprocessing
        mp.set_sharing_strategy("file_system")
        strategies = sorted(mp.get_all_sharing_strategies()), mp.get_sharing_strategy()
        copy = x.clone()
        return x, before, same, x.is_shared(), x.untyped_storage().is_shared(), copy.is_shared(), strategies

    agree(program)


def test_shared_memory_is_let_go():
    before = len(os.listdir("/proc/self/fd"))
    x = chainrule.ones(1000).share_memory_()
    view = x[1:]
    del x
    gc.collect()
    assert view.sum() == 999
    del view
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_views_would_be_left_behind():
    x = chainrule.ones(3)
    view = x[1:]
    with pytest.raises(RuntimeError, match="share_memory_: other tensors show the same memory"):
        x.share_memory_()
    with pytest.raises(RuntimeError, match="share_memory_"):
        view.untyped_storage().share_memory_()


# ---- predicates and attributes

ATTRIBUTES = [
    "is_cpu",
    "is_cuda",
    "is_ipu",
    "is_maia",
    "is_meta",
    "is_mkldnn",
    "is_mps",
    "is_mtia",
    "is_nested",
    "is_quantized",
    "is_sparse",
    "is_sparse_csr",
    "is_vulkan",
    "is_xla",
    "is_xpu",
    "name",
    "itemsize",
    "nbytes",
    "ndim",
    "output_nr",
]
CALLED = [
    "is_conj",
    "is_neg",
    "is_distributed",
    "is_floating_point",
    "is_complex",
    "is_signed",
    "is_contiguous",
    "is_inference",
    "is_pinned",
    "get_device",
    "dim",
    "nelement",
    "numel",
    "element_size",
    "storage_offset",
    "dim_order",
    "_is_view",
    "is_nonzero",
]


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attribute(name):
    agree(lambda torch: getattr(torch.tensor([[1.0, 2.0]])[0], name))


@pytest.mark.parametrize("name", CALLED)
def test_method(name):
    for make in (lambda torch: torch.tensor([1.5]), lambda torch: torch.ones(2, 3, 4).permute(2, 0, 1)):
        agree(lambda torch, make=make: getattr(make(torch), name)(), words=4)


DESCRIPTIONS = {
    "layout": lambda torch: str(x(torch).layout),
    "grad_dtype": lambda torch: str(x(torch).grad_dtype),
    "is_same_size": lambda torch: (x(torch).is_same_size(torch.ones(2)), x(torch).is_same_size(torch.ones(3))),
    "is_same_size of a number": lambda torch: x(torch).is_same_size(5),
    "type_as": lambda torch: x(torch).type_as(torch.tensor([1])),
    "type_as a number": lambda torch: x(torch).type_as(5),
    "type": lambda torch: x(torch).type(),
    "type by name": lambda torch: x(torch).type("torch.LongTensor"),
    "type by class": lambda torch: x(torch).type(torch.LongTensor),
    "type by bad name": lambda torch: x(torch).type("no type"),
    "type by number": lambda torch: x(torch).type(5),
    "pin_memory": lambda torch: x(torch).pin_memory(),
    "cuda": lambda torch: x(torch).cuda(),
    "cuda array interface": lambda torch: hasattr(x(torch), "__cuda_array_interface__"),
    "dim_order, ambiguous": lambda torch: torch.ones(2, 1, 3).dim_order(ambiguity_check=True),
    "dim_order, clear": lambda torch: torch.ones(2, 3).dim_order(ambiguity_check=True),
    "apply_": lambda torch: x(torch).apply_(lambda v: v + 1),
    "apply_ of integers": lambda torch: torch.tensor([1, 2]).apply_(lambda v: v + 1.5),
    "apply_ of bool": lambda torch: torch.tensor([True, False]).apply_(lambda v: not v),
    "apply_ strided": lambda torch: torch.arange(6.0).reshape(2, 3).t().apply_(lambda v: 2 * v),
    "apply_ with gradient": lambda torch: torch.ones(2, requires_grad=True).apply_(lambda v: v),
    "apply_ of nothing": lambda torch: x(torch).apply_(5),
    "map_": lambda torch: x(torch).map_(torch.tensor([3.0]), lambda a, b: a * b),
    "map_ of other shape": lambda torch: x(torch).map_(torch.ones(3), lambda a, b: a * b),
    "map2_": lambda torch: x(torch).map2_(x(torch), x(torch), lambda a, b, c: a * b + c),
    "is_tensor": lambda torch: (torch.is_tensor(x(torch)), torch.is_tensor(1)),
    "typename": lambda torch: (torch.typename(x(torch)), torch.typename(5), torch.typename("a")),
    "scalar_tensor": lambda torch: torch.scalar_tensor(3),
    "scalar_tensor, dtype": lambda torch: torch.scalar_tensor(3, dtype=torch.int64),
    "scalar_tensor, grad": lambda torch: torch.scalar_tensor(3.5, requires_grad=True),
    "scalar_tensor, complex": lambda torch: torch.scalar_tensor(1j),
    "scalar_tensor, text": lambda torch: torch.scalar_tensor("a"),
}


@pytest.mark.parametrize("program", DESCRIPTIONS.values(), ids=DESCRIPTIONS.keys())
def test_descriptions(program):
    agree(program, words=4)


# ---- Size

SIZES = {
    "plus tuple": lambda size: operator.add(size([1, 2]), (3,)),
    "tuple plus": lambda size: operator.add((3,), size([1, 2])),
    "plus Size": lambda size: size([1, 2]) + size([3]),
    "plus list": lambda size: operator.add(size([1, 2]), [3]),
    "times": lambda size: size([1, 2]) * 2,
    "times from the left": lambda size: 2 * size([1, 2]),
    "item": lambda size: size([1, 2])[0],
    "slice": lambda size: size([1, 2])[:1],
    "numel": lambda size: (size([2, 3]).numel(), size([]).numel(), size([2, 0]).numel()),
    "equal": lambda size: (size([1, 2]) == (1, 2), hash(size([1, 2])) == hash((1, 2))),
    "index": lambda size: (size([1, 2]).index(2), size([1, 1]).count(1)),
    "fraction": lambda size: size((1, 2.5)),
    "number": lambda size: size(3),
    "nothing": lambda size: size(),
    "generator": lambda size: size(i for i in (1, 2)),
    "repr": lambda size: repr(size([1, 2])),
}


@pytest.mark.parametrize("use", SIZES.values(), ids=SIZES.keys())
def test_size(use):
    def program(torch):
        result = use(torch.Size)
        return type(result).__name__, result

    agree(program, words=4)


BROADCAST = [
    ((2, 1), (3,)),
    (2, (3, 1)),
    (),
    ((1,), (0,)),
    ([2, 1], [1, 3]),
    ((2,), (3,)),
    ((-1,), (2,)),
    ((2.5,),),
    ((), (2,)),
]


@pytest.mark.parametrize("shapes", BROADCAST, ids=str)
def test_broadcast_shapes(shapes):
    agree(lambda torch: torch.broadcast_shapes(*shapes), words=4)


# ---- old constructors

OLD = {
    "nothing": lambda torch: torch.Tensor(),
    "sizes": lambda torch: torch.Tensor(2, 0),
    "Size": lambda torch: torch.Tensor(torch.Size([0, 2])),
    "list": lambda torch: torch.Tensor([2, 3]),
    "tensor": lambda torch: torch.Tensor(torch.tensor([1])),
    "float": lambda torch: torch.Tensor(2.5),
    "text": lambda torch: torch.Tensor("a"),
    "unknown argument": lambda torch: torch.Tensor(foo=1),
    "FloatTensor": lambda torch: torch.FloatTensor([1, 2]),
    "LongTensor": lambda torch: torch.LongTensor([1, 2]),
    "LongTensor of size": lambda torch: torch.LongTensor(0),
    "LongTensor of fractions": lambda torch: torch.LongTensor([1.5]),
    "LongTensor of floats": lambda torch: torch.LongTensor(x(torch)),
    "BoolTensor": lambda torch: torch.BoolTensor([True]),
    "HalfTensor": lambda torch: torch.HalfTensor([1]),
    "IntTensor of range": lambda torch: torch.IntTensor(range(3)),
    "isinstance": lambda torch: (
        isinstance(x(torch), torch.FloatTensor),
        isinstance(x(torch), torch.LongTensor),
        isinstance(5, torch.FloatTensor),
    ),
    "dtype": lambda torch: str(torch.DoubleTensor.dtype),
    "new": lambda torch: x(torch).new([1, 2]),
    "new of sizes": lambda torch: torch.tensor([1]).new(0, 2),
    "new of another dtype": lambda torch: torch.tensor([1]).new(x(torch)),
}


@pytest.mark.parametrize("program", OLD.values(), ids=OLD.keys())
def test_old_constructors(program):
    agree(quietly(program))


def test_default_tensor_type():
    def program(torch):
        torch.set_default_tensor_type(torch.DoubleTensor)
        first = str(torch.get_default_dtype())
        torch.set_default_tensor_type("torch.FloatTensor")
        return first, str(torch.get_default_dtype())

    agree(quietly(program))
    agree(quietly(lambda torch: torch.set_default_tensor_type(5)), words=4)


# ---- switches


def test_switches():
    def program(torch):
        seen = []
        for mode in (0, 1, 2, "default", "warn", "error"):
            torch.set_deterministic_debug_mode(mode)
            seen.append((torch.get_deterministic_debug_mode(), torch.are_deterministic_algorithms_enabled()))
        torch.use_deterministic_algorithms(True, warn_only=True)
        seen.append(torch.is_deterministic_algorithms_warn_only_enabled())
        torch.use_deterministic_algorithms(False)
        torch.set_float32_matmul_precision("high")
        seen.append(torch.get_float32_matmul_precision())
        torch.set_float32_matmul_precision("highest")
        torch.set_default_device("cpu")
        seen.append(str(torch.get_default_device()))
        torch.set_default_device(None)
        torch.set_warn_always(True)
        seen.append(torch.is_warn_always_enabled())
        torch.set_warn_always(False)
        with torch.device("cpu"):
            seen.append(torch.ones(1))
        return seen

    agree(quietly(program))


@pytest.mark.parametrize(
    "program",
    [
        lambda torch: torch.set_deterministic_debug_mode("foo"),
        lambda torch: torch.set_deterministic_debug_mode(5),
        lambda torch: torch.use_deterministic_algorithms(5),
        lambda torch: torch.set_default_device("foo"),
    ],
)
def test_bad_switches(program):
    agree(program, words=4)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("library", ["chainrule", "torch"])
def test_a_storage_over_a_file(library, tmp_path):
    torch = importlib.import_module(library)
    path = str(tmp_path / "numbers")
    torch.tensor([1.0, 2.0]).numpy().tofile(path)
    private = torch.UntypedStorage.from_file(path, False, 8)
    shown = torch.asarray(private[4:8], dtype=torch.uint8).view(dtype=torch.float32)
    assert shown.tolist() == [2.0]
    shown.fill_(5.0)
    assert torch.FloatStorage.from_file(path, False, 2).tolist() == [1.0, 2.0]
    shared = torch.FloatStorage.from_file(path, shared=True, size=2)
    shared[0] = 7.0
    assert torch.FloatStorage.from_file(path, False, size=2).tolist() == [7.0, 2.0]
    with pytest.raises(RuntimeError, match="is smaller than the required mapping size <9>"):
        torch.UntypedStorage.from_file(path, False, 9)
    assert torch.asarray(torch.UntypedStorage(0), dtype=torch.int64).shape == (0,)
