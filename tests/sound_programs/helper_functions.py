"""The loss is made by functions of the file."""

# ask: torch.explain_none(w, loss)
import torch


def encode(x):
    return torch.tanh(x)


def report(x):
    return float(x.detach().mean())


w = torch.tensor([0.1, 0.2], requires_grad=True)
hidden = encode(w)
shown = report(hidden)
loss = hidden.square().sum()
loss.backward()
