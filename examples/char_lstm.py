"""An LSTM that learns to write the Zen of Python, letter by letter, from the text that `import this` prints."""

import codecs
import contextlib
import io

with contextlib.redirect_stdout(io.StringIO()):  # importing it prints the text
    import this

import chainrule as torch  # `import torch` runs the same
from chainrule import nn

STEPS, BATCH, LENGTH, HIDDEN = 250, 16, 48, 96

text = codecs.decode(this.s, "rot13")
letters = sorted(set(text))
codes = {letter: code for code, letter in enumerate(letters)}
data = torch.tensor([codes[letter] for letter in text])


class Writer(nn.Module):
    """Reads a letter, remembers, and says which letter comes next."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(len(letters), 24)
        self.lstm = nn.LSTM(24, HIDDEN, batch_first=True)
        self.out = nn.Linear(HIDDEN, len(letters))

    def forward(self, x, memory=None):
        h, memory = self.lstm(self.table(x), memory)
        return self.out(h), memory


def batch():
    """BATCH pieces of the text, each with the letters that follow one place later."""
    starts = torch.randint(len(data) - LENGTH - 1, (BATCH, 1))
    rows = data[starts + torch.arange(LENGTH + 1)]
    return rows[:, :-1], rows[:, 1:]


def write(model, beginning, length=160):
    """Continues a text: each letter drawn from what the model expects, then read as the next input."""
    model.eval()
    written, memory = beginning, None
    x = torch.tensor([[codes[letter] for letter in beginning]])
    with torch.no_grad():
        for _ in range(length):
            scores, memory = model(x, memory)
            x = torch.multinomial((scores[:, -1] / 0.5).softmax(dim=1), 1)
            written += letters[int(x)]
    return written


torch.manual_seed(0)
model = Writer()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(STEPS + 1):
    x, following = batch()
    loss = nn.functional.cross_entropy(model(x)[0].flatten(0, 1), following.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # long sequences can make gradients explode
    optimizer.step()
    if step % 50 == 0:
        print(f"step {step:3d}  loss {loss.item():.3f}")
print(write(model, "Beautiful is "))
