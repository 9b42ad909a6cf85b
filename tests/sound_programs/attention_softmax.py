"""A softmax in the attention, not before the loss."""

# ask: torch.explain.doctor(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.ModuleDict({"query": torch.nn.Linear(4, 4), "key": torch.nn.Linear(4, 4), "head": torch.nn.Linear(4, 3)})
x = torch.randn(2, 5, 4)
attention = torch.softmax(net["query"](x) @ net["key"](x).transpose(1, 2) / 2.0, -1)
loss = torch.nn.functional.cross_entropy(net["head"](attention @ x).mean(1), torch.tensor([0, 2]))
