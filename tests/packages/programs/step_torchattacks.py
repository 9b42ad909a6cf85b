"""One step with torchattacks, on random weights."""

import torch
import torchattacks

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
x, y = torch.rand(2, 3, 4, 4), torch.tensor([0, 2])
for attack in (
    torchattacks.FGSM(model),
    torchattacks.PGD(model, steps=3),
    torchattacks.CW(model, steps=5),
    torchattacks.DeepFool(model),
):
    print(attack.attack, attack(x, y).sum().item())
