"""Training in several processes gives what one process gives on the whole batch."""

import warnings

import numpy as np
from cases import raises, run

import chainrule as torch
import chainrule.distributed as dist
from chainrule import nn
from chainrule.nn.parallel import DistributedDataParallel
from chainrule.utils.data import DataLoader, DistributedSampler, TensorDataset
from models import close, loss, mine, network, same_gradients, whole, wrapped


def case_gradients_are_those_of_the_whole_batch():
    x, y = whole(5), whole(3, seed=1)
    for options in (
        {},
        {"bucket_cap_mb": 0.0005},
        {"gradient_as_bucket_view": True, "bucket_cap_mb": 0.0005},
        {"find_unused_parameters": True},
        {"static_graph": True, "gradient_as_bucket_view": True},
    ):
        parallel, alone = wrapped(network(), **options)
        optimizers = [torch.optim.SGD(m.parameters(), 0.1, momentum=0.9) for m in (parallel, alone)]
        for step in range(4):
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=step % 2 == 0)
            loss(parallel(mine(x)), mine(y)).backward()
            loss(alone(x), y).backward()
            same_gradients(parallel.module, alone, (options, step))
            norms = [nn.utils.clip_grad_norm_(m.parameters(), 0.1) for m in (parallel, alone)]
            close(*norms)
            for optimizer in optimizers:
                optimizer.step()
        assert (len(parallel.reducer.buckets) > 1) == ("bucket_cap_mb" in options)


def case_buckets_follow_the_order_of_gradients():
    class Crossed(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(3, 3)
            self.first = nn.Linear(3, 3)

        def forward(self, x):
            return self.last(self.first(x))

    parallel = DistributedDataParallel(Crossed(), bucket_cap_mb=1e-5)
    names = parallel.reducer.names
    for _ in range(2):
        parallel(torch.ones(2, 3)).sum().backward()
    order = [names[i] for bucket in parallel.reducer.buckets for i in bucket.members]
    assert [name.split(".")[0] for name in order] == ["last", "last", "first", "first"]


def case_reductions_start_before_the_backward_pass_has_ended():
    """All buckets but the last are under way when the last gradient comes; the first one long before."""
    layers = [layer for _ in range(6) for layer in (nn.Linear(64, 64), nn.Tanh())]
    parallel = DistributedDataParallel(nn.Sequential(*layers), bucket_cap_mb=0.03)
    reducer, under_way = parallel.reducer, []
    for _ in range(2):
        parallel(torch.ones(2, 64)).sum().backward()
    parallel.module[0].weight.register_hook(lambda g: under_way.append(reducer.next))
    parallel.module[6].weight.register_hook(lambda g: under_way.append(reducer.next))
    parallel(torch.ones(2, 64)).sum().backward()
    assert len(reducer.buckets) >= 3
    assert under_way[0] >= 1
    assert under_way[1] == len(reducer.buckets) - 1
    assert reducer.next == len(reducer.buckets)


def case_accumulation():
    x, y = whole(5), whole(3, seed=1)
    for view in (False, True):
        parallel, alone = wrapped(network(), gradient_as_bucket_view=view)
        for _ in range(2):
            parts = list(zip(mine(x).split(2), mine(y).split(2), strict=True))
            with parallel.no_sync():
                for a, b in parts[:-1]:
                    (loss(parallel(a), b) / len(parts)).backward()
            (loss(parallel(parts[-1][0]), parts[-1][1]) / len(parts)).backward()
            loss(alone(x), y).backward()
            same_gradients(parallel.module, alone, view)
            parallel.zero_grad()
            alone.zero_grad()
        with parallel.no_sync():
            loss(parallel(mine(x)), mine(y)).backward()
        own = [p.grad.clone() for p in parallel.parameters()]
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, own[0].tolist())
        assert everyone[0] != everyone[1]


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList(nn.Linear(4, 4) for _ in range(dist.get_world_size()))
        self.shared, self.never = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x, which):
        return {"out": [self.branches[which](self.shared(x))]}


def case_unused_parameters():
    rank, x = dist.get_rank(), whole(4)
    for options in ({"find_unused_parameters": True}, {"static_graph": True}):
        for view in (False, True):
            parallel, alone = wrapped(Branches(), gradient_as_bucket_view=view, **options)
            for _ in range(3):
                parallel.zero_grad()
                alone.zero_grad()
                parallel(mine(x), rank)["out"][0].square().mean().backward()
                parts = x.chunk(dist.get_world_size())
                outputs = [alone(part, i)["out"][0] for i, part in enumerate(parts)]
                torch.cat(outputs).square().mean().backward()
                assert parallel.module.never.weight.grad is None
                same_gradients(parallel.module.branches, alone.branches)
                same_gradients(parallel.module.shared, alone.shared)
    parallel = DistributedDataParallel(Branches())
    parallel(x, 0)["out"][0].sum().backward()
    with raises(RuntimeError, "did not receive grad for rank"):
        parallel(x, 0)
    with raises(RuntimeError, "never.weight, never.bias"):
        parallel(x, 0)["out"][0].sum().backward()
        parallel(x, 0)


def case_shared_parameters():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(5, 5), nn.Linear(5, 5)
            self.b.weight = self.a.weight

        def forward(self, x):
            return self.b(self.a(self.a(x).tanh()))

    x = whole(5)
    parallel, alone = wrapped(Tied())
    assert len(parallel.reducer.params) == 3
    for _ in range(2):
        parallel(mine(x)).square().mean().backward()
        alone(x).square().mean().backward()
        same_gradients(parallel.module, alone)


def batch_norm_network(dims):
    layer = nn.BatchNorm2d if len(dims) == 3 else nn.BatchNorm1d
    torch.manual_seed(3)
    return nn.Sequential(layer(4), nn.Flatten(), nn.Linear(int(np.prod(dims)), 2))


def case_sync_batchnorm():
    """The numbers of one process on the whole batch; far from zero, where float32 loses digits, those of float64."""
    for dims in ((4,), (4, 5), (4, 3, 3)):
        for dtype, other, shift, limit in (
            (torch.float32, torch.float32, 0, 1e-6),
            (torch.float32, torch.float64, 100, 1e-6),
            (torch.float64, torch.float64, 0, 1e-12),
            (torch.float64, torch.float64, 100, 1e-12),
        ):
            alone = batch_norm_network(dims).to(other)
            converted = nn.SyncBatchNorm.convert_sync_batchnorm(batch_norm_network(dims).to(dtype))
            assert isinstance(converted[0], nn.SyncBatchNorm)
            compare_batch_norms(DistributedDataParallel(converted), alone, whole(*dims) * 3 + shift, limit)


def compare_batch_norms(parallel, alone, x, limit):
    dtype, other = (next(m.parameters()).dtype for m in (parallel, alone))
    own, everything = mine(x).to(dtype, copy=True).requires_grad_(), x.to(other, copy=True).requires_grad_()
    for _ in range(2):
        out, expected = parallel(own), alone(everything)
        assert float((out - mine(expected)).detach().abs().max()) < limit
        parallel.zero_grad()
        alone.zero_grad()
        out.square().mean().backward()
        expected.square().mean().backward()
    same_gradients(parallel.module, alone, (dtype, other), limit)
    close(own.grad / dist.get_world_size(), mine(everything.grad), "input", limit)
    for (name, buffer), found in zip(alone.named_buffers(), parallel.module.buffers(), strict=True):
        assert float((found - buffer).abs().max()) <= 20 * limit, name  # they are as large as 20
    parallel.eval()
    alone.eval()
    expected = mine(alone(everything))
    scale = max(1.0, float(expected.detach().abs().max()))  # far from zero the running statistics leave large numbers
    close(parallel(own) / scale, expected / scale, "evaluated", limit)


def case_sync_batchnorm_of_different_sizes():
    rank, size = dist.get_rank(), dist.get_world_size()
    # Batches of different sizes, one of them empty: still the numbers of all samples together.
    layer = nn.SyncBatchNorm(4)
    x = whole(4)
    cuts = [0] * size + [len(x)] if size == 2 else [0, 1, 5, 5, len(x)]
    layer(x[cuts[rank] : cuts[rank + 1]])
    alone = nn.BatchNorm1d(4)
    alone(x)
    close(layer.running_mean, alone.running_mean)
    close(layer.running_var, alone.running_var)


def case_buffers_and_state():
    model = nn.Sequential(nn.Linear(5, 4), nn.BatchNorm1d(4))
    parallel = DistributedDataParallel(model)
    parallel(mine(whole(5)))
    parallel(mine(whole(5)))  # rank 0's numbers are copied before this one
    with torch.no_grad():
        model[1].running_mean.fill_(dist.get_rank())
    parallel.eval()
    parallel(mine(whole(5)))
    assert model[1].running_mean.tolist() == [0] * 4
    assert next(iter(parallel.state_dict())) == "module.0.weight"
    model.load_state_dict({name.removeprefix("module."): value for name, value in parallel.state_dict().items()})
    kept = DistributedDataParallel(nn.Sequential(nn.BatchNorm1d(4)), broadcast_buffers=False)
    with torch.no_grad():
        kept.module[0].running_mean.fill_(dist.get_rank())
    kept.eval()
    kept(torch.ones(2, 4))
    assert kept.module[0].running_mean.tolist() == [dist.get_rank()] * 4


def case_wrong_models():
    with raises(RuntimeError, "doesn't have any parameter that requires a gradient"):
        DistributedDataParallel(nn.Flatten())
    with raises(ValueError, "device_ids"):
        DistributedDataParallel(nn.Linear(1, 1), device_ids=[0])
    width = 3 if dist.get_rank() == 0 else 4
    with raises(RuntimeError, "Rank 0 has weight of shape [2, 3]"):
        DistributedDataParallel(nn.Linear(width, 2))
    layers = [nn.Linear(2, 2) for _ in range(1 + dist.get_rank())]
    with raises(RuntimeError, "Rank 0 has 2 params, while rank 1 has inconsistent 4 params"):
        DistributedDataParallel(nn.Sequential(*layers))


def case_halves():
    model = nn.Linear(4, 4).to(torch.bfloat16)
    parallel, alone = wrapped(model)
    x = whole(4).bfloat16()
    parallel(mine(x)).float().square().mean().backward()
    alone(x).float().square().mean().backward()
    for p, q in zip(model.parameters(), alone.parameters(), strict=True):
        assert p.grad.dtype is torch.bfloat16
        assert torch.allclose(p.grad.float(), q.grad.float(), rtol=0.05, atol=0.02)


def case_sampler():
    data = TensorDataset(torch.arange(25))
    for shuffle in (False, True):
        sampler = DistributedSampler(data, shuffle=shuffle)
        assert (sampler.num_replicas, sampler.rank) == (dist.get_world_size(), dist.get_rank())
        seen = []
        for epoch in range(2):
            sampler.set_epoch(epoch)
            own = [int(i) for (batch,) in DataLoader(data, batch_size=4, sampler=sampler) for i in batch]
            everyone = [None] * dist.get_world_size()
            dist.all_gather_object(everyone, own)
            seen.append(everyone)
            assert sorted({i for part in everyone for i in part}) == list(range(25))
        assert (seen[0] != seen[1]) == shuffle


def case_zero_redundancy():
    x, y = whole(5), whole(3, seed=1)
    for kind, options in ((torch.optim.Adam, {"lr": 0.01}), (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9})):
        parallel, alone = wrapped(network())
        zero = torch.optim.ZeroRedundancyOptimizer(parallel.parameters(), kind, **options)
        plain = kind(alone.parameters(), **options)
        schedules = [torch.optim.lr_scheduler.StepLR(o, 2, 0.5) for o in (zero, plain)]

        def train(steps, zero=zero, plain=plain, schedules=schedules, parallel=parallel, alone=alone):
            for _ in range(steps):
                zero.zero_grad()
                plain.zero_grad()
                loss(parallel(mine(x)), mine(y)).backward()
                loss(alone(x), y).backward()
                zero.step()
                plain.step()
                for schedule in schedules:
                    schedule.step()

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            train(3)
        for p, q in zip(parallel.parameters(), alone.parameters(), strict=True):
            close(p, q, kind)
        total = torch.tensor([len(zero.optim.state)])
        dist.all_reduce(total)
        assert total.item() == len(list(alone.parameters()))
        assert len(zero.optim.state) < total.item()
        with raises(RuntimeError, "has not been consolidated"):
            zero.state_dict()
        zero.consolidate_state_dict(to=0)
        states = [zero.state_dict() if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(states, 0)
        expected = plain.state_dict()
        assert states[0]["state"].keys() == expected["state"].keys()
        for number, values in expected["state"].items():
            for key, value in values.items():
                found = states[0]["state"][number][key]
                assert torch.allclose(found, value, atol=1e-6) if isinstance(value, torch.Tensor) else found == value
        fresh = torch.optim.ZeroRedundancyOptimizer(parallel.parameters(), kind, **options)
        fresh.load_state_dict(states[0])
        assert fresh.param_groups[0]["lr"] == plain.param_groups[0]["lr"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            train(2, zero=fresh, schedules=[])
        for p, q in zip(parallel.parameters(), alone.parameters(), strict=True):
            close(p, q, kind)
    extra = nn.Linear(2, 2)
    fresh.add_param_group({"params": extra.parameters(), "lr": 0.5})
    assert fresh.optim.param_groups[-1]["lr"] == 0.5
    with raises(ValueError, "overlap_with_ddp"):
        torch.optim.ZeroRedundancyOptimizer(parallel.parameters(), torch.optim.SGD, overlap_with_ddp=True, lr=1)


run(globals())
