import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SOS_token, EOS_token, MAX_LENGTH = 0, 1, 6
torch.manual_seed(1)
random.seed(1)
np.random.seed(1)


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super().__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class BahdanauAttention(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.Wa = nn.Linear(h, h)
        self.Ua = nn.Linear(h, h)
        self.Va = nn.Linear(h, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        w = F.softmax(scores, dim=-1)
        return torch.bmm(w, keys), w


class AttnDecoderRNN(nn.Module):
    def __init__(self, h, o, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(o, h)
        self.attention = BahdanauAttention(h)
        self.gru = nn.GRU(2 * h, h, batch_first=True)
        self.out = nn.Linear(h, o)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, eo, eh, target_tensor=None):
        b = eo.size(0)
        inp = torch.empty(b, 1, dtype=torch.long, device=device).fill_(SOS_token)
        hid = eh
        outs, atts = [], []
        for i in range(MAX_LENGTH):
            o, hid, a = self.step(inp, hid, eo)
            outs.append(o)
            atts.append(a)
            if target_tensor is not None:
                inp = target_tensor[:, i].unsqueeze(1)
            else:
                _, topi = o.topk(1)
                inp = topi.squeeze(-1).detach()
        return F.log_softmax(torch.cat(outs, dim=1), dim=-1), hid, torch.cat(atts, dim=1)

    def step(self, input, hidden, eo):
        e = self.dropout(self.embedding(input))
        q = hidden.permute(1, 0, 2)
        c, w = self.attention(q, eo)
        o, hidden = self.gru(torch.cat((e, c), dim=2), hidden)
        return self.out(o), hidden, w


inp = np.zeros((64, MAX_LENGTH), dtype=np.int32)
tgt = np.zeros((64, MAX_LENGTH), dtype=np.int32)
for i in range(64):
    n = random.randint(2, 5)
    w = [random.randint(2, 9) for _ in range(n)]
    inp[i, : n + 1] = w + [EOS_token]
    tgt[i, : n + 1] = w[::-1] + [EOS_token]
data = TensorDataset(torch.LongTensor(inp).to(device), torch.LongTensor(tgt).to(device))
loader = DataLoader(data, sampler=RandomSampler(data), batch_size=16)
enc, dec = EncoderRNN(10, 24).to(device), AttnDecoderRNN(24, 10).to(device)
eo, do = optim.Adam(enc.parameters(), lr=0.01), optim.Adam(dec.parameters(), lr=0.01)
crit = nn.NLLLoss()
for ep in range(1, 6):
    tot = 0
    for i, t in loader:
        eo.zero_grad()
        do.zero_grad()
        o, h = enc(i)
        d, _, _ = dec(o, h, t)
        loss = crit(d.view(-1, d.size(-1)), t.view(-1))
        loss.backward()
        eo.step()
        do.step()
        tot += loss.item()
    print("%d %.4f" % (ep, tot / len(loader)))
with torch.no_grad():
    enc.eval()
    dec.eval()
    o, h = enc(data[:2][0])
    d, _, at = dec(o, h)
    _, topi = d.topk(1)
    print(topi.squeeze().tolist(), at.shape)
lstm = nn.LSTM(5, 7, num_layers=2, bidirectional=True, batch_first=True, dropout=0.2)
pk = nn.utils.rnn.pack_padded_sequence(
    torch.randn(3, 4, 5), torch.tensor([4, 2, 3]), batch_first=True, enforce_sorted=False
)
o, (h, c) = lstm(pk)
o, l = nn.utils.rnn.pad_packed_sequence(o, batch_first=True, padding_value=-1.0)
print(o.sum().item(), l.tolist(), h.shape)
