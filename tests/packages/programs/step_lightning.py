"""One step with lightning, on random weights."""

import lightning.pytorch as lightning
import torch

torch.manual_seed(0)


class Line(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def training_step(self, batch, index):
        loss = (self.layer(batch[0]) - batch[1]).square().mean()
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


data = torch.utils.data.TensorDataset(torch.randn(16, 4), torch.randn(16, 1))
quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False}
trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", **quiet)
trainer.fit(Line(), torch.utils.data.DataLoader(data, batch_size=8))
print(trainer.callback_metrics["loss"].item())
