"""One step with torchview, on random weights."""

import torch
from torchview import draw_graph

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
graph = draw_graph(model, input_size=(1, 4), expand_nested=True)
print(
    graph.visual_graph.source.count("Linear"), graph.num_nodes if hasattr(graph, "num_nodes") else len(graph.edge_list)
)
