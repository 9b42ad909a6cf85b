"""log(softmax()) underflows."""

# cause: (inf|nan).*\blog\b
# under: nan_guard
import torch

x = torch.tensor([[200.0, 0.0]], requires_grad=True)
p = torch.softmax(x, 1)
loss = -torch.log(p)[0, 1]  # HERE
loss.backward()
