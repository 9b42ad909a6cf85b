"""One step with trl, on random weights."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from trl.trainer.utils import selective_log_softmax

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=1, n_head=2, vocab_size=64, n_positions=16))
ids = torch.arange(16).reshape(2, 8)
loss = -selective_log_softmax(model(ids).logits[:, :-1], ids[:, 1:]).mean()
loss.backward()
print(loss.item())
