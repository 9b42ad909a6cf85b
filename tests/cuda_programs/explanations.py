"""What explains and watches: the same on a GPU."""

import chainrule as torch
import torch_words as words

x = torch.tensor([1.0, -1.0], device="cuda", requires_grad=True)


def guarded() -> None:
    with torch.nan_guard():
        x.log().sum()


error = words.raised(guarded, RuntimeError)
assert error.startswith("NaN made by log in the forward pass at index [1].")


def watched() -> None:
    with torch.autograd.set_detect_anomaly(True):
        x.sqrt().sum().backward()


assert words.of(watched) == "Function 'SqrtBackward0' returned nan values in its 0th output."
y = (x * 2).sin().sum()
text = str(torch.explain(y))
assert "x * 2" in text or "x*2" in text, text
assert "[2, -2]" in text
x.grad = None
with torch.autograd.graph.save_on_cpu(pin_memory=True):
    y = (x * x).sum()
y.backward()
assert x.grad.tolist() == [2, -2]
assert x.grad.is_cuda
wrong = "invalid gradient at index 0 - expected device cuda:0 but got cpu"
assert words.of(lambda: torch.autograd.grad(x * 2, x, torch.ones(2))) == wrong
assert torch.autograd.gradcheck(torch.sin, (torch.rand(3, dtype=torch.float64, device="cuda", requires_grad=True),))


class Elsewhere(torch.autograd.Function):
    """Whose gradient is on the wrong device."""

    @staticmethod
    def forward(ctx, a):
        return a.clone()

    @staticmethod
    def backward(ctx, g):
        return g.cpu()


assert "expected device cuda:0 but got cpu" in words.of(lambda: Elsewhere.apply(x).sum().backward())

# An index out of range kills nothing: it is told by what waits next.
table = torch.rand(3, 2, device="cuda")
assert "out of bounds" in words.raised(lambda: table[torch.tensor([7], device="cuda")].cpu(), IndexError)
assert "out of bounds" in words.raised(
    lambda: torch.nn.functional.embedding(torch.tensor([9], device="cuda"), table).cpu(), IndexError
)
assert table.sum().isfinite().item()

# training: optimisers and their states, moved by files
model = torch.nn.Linear(2, 2, device="cuda")
optimizer = torch.optim.Adam(model.parameters())
model(table).sum().backward()
optimizer.step()
state = optimizer.state_dict()
moved = {"state": {k: {n: t.cpu() for n, t in v.items()} for k, v in state["state"].items()}}
optimizer.load_state_dict(state | moved)
assert optimizer.state[model.weight]["exp_avg"].is_cuda
optimizer.step()
model.load_state_dict({name: t.cpu() for name, t in model.state_dict().items()})
assert model.weight.is_cuda
torch.testing.assert_close(table, table.clone())
assert "The values for attribute 'device' do not match" in words.raised(
    lambda: torch.testing.assert_close(table, table.cpu()), AssertionError
)
