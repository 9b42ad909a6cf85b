"""One step with fair-esm, on random weights."""

import esm
import torch

torch.manual_seed(0)
alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
model = esm.model.esm2.ESM2(num_layers=2, embed_dim=16, attention_heads=2, alphabet=alphabet)
_, _, tokens = alphabet.get_batch_converter()([("one", "MKTV"), ("two", "KALTAR")])
found = model(tokens, repr_layers=[2], return_contacts=True)
found["logits"].square().mean().backward()
print(found["logits"].mean().item(), found["contacts"].sum().item(), model.layers[0].fc1.weight.grad.abs().sum().item())
