"""One step with normflows, on random weights."""

import normflows
import torch

torch.manual_seed(0)
flows = []
for _ in range(2):
    flows += [normflows.flows.AffineCouplingBlock(normflows.nets.MLP([1, 8, 2], init_zeros=False))]
    flows += [normflows.flows.Permute(2, mode="swap")]
model = normflows.NormalizingFlow(normflows.distributions.base.DiagGaussian(2), flows)
loss = model.forward_kld(torch.randn(16, 2))
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
print(model.sample(3)[1].sum().item())
