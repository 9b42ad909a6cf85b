"""The generator's step after the judge's."""

# ask: torch.explain.missing(generator, g_loss)
import torch

torch.manual_seed(0)
generator, judge = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
fake = generator(torch.randn(4, 2))
bce = torch.nn.functional.binary_cross_entropy_with_logits
d_loss = bce(judge(fake.detach()), torch.zeros(4, 1))
d_loss.backward()
g_loss = bce(judge(fake), torch.ones(4, 1))
g_loss.backward()
