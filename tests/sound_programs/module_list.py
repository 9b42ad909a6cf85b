"""Layers in a ModuleList."""

# ask: torch.explain.doctor(net, loss)
import torch


class Deep(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])
        self.sizes = [4, 4, 4]

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x)) + x
        return x


torch.manual_seed(0)
net = Deep()
loss = net(torch.randn(8, 4)).square().mean()
