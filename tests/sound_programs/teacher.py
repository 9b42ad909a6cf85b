"""A teacher under no_grad, a student that learns."""

# ask: torch.explain.missing(student, loss)
import torch

torch.manual_seed(0)
teacher, student = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
x = torch.randn(6, 4)
with torch.no_grad():
    wanted = torch.softmax(teacher(x) / 2, 1)
loss = torch.nn.functional.kl_div(torch.log_softmax(student(x) / 2, 1), wanted, reduction="batchmean")
loss.backward()
