"""One step with torchtuples, on random weights."""

import torch
import torchtuples

torch.manual_seed(0)
x = torch.randn(32, 3)
model = torchtuples.Model(
    torchtuples.practical.MLPVanilla(3, [4], 1, dropout=0.1), torch.nn.MSELoss(), torchtuples.optim.Adam(0.01)
)
log = model.fit(x, x.sum(1, keepdim=True), batch_size=8, epochs=2, verbose=False, shuffle=False)
print(log.to_pandas()["train_loss"].tolist(), model.predict(x).sum().item())
