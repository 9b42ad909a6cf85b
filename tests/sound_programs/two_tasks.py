"""Two heads whose losses are added."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.ModuleDict({"body": torch.nn.Linear(3, 4), "a": torch.nn.Linear(4, 1), "b": torch.nn.Linear(4, 2)})
optimizer = torch.optim.Adam(net.parameters())
h = torch.tanh(net["body"](torch.randn(6, 3)))
first = torch.nn.functional.mse_loss(net["a"](h), torch.randn(6, 1))
second = torch.nn.functional.cross_entropy(net["b"](h), torch.tensor([0, 1, 0, 1, 1, 0]))
loss = first + 0.5 * second
