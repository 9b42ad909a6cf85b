"""One step with diffusers, on random weights."""

import torch
from diffusers import DDPMScheduler, UNet2DModel

torch.manual_seed(0)
blocks = {"down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}
model = UNet2DModel(
    sample_size=16, in_channels=3, out_channels=3, block_out_channels=(16, 32), norm_num_groups=8, **blocks
)
schedule = DDPMScheduler(num_train_timesteps=50)
images, noise, steps = torch.rand(2, 3, 16, 16), torch.randn(2, 3, 16, 16), torch.tensor([3, 40])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(2):
    loss = torch.nn.functional.mse_loss(model(schedule.add_noise(images, noise, steps), steps).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
schedule.set_timesteps(4)
sample = torch.randn(1, 3, 16, 16)
with torch.no_grad():
    for step in schedule.timesteps:
        sample = schedule.step(model(sample, step).sample, step, sample, generator=torch.manual_seed(1)).prev_sample
print(sample.mean().item())
