"""One step with pytorch-lightning, on random weights."""

import pytorch_lightning
import torch


class Net(pytorch_lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        loss = self.linear(batch).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


pytorch_lightning.seed_everything(0)
model = Net()
quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
trainer = pytorch_lightning.Trainer(max_epochs=2, accelerator="cpu", devices=1, **quiet)
trainer.fit(model, torch.utils.data.DataLoader(torch.randn(16, 4), batch_size=4))
print(trainer.callback_metrics["loss"].item(), model.linear.weight.sum().item())
