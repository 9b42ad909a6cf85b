"""torch.compile: a module comes back inside of an OptimizedModule, and options are checked as PyTorch checks them."""

import copy
import importlib

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])


@BOTH
def test_a_module_is_wrapped(torch):
    inner = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Dropout(0.5))
    model = torch.compile(inner, backend="eager", fullgraph=False, dynamic=True)
    optimized = importlib.import_module(f"{torch.__name__}._dynamo.eval_frame").OptimizedModule
    assert isinstance(model, optimized)
    assert model._orig_mod is inner
    assert list(model.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    assert [name for name, _ in model.named_parameters()] == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    model.load_state_dict({"_orig_mod.0.weight": torch.ones(1, 2), "_orig_mod.0.bias": torch.zeros(1)})
    assert inner[0].weight.tolist() == [[1.0, 1.0]]
    assert str(model).startswith("OptimizedModule(\n  (_orig_mod): Sequential(")
    assert len(model) == 2
    model.note = 3
    assert inner.note == model.note == 3
    model.eval()
    assert (inner.training, inner[1].training, model.training) == (False, False, False)
    assert model(torch.ones(1, 2)).tolist() == [[2.0]]
    assert isinstance(copy.deepcopy(model), optimized)
    with pytest.raises(AttributeError):
        model.nothing  # noqa: B018


@BOTH
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own compiler, when it is loaded
def test_options_are_checked(torch):
    model = torch.nn.Linear(1, 1)
    invalid = importlib.import_module(f"{torch.__name__}._dynamo.exc").InvalidBackend
    with pytest.raises(invalid, match="Invalid backend: 'nobody', see"):
        torch.compile(model, backend="nobody")
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast, should be one of: default, lite, reduce-overhead"):
        torch.compile(model, mode="fast")
    with pytest.raises(RuntimeError, match="Either mode or options can be specified"):
        torch.compile(model, mode="default", options={})
    with pytest.raises(RuntimeError, match="Unexpected optimization option speed, known options are \\["):
        torch.compile(model, options={"speed": 1})
    with pytest.raises(RuntimeError, match="Unexpected type of attr max_autotune, got int should be bool"):
        torch.compile(model, options={"max_autotune": 1})
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast"):
        torch.compile(mode="fast")(model)
    with pytest.raises(AssertionError, match="Expected enable to be a bool, got <class 'int'>"):
        torch.compile(model, dynamic=3)
    for accepted in ({"options": {"triton.cudagraphs": True, "max-autotune": False}}, {"mode": "reduce-overhead"}):
        assert torch.compile(model, **accepted)._orig_mod is model
    assert torch.compile(model, backend="eager", mode="of its own", options=None)._orig_mod is model
    with pytest.raises(AssertionError, match="A callable function is expected, but <class 'int'> is provided"):
        torch.compile(3)


def test_a_backend_of_ones_own_is_not_called():
    with pytest.warns(UserWarning, match="does not call the backend"):
        model = chainrule.compile(chainrule.nn.Linear(1, 1), backend=lambda graph, inputs: graph)
    assert model(chainrule.zeros(1, 1)).shape == (1, 1)


def test_training_a_compiled_module():
    chainrule.manual_seed(0)
    model = chainrule.compile(chainrule.nn.Linear(3, 1))
    optimizer = chainrule.optim.SGD(model.parameters(), lr=0.1)
    x, y = chainrule.ones(4, 3), chainrule.zeros(4, 1)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[2] < losses[1] < losses[0]
