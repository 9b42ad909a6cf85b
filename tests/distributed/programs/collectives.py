"""Each collective against NumPy: every dtype, empty, 0-d, with gaps, bad arguments, handles."""

import functools
from datetime import timedelta

import numpy as np
from cases import DTYPES, KINDS, SHAPES, array, raises, run, same, strided, value

import chainrule as torch
import chainrule.distributed as dist

Op = dist.ReduceOp


def everyone(shape, dtype, seed=0):
    return [array(value(rank, shape, dtype, seed)) for rank in range(dist.get_world_size())]


def reduced(op, arrays, dtype):
    functions = {Op.SUM: np.add, Op.AVG: np.add, Op.PRODUCT: np.multiply, Op.MIN: np.minimum, Op.MAX: np.maximum}
    functions |= {Op.BAND: np.bitwise_and, Op.BOR: np.bitwise_or, Op.BXOR: np.bitwise_xor}
    result = functools.reduce(functions[op], arrays)
    return result / len(arrays) if op is Op.AVG else result


def operations(dtype):
    if dtype.is_complex:
        return (Op.SUM, Op.AVG, Op.PRODUCT)
    if dtype.is_floating_point:
        return (Op.SUM, Op.AVG, Op.PRODUCT, Op.MIN, Op.MAX)
    return (Op.SUM, Op.PRODUCT, Op.MIN, Op.MAX, Op.BAND, Op.BOR, Op.BXOR)


def forms(tensor):
    return tensor.clone(), strided(tensor)


def case_all_reduce():
    rank = dist.get_rank()
    for dtype, shape in KINDS:
        for op in operations(dtype) if shape == SHAPES[0] else (Op.SUM,):
            expected = reduced(op, everyone(shape, dtype), dtype)
            for tensor in forms(value(rank, shape, dtype)):
                assert dist.all_reduce(tensor, op) is None
                same(tensor, expected, dtype=dtype, op=op)


def case_reduce():
    rank, root = dist.get_rank(), dist.get_world_size() - 1
    for dtype, shape in KINDS:
        own = value(rank, shape, dtype)
        for tensor in forms(own):
            dist.reduce(tensor, root)
            same(tensor, reduced(Op.SUM, everyone(shape, dtype), dtype) if rank == root else array(own))


def case_broadcast():
    rank, size = dist.get_rank(), dist.get_world_size()
    for dtype, shape in KINDS:
        for root, tensor in zip((0, size - 1), forms(value(rank, shape, dtype)), strict=False):
            dist.broadcast(tensor, root)
            same(tensor, everyone(shape, dtype)[root])


def case_all_gather():
    rank, size = dist.get_rank(), dist.get_world_size()
    for dtype, shape in KINDS:
        for tensor in forms(value(rank, shape, dtype)):
            rooms = [torch.zeros(shape, dtype=dtype) for _ in range(size)]
            dist.all_gather(rooms, tensor)
            together = torch.zeros(size, *shape, dtype=dtype)
            dist.all_gather(list(together.unbind()), tensor)
            single = torch.zeros(size, *shape, dtype=dtype)
            dist.all_gather_single(single, tensor)
            gaps = [strided(torch.zeros(shape, dtype=dtype)) for _ in range(size)]
            dist.all_gather(gaps, tensor)
            for i, expected in enumerate(everyone(shape, dtype)):
                for found in (rooms[i], together[i], single[i], gaps[i]):
                    same(found, expected)


def case_gather_and_scatter():
    rank, size = dist.get_rank(), dist.get_world_size()
    root = size - 1
    for dtype, shape in KINDS:
        for tensor in forms(value(rank, shape, dtype)):
            rooms = [torch.zeros(shape, dtype=dtype) for _ in range(size)] if rank == root else None
            dist.gather(tensor, rooms, root)
            for found, expected in zip(rooms or (), everyone(shape, dtype), strict=rank == root):
                same(found, expected)
            sent = [value(i, shape, dtype, 1) for i in range(size)] if rank == root else None
            dist.scatter(tensor, sent, root)
            same(tensor, array(value(rank, shape, dtype, 1)))


def case_reduce_scatter():
    rank, size = dist.get_rank(), dist.get_world_size()
    for dtype, shape in KINDS:
        for op in operations(dtype)[: 2 if shape == SHAPES[0] else 1]:
            parts = [[value(r, shape, dtype, 10 + i) for i in range(size)] for r in range(size)]
            expected = reduced(op, [array(parts[r][rank]) for r in range(size)], dtype)
            for tensor in forms(torch.zeros(shape, dtype=dtype)):
                dist.reduce_scatter(tensor, parts[rank], op)
                same(tensor, expected)
            single = torch.zeros(shape, dtype=dtype)
            dist.reduce_scatter_single(single, torch.stack(parts[rank]), op)
            same(single, expected)


def case_all_to_all():
    rank, size = dist.get_rank(), dist.get_world_size()
    for dtype, shape in KINDS:
        sent = [strided(value(rank, shape, dtype, to)) for to in range(size)]
        for rooms in zip(*(forms(torch.zeros(shape, dtype=dtype)) for _ in range(size)), strict=True):
            dist.all_to_all(list(rooms), sent)
            for source, room in enumerate(rooms):
                same(room, array(value(source, shape, dtype, rank)))


def case_all_to_all_of_different_sizes():
    rank, size = dist.get_rank(), dist.get_world_size()
    for dtype in DTYPES:
        sent = [value(rank, (rank + to, 2), dtype, to) for to in range(size)]
        rooms = [torch.zeros(rank + source, 2, dtype=dtype) for source in range(size)]
        dist.all_to_all(rooms, sent)
        for source, room in enumerate(rooms):
            same(room, array(value(source, (rank + source, 2), dtype, rank)))
        rows = [rank + to for to in range(size)]
        single = strided(torch.zeros(sum(rows), 2, dtype=dtype))
        dist.all_to_all_single(single, torch.cat(sent), rows, rows)
        same(single, array(torch.cat(rooms)))
        even = torch.zeros(2 * size, dtype=dtype)
        dist.all_to_all_single(even, value(rank, (2 * size,), dtype))
        same(even, np.concatenate([x[2 * rank : 2 * rank + 2] for x in everyone((2 * size,), dtype)]))
        empty = torch.zeros(0, 3, dtype=dtype)
        dist.all_to_all_single(empty, empty.clone())


def case_messages():
    rank, size = dist.get_rank(), dist.get_world_size()
    after, before = (rank + 1) % size, (rank - 1) % size
    for dtype, shape in KINDS:
        for own in forms(value(rank, shape, dtype)):
            room = strided(torch.zeros(shape, dtype=dtype))
            handles = [dist.isend(own, after, tag=3), dist.irecv(room, before, tag=3)]
            assert all(handle.wait() for handle in handles)
            assert all(handle.is_completed() and handle.is_success() for handle in handles)
            same(room, everyone(shape, dtype)[before])
    room = torch.zeros(2)
    if rank == 0:
        senders = {dist.recv(room, tag=5) for _ in range(size - 1)}
        assert senders == set(range(1, size))
    else:
        dist.send(torch.ones(2), 0, tag=5)
    sent, got = torch.full((3,), float(rank)), torch.zeros(3)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, sent, after), dist.P2POp(dist.irecv, got, before)])
    for work in works:
        work.wait()
    same(got, np.full(3, before))


def case_versions_and_histories():
    """What a gradient needs cannot be overwritten unseen; leaves can be reduced in place."""
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    z = y.sum()
    with torch.no_grad():
        dist.all_reduce(y)
    with raises(RuntimeError, "modified by an inplace operation"):
        z.backward()
    dist.all_reduce(x)
    same(x, np.full(3, dist.get_world_size()))
    assert x.requires_grad
    assert x.grad_fn is None


def case_objects():
    rank, size = dist.get_rank(), dist.get_world_size()
    own = {"rank": rank, "tensor": torch.full((rank,), 1.5), "text": "x" * 1000 * rank}
    found = [None] * size
    dist.all_gather_object(found, own)
    assert [entry["rank"] for entry in found] == list(range(size))
    assert found[-1]["tensor"].tolist() == [1.5] * (size - 1)
    places = [None] * size if rank == 1 else None
    dist.gather_object(own["text"], places, dst=1)
    assert rank != 1 or [len(text) for text in places] == [1000 * r for r in range(size)]
    shared = ["a", {"b": 1}, None] if rank == 0 else [None, None, None]
    dist.broadcast_object_list(shared, src=0)
    assert shared == ["a", {"b": 1}, None]
    place = [None]
    dist.scatter_object_list(place, [f"for {r}" * (r + 1) for r in range(size)] if rank == 0 else None)
    assert place == [f"for {rank}" * (rank + 1)]
    if rank == 0:
        dist.send_object_list(["to", 1], 1)
    elif rank == 1:
        received = [None, None]
        assert dist.recv_object_list(received, 0) == 0
        assert received == ["to", 1]


def case_groups():
    rank, size = dist.get_rank(), dist.get_world_size()
    backwards = dist.new_group(list(range(size))[::-1], sort_ranks=False)
    assert dist.get_rank(backwards) == size - 1 - rank
    assert dist.get_global_rank(backwards, 0) == size - 1
    assert dist.get_group_rank(backwards, size - 1) == 0
    tensor = torch.tensor([rank])
    dist.broadcast(tensor, group=backwards, group_src=0)
    assert tensor.item() == size - 1
    first = dist.new_group([0], timeout=timedelta(seconds=60))
    if rank == 0:
        alone = torch.ones(2)
        dist.all_reduce(alone, group=first)
        assert alone.tolist() == [1, 1]
        assert dist.get_world_size(first) == 1
    else:
        assert dist.get_rank(first) == dist.get_world_size(first) == -1
        with raises(UserWarning, "does not belong to the given group"):
            dist.all_reduce(torch.ones(2), group=first)
    half, halves = dist.new_subgroups(size // 2)
    total = torch.tensor([rank])
    dist.all_reduce(total, group=half)
    assert total.item() == sum(dist.get_process_group_ranks(half))
    assert len(halves) == 2
    dist.destroy_process_group(half)
    with raises(ValueError, "was destroyed"):
        dist.all_reduce(total, group=half)


def case_bad_arguments():
    """They raise where they are given, before anything is sent: all processes can go on."""
    size = dist.get_world_size()
    x, whole = torch.ones(2), torch.ones(2, dtype=torch.int64)
    with raises(TypeError, "Expected parameter `tensor` of type torch.Tensor"):
        dist.all_reduce([1.0])
    with raises(TypeError, "op must be a ReduceOp"):
        dist.all_reduce(x, "sum")
    with raises(ValueError, "all_reduce does not support RedOpType.MAX on complex"):
        dist.all_reduce(torch.ones(2, dtype=torch.complex64), Op.MAX)
    with raises(ValueError, "RedOpType.BAND on tensors of torch.float32"):
        dist.all_reduce(x, Op.BAND)
    with raises(ValueError, "RedOpType.AVG on tensors of torch.int64"):
        dist.all_reduce(whole, Op.AVG)
    with raises(ValueError, "PREMUL_SUM"):
        dist.all_reduce(x, Op.PREMUL_SUM)
    with raises(ValueError, "invalid rank"):
        dist.broadcast(x, size)
    with raises(ValueError, "Must specify global_rank or group_rank"):
        dist.broadcast(x)
    with raises(ValueError, "Can't specify both"):
        dist.reduce(x, 0, group_dst=0)
    with raises(TypeError, "List[torch.Tensor]"):
        dist.all_gather(x, x)
    with raises(ValueError, "tensors, but there are"):
        dist.all_gather([x.clone()] * (size + 1), x)
    with raises(ValueError, "has shape (3,)"):
        dist.all_gather([torch.ones(3)] * size, x)
    with raises(ValueError, "different dtypes"):
        dist.all_gather([whole.clone()] * size, x)
    with raises(ValueError, "world_size times input tensor size"):
        dist.all_gather_single(torch.ones(1), x)
    with raises(ValueError, "must NOT be specified" if dist.get_rank() else "must be specified"):
        dist.gather(x, [x.clone()] * size if dist.get_rank() else None)
    with raises(ValueError, "must NOT be specified" if dist.get_rank() else "must be specified"):
        dist.scatter(x, [x.clone()] * size if dist.get_rank() else None)
    with raises(ValueError, "output size times world size"):
        dist.reduce_scatter_single(x, x)
    with raises(ValueError, "divide equally"):
        dist.all_to_all_single(torch.ones(2 * size + 1), torch.ones(2 * size))
    with raises(ValueError, "Split sizes"):
        dist.all_to_all_single(x, x, [1] * size, [2] * size)
    with raises(ValueError, "destination rank should not be the same"):
        dist.send(x, dist.get_rank())
    with raises(ValueError, "within the world_size"):
        dist.new_group([size])
    with raises(ValueError, "twice"):
        dist.init_process_group("mpi")
    with raises(FutureWarning, "all_gather_single"):
        dist.all_gather_into_tensor(x, x)


def case_barriers():
    dist.monitored_barrier()
    dist.monitored_barrier(timeout=timedelta(seconds=60), wait_all_ranks=True)
    last = dist.get_world_size() - 1
    if dist.get_rank() != last:
        with raises(
            RuntimeError, f"Rank {last} failed to pass monitoredBarrier in 300 ms" if dist.get_rank() == 0 else ""
        ):
            dist.monitored_barrier(timeout=timedelta(seconds=0.3))


def case_time_limit():
    group = dist.new_group(timeout=timedelta(seconds=0.3))
    if dist.get_rank() == 0:
        with raises(RuntimeError, "Timed out waiting 300ms for all_reduce"):
            dist.all_reduce(torch.ones(2), group=group)
        dist.barrier()
    else:
        dist.barrier()
        dist.all_reduce(torch.ones(2), group=group)


run(globals())
