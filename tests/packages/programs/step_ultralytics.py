"""One step with ultralytics, on random weights."""

import torch
from ultralytics.nn.tasks import DetectionModel
from ultralytics.utils import DEFAULT_CFG

torch.manual_seed(0)
model = DetectionModel("yolov8n.yaml", nc=3, verbose=False)
model.args = DEFAULT_CFG
batch = {
    "img": torch.rand(1, 3, 64, 64),
    "cls": torch.tensor([[1.0], [2.0]]),
    "bboxes": torch.tensor([[0.5, 0.5, 0.4, 0.3], [0.3, 0.6, 0.2, 0.2]]),
    "batch_idx": torch.zeros(2),
}
loss, parts = model(batch)
loss.sum().backward()
print(float(loss.sum()), len(parts), sum(p.grad.abs().mean().item() for p in model.parameters() if p.grad is not None))
print(model.eval()(batch["img"])[0].mean().item())
