"""One step with FrEIA, on random weights."""

import FrEIA.framework
import FrEIA.modules
import numpy
import torch

torch.manual_seed(0)
numpy.random.seed(0)


def subnet(width, out):
    return torch.nn.Sequential(torch.nn.Linear(width, 8), torch.nn.ReLU(), torch.nn.Linear(8, out))


flow = FrEIA.framework.SequenceINN(4)
for _ in range(2):
    flow.append(FrEIA.modules.AllInOneBlock, subnet_constructor=subnet, permute_soft=False)
z, log_jacobian = flow(torch.randn(8, 4))
loss = (0.5 * z.square().sum(1) - log_jacobian).mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in flow.parameters() if p.grad is not None))
