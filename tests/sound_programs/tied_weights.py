"""Embedding and output share their weight."""

# ask: torch.explain.doctor(net, loss, optimizer)
import torch


class Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(20, 8)
        self.mix = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 20, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(torch.tanh(self.mix(self.embed(tokens))))


torch.manual_seed(0)
net = Language()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
tokens = torch.randint(0, 20, (4, 6))
loss = torch.nn.functional.cross_entropy(net(tokens).flatten(0, 1), tokens.roll(-1, 1).flatten())
