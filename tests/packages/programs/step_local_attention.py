"""One step with local-attention, on random weights."""

import torch
from local_attention import LocalAttention, LocalTransformer

torch.manual_seed(0)
q = torch.randn(2, 2, 16, 8, requires_grad=True)
y = LocalAttention(dim=8, window_size=4, causal=True, look_backward=1)(q, q, q, mask=torch.ones(2, 16).bool())
y.square().sum().backward()
print(y.sum().item(), q.grad.abs().sum().item())
model = LocalTransformer(
    num_tokens=20, dim=16, depth=1, max_seq_len=32, causal=True, local_attn_window_size=8, heads=2, dim_head=8
)
print(model(torch.randint(0, 20, (1, 33)), return_loss=True).item())
