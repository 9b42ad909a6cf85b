"""A decorator that logs also converts to NumPy and back."""

# cause: numpy|from_numpy|detach
# ask: torch.explain_none(w, loss)
import functools

import torch


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        result = function(*args)
        return torch.from_numpy(result.detach().numpy())  # HERE

    return wrapper


@logged
def activation(x):
    return torch.tanh(x)


w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = (activation(w) * v).sum()
loss.backward()
