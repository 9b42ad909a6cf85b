"""The loss is a comparison's mean inside of a function."""

# cause: (>|comparison|gt).*no gradient|no gradient
import torch


def error_rate(p, y):
    wrong = (p > 0.5) != y  # HERE
    return wrong.float().mean()


w = torch.tensor([0.2, 0.7], requires_grad=True)
loss = error_rate(torch.sigmoid(w), torch.tensor([True, False]))
loss.backward()
