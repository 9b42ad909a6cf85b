"""A closure holds a detached copy of what it was given."""

# cause: detach
# ask: torch.explain_none(w, loss)
import torch


def make_loss(target):
    fixed = target.detach()  # HERE

    def loss(prediction):
        return ((prediction - fixed) ** 2).sum()

    return loss


w = torch.ones(3, requires_grad=True)
v = torch.zeros(3, requires_grad=True)
criterion = make_loss(w * 2)
loss = criterion(v)
loss.backward()
