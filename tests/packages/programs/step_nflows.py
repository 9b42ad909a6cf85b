"""One step with nflows, on random weights."""

import torch
from nflows.distributions import StandardNormal
from nflows.flows import Flow
from nflows.transforms import CompositeTransform, ReversePermutation
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform

torch.manual_seed(0)
steps = [t for _ in range(2) for t in (ReversePermutation(2), MaskedAffineAutoregressiveTransform(2, 8))]
flow = Flow(CompositeTransform(steps), StandardNormal([2]))
optimizer = torch.optim.Adam(flow.parameters())
for _ in range(2):
    loss = -flow.log_prob(torch.randn(16, 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
print(flow.sample(4).sum().item())
