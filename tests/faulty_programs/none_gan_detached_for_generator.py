"""The fake batch stays detached for the generator's loss too."""

# cause: detach
# ask: torch.explain.missing(generator, g_loss)
# look: generator.weight.grad
import torch

generator, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
fake = generator(torch.ones(4, 2)).detach()  # HERE
g_loss = -judge(fake).mean()
g_loss.backward()
