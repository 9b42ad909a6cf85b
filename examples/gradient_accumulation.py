"""Gradient accumulation: four small batches, one step, and the same numbers as one large batch gives."""

import copy

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

PARTS = 4

torch.manual_seed(0)
inputs, targets = torch.randn(256, 20), torch.randn(256, 1)
at_once = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))
in_parts = copy.deepcopy(at_once)
optimizers = [torch.optim.Adam(model.parameters(), lr=1e-2) for model in (at_once, in_parts)]

for step in range(51):
    loss = nn.functional.mse_loss(at_once(inputs), targets)
    optimizers[0].zero_grad()
    loss.backward()
    optimizers[0].step()

    accumulated = 0.0
    optimizers[1].zero_grad()
    for x, y in zip(inputs.chunk(PARTS), targets.chunk(PARTS), strict=True):
        part = nn.functional.mse_loss(in_parts(x), y) / PARTS  # the mean over all is the mean of the parts' means
        part.backward()  # adds to .grad, and frees this part's graph: memory for a quarter of the batch
        accumulated += part.item()
    optimizers[1].step()
    if step % 10 == 0:
        print(f"step {step:2d}  loss at once {loss.item():.6f}  in {PARTS} parts {accumulated:.6f}")

pairs = zip(at_once.parameters(), in_parts.parameters(), strict=True)
apart = max((a - b).abs().max().item() for a, b in pairs)
print("largest difference between the two networks' parameters is", "below 1e-4" if apart < 1e-4 else apart)
