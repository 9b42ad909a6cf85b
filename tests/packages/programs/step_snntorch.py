"""One step with snntorch, on random weights."""

import snntorch
import torch
from snntorch import functional, surrogate

torch.manual_seed(0)
linear, neuron = torch.nn.Linear(4, 3), snntorch.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
memory, spikes = neuron.init_leaky(), []
for _ in range(6):
    spike, memory = neuron(linear(torch.rand(2, 4) * 3), memory)
    spikes.append(spike)
loss = functional.ce_rate_loss()(torch.stack(spikes), torch.tensor([0, 2]))
loss.backward()
print(loss.item(), linear.weight.grad.abs().sum().item(), torch.stack(spikes).sum().item())
