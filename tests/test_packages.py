"""What other packages take from torch in passing: names of the dispatcher, modes, custom operations, trees."""

import typing
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
