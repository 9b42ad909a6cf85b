"""log of a probability that underflowed to 0."""

# cause: (inf|nan).*\blog\b
# under: nan_guard
import torch

logits = torch.tensor([200.0, 0.0], requires_grad=True)
p = torch.exp(logits - logits.max()) / torch.exp(logits - logits.max()).sum()
loss = -torch.log(p)[1]  # HERE
loss.backward()
