"""One step with peft, on random weights."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
base = GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=2, vocab_size=64, n_positions=16))
model = get_peft_model(base, LoraConfig(r=4, target_modules=["c_attn"], task_type="CAUSAL_LM", lora_dropout=0.0))
ids = torch.arange(16).reshape(2, 8)
loss = model(input_ids=ids, labels=ids).loss
loss.backward()
print(loss.item())
print(sum(p.grad.abs().sum().item() for p in model.parameters() if p.grad is not None))
