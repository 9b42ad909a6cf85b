"""torch.library: operations by schema, and libraries that were compiled for PyTorch."""

import pytest
import torch as reference

import chainrule
from chainrule.operation_schemas import parse_schema

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


@BOTH
def test_defined_operations_run(torch):
    name = f"defined_{torch.__name__}"
    torch.library.define(f"{name}::scale", "(Tensor x, float factor=2.0, *, bool negative=False) -> Tensor")

    @torch.library.impl(f"{name}::scale", "cpu")
    def scale(x, factor=2.0, *, negative=False):
        return (-x if negative else x) * factor

    @torch.library.register_fake(f"{name}::scale")
    def _(x, factor=2.0, *, negative=False):
        return torch.empty_like(x)

    op = getattr(torch.ops, name).scale
    x = torch.tensor([1.0, 2.0])
    assert op(x).tolist() == [2.0, 4.0]
    assert op.default(x, 3.0, negative=True).tolist() == [-3.0, -6.0]
    assert op(torch.empty(2, device="meta")).is_meta


@BOTH
def test_a_library_of_operations(torch):
    name = f"library_{torch.__name__}"
    library = torch.library.Library(name, "DEF")
    assert library.define("twice(Tensor x) -> Tensor") == "twice"
    library.impl("twice", lambda x: 2 * x, "CompositeImplicitAutograd")
    x = torch.tensor([3.0], requires_grad=True)
    getattr(torch.ops, name).twice(x).backward()
    assert x.grad.tolist() == [2.0]
    library.define("nothing(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=f"Could not run '{name}::nothing' with arguments from the 'CPU'"):
        getattr(torch.ops, name).nothing(x)
    with pytest.raises(ValueError, match="Unsupported kind: ALL"):
        torch.library.Library(name, "ALL")


@BOTH
def test_gradients_of_defined_operations(torch):
    name = f"gradients_{torch.__name__}"
    torch.library.define(f"{name}::cube", "(Tensor x) -> Tensor")
    torch.library.impl(f"{name}::cube", "default", lambda x: x**3)
    torch.library.register_autograd(
        f"{name}::cube",
        lambda ctx, g: 3 * ctx.saved_tensors[0] ** 2 * g,
        setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0]),
    )
    x = torch.tensor([2.0], requires_grad=True)
    getattr(torch.ops, name).cube(x).backward()
    assert x.grad.tolist() == [12.0]


@BOTH
def test_schemas_from_annotations(torch):
    def scale(x, factors, name=None, times=2):
        pass

    scale.__annotations__ = {
        "x": torch.Tensor,
        "factors": list[float],
        "name": str | None,
        "times": int,
        "return": tuple[torch.Tensor, torch.Tensor],
    }
    schema = torch.library.infer_schema(scale, mutates_args={"x"})
    assert schema == "(Tensor(a0!) x, float[] factors, str? name=None, SymInt times=2) -> (Tensor, Tensor)"


def test_arguments_of_schemas():
    signature = parse_schema(
        'f(Tensor(a!) x, int[2] size=[1, 2], str mode="a, b", *, Tensor? out=None) -> (Tensor, Tensor)'
    )
    assert str(signature) == "(x, size=[1, 2], mode='a, b', *, out=None)"
    assert str(parse_schema("() -> int")) == "()"


def test_a_compiled_library_can_be_named(tmp_path):
    path = tmp_path / "_packaged.so"
    path.write_bytes(b"\x00\x01packaged::count\x00nms_rotated\x00is_fast_available\x00")
    chainrule.ops.load_library(path)
    try:
        op = chainrule.ops.packaged.nms_rotated
        with pytest.raises(NotImplementedError, match=r"Could not run 'packaged::nms_rotated' .* in _packaged\.so"):
            op(chainrule.ones(1))
        assert chainrule.ops.packaged.is_fast_available() is False
        assert not hasattr(chainrule.ops.packaged, "nothing")
        chainrule.library.impl("packaged::nms_rotated", "CPU", lambda x: x + 1)
        assert chainrule.ops.packaged.nms_rotated(chainrule.ones(1)).item() == 2
    finally:
        from chainrule.ops.dispatcher_names import compiled_libraries

        compiled_libraries.remove(str(path))
    with pytest.raises(OSError, match="cannot open shared object file"):
        chainrule.ops.load_library(tmp_path / "missing.so")


@pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])
def test_an_operation_that_may_use_triton(torch):
    name = f"triton_{torch.__name__}::twice"

    def twice(x):
        return x * 2

    twice.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    op = torch.library.triton_op(name, twice, mutates_args=())
    assert op(torch.ones(2)).tolist() == [2.0, 2.0]
    library = torch.library.Library(name.split("::")[0], "FRAGMENT")
    library.impl("twice", lambda x: x * 3, "CPU")
    assert op(torch.ones(2)).tolist() == [3.0, 3.0]
    packet = torch.ops.aten.add
    assert packet.Tensor._overloadpacket is packet
