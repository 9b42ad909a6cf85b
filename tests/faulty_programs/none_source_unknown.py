"""exec'd text, as templates and small frameworks make it."""

# cause: source is not known
# ask: torch.explain_none(w, loss)

import torch

source = "def apply(t):\n    return t.detach() * 2\n"
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
scope = {}
exec(source, scope)
loss = (scope["apply"](w) * v).sum()  # HERE
loss.backward()
