import math, random, torch
import torch.nn as nn
from torch.nn import TransformerEncoder, TransformerEncoderLayer
from torch.nn.utils.rnn import pad_sequence
from collections import Counter
from itertools import chain

random.seed(0)
torch.manual_seed(0)
text = "the quick brown fox jumps over the lazy dog . a dog sleeps while the fox runs . the lazy cat sees a brown dog . quick cats run over the dog .".split(
    " . "
)
vocab = ["[PAD]", "[CLS]", "[SEP]", "[MASK]"] + [
    w for w, _ in Counter(chain.from_iterable(s.split() for s in text)).most_common()
]
stoi = {w: i for i, w in enumerate(vocab)}


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=50):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0)])


class BERT(nn.Module):
    def __init__(self, n, d=32, h=4, L=2):
        super().__init__()
        self.emb = nn.Embedding(n, d, padding_idx=0)
        self.seg = nn.Embedding(2, d)
        self.pos = PositionalEncoding(d)
        layer = TransformerEncoderLayer(d, h, 64, 0.1, activation="gelu", norm_first=True)
        self.enc = TransformerEncoder(layer, L, norm=nn.LayerNorm(d), enable_nested_tensor=False)
        self.mlm = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.LayerNorm(d))
        self.bias = nn.Parameter(torch.zeros(n))
        self.nsp = nn.Linear(d, 2)

    def forward(self, x, seg):
        h = self.pos(self.emb(x) * math.sqrt(32) + self.seg(seg))
        h = self.enc(h, src_key_padding_mask=(x == 0).T)
        return self.mlm(h) @ self.emb.weight.T + self.bias, self.nsp(torch.tanh(h[0]))


def mask(ids):
    inp, lab = ids.clone(), torch.full_like(ids, -100)
    special = ids < 4
    prob = torch.full(ids.shape, 0.3).masked_fill_(special, 0.0)
    m = torch.bernoulli(prob).bool()
    lab[m] = ids[m]
    rep = torch.bernoulli(torch.full(ids.shape, 0.8)).bool() & m
    inp[rep] = stoi["[MASK]"]
    rnd = torch.bernoulli(torch.full(ids.shape, 0.5)).bool() & m & ~rep
    inp[rnd] = torch.randint(4, len(vocab), ids.shape)[rnd]
    return inp, lab


def batch(n=16):
    xs, ss, ys = [], [], []
    for _ in range(n):
        i = random.randrange(len(text) - 1)
        is_next = random.random() < 0.5
        j = i + 1 if is_next else random.randrange(len(text))
        a, b = ([stoi[w] for w in text[k].replace(".", "").split()] for k in (i, j))
        xs.append(torch.tensor([1] + a + [2] + b + [2]))
        ss.append(torch.tensor([0] * (len(a) + 2) + [1] * (len(b) + 1)))
        ys.append(int(is_next))
    return pad_sequence(xs), pad_sequence(ss), torch.tensor(ys)


m = BERT(len(vocab))
opt = torch.optim.AdamW(m.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss(ignore_index=-100)
for step in range(1, 41):
    x, s, y = batch()
    inp, lab = mask(x)
    logits, nsp = m(inp, s)
    l1, l2 = ce(logits.view(-1, len(vocab)), lab.view(-1)), ce(nsp, y)
    loss = l1 + l2
    loss.backward()
    nn.utils.clip_grad_norm_(m.parameters(), 0.5)
    opt.step()
    opt.zero_grad()
    if step % 10 == 0:
        print(f"step {step} mlm {l1.item():.3f} nsp {l2.item():.3f} ppl {math.exp(l1):.3f}")
m.eval()
with torch.no_grad():
    x = pad_sequence([torch.tensor([1, stoi["the"], stoi["lazy"], 3, 2])])
    p = m(x, torch.zeros_like(x))[0][3, 0].softmax(-1)
    v, i = torch.topk(p, 3)
    print([(vocab[k], f"{q:.3f}") for k, q in zip(i.tolist(), v.tolist())])
