"""One step with ogb, on random weights."""

import torch
from ogb.graphproppred import Evaluator
from ogb.graphproppred.mol_encoder import AtomEncoder, BondEncoder

torch.manual_seed(0)
atoms = AtomEncoder(8)
found = atoms(torch.zeros(4, 9, dtype=torch.int64)) + BondEncoder(8)(torch.zeros(4, 3, dtype=torch.int64))
found.square().sum().backward()
print(found.sum().item(), atoms.atom_embedding_list[0].weight.grad.abs().sum().item())
scores = Evaluator("ogbg-molhiv").eval(
    {"y_true": torch.tensor([[0], [1], [1]]), "y_pred": torch.tensor([[0.1], [0.8], [0.05]])}
)
print(float(scores["rocauc"]))
