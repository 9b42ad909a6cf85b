"""One step with spikingjelly, on random weights."""

import torch
from spikingjelly.activation_based import functional, layer, neuron, surrogate

torch.manual_seed(0)
model = torch.nn.Sequential(
    layer.Linear(4, 8), neuron.LIFNode(surrogate_function=surrogate.ATan()), layer.Linear(8, 2), neuron.IFNode()
)
functional.set_step_mode(model, "m")
spikes = model(torch.rand(5, 3, 4) * 4)
spikes.mean(0).square().sum().backward()
print(spikes.sum().item(), model[0].weight.grad.abs().sum().item())
functional.reset_net(model)
