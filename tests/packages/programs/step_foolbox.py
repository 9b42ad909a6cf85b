"""One step with foolbox, on random weights."""

import foolbox
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()
wrapped = foolbox.PyTorchModel(model, bounds=(0, 1), device="cpu")
x, y = torch.rand(4, 3, 2, 2), torch.tensor([0, 1, 2, 0])
for attack in (foolbox.attacks.LinfFastGradientAttack(), foolbox.attacks.L2PGD(random_start=False, steps=5)):
    raw, clipped, success = attack(wrapped, x, y, epsilons=0.3)
    print(clipped.sum().item(), success.tolist())
