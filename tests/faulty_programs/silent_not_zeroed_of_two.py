"""Two losses; the gradients that are left are those of the second."""

# cause: not zeroed
# ask: torch.explain.doctor(second, loss)
# look: second.weight.grad
import torch

torch.manual_seed(0)
first, second = torch.nn.Linear(3, 1), torch.nn.Linear(3, 1)
first_loss = first(torch.randn(4, 3)).square().mean()
first_loss.backward()
second_loss = second(torch.randn(4, 3)).square().mean()
second_loss.backward()  # HERE
loss = second(torch.randn(4, 3)).square().mean()
