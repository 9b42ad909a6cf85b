"""Other ways to reduce gradients: hooks, static graphs, and processes with different numbers of batches."""

import copy

from cases import raises, run

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.distributed.algorithms import ddp_comm_hooks
from chainrule.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from chainrule.distributed.algorithms.join import Join, Joinable, JoinHook
from chainrule.nn.parallel import DistributedDataParallel
from chainrule.utils.checkpoint import checkpoint
from models import close, loss, mine, network, same_gradients, whole, wrapped

SMALL = {"bucket_cap_mb": 0.0005}  # so that there are several buckets


# ---- Hooks


def case_hooks_that_average():
    x, y = whole(5), whole(3, seed=1)
    rounding = {default_hooks.fp16_compress_hook: 2e-3, default_hooks.bf16_compress_hook: 2e-2}
    for hook in (default_hooks.allreduce_hook, *rounding):
        for view in (False, True):
            parallel, alone = wrapped(network(), gradient_as_bucket_view=view, **SMALL)
            parallel.register_comm_hook(None, hook)
            for _ in range(3):
                parallel.zero_grad()
                alone.zero_grad()
                loss(parallel(mine(x)), mine(y)).backward()
                loss(alone(x), y).backward()
                same_gradients(parallel.module, alone, (hook, view), rounding.get(hook, 1e-6))
            assert len(parallel.reducer.buckets) > 1
    wrapper = default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)
    parallel, alone = wrapped(network())
    parallel.register_comm_hook(dist.group.WORLD, wrapper)
    loss(parallel(mine(x)), mine(y)).backward()
    loss(alone(x), y).backward()
    same_gradients(parallel.module, alone, "wrapper", 2e-3)


def case_hooks_of_users():
    x, seen = whole(5), []

    def hook(state, bucket):
        assert state == "state"
        seen.append((bucket.index(), bucket.is_last()))
        assert [p.shape for p in bucket.parameters()] == [g.shape for g in bucket.gradients()]
        assert bucket.buffer().numel() == sum(g.numel() for g in bucket.gradients())
        result = torch.futures.Future()
        result.set_result(torch.full_like(bucket.buffer(), 7.0))
        return result

    parallel, _ = wrapped(network(), **SMALL)
    parallel.register_comm_hook("state", hook)
    for _ in range(2):
        parallel(mine(x)).sum().backward()
    assert all((p.grad == 7).all() for p in parallel.parameters())
    count = len(parallel.reducer.buckets)
    assert seen[-count:] == [(i, i == count - 1) for i in range(count)]
    with raises(RuntimeError, "can only be called once"):
        parallel.register_comm_hook(None, hook)
    with raises(TypeError, "must be callable"):
        DistributedDataParallel(network()).register_comm_hook(None, 3)


def case_hooks_that_are_not_there():
    with raises(RuntimeError, "PowerSGD is not there"):
        powerSGD_hook.PowerSGDState(None)
    model = DistributedDataParallel(network())
    kinds = ddp_comm_hooks.DDPCommHookType
    with raises(RuntimeError, "powerSGD_hook.powerSGD_hook: PowerSGD is not there"):
        ddp_comm_hooks.register_ddp_comm_hook(kinds.POWER_SGD, model)
    ddp_comm_hooks.register_ddp_comm_hook(kinds.FP16_COMPRESS, model)


def case_futures():
    tensor = torch.full((3,), float(dist.get_rank()))
    total = sum(range(dist.get_world_size()))
    future = dist.all_reduce(tensor, async_op=True).get_future()
    doubled = future.then(lambda done: done.value()[0] * 2).then(lambda done: done.wait().sum())
    assert doubled.wait().item() == 6 * total
    assert future.done()
    assert future.wait()[0] is tensor
    several = [dist.barrier(async_op=True).get_future() for _ in range(3)]
    assert len(torch.futures.collect_all(several).wait()) == 3


# ---- Static graphs


class Checkpointed(nn.Module):
    """Parameters that a reentrant checkpoint hides, one layer used by two of them, and one by none."""

    def __init__(self):
        super().__init__()
        self.first, self.twice, self.last = nn.Linear(5, 5), nn.Linear(5, 5), nn.Linear(5, 3)
        self.never = nn.Linear(2, 2)

    def forward(self, x):
        x = self.first(x)
        for _ in range(2):
            x = checkpoint(lambda x: self.twice(x).tanh(), x, use_reentrant=True)
        return checkpoint(self.last, x, use_reentrant=True)


def case_static_graph_with_reentrant_checkpoints():
    x, y = whole(5), whole(3, seed=1)
    for view in (False, True):
        parallel, alone = wrapped(Checkpointed(), static_graph=True, gradient_as_bucket_view=view, bucket_cap_mb=1e-5)
        for step in range(4):
            parallel.zero_grad(set_to_none=step % 2 == 0)
            alone.zero_grad()
            loss(parallel(mine(x)), mine(y)).backward()
            loss(alone(x), y).backward()
            for name in ("first", "twice", "last"):
                same_gradients(getattr(parallel.module, name), getattr(alone, name), (name, step, view))
            assert parallel.module.never.weight.grad is None
        assert len(parallel.reducer.buckets) > 2
    names = parallel.reducer.names
    assert parallel.reducer.calls[names.index("twice.weight")] == 2
    with raises(RuntimeError, "Your training graph has changed"):
        (parallel(mine(x)).sum() + parallel.module.never(torch.ones(2)).sum()).backward()
    other = DistributedDataParallel(Checkpointed())
    with raises(RuntimeError, "Expected to mark a variable ready only once"):
        other(mine(x)).sum().backward()


# ---- Different numbers of batches


def batches():
    """By rank; their numbers differ, and one rank may have none."""
    counts = {2: [2, 4], 4: [2, 4, 6, 0]}[dist.get_world_size()]
    return [
        [(whole(5, seed=10 * r + i)[:4], whole(3, seed=100 + i)[:4]) for i in range(n)] for r, n in enumerate(counts)
    ]


def train_alone(model, optimizer, by_initial):
    """What all processes together should do."""
    size = dist.get_world_size()
    for step in range(max(map(len, batches()))):
        parts = [part[step] for part in batches() if len(part) > step]
        optimizer.zero_grad()
        for x, y in parts:
            (loss(model(x), y) / (size if by_initial else len(parts))).backward()
        optimizer.step()


def case_join():
    for by_initial in (True, False):
        for options in ({}, {"find_unused_parameters": True}, {"static_graph": True, "gradient_as_bucket_view": True}):
            parallel, alone = wrapped(network(), **SMALL, **options)
            train_alone(alone, torch.optim.SGD(alone.parameters(), 0.1, momentum=0.9), by_initial)
            optimizer = torch.optim.SGD(parallel.parameters(), 0.1, momentum=0.9)
            with parallel.join(divide_by_initial_world_size=by_initial):
                for x, y in batches()[dist.get_rank()]:
                    optimizer.zero_grad()
                    loss(parallel(x), y).backward()
                    optimizer.step()
            for p, q in zip(parallel.parameters(), alone.parameters(), strict=True):
                close(p, q, (by_initial, options))


def case_join_with_shares_of_the_optimizer():
    parallel, alone = wrapped(network())
    train_alone(alone, torch.optim.Adam(alone.parameters(), 0.01), True)
    optimizer = torch.optim.ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.Adam, lr=0.01)
    with Join([parallel, optimizer]):
        for x, y in batches()[dist.get_rank()]:
            optimizer.zero_grad()
            loss(parallel(x), y).backward()
            optimizer.step()
    for p, q in zip(parallel.parameters(), alone.parameters(), strict=True):
        close(p, q)


def case_join_with_accumulation_and_buffers():
    model = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4), nn.Linear(4, 3))
    parallel = DistributedDataParallel(model)
    with parallel.join():
        for i, (x, y) in enumerate(batches()[dist.get_rank()]):
            if i % 2 == 0:
                with parallel.no_sync():
                    loss(parallel(x), y).backward()
            else:
                loss(parallel(x), y).backward()
                parallel.zero_grad()
    for tensor in model.state_dict().values():
        everyone = [torch.zeros_like(tensor) for _ in range(dist.get_world_size())]
        dist.all_gather(everyone, tensor)
        assert all(torch.equal(other, tensor) for other in everyone)


def case_join_that_raises():
    parallel = DistributedDataParallel(network())
    words = "exhausted inputs" if dist.get_rank() else "Rank 0 exhausted all inputs"
    with raises(RuntimeError, words), parallel.join(throw_on_early_termination=True):
        for i in range(2 + min(dist.get_rank(), 1)):
            parallel(whole(5, seed=i)).sum().backward()
    with raises(ValueError, "SyncBatchNorm needs a batch of every process"):
        DistributedDataParallel(nn.SyncBatchNorm(3)).join()
    with raises(ValueError, "at least one joinable"):
        Join([])


class Counter(Joinable, JoinHook):
    """A user's own: it counts the batches of all processes."""

    def __init__(self):
        super().__init__()
        self.total = torch.zeros(1)
        self.last = None

    def count(self, one=1.0):
        number = torch.tensor([one])
        dist.all_reduce(number)
        self.total += number

    def __call__(self):
        Join.notify_join_context(self)
        self.count()

    def join_hook(self, **kwargs):
        return self

    def main_hook(self):
        self.count(0.0)

    def post_hook(self, is_last_joiner):
        self.last = is_last_joiner

    join_device = property(lambda self: torch.device("cpu"))
    join_process_group = property(lambda self: dist.group.WORLD)


def case_join_of_users():
    counter, rank, size = Counter(), dist.get_rank(), dist.get_world_size()
    with Join([counter]):
        for _ in range(3 + rank):
            counter()
    assert counter.total.item() == sum(3 + r for r in range(size))
    assert counter.last == (rank == size - 1)


# ---- Everything at once


class Everything(nn.Module):
    """Shared and unused parameters, and synchronised batch normalisation."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.norm = nn.Linear(5, 5), nn.Linear(5, 5), nn.BatchNorm1d(5)
        self.b.weight = self.a.weight
        self.never = nn.Linear(5, 5)

    def forward(self, x):
        return self.b(self.norm(self.a(x)).tanh())


def case_accumulation_with_everything():
    """Against one process that accumulates over the same batches: normalisation sees each batch by itself."""
    for view in (False, True):
        torch.manual_seed(0)
        alone = Everything()
        model = nn.SyncBatchNorm.convert_sync_batchnorm(copy.deepcopy(alone))
        parallel = DistributedDataParallel(model, find_unused_parameters=True, gradient_as_bucket_view=view)
        for step in range(2):
            parts = [whole(5, seed=10 * step + i) for i in range(3)]
            with parallel.no_sync():
                for part in parts[:-1]:
                    parallel(mine(part)).square().mean().backward()
            parallel(mine(parts[-1])).square().mean().backward()
            for part in parts:
                alone(part).square().mean().backward()
            for name in ("a", "b", "norm"):
                same_gradients(getattr(model, name), getattr(alone, name), (name, view))
            assert model.never.weight.grad is None
            parallel.zero_grad()
            alone.zero_grad()


run(globals())
