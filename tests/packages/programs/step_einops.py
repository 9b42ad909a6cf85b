"""One step with einops, on random weights."""

import torch
from einops import einsum, rearrange, reduce
from einops.layers.torch import EinMix, Rearrange

torch.manual_seed(0)
x = torch.randn(2, 3, 8, 8, requires_grad=True)
patches = torch.nn.Sequential(
    Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=48, d=5),
)(x)
loss = einsum(patches, patches, "b t d, b s d -> b t s").sum() + reduce(x, "b c h w -> b c", "max").sum()
loss.backward()
print(loss.item(), x.grad.abs().sum().item(), rearrange(patches, "b t d -> (b t) d").shape)
