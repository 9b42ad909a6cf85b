"""One step with x-transformers, on random weights."""

import torch
from x_transformers import Decoder, TransformerWrapper

torch.manual_seed(0)
layers = Decoder(dim=32, depth=2, heads=2, rotary_pos_emb=True)
model = TransformerWrapper(num_tokens=64, max_seq_len=16, attn_layers=layers)
loss = model(torch.arange(16).reshape(1, 16)).square().mean()
loss.backward()
print(loss.item())
