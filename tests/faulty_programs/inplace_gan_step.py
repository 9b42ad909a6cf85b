"""The discriminator is stepped before the generator's backward, which still needs its old weights."""

# cause: modified by an inplace operation
import torch

generator, judge = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
optimiser = torch.optim.SGD(judge.parameters(), lr=0.1)
fake = generator(torch.ones(4, 2))
g_loss = -judge(fake).mean()
d_loss = judge(fake.detach()).mean()
d_loss.backward()
optimiser.step()  # HERE
g_loss.backward()
