"""One step with torch-geometric, on random weights."""

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GATConv, GCNConv, SAGEConv
from torch_geometric.transforms import ToSparseTensor

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])
data = Data(x=torch.randn(4, 3), edge_index=edges)
first, second = GCNConv(3, 8), GATConv(8, 2)
loss = second(first(data.x, data.edge_index).relu(), data.edge_index).square().mean()
loss.backward()
print(loss.item(), first.lin.weight.grad.abs().sum().item())

weights = torch.tensor([0.5, 1.0, 2.0, 0.1, 0.7, 1.5])
size = (4, 4)
for layout in (torch.sparse_coo, torch.sparse_csr):
    graph = torch.sparse_coo_tensor(edges, weights, size).to_sparse(layout=layout)
    first.zero_grad()
    loss = second(first(data.x, graph).relu(), data.edge_index).square().mean() + SAGEConv(3, 2)(data.x, graph).sum()
    loss.backward()
    print(loss.item(), first.lin.weight.grad.abs().sum().item())
transposed = ToSparseTensor(layout=torch.sparse_csr)(Data(edge_index=edges, edge_weight=weights, num_nodes=4)).adj_t
print(transposed.layout, transposed.to_dense().tolist())
