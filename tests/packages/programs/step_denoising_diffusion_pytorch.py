"""One step with denoising-diffusion-pytorch, on random weights."""

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

torch.manual_seed(0)
model = Unet(dim=8, dim_mults=(1, 2), flash_attn=False)
diffusion = GaussianDiffusion(model, image_size=16, timesteps=20, sampling_timesteps=4)
loss = diffusion(torch.rand(2, 3, 16, 16))
loss.backward()
print(loss.item(), sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
print(diffusion.sample(batch_size=1).mean().item())
