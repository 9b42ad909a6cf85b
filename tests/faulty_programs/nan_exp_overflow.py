"""exp() overflows."""

# cause: (inf|nan).*exp
# under: nan_guard
import torch

x = torch.tensor([1.0, 100.0], requires_grad=True)
e = torch.exp(x)  # HERE
loss = (e / e.sum())[0]
loss.backward()
