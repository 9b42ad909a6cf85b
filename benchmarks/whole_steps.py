"""Whole training steps of networks as people write them: zero_grad, forward, loss, backward and the optimiser."""

import subprocess
import sys
from pathlib import Path

from harness import Workload, main


def training(make, optimiser, **options):
    """The names for a step: a model with the same parameters in both libraries, its optimiser, a batch and the loss."""

    def names(torch):
        torch.manual_seed(0)
        net, x, y = make(torch)
        opt = getattr(torch.optim, optimiser)(net.parameters(), **options)
        return {"net": net, "x": x, "y": y, "opt": opt, "F": torch.nn.functional, "torch": torch}

    return names


def perceptron(torch, width=512, depth=2, batch=128):
    nn = torch.nn
    widths = [784, *[width] * depth]
    hidden = [layer for i in range(depth) for layer in (nn.Linear(widths[i], widths[i + 1]), nn.ReLU())]
    return nn.Sequential(*hidden, nn.Linear(width, 10)), torch.randn(batch, 784), torch.arange(batch) % 10


def convolutional(torch):
    nn = torch.nn
    net = nn.Sequential(
        *(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 8 * 8, 10)),
    )
    return net, torch.randn(64, 3, 32, 32), torch.arange(64) % 10


def residual(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, channels=64):
            super().__init__()
            self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
            self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)

        def forward(self, x):
            y = torch.relu(self.norm1(self.conv1(x)))
            return torch.relu(self.norm2(self.conv2(y)) + x)

    return Block(), torch.randn(16, 64, 32, 32), torch.randn(16, 64, 32, 32)


def gpt(torch, width=128, heads=4, length=64, layers=4, vocabulary=256, batch=16):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).split(width, 2)
            q, k, v = (t.view(batch, length, heads, -1).transpose(1, 2) for t in (q, k, v))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
            return x + self.mlp(self.norm2(x))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

        def forward(self, x):
            x = self.tokens(x) + self.places(torch.arange(length))
            return self.head(self.norm(self.blocks(x))).flatten(0, 1)

    text = torch.arange(batch * (length + 1)).reshape(batch, length + 1) * 7 % vocabulary
    return Gpt(), text[:, :-1].contiguous(), text[:, 1:].flatten()


def tiny(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1))
    return net, torch.randn(1, 4), torch.randn(1, 1)


def plain_lstm(torch):
    """A cell of plain operations, 50 steps of 8 examples."""
    torch.manual_seed(0)
    steps, batch, width = 50, 8, 32
    w = [(torch.randn(width, 4 * width) * 0.1).requires_grad_() for _ in range(2)]
    b = torch.zeros(4 * width).requires_grad_()
    xs, y = torch.randn(steps, batch, width), torch.randn(batch, width)

    def step():
        h = c = torch.zeros(batch, width)
        for x in xs:
            i, f, g, o = (x @ w[0] + h @ w[1] + b).chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        loss = ((h - y) ** 2).mean()
        for p in (*w, b):
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in (*w, b):
                p -= 0.01 * p.grad
        return loss

    return {"step": step, "w": w, "b": b}


def multiplies_bfloat16():
    """Whether the processor does so by itself, and PyTorch can: on some its products end in an illegal instruction."""
    facts = Path("/proc/cpuinfo")
    flags = facts.read_text().split() if facts.exists() else ()
    product = "import torch; x = torch.ones(64, 64, dtype=torch.bfloat16); x @ x"
    return (
        not {"amx_bf16", "avx512_bf16"}.isdisjoint(flags)
        and not subprocess.run([sys.executable, "-c", product]).returncode
    )


CLASSES = "opt.zero_grad(); loss = F.cross_entropy(net(x), y); loss.backward(); opt.step()"
NUMBERS = "opt.zero_grad(); loss = F.mse_loss(net(x), y); loss.backward(); opt.step()"
CAST = (
    "opt.zero_grad()\n"
    "with torch.autocast('cpu', dtype=torch.bfloat16):\n    loss = F.cross_entropy(net(x), y)\n"
    "loss.backward(); opt.step()"
)
# Training itself magnifies the last bit of a float, so what is compared is the first step.
RESULT = "[loss] + [p.grad.flatten()[::97] for p in net.parameters()]"

WORKLOADS = [
    Workload(
        "MLP 784-512-512-10, batch 128, SGD step", 0.85, training(perceptron, "SGD", lr=1e-3), CLASSES, RESULT, 20
    ),
    Workload(
        "ConvNet of two layers on 32x32, batch 64, SGD step",
        0.9,
        training(convolutional, "SGD", lr=1e-3),
        CLASSES,
        RESULT,
        10,
    ),
    Workload(
        "residual block of 64 channels on 32x32, batch 16, SGD step",
        0.9,
        training(residual, "SGD", lr=1e-3),
        NUMBERS,
        RESULT,
        8,
    ),
    Workload(
        "GPT, 4 layers of width 128, 4 heads, length 64, batch 16, AdamW step",
        0.75,
        training(gpt, "AdamW", lr=1e-4),
        CLASSES,
        RESULT,
        8,
    ),
    Workload(
        "4-16-16-1 network, batch 1, Adam step",
        1 / 8,
        training(tiny, "Adam", lr=1e-4),
        f"for _ in range(50):\n    {NUMBERS}",
        RESULT,
        20,
    ),
    Workload(
        "LSTM in plain operations, 50 steps, hidden 32", 0.15, plain_lstm, "loss = step()", "[loss] + w + [b]", 20
    ),
]

CAST_GPT = Workload("the same GPT step in bfloat16 (autocast)", 0.9, training(gpt, "AdamW", lr=1e-4), CAST, RESULT, 8)

if __name__ == "__main__":
    main("whole_steps", [*WORKLOADS[:4], *[CAST_GPT] * multiplies_bfloat16(), *WORKLOADS[4:]])
