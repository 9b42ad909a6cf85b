"""torch.jit.trace records programs, torch.jit.save and torch.jit.load carry them through a file."""

import io
import warnings

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def _block(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.convolution = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU())
            self.attention = nn.MultiheadAttention(4, 2, batch_first=True)
            self.register_buffer("shift", torch.ones(4), persistent=False)
            self.scale = torch.tensor(2.0)

        def forward(self, x, weights):
            y = self.convolution(x).flatten(2).transpose(1, 2) + self.shift
            y = y + self.attention(y, y, y, need_weights=False)[0]
            y[:, 0] = 0
            top, _ = (y.mT @ y).max(-1)
            first, *_ = y
            return y[..., ::2] * self.scale, [top * weights["w"], (first.T @ first).sum() + y.real.sum()]

    torch.manual_seed(0)
    return Block().eval()


@BOTH
@pytest.mark.filterwarnings("ignore:.*")
def test_a_module_through_a_file(torch, tmp_path):
    block = _block(torch)
    x, weights = torch.randn(2, 2, 4, 4), {"w": torch.arange(4.0)}
    traced = torch.jit.trace(block, (x, weights), check_trace=torch is chainrule)
    assert isinstance(traced, torch.jit.ScriptModule)
    torch.jit.save(traced, tmp_path / "block.pt")
    loaded = torch.jit.load(tmp_path / "block.pt")
    assert not loaded.training
    # PyTorch forgets that a buffer does not belong to the state.
    assert set(loaded.state_dict()) - {"shift"} == set(block.state_dict())
    x = torch.randn(2, 2, 4, 4)
    expected, found = block(x, weights), loaded(x, weights)
    torch.testing.assert_close(found, expected)
    sum(found[1]).sum().backward()
    sum(expected[1]).sum().backward()
    gradients = {name: p.grad for name, p in loaded.named_parameters()}
    for name, parameter in block.named_parameters():
        torch.testing.assert_close(gradients[name], parameter.grad)


@BOTH
def test_a_function_through_a_file(torch):
    def twice(x, y):
        return x * 2 + y.t(), (y - 1).relu_()

    traced = torch.jit.trace(twice, (torch.ones(2, 3), torch.ones(3, 2)))
    file = io.BytesIO()
    torch.jit.save(traced, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    x, y = torch.randn(2, 3), torch.randn(3, 2)
    for program in (traced, loaded):
        assert all(torch.equal(a, b) for a, b in zip(program(x, y), twice(x, y), strict=True))


@BOTH
def test_what_depends_on_values_is_told(torch):
    def absolute(x):
        return x if x.sum() > 0 else -x

    with pytest.warns(torch.jit.TracerWarning, match="Python boolean might cause the trace to be incorrect"):
        traced = torch.jit.trace(absolute, torch.ones(2))
    assert traced(-torch.ones(2)).tolist() == [-1.0, -1.0]
    with pytest.raises(RuntimeError, match="Encountering a dict at the output of the tracer"):
        torch.jit.trace(lambda x: {"x": x + 1}, torch.ones(2))


@BOTH
def test_arguments_by_name_and_extra_files(torch):
    linear = torch.nn.Bilinear(2, 3, 1)
    x, y = torch.ones(4, 2), torch.ones(4, 3)
    traced = torch.jit.trace(linear, example_kwarg_inputs={"input2": y, "input1": x})
    assert torch.equal(traced(input1=x, input2=y), linear(x, y))
    file, extra = io.BytesIO(), {"note": ""}
    torch.jit.save(traced, file, _extra_files={"note": "hello"})
    file.seek(0)
    torch.jit.load(file, _extra_files=extra)
    assert extra["note"] in ("hello", b"hello")


def test_dropout_is_drawn_anew():
    model = chainrule.nn.Sequential(chainrule.nn.Dropout(0.5)).train()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced = chainrule.jit.trace(model, chainrule.ones(100))
    chainrule.manual_seed(0)
    first, second = traced(chainrule.ones(100)), traced(chainrule.ones(100))
    chainrule.manual_seed(0)
    assert first.equal(model(chainrule.ones(100)))
    assert not first.equal(second)


def test_the_program_can_be_read():
    traced = chainrule.jit.trace(chainrule.nn.Linear(2, 1), chainrule.ones(1, 2))
    lines = ["program(%0)", "  %3 = aten.linear.default(%0, %weight, %bias)", "  return %3"]
    assert traced.graph.splitlines() == lines


def test_buffers_of_no_state_stay_so():
    block = _block(chainrule)
    traced = chainrule.jit.trace(block, (chainrule.randn(2, 2, 4, 4), {"w": chainrule.arange(4.0)}))
    file = io.BytesIO()
    traced.save(file)
    file.seek(0)
    assert list(traced.state_dict()) == list(block.state_dict())
    assert set(chainrule.jit.load(file).state_dict()) == set(block.state_dict())
    assert traced.convolution.get_parameter("0.weight") is block.convolution[0].weight


def test_what_is_no_program_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match=r"torch\.jit\.save: Linear is no recorded program; torch\.jit\.trace"):
        chainrule.jit.save(chainrule.nn.Linear(1, 1), tmp_path / "x.pt")
    chainrule.save({"format": "another"}, tmp_path / "x.pt")
    with pytest.raises(RuntimeError, match=r"torch\.jit\.load: no program"):
        chainrule.jit.load(tmp_path / "x.pt")
    reference.jit.save(reference.jit.trace(lambda x: x + 1, reference.ones(1)), str(tmp_path / "y.pt"))
    with pytest.raises(RuntimeError, match=r"torch\.jit\.load: no program"):
        chainrule.jit.load(tmp_path / "y.pt")
    with pytest.raises(FileNotFoundError):
        chainrule.jit.load(tmp_path / "nothing.pt")
    with pytest.raises(RuntimeError, match=r"torch\.jit\.ScriptModule: .* compiles none"):
        chainrule.jit.ScriptModule()
    traced = chainrule.jit.trace(lambda x: x + 1, chainrule.ones(1))
    with pytest.raises(TypeError, match="no argument 'z'"):
        traced(z=chainrule.ones(1))
    with pytest.raises(RuntimeError, match="takes 1 tensors, but 2 were given"):
        traced(chainrule.ones(1), chainrule.ones(1))
