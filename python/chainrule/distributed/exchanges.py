"""Collectives in which each process has a part of its own: gathering, scattering, and all-to-all."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from .._core import Tensor
from ..autograd.grad_mode import no_grad
from ..user_warning import warn_user
from .calls import check_count, check_one_dtype, check_tensor, check_tensors, describe, rank_in_group, start
from .collectives import settle
from .mpi import memory, parts, plain
from .process_group import ProcessGroup, member_group
from .reduce_ops import ReduceOp, operation
from .work import Work

_functions = _core.functions


# ---- Lists of tensors as one piece of memory


def _joined(tensors: Sequence[Tensor], filled: bool) -> Tensor:
    """The tensors one after the other: their own memory if they lie so, otherwise a copy or room for one.

    Args:
        filled: whether a copy needs their elements.
    """
    tensors = [tensor.detach() for tensor in tensors]
    expected = tensors[0].data_ptr()
    for tensor in tensors:
        if not tensor.is_contiguous() or tensor.data_ptr() != expected:
            break
        expected += tensor.numel() * tensor.element_size()
    else:
        total = sum(tensor.numel() for tensor in tensors)
        return _functions["as_strided"](tensors[0], (total,), (1,))
    if filled:
        return _functions["cat"]([tensor.reshape(-1) for tensor in tensors])
    return _functions["empty"](sum(tensor.numel() for tensor in tensors), dtype=tensors[0].dtype)


def _spread(room: Tensor, tensors: Sequence[Tensor]) -> None:
    """Copies what was received for several tensors into them, unless it is their own memory."""
    if room.data_ptr() == tensors[0].data_ptr() and all(tensor.is_contiguous() for tensor in tensors):
        return
    with no_grad():
        pieces = room.split([tensor.numel() for tensor in tensors])
        for tensor, piece in zip(tensors, pieces, strict=True):
            tensor.detach().copy_(piece.reshape(tensor.shape))


# ---- Gathering


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Gives each process the tensors of all.

    Args:
        tensor_list: where they go: one for each process.
        tensor: this process's own, of the same shape and dtype everywhere.
    """
    check_tensors(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    check_one_dtype([tensor, *tensor_list])
    known = member_group(group, "all_gather")
    if known is None:
        return None
    check_count("all_gather", "tensor_list", tensor_list, known, tensor)
    sent, room = plain(tensor), _joined(tensor_list, False)
    return start(
        "all_gather",
        known,
        lambda: known.communicator.Iallgather(memory(sent), memory(room)),
        facts=describe(tensor),
        memory=(sent, room),
        outputs=tensor_list,
        finish=lambda: _spread(room, tensor_list),
        async_op=async_op,
    )


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Gives each process the tensors of all, one after the other in one tensor.

    Args:
        output_tensor: joined along the first dimension or stacked in a new one.
        input_tensor: this process's own, of the same shape and dtype everywhere.
    """
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    check_one_dtype([output_tensor, input_tensor])
    known = member_group(group, "all_gather_into_tensor")
    if known is None:
        return None
    if output_tensor.numel() != input_tensor.numel() * known.size():
        raise ValueError(
            "output tensor size must be equal to world_size times input tensor size; they have "
            f"{output_tensor.numel()} and {input_tensor.numel()} elements, and there are {known.size()} processes"
        )
    sent, room = plain(input_tensor), plain(output_tensor)
    return start(
        "all_gather_into_tensor",
        known,
        lambda: known.communicator.Iallgather(memory(sent), memory(room)),
        facts=describe(input_tensor),
        memory=(sent, room),
        outputs=(output_tensor,),
        finish=lambda: settle(output_tensor, room),
        async_op=async_op,
    )


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """all_gather_single under its older name, which PyTorch 2.13 warns about."""
    _warn_of_old_name("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def _warn_of_old_name(old: str, new: str) -> None:
    warn_user(f"`torch.distributed.{old}` is deprecated. Please use `torch.distributed.{new}` instead.", FutureWarning)


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Gives one process the tensors of all.

    Args:
        tensor: this process's own, of the same shape and dtype everywhere.
        gather_list: where they go, on that process only.
        dst, group_dst: its rank, in the world or in the group; 0 without it.
    """
    check_tensor(tensor, "tensor")
    if gather_list:
        check_tensors(gather_list, "gather_list")
    lists = gather_list or []
    check_one_dtype([tensor, *lists])
    known = member_group(group, "gather")
    if known is None:
        return None
    root = rank_in_group("gather", known, 0 if dst is None and group_dst is None else dst, group_dst)
    is_root = known.rank() == root
    check_list_on_root(known.rank(), root, lists)
    if is_root:
        check_count("gather", "gather_list", lists, known, tensor)
    sent = plain(tensor)
    room = _joined(lists, False) if is_root else None
    target = None if room is None else memory(room)
    return start(
        "gather",
        known,
        lambda: known.communicator.Igather(memory(sent), target, root=root),
        facts=f"{describe(tensor)}, dst={root}",
        memory=(sent,) if room is None else (sent, room),
        outputs=lists,
        finish=None if room is None else lambda: _spread(room, lists),
        async_op=async_op,
    )


def check_list_on_root(
    rank: int, root: int, given: object, name: str = "gather_list", place: str = "destination"
) -> None:
    """Raises unless the list is given by the one process that has or gets it all, and only there."""
    if rank == root and not given:
        raise ValueError(f"Argument ``{name}`` must be specified on {place} rank.")
    if rank != root and given:
        raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{place} ranks.")


# ---- Scattering


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Gives each process one of the tensors that one process has.

    Args:
        tensor: where this process's goes.
        scatter_list: the tensors, on that process only.
        src, group_src: its rank, in the world or in the group; 0 without it.
    """
    check_tensor(tensor, "tensor")
    if scatter_list:
        check_tensors(scatter_list, "scatter_list")
    lists = scatter_list or []
    check_one_dtype([tensor, *lists])
    known = member_group(group, "scatter")
    if known is None:
        return None
    root = rank_in_group("scatter", known, 0 if src is None and group_src is None else src, group_src)
    is_root = known.rank() == root
    check_list_on_root(known.rank(), root, lists, "scatter_list", "source")
    if is_root:
        check_count("scatter", "scatter_list", lists, known, tensor)
    room, sent = plain(tensor), _joined(lists, True) if is_root else None
    source = None if sent is None else memory(sent)
    return start(
        "scatter",
        known,
        lambda: known.communicator.Iscatter(source, memory(room), root=root),
        facts=f"{describe(tensor)}, src={root}",
        memory=(room,) if sent is None else (room, sent),
        outputs=(tensor,),
        finish=lambda: settle(tensor, room),
        async_op=async_op,
    )


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces lists of tensors over the processes, and gives each process one of the results.

    Args:
        output: where this process's goes.
        input_list: one tensor for each process.
        op: how; the sum without it.
    """
    check_tensor(output, "output")
    check_tensors(input_list, "input_list")
    check_one_dtype([output, *input_list])
    known = member_group(group, "reduce_scatter")
    if known is None:
        return None
    check_count("reduce_scatter", "input_list", input_list, known, output)
    return _reduce_scatter("reduce_scatter", output, _joined(input_list, True), op, known, async_op)


def reduce_scatter_single(
    output: Tensor,
    input: Tensor,
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces a tensor over the processes, and gives each process its part of the result.

    Args:
        output: where this process's part goes.
        input: of world size times the output's elements.
        op: how; the sum without it.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_one_dtype([output, input])
    known = member_group(group, "reduce_scatter_tensor")
    if known is None:
        return None
    if input.numel() != output.numel() * known.size():
        raise ValueError(
            "input tensor must be the same size as output size times world size; they have "
            f"{input.numel()} and {output.numel()} elements, and there are {known.size()} processes"
        )
    return _reduce_scatter("reduce_scatter_tensor", output, plain(input), op, known, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: ReduceOp = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """reduce_scatter_single under its older name, which PyTorch 2.13 warns about."""
    _warn_of_old_name("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def _reduce_scatter(
    name: str, output: Tensor, sent: Tensor, op: ReduceOp, group: ProcessGroup, async_op: bool
) -> Work | None:
    mpi_op = operation(name, op, output)
    room = plain(output)
    return start(
        name,
        group,
        lambda: group.communicator.Ireduce_scatter_block(memory(sent), memory(room), op=mpi_op),
        facts=f"{describe(output)}, {op.name}",
        memory=(sent, room),
        outputs=(output,),
        finish=lambda: settle(output, room, op, group.size()),
        async_op=async_op,
    )


# ---- All to all


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Each process sends a tensor to each, and receives one from each.

    Args:
        output_tensor_list: where those from the others go, by rank.
        input_tensor_list: what goes to the others, by rank; shapes may differ.
    """
    check_tensors(output_tensor_list, "output_tensor_list")
    check_tensors(input_tensor_list, "input_tensor_list")
    check_one_dtype([*output_tensor_list, *input_tensor_list])
    known = member_group(group, "all_to_all")
    if known is None:
        return None
    for name, tensors in (("output_tensor_list", output_tensor_list), ("input_tensor_list", input_tensor_list)):
        if len(tensors) != known.size():
            raise ValueError(
                f"all_to_all: {name} has {len(tensors)} tensors, but there are {known.size()} processes in the group"
            )
    sent, room = _joined(input_tensor_list, True), _joined(output_tensor_list, False)
    to_send = [tensor.numel() for tensor in input_tensor_list]
    to_receive = [tensor.numel() for tensor in output_tensor_list]
    return start(
        "all_to_all",
        known,
        lambda: known.communicator.Ialltoallv(parts(sent, to_send), parts(room, to_receive)),
        facts=str(sent.dtype).removeprefix("torch."),
        memory=(sent, room),
        outputs=output_tensor_list,
        finish=lambda: _spread(room, output_tensor_list),
        async_op=async_op,
    )


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Each process sends a part of its tensor to each, and receives one from each.

    Args:
        output: what comes from the others, by rank, along the first dimension.
        input: what goes to the others, by rank, along the first dimension.
        output_split_sizes, input_split_sizes: how many rows come from and go to each; equal parts without them.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    check_one_dtype([output, input])
    known = member_group(group, "all_to_all_single")
    if known is None:
        return None
    sent, room = plain(input), plain(output)
    to_send = _part_sizes(input, input_split_sizes, known.size())
    to_receive = _part_sizes(output, output_split_sizes, known.size())
    return start(
        "all_to_all_single",
        known,
        lambda: known.communicator.Ialltoallv(parts(sent, to_send), parts(room, to_receive)),
        facts=str(sent.dtype).removeprefix("torch."),
        memory=(sent, room),
        outputs=(output,),
        finish=lambda: settle(output, room),
        async_op=async_op,
    )


def _part_sizes(tensor: Tensor, rows: Sequence[int] | None, size: int) -> list[int]:
    """The numbers of elements that belong to each process."""
    total = tensor.shape[0] if tensor.dim() else 0
    if not rows:
        if total % size:
            raise ValueError("Tensor's dim 0 does not divide equally across group size")
        rows = [total // size] * size
    if len(rows) != size:
        raise ValueError("Number of tensor splits not equal to group size")
    if sum(rows) != total or min(rows) < 0:
        raise ValueError("Split sizes doesn't match total dim 0 size")
    width = tensor.numel() // total if total else 0
    return [count * width for count in rows]
