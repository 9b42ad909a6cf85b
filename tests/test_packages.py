"""What other packages take from torch in passing: names of the dispatcher, modes, custom operations, trees."""

import importlib
import typing
import weakref
from collections import namedtuple

import pytest
import torch as reference

import chainrule
from chainrule.missing_names import problem_with

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


@BOTH
def test_names_of_the_dispatcher(torch):
    aten = torch.ops.aten
    assert aten.add.Tensor(torch.ones(2), 2).tolist() == [3.0, 3.0]
    assert aten.add.Tensor is aten.add.Tensor
    assert aten.add.Tensor != aten.add.Scalar
    assert str(aten.add.Tensor) == "aten.add.Tensor"
    assert repr(aten.add) == "<OpOverloadPacket(op='aten.add')>"
    assert aten.add.Tensor.name() == "aten::add.Tensor"
    assert aten.relu.default.name() == "aten::relu"
    assert not hasattr(torch.ops.nobody, "nothing")


def test_a_missing_operation_raises_when_it_is_called():
    op = chainrule.ops.aten._to_mkldnn.default
    with pytest.raises(NotImplementedError, match=r"aten\._to_mkldnn\.default"):
        op(chainrule.ones(2))
    assert "no such operation" in problem_with("torch.ops.aten._to_mkldnn.default")
    assert problem_with("torch.ops.aten.add.Tensor") is None
    assert "missing" in problem_with("torch.ops.torchvision.nms")


@BOTH
def test_modes_stand_upon_each_other(torch):
    seen = []

    class Log(torch.overrides.TorchFunctionMode):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append((self.name, func.__name__))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Log("outer"), Log("inner"):
        torch.exp(x)
    torch.exp(x)
    assert seen == [("inner", "exp"), ("outer", "exp")]


@BOTH
def test_a_mode_answers_instead(torch):
    class Zeros(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return torch.zeros_like(args[0]) if func is torch.exp else func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Zeros():
        assert torch.exp(x).tolist() == [0.0, 0.0]
        assert torch.neg(x).tolist() == [-1.0, -1.0]
    assert torch.exp(x).tolist() != [0.0, 0.0]


@BOTH
def test_custom_operation(torch):
    name = f"shapes_{torch.__name__}::cube"

    def cube(x: torch.Tensor, factor: float = 1.0) -> torch.Tensor:
        return factor * x**3

    cube.__annotations__ = {"x": torch.Tensor, "factor": float, "return": torch.Tensor}
    op = torch.library.custom_op(name, cube, mutates_args=())
    x = torch.tensor([2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        op(x).backward()

    def keep(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    def backward(ctx, g):
        return 3 * ctx.factor * ctx.saved_tensors[0] ** 2 * g, None

    op.register_autograd(backward, setup_context=keep)
    y = getattr(torch.ops, name.split("::")[0]).cube(x, factor=2.0)
    y.backward()
    assert y.tolist() == [16.0]
    assert x.grad.tolist() == [24.0]


@BOTH
def test_trees_of_registered_classes(torch):
    from importlib import import_module

    pytree = import_module(f"{torch.__name__}.utils._pytree")
    pair = namedtuple("pair", "a b")

    class Box:
        def __init__(self, values):
            self.values = values

    pytree.register_pytree_node(Box, lambda box: (box.values, "context"), lambda values, context: Box(list(values)))
    tree = {"x": [1, (2, 3)], "y": pair(4, Box([5, 6]))}
    leaves, spec = pytree.tree_flatten(tree)
    assert leaves == [1, 2, 3, 4, 5, 6]
    again = pytree.tree_unflatten([v * 10 for v in leaves], spec)
    assert again["y"].a == 40
    assert again["y"].b.values == [50, 60]
    assert type(again["y"]) is pair
    assert pytree.tree_map_only(int, lambda v: v + 1, [1, "a"]) == [2, "a"]


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu"])
def test_dtypes_that_are_names_only(name):
    dtype = getattr(chainrule, name)
    assert repr(dtype) == f"torch.{name}"
    assert dtype.itemsize == 1
    assert repr(chainrule.finfo(dtype)) == repr(reference.finfo(getattr(reference, name)))
    with pytest.raises(TypeError, match=name):
        chainrule.zeros(2, dtype=dtype)
    assert "no such dtype" in problem_with(f"torch.{name}")


def test_what_is_left_out_as_a_whole():
    from chainrule.ao.quantization import QuantStub, fuse_modules

    with pytest.raises(RuntimeError, match=r"ao\.quantization\.fuse_modules"):
        fuse_modules(None)
    with pytest.raises(RuntimeError, match=r"ao\.quantization\.QuantStub"):
        QuantStub()


def test_modules_tell_their_types():
    """Packages ask for the annotations of modules; each must be known where it stands."""

    class Net(chainrule.nn.Sequential):
        width: int

    assert typing.get_type_hints(Net)["width"] is int


# ---- names of torch.utils and torch.__future__


@BOTH
def test_swapped_tensors_keep_their_identity(torch):
    parameter, plain = torch.nn.Parameter(torch.ones(2)), torch.arange(3.0)
    plain.note = "here"
    parameter.grad = torch.full((2,), 5.0)
    torch.utils.swap_tensors(parameter, plain)
    assert (type(parameter), parameter.note, parameter.tolist()) == (torch.Tensor, "here", [0.0, 1.0, 2.0])
    assert (parameter.requires_grad, parameter.grad) == (False, None)
    assert (type(plain), plain.requires_grad, plain.grad.tolist()) == (torch.nn.Parameter, True, [5.0, 5.0])
    reference_to = weakref.ref(plain)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated with it"):
        torch.utils.swap_tensors(parameter, plain)
    del reference_to


@BOTH
@pytest.mark.parametrize(("how", "same"), [("overwrite", False), ("swap", True)])
def test_conversions_as_future_says(torch, how, same):
    linear = torch.nn.Linear(2, 2)
    weight = linear.weight
    weight.grad = torch.ones(2, 2)
    change = getattr(torch.__future__, f"set_{how}_module_params_on_conversion")
    change(True)
    try:
        linear.double()
    finally:
        change(False)
    assert (linear.weight is weight) is same
    assert linear.weight.dtype == torch.float64
    assert linear.weight.grad.dtype == torch.float64


@BOTH
def test_keys_are_held_weakly(torch):
    from_module = importlib.import_module(f"{torch.__name__}.utils.weak")
    notes = from_module.WeakTensorKeyDictionary()
    x, y = torch.ones(2), torch.ones(2)
    notes[x], notes[y] = 1, 2
    assert (notes[x], notes[y], len(notes), list(notes.values())) == (1, 2, 2, [1, 2])
    del x
    assert (len(notes), y in notes, torch.ones(2) in notes) == (1, True, False)
    assert from_module.TensorWeakRef(y)() is y


@BOTH
def test_new_memory_stands_out_in_deterministic_programs(torch):
    importlib.import_module(f"{torch.__name__}.utils.deterministic")
    torch.use_deterministic_algorithms(True)
    try:
        made = [torch.empty(2), torch.empty(1, dtype=torch.uint8), torch.empty(1, dtype=torch.int64)]
        made += [torch.empty(1, dtype=torch.bool), torch.empty_like(made[0]), made[0].new_empty(1)]
        assert (
            str([t.tolist() for t in made]) == "[[nan, nan], [255], [9223372036854775807], [True], [nan, nan], [nan]]"
        )
        torch.utils.deterministic.fill_uninitialized_memory = False
        assert not torch.utils.deterministic.fill_uninitialized_memory
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)


@BOTH
def test_modules_that_run(torch):
    ModuleTracker = importlib.import_module(f"{torch.__name__}.utils.module_tracker").ModuleTracker  # noqa: N806
    seen = []

    class Watched(torch.nn.Linear):
        def forward(self, x):
            seen.append((sorted(tracker.parents), tracker.is_bw))
            y = super().forward(x)
            y.register_hook(lambda g: seen.append((sorted(tracker.parents), tracker.is_bw)))
            return y

    with ModuleTracker() as tracker:
        torch.nn.Sequential(Watched(1, 1), torch.nn.ReLU())(torch.ones(1, 1, requires_grad=True)).sum().backward()
        assert tracker.parents == {"Global"}
    forward, backward = ["Global", "Sequential", "Sequential.0"], ["Global", "Sequential", "Sequential.1"]
    assert seen == [(forward, False), (backward, True)]


def test_what_is_left_out_names_itself():
    for use in (
        lambda: chainrule.sparse_coo_tensor([[0]], [1.0]),
        lambda: chainrule.sparse.mm(chainrule.ones(1, 1), chainrule.ones(1, 1)),
        lambda: chainrule.nested.nested_tensor([chainrule.ones(1)]),
        lambda: chainrule.quantize_per_tensor(chainrule.ones(1), 0.1, 0, chainrule.qint8),
        lambda: chainrule.masked.masked_tensor(chainrule.ones(1), chainrule.ones(1).bool()),
    ):
        with pytest.raises(RuntimeError, match=r"^torch\.\S+: chainrule has"):
            use()
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not complex32"):
        chainrule.zeros(2, dtype=chainrule.complex32)
    assert "raises" in problem_with("torch.sparse.mm")
