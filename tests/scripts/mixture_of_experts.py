from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


@dataclass
class Config:
    dim: int = 16
    heads: int = 4
    kv_heads: int = 2
    layers: int = 2
    vocab: int = 40
    experts: int = 4
    topk: int = 2
    max_len: int = 32


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + self.eps)).type_as(x) * self.weight


def precompute_freqs_cis(dim, end, theta=10000.0):
    f = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
    return torch.polar(torch.ones(end, dim // 2), torch.outer(torch.arange(end), f))


def rotary(x, fc):
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(xc * fc[None, :, None]).flatten(3).type_as(x)


def repeat_kv(x, n):
    b, s, h, d = x.shape
    return x if n == 1 else x[:, :, :, None, :].expand(b, s, h, n, d).reshape(b, s, h * n, d)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.hd = c.dim // c.heads
        self.wq = nn.Linear(c.dim, c.dim, bias=False)
        self.wk = nn.Linear(c.dim, c.kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(c.dim, c.kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(c.dim, c.dim, bias=False)

    def forward(self, x, fc):
        b, s, _ = x.shape
        q = rotary(self.wq(x).view(b, s, self.c.heads, self.hd), fc)
        k = rotary(self.wk(x).view(b, s, self.c.kv_heads, self.hd), fc)
        v = self.wv(x).view(b, s, self.c.kv_heads, self.hd)
        n = self.c.heads // self.c.kv_heads
        k, v = repeat_kv(k, n), repeat_kv(v, n)
        o = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True)
        return self.wo(o.transpose(1, 2).reshape(b, s, -1))


class SwiGLU(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.w1, self.w2, self.w3 = (
            nn.Linear(d, 2 * d, bias=False),
            nn.Linear(2 * d, d, bias=False),
            nn.Linear(d, 2 * d, bias=False),
        )

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class MoE(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.gate = nn.Linear(c.dim, c.experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(c.dim) for _ in range(c.experts))

    def forward(self, x):
        flat = x.view(-1, x.size(-1))
        w, idx = torch.topk(self.gate(flat), self.c.topk)
        w = F.softmax(w, dim=1, dtype=torch.float).to(x.dtype)
        out = torch.zeros_like(flat)
        for i, e in enumerate(self.experts):
            b, n = (idx == i).nonzero(as_tuple=True)
            out[b] += w[b, n, None] * e(flat[b])
        return out.view_as(x)


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.n1, self.n2, self.a, self.f = RMSNorm(c.dim), RMSNorm(c.dim), Attention(c), MoE(c)

    def forward(self, x, fc):
        x = x + self.a(self.n1(x), fc)
        return x + self.f(self.n2(x))


class LM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.dim)
        self.b = nn.ModuleList([Block(c) for _ in range(c.layers)])
        self.n = RMSNorm(c.dim)
        self.out = nn.Linear(c.dim, c.vocab, bias=False)
        self.out.weight = self.emb.weight
        self.register_buffer("fc", precompute_freqs_cis(c.dim // c.heads, c.max_len), persistent=False)

    def forward(self, t):
        x = self.emb(t)
        for l in self.b:
            x = l(x, self.fc[: t.shape[1]])
        return self.out(self.n(x))


c = Config()
m = LM(c)
x = torch.randint(c.vocab, (4, 12))
o = torch.optim.AdamW(m.parameters(), 3e-3)
for i in range(6):
    l = F.cross_entropy(m(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    o.zero_grad(set_to_none=True)
    l.backward()
    gn = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    o.step()
    print(f"{l.item():.4f} {gn.item():.3f}")


class LoRA(nn.Module):
    def __init__(self, base: nn.Linear, r=2, alpha=4):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.s = alpha / r
        [p.requires_grad_(False) for p in base.parameters()]

    def forward(self, x):
        return self.base(x) + (x @ self.A.T @ self.B.T) * self.s


for p in m.parameters():
    p.requires_grad = False
for name, mod in list(m.named_modules()):
    for cn, ch in list(mod.named_children()):
        if isinstance(ch, nn.Linear) and cn in ("wq", "wv"):
            setattr(mod, cn, LoRA(ch))
tr = [p for p in m.parameters() if p.requires_grad]
o = torch.optim.AdamW(tr, 1e-2)
print(len(tr), sum(p.numel() for p in tr))
for i in range(3):
    l = F.cross_entropy(m(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    o.zero_grad()
    l.backward()
    o.step()
    print(f"{l.item():.4f}")
