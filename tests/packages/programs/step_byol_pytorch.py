"""One step with byol-pytorch, on random weights."""

import torch
from byol_pytorch import BYOL
from torchvision.models import resnet18

torch.manual_seed(0)
plain = torch.nn.Identity()
learner = BYOL(
    resnet18(weights=None),
    image_size=32,
    hidden_layer="avgpool",
    projection_size=8,
    projection_hidden_size=16,
    augment_fn=plain,
)
optimizer = torch.optim.Adam(learner.parameters(), lr=1e-3)
loss = learner(torch.rand(4, 3, 32, 32))
loss.backward()
optimizer.step()
learner.update_moving_average()
print(loss.item(), sum(p.abs().mean().item() for p in learner.target_encoder.parameters()))
