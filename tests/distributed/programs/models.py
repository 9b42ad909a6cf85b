"""A model in several processes and the same one alone, and batches that all know."""

import copy

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.nn.parallel import DistributedDataParallel

PER_RANK = 6


def whole(*shape, seed=0):
    """A tensor with the samples of all processes."""
    generator = torch.Generator()
    generator.manual_seed(seed)
    return torch.randn(PER_RANK * dist.get_world_size(), *shape, generator=generator)


def mine(tensor):
    return tensor.chunk(dist.get_world_size())[dist.get_rank()]


def close(a, b, note="", limit=1e-6):
    assert a is not None, note
    assert b is not None, note
    assert a.shape == b.shape, note
    assert float((a - b).detach().abs().max()) < limit, (note, a, b)


def same_gradients(model, alone, note="", limit=1e-6):
    for (name, p), q in zip(model.named_parameters(), alone.parameters(), strict=True):
        close(p.grad, q.grad, (name, note), limit)


def network():
    torch.manual_seed(dist.get_rank())  # they differ: the wrapper copies rank 0's
    return nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))


def wrapped(model, **options):
    """The model in a wrapper, and a copy that is trained alone on everything."""
    parallel = DistributedDataParallel(model, **options)
    return parallel, copy.deepcopy(model)


def loss(outputs, targets):
    return nn.functional.mse_loss(outputs, targets)
