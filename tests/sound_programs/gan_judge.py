"""The judge's step sees the fake batch detached."""

# ask: torch.explain.missing(judge, loss)
import torch

torch.manual_seed(0)
generator, judge = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
fake, real = generator(torch.randn(4, 2)), torch.randn(4, 3)
bce = torch.nn.functional.binary_cross_entropy_with_logits
loss = bce(judge(fake.detach()), torch.zeros(4, 1)) + bce(judge(real), torch.ones(4, 1))
loss.backward()
