"""Distillation with temperature: softmax of the teacher, log_softmax of the student."""

# ask: torch.explain.doctor(student, loss)
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
teacher, student = nn.Linear(4, 3), nn.Linear(4, 3)
x, y, T = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2]), 2.0
with torch.no_grad():
    soft = functional.softmax(teacher(x) / T, -1)
hard = functional.cross_entropy(student(x), y)
loss = 0.5 * hard + 0.5 * T * T * functional.kl_div(
    functional.log_softmax(student(x) / T, -1), soft, reduction="batchmean"
)
