"""The text of a model: it fits on a page, a line for each module, and unfolds by depth."""

import pytest

import chainrule as torch
from chainrule import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm, self.first, self.second = nn.LayerNorm(size), nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        return x + self.second(torch.relu(self.first(self.norm(x))))


class Model(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.blocks = nn.ModuleList([Block(8) for _ in range(layers)])
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def loss_of(model):
    return nn.functional.cross_entropy(model(torch.ones(5, 8)), torch.tensor([0, 1, 2, 0, 1]))


def test_a_model_fits_on_a_page():
    model = Model(6)
    text = str(torch.explain(loss_of(model)))
    assert len(text.splitlines()) < 60
    for i in range(6):
        assert text.count(f"\n  model.blocks.{i} ") == 2  # forward and backward


def test_norms_are_those_of_the_gradients():
    model = Model(6)
    loss = loss_of(model)
    text = str(torch.explain(loss, depth=2))
    shown = next(line for line in text.splitlines() if "d loss / d model.blocks.3.*" in line)
    loss.backward()
    norm = sum(p.grad.square().sum().item() for p in model.blocks[3].parameters()) ** 0.5
    assert f"norm {norm:.3g}" in shown
    assert "6 tensors, 568 numbers" in shown


def test_depth_unfolds():
    model = Model(6)
    loss = loss_of(model)
    texts = [str(torch.explain(loss, depth=depth)) for depth in range(4)]
    lengths = [len(text.splitlines()) for text in texts]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == 4
    assert "\n  model.blocks.5.first " in texts[3]
    assert "\n  model.blocks.5.first " not in texts[2]


def test_nothing_is_folded_that_is_short_or_has_no_modules():
    x = torch.ones(2, requires_grad=True)
    y = x
    for _ in range(40):
        y = y * 2
    text = str(torch.explain(y.sum()))
    net = nn.Linear(2, 1)
    text += str(torch.explain(net(torch.ones(1, 2)).sum()))
    assert "modules folded" not in text


@pytest.mark.parametrize("depth", [-1, 1.5, "all"])
def test_a_depth_that_is_none(depth):
    with pytest.raises(ValueError, match="depth must be a number from 0 on"):
        torch.explain(torch.ones(1, requires_grad=True).sum(), depth=depth)
