"""One step with torch-geometric, on random weights."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
data = Data(x=torch.randn(4, 3), edge_index=edges)
first, second = GCNConv(3, 8), GATConv(8, 2)
loss = second(first(data.x, data.edge_index).relu(), data.edge_index).square().mean()
loss.backward()
print(loss.item(), first.lin.weight.grad.abs().sum().item())
