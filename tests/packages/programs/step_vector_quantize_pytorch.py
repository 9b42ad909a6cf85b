"""One step with vector-quantize-pytorch, on random weights."""

import torch
from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize

torch.manual_seed(0)
x = torch.randn(2, 10, 8, requires_grad=True)
for layer in (
    VectorQuantize(dim=8, codebook_size=16),
    ResidualVQ(dim=8, num_quantizers=2, codebook_size=16),
    LFQ(codebook_size=256, dim=8),
):
    found, indices, loss = layer(x)
    (gradient,) = torch.autograd.grad(found.square().sum() + loss.sum(), x)
    print(found.sum().item(), indices.float().mean().item(), loss.sum().item(), gradient.abs().sum().item())
print(FSQ(levels=[4, 4], dim=8)(x)[0].sum().item())
