"""One step with facenet-pytorch, on random weights."""

import torch
from facenet_pytorch import MTCNN, InceptionResnetV1

torch.manual_seed(0)
model = InceptionResnetV1(classify=False, num_classes=4).eval()
found = model(torch.rand(1, 3, 96, 96))
found[:, 0].sum().backward()
print(found[0, 0].item(), model.conv2d_1a.conv.weight.grad.abs().sum().item(), MTCNN.__name__)
