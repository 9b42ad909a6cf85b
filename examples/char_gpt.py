"""A small GPT on the docstrings of Python's own argparse module, one letter a token."""

import argparse
import inspect

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

STEPS, BATCH, CONTEXT, WIDTH, HEADS, LAYERS = 500, 12, 64, 64, 4, 2

documented = [argparse, *(thing for _, thing in inspect.getmembers(argparse, inspect.isclass))]
text = "\n\n".join(inspect.getdoc(thing) or "" for thing in documented)
letters = sorted(set(text))
codes = {letter: code for code, letter in enumerate(letters)}
data = torch.tensor([codes[letter] for letter in text])


class Block(nn.Module):
    """Attention lets letters look at those before them; the second half thinks about what they saw."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        n, length, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(n, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(heads[0], heads[1], heads[2], is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(n, length, WIDTH))
        return x + self.think(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(len(letters), WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(letters), bias=False)
        nn.init.normal_(self.tokens.weight, std=0.02)
        nn.init.normal_(self.places.weight, std=0.02)
        self.head.weight = self.tokens.weight  # the table of letters reads and writes

    def forward(self, x):
        h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(h)))


def batch():
    """BATCH pieces of the text, each with the letters that follow one place later."""
    starts = torch.randint(len(data) - CONTEXT - 1, (BATCH, 1))
    rows = data[starts + torch.arange(CONTEXT + 1)]
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def write(model, beginning, length=200):
    """Continues a text, each letter drawn from what the model expects after the last CONTEXT letters."""
    x = torch.tensor([[codes[letter] for letter in beginning]])
    for _ in range(length):
        scores = model(x[:, -CONTEXT:])[:, -1] / 0.7
        x = torch.cat([x, torch.multinomial(scores.softmax(dim=1), 1)], dim=1)
    return "".join(letters[code] for code in x[0].tolist())


torch.manual_seed(0)
model = GPT()
print(f"{len(text):,} letters of text, {sum(p.numel() for p in model.parameters()):,} parameters")
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95))
for step in range(STEPS + 1):
    x, following = batch()
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), following.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  loss {loss.item():.3f}")
print(write(model, "The "))
