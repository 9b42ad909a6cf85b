"""A recurrent network over a sequence."""

# ask: torch.explain.missing(net, loss)
import torch


class Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.LSTM(3, 5, batch_first=True)
        self.head = torch.nn.Linear(5, 2)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.head(out[:, -1])


torch.manual_seed(0)
net = Reader()
loss = torch.nn.functional.cross_entropy(net(torch.randn(4, 6, 3)), torch.tensor([0, 1, 1, 0]))
loss.backward()
