"""The strides of results: in which order PyTorch lays a fresh tensor's dimensions out in memory."""

import pytest
import torch as reference

import chainrule

LAYOUTS = {
    "transposed": lambda torch: torch.arange(24.0).reshape(4, 3, 2).transpose(0, 2),
    "permuted": lambda torch: torch.arange(24.0).reshape(3, 4, 2).permute(2, 0, 1),
    "with gaps": lambda torch: torch.arange(48.0).reshape(2, 3, 8)[..., ::2],
    "expanded": lambda torch: torch.arange(12.0).reshape(2, 1, 6)[..., :4].expand(2, 3, 4),
}


def at(torch):
    return torch.tensor([0, 1])


def zeros(torch, dtype="float32"):
    return torch.zeros(2, 3, 4, dtype=getattr(torch, dtype))


PROGRAMS = {
    # made contiguous, whatever the input is
    "scatter": lambda torch, x: x.scatter(0, zeros(torch, "int64"), zeros(torch)),
    "scatter number": lambda torch, x: x.scatter(0, zeros(torch, "int64"), 1.0),
    "scatter_add": lambda torch, x: x.scatter_add(0, zeros(torch, "int64"), zeros(torch)),
    "scatter_reduce": lambda torch, x: x.scatter_reduce(0, zeros(torch, "int64"), zeros(torch), "sum"),
    "index_add": lambda torch, x: x.index_add(0, at(torch), zeros(torch)),
    "index_copy": lambda torch, x: x.index_copy(0, at(torch), zeros(torch)),
    "masked_fill": lambda torch, x: x.masked_fill(zeros(torch, "bool"), 0),
    "masked_fill smaller mask": lambda torch, x: x.masked_fill(zeros(torch, "bool")[:1], 0),
    "masked_scatter": lambda torch, x: x.masked_scatter(zeros(torch, "bool"), zeros(torch)),
    "topk": lambda torch, x: x.topk(3, 1).values,
    "mode": lambda torch, x: x.mode(1).values,
    "median": lambda torch, x: x.median(2, keepdim=True).values,
    "angle": lambda torch, x: x.to(torch.complex64).angle(),
    "number to the power": lambda torch, x: 2**x,
    "renorm": lambda torch, x: x.renorm(2, 0, 1.0),
    # in the input's order
    "index_fill": lambda torch, x: x.index_fill(0, at(torch), 1.0),
    "index_put": lambda torch, x: x.index_put((at(torch),), zeros(torch)),
    "sort": lambda torch, x: x.sort(1).values,
    "exp": lambda torch, x: x.exp(),
    "plus a number": lambda torch, x: x + 1,
    # strides kept, with their gaps
    "select_scatter": lambda torch, x: x.select_scatter(torch.zeros(3, 4), 0, 0),
    "slice_scatter": lambda torch, x: x.slice_scatter(torch.zeros(1, 3, 4), 0, 0, 1),
    "diagonal_scatter": lambda torch, x: x.diagonal_scatter(torch.zeros(4, 2)),
    # as the operands' orders decide
    "broadcast first": lambda torch, x: x[:1] + x,
    "both broadcast": lambda torch, x: x[:, :1] * x[:1],
    "several broadcast": lambda torch, x: x[:1] + x[:, :1, :1],
    "two orders": lambda torch, x: x + zeros(torch),
    "two orders, plain first": lambda torch, x: zeros(torch) + x,
    "where": lambda torch, x: torch.where(x[:1] > 0, x[:, :1], x),
    "index in front": lambda torch, x: x[at(torch)],
    "index in the middle": lambda torch, x: x[:, at(torch)],
    "index at the end": lambda torch, x: x[:, :, at(torch)],
    "mask in the middle": lambda torch, x: x[:, torch.tensor([True, False, True])],
    "index of two dimensions": lambda torch, x: x[:, torch.tensor([[0, 1, 2], [2, 1, 0]]).T],
    "indices of another order": lambda torch, x: x[0, 0][torch.tensor([[0, 1, 2], [2, 1, 0]]).T],
    "out without elements": lambda torch, x: torch.add(x, x, out=torch.empty(0)),
    "out of the shape": lambda torch, x: torch.add(x, x, out=torch.empty(2, 3, 4)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_strides_are_those_of_pytorch(program, layout):
    ours, theirs = (PROGRAMS[program](torch, LAYOUTS[layout](torch)) for torch in (chainrule, reference))
    assert (ours.shape, ours.stride(), ours._is_view()) == (theirs.shape, theirs.stride(), theirs._is_view())
    assert ours.flatten().tolist() == pytest.approx(theirs.flatten().tolist(), rel=1e-6)


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64", "int64", "float32", "bfloat16"])
@pytest.mark.parametrize("layout", ["transposed", "with gaps"])
def test_random_numbers_fill_memory_in_its_order(layout, dtype):
    filled = []
    for torch in (chainrule, reference):
        torch.manual_seed(0)
        filled.append(LAYOUTS[layout](torch).to(getattr(torch, dtype)).random_(0, 100).tolist())
    assert filled[0] == filled[1]
