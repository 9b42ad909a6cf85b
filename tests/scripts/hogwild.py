import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.multiprocessing as mp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(4, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def train(rank, model, counter, lock):
    torch.manual_seed(100 + rank)
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    for i in range(100):
        x = torch.randn(16, 4)
        y = x.sum(1, keepdim=True)
        loss = F.mse_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with lock:
            counter += 1


def double(rank, results, queue):
    x = queue.get()
    results[rank] = x.sum()
    x.mul_(2)  # the parent sees it


if __name__ == "__main__":
    torch.manual_seed(0)
    mp.set_start_method("fork", force=True)
    model = Net()
    model.share_memory()
    counter = torch.zeros(1, dtype=torch.long).share_memory_()
    lock = mp.Lock()
    print(model.fc1.weight.is_shared(), counter.is_shared())
    with torch.no_grad():
        x = torch.randn(64, 4)
        before = F.mse_loss(model(x), x.sum(1, keepdim=True)).item()
    ps = [mp.Process(target=train, args=(r, model, counter, lock)) for r in range(2)]
    for p in ps:
        p.start()
    for p in ps:
        p.join()
    with torch.no_grad():
        after = F.mse_loss(model(x), x.sum(1, keepdim=True)).item()
    print("steps", counter.item(), "better", after < before / 10)

    mp.set_sharing_strategy("file_system")
    queue, results, x = mp.get_context("spawn").Queue(), torch.zeros(1).share_memory_(), torch.ones(3).share_memory_()
    queue.put(x)
    mp.spawn(double, args=(results, queue), nprocs=1)
    print(results.tolist(), x.tolist())
