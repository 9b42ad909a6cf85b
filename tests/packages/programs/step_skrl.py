"""One step with skrl, on random weights."""

import gymnasium
import torch
from skrl.memories.torch import RandomMemory
from skrl.resources.schedulers.torch import KLAdaptiveLR

torch.manual_seed(0)
memory = RandomMemory(memory_size=8, num_envs=1, device="cpu")
memory.create_tensor("states", size=gymnasium.spaces.Box(-1, 1, (3,)), dtype=torch.float32)
for i in range(8):
    memory.add_samples(states=torch.full((1, 3), float(i)))
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = KLAdaptiveLR(optimizer, kl_threshold=0.01)
(states,) = memory.sample(names=["states"], batch_size=4)[0]
loss = model(states).square().mean()
loss.backward()
schedule.step(0.1)
print(states.shape, memory.tensors["states"].sum().item(), optimizer.param_groups[0]["lr"])
