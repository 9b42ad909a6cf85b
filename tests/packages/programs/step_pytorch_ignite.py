"""One step with pytorch-ignite, on random weights."""

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EMAHandler
from ignite.metrics import Accuracy, Loss

torch.manual_seed(0)
x = torch.randn(32, 4)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, (x.sum(1) > 0).long()), batch_size=8)
model, criterion = torch.nn.Linear(4, 2), torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, torch.optim.Adam(model.parameters(), lr=0.01), criterion)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(criterion)})
EMAHandler(model).attach(trainer)
trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda engine: evaluator.run(data))
trainer.run(data, max_epochs=2)
print(evaluator.state.metrics["accuracy"], evaluator.state.metrics["loss"])
