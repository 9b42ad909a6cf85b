"""Two helpers of similar names, only one of which is called."""

# cause: clone|detach|tensor
# ask: torch.explain_none(w, loss)
import torch


def encode(x):
    return torch.tanh(x).detach()


def encode_again(x):
    return torch.tensor(torch.tanh(x).tolist())  # HERE


w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
loss = (encode_again(w) * v).sum()
loss.backward()
