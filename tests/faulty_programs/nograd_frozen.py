"""All layers are frozen."""

# cause: does not require grad
import torch

net = torch.nn.Linear(3, 1)
for p in net.parameters():
    p.requires_grad = False
loss = net(torch.ones(2, 3)).sum()
loss.backward()  # HERE
