"""One step with mmengine, on random weights."""

import tempfile

import torch
from mmengine.model import BaseModel
from mmengine.runner import Runner


class Net(BaseModel):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 1)

    def forward(self, x, mode="tensor"):
        loss = self.linear(x).square().mean()
        return {"loss": loss} if mode == "loss" else loss


class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, i):
        return {"x": torch.full((4,), i / 16)}


torch.manual_seed(0)
model = Net()
loader = {"batch_size": 4, "dataset": Rows(), "collate_fn": {"type": "default_collate"}}
loader["sampler"] = {"type": "DefaultSampler", "shuffle": False}
with tempfile.TemporaryDirectory() as folder:
    Runner(
        model,
        folder,
        train_dataloader=loader,
        optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1}},
        train_cfg={"by_epoch": True, "max_epochs": 2},
        randomness={"seed": 0},
        log_level="ERROR",
    ).train()
print("weight", model.linear.weight.sum().item())
