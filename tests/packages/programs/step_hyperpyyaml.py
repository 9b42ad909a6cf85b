"""One step with hyperpyyaml, on random weights."""

import torch
from hyperpyyaml import load_hyperpyyaml

torch.manual_seed(0)
text = """
width: 4
model: !new:torch.nn.Linear
  in_features: !ref <width>
  out_features: 2
act: !name:torch.nn.functional.relu
"""
found = load_hyperpyyaml(text)
loss = found["act"](found["model"](torch.ones(2, 4))).square().sum()
loss.backward()
print(loss.item(), found["model"].weight.grad.sum().item())
