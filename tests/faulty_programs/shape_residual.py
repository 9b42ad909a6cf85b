"""A skip connection adds different widths."""

# cause: must match|size of tensor
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)

    def forward(self, x):
        return x + self.layer(x)  # HERE


Block()(torch.ones(2, 8))
