"""One step with torch-hd, on random weights."""

import torch
import torchhd

torch.manual_seed(0)
symbols, levels = torchhd.embeddings.Random(5, 64), torchhd.embeddings.Level(4, 64)
bound = torchhd.bind(symbols(torch.arange(4)), levels(torch.linspace(0, 1, 4)))
memory = torchhd.multiset(bound)
print(torchhd.cosine_similarity(memory, symbols.weight).tolist(), torchhd.ngrams(bound, n=2).sum().item())
for kind in ("FHRR", "HRR", "BSC"):
    pair = torchhd.random(2, 16, vsa=kind)
    print(kind, float(torchhd.cosine_similarity(torchhd.bind(pair[0], pair[1]), pair[0]).real))
