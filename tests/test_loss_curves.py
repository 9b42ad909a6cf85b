"""Same seed, same model, same data: training has the same loss curve in chainrule and in PyTorch."""

import argparse
from pathlib import Path

import pytest
import torch as reference
from sklearn.datasets import load_digits

import chainrule

STEPS = 200
TOLERANCE = 1e-4  # relative, at every step


def digits(torch, shape):
    """Batches of handwritten digits, brightness from 0 to 1, in an order that both libraries draw alike."""
    images, labels = load_digits(return_X_y=True)
    images, labels = torch.tensor(images.tolist()).reshape(-1, *shape) / 16, torch.tensor(labels.tolist())
    order = torch.randperm(len(images))

    def batch(step, size=32):
        rows = order[torch.arange(step * size, (step + 1) * size) % len(order)]
        return images[rows], labels[rows]

    return batch


def text(torch, batch_size, length):
    """Batches of text with the characters that follow, from a file that comes with Python."""
    characters = Path(argparse.__file__).read_text(encoding="utf-8")[:20_000]
    codes = {c: i for i, c in enumerate(sorted(set(characters)))}
    data = torch.tensor([codes[c] for c in characters])

    def batch(step):
        starts = torch.randint(len(data) - length - 1, (batch_size,))
        rows = torch.stack([data[i : i + length + 1] for i in starts.tolist()])
        return rows[:, :-1], rows[:, 1:].flatten()

    return batch, len(codes)


# ---- models: each gives a network, its batches and its optimiser


def perceptron(torch):
    nn = torch.nn
    net = nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, 10)
    )
    return net, digits(torch, (64,)), torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


def convnet(torch):
    nn = torch.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.GELU(), nn.AvgPool2d(2)),
        *(nn.Flatten(), nn.Dropout(0.2), nn.Linear(64, 10)),
    )
    return net, digits(torch, (1, 8, 8)), torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)


def lstm(torch):
    batch, letters = text(torch, 16, 32)

    class Reader(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(letters, 16)
            self.lstm = torch.nn.LSTM(16, 48, num_layers=2, dropout=0.1, batch_first=True)
            self.out = torch.nn.Linear(48, letters)

        def forward(self, x):
            return self.out(self.lstm(self.table(x))[0]).flatten(0, 1)

    net = Reader()
    return net, batch, torch.optim.Adam(net.parameters(), lr=3e-3)


def gpt(torch, width=32, heads=4, length=32):
    batch, letters = text(torch, 8, length)
    nn, F = torch.nn, torch.nn.functional  # noqa: N806

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
            self.mlp = nn.Sequential(
                nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), nn.Dropout(0.1)
            )

        def forward(self, x):
            n = len(x)
            q, k, v = (
                t.view(n, length, heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(width, dim=2)
            )
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(n, length, width))
            return x + self.mlp(self.norm2(x))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(letters, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block() for _ in range(2))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, x):
            h = self.tokens(x) * width**-0.5 + self.places(torch.arange(length))
            for block in self.blocks:
                h = block(h)
            return self.head(self.norm(h)).flatten(0, 1)

    net = Transformer()
    return net, batch, torch.optim.AdamW(net.parameters(), lr=1e-3, betas=(0.9, 0.95))


def curve(torch, model):
    """The losses of STEPS steps."""
    torch.manual_seed(1)
    net, batch, optimiser = model(torch)
    losses = []
    for step in range(STEPS):
        x, y = batch(step)
        loss = torch.nn.functional.cross_entropy(net(x), y)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("model", [perceptron, convnet, lstm, gpt])
def test_loss_curve(model):
    ours, theirs = curve(chainrule, model), curve(reference, model)
    assert theirs[-1] < 0.9 * theirs[0]  # it learns
    apart = [abs(a - b) / abs(b) for a, b in zip(ours, theirs, strict=True)]
    assert max(apart) < TOLERANCE, f"step {apart.index(max(apart))} differs by {max(apart):.1e}"
