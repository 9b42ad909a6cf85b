"""One step with open_clip_torch, on random weights."""

import open_clip
import torch

torch.manual_seed(0)
vision = {"image_size": 32, "layers": 2, "width": 64, "patch_size": 8, "head_width": 32}
text = {"context_length": 8, "vocab_size": 64, "width": 32, "heads": 2, "layers": 2}
model = open_clip.model.CLIP(embed_dim=32, vision_cfg=vision, text_cfg=text)
loss = open_clip.ClipLoss()(*model(torch.rand(2, 3, 32, 32), torch.randint(0, 64, (2, 8))))
loss.backward()
print(loss.item())
