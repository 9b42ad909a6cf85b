"""One step with perceiver-pytorch, on random weights."""

import torch
from perceiver_pytorch import Perceiver, PerceiverIO

torch.manual_seed(0)
sizes = {
    "latent_dim": 16,
    "num_latents": 4,
    "cross_heads": 1,
    "latent_heads": 2,
    "cross_dim_head": 8,
    "latent_dim_head": 8,
}
model = Perceiver(
    input_channels=3,
    input_axis=2,
    num_freq_bands=2,
    max_freq=4.0,
    depth=2,
    num_classes=3,
    weight_tie_layers=True,
    **sizes,
)
loss = model(torch.randn(2, 6, 6, 3)).square().mean()
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
print(
    PerceiverIO(dim=8, queries_dim=8, logits_dim=5, depth=1, **sizes)(torch.randn(1, 6, 8), queries=torch.randn(3, 8))
    .sum()
    .item()
)
