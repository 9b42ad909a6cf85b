"""One step with safetensors, on random weights."""

import tempfile

import torch
from safetensors.torch import load_file, load_model, save_file, save_model

torch.manual_seed(0)
model, other = torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)
with tempfile.TemporaryDirectory() as folder:
    save_model(model, f"{folder}/model.safetensors")
    load_model(other, f"{folder}/model.safetensors")
    save_file({"half": torch.arange(4).half(), "brain": torch.ones(2, 2).bfloat16()}, f"{folder}/more.safetensors")
    more = load_file(f"{folder}/more.safetensors")
print(other(torch.ones(1, 3)).sum().item(), more["half"].sum().item(), more["brain"].dtype, more["brain"].tolist())
