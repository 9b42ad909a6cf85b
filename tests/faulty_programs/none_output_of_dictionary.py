"""The model returns a dictionary; the head of one entry is not in the loss."""

# cause: not use|not part of the loss|does not use
# ask: torch.explain.missing(model.boxes, loss)
import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.classes = nn.Linear(3, 2)
        self.boxes = nn.Linear(3, 4)

    def forward(self, x):
        return {
            "classes": self.classes(x),
            "boxes": self.boxes(x),  # HERE
        }


torch.manual_seed(0)
model = Detector()
out = model(torch.randn(4, 3))
loss = nn.functional.cross_entropy(out["classes"], torch.tensor([0, 1, 1, 0]))
loss.backward()
