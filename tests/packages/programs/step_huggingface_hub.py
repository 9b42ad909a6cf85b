"""One step with huggingface-hub, on random weights."""

import tempfile

import torch
from huggingface_hub import PyTorchModelHubMixin, split_torch_state_dict_into_shards


class Net(torch.nn.Module, PyTorchModelHubMixin):
    def __init__(self, width: int):
        super().__init__()
        self.linear = torch.nn.Linear(width, 2)

    def forward(self, x):
        return self.linear(x)


torch.manual_seed(0)
model = Net(width=3)
with tempfile.TemporaryDirectory() as folder:
    model.save_pretrained(folder)
    print(Net.from_pretrained(folder)(torch.ones(1, 3)).sum().item())
print(len(split_torch_state_dict_into_shards(model.state_dict(), max_shard_size=16).filename_to_tensors))
