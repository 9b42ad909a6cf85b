"""Whole models, forward and backward, as people write them with nn: one thread, beside PyTorch."""

from harness import Workload, main


def seeded(make):
    """The names for a model, which has the same parameters in both libraries."""

    def names(torch):
        torch.manual_seed(0)
        net, x, y = make(torch)
        return {"net": net, "x": x, "y": y, "F": torch.nn.functional}

    return names


def perceptron(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    return net, torch.randn(64, 784), torch.arange(64) % 10


def convolutional(torch):
    nn = torch.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 7 * 7, 10)),
    )
    return net, torch.randn(32, 1, 28, 28), torch.arange(32) % 10


def recurrent(torch):
    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.lstm = torch.nn.Embedding(64, 32), torch.nn.LSTM(32, 64, batch_first=True)
            self.out = torch.nn.Linear(64, 64)

        def forward(self, x):
            return self.out(self.lstm(self.table(x))[0]).flatten(0, 1)

    tokens = torch.arange(16 * 33).reshape(16, 33) * 7 % 64
    return Reader(), tokens[:, :-1].contiguous(), tokens[:, 1:].flatten()


def transformer(torch):
    class Block(torch.nn.Module):
        def __init__(self, width=64, heads=4):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
            self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
            self.mlp = torch.nn.Sequential(
                torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)
            )

        def forward(self, x):
            n, length, width = x.shape
            q, k, v = self.qkv(self.norm1(x)).split(width, 2)
            q, k, v = (t.view(n, length, self.heads, -1).transpose(1, 2) for t in (q, k, v))
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
            return x + self.mlp(self.norm2(x))

    return Block(), torch.randn(8, 64, 64), torch.randn(8, 64, 64)


def encoder(torch):
    net = torch.nn.TransformerEncoderLayer(64, 4, 256, dropout=0.0, batch_first=True)
    return net, torch.randn(8, 64, 64), torch.randn(8, 64, 64)


CLASSES = "net.zero_grad(); loss = F.cross_entropy(net(x), y); loss.backward()"
NUMBERS = "net.zero_grad(); loss = F.mse_loss(net(x), y); loss.backward()"
RESULT = "[loss] + [p.grad.flatten()[::97] for p in net.parameters()]"

WORKLOADS = [
    Workload("MLP 784-256-128-10, batch 64", 0.9, seeded(perceptron), CLASSES, RESULT, 30),
    Workload("ConvNet on 28x28, batch 32", 0.9, seeded(convolutional), CLASSES, RESULT, 12),
    Workload("LSTM language model, 32 steps, batch 16", 0.9, seeded(recurrent), CLASSES, RESULT, 15),
    Workload("transformer block, 8 x 64 tokens of 64", 0.9, seeded(transformer), NUMBERS, RESULT, 15),
    Workload("nn.TransformerEncoderLayer, 8 x 64 tokens of 64", 0.9, seeded(encoder), NUMBERS, RESULT, 15),
]

if __name__ == "__main__":
    main("models", WORKLOADS)
