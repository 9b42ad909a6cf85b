"""The state is a dictionary that a function updates."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


def advance(state):
    state["h"] = torch.tanh(state["h"]).detach()  # HERE
    return state


w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
state = {"h": w}
state = advance(state)
loss = (state["h"] * v).sum()
loss.backward()
