"""An encoder layer of PyTorch's own."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(
    torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True),
    torch.nn.Linear(8, 3),
)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
loss = torch.nn.functional.cross_entropy(net(torch.randn(2, 5, 8)).flatten(0, 1), torch.arange(10) % 3)
