"""A function that evaluates, then training goes on."""

# ask: torch.explain.missing(net, loss)
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1))


@torch.no_grad()
def validate(model):
    model.eval()
    score = model(torch.randn(5, 4)).mean().item()
    model.train()
    return score


before = validate(net)
loss = net(torch.randn(5, 4)).square().mean()
loss.backward()
