"""Views: they share memory, their strides and offsets are PyTorch's, writing through them reaches the base."""

from __future__ import annotations

import pytest
import torch

import chainrule
from both import agree
from oracle import assert_same, call, flat, gradients, is_float, ours, pair, theirs
from samples.shapes import VIEWS

# Names among the views that copy, or may copy, or return their argument.
COPIES = {"reshape_as", "resolve_conj", "resolve_neg", "contiguous"}
TRUE_VIEWS = [r for r in VIEWS if r.name not in COPIES and 0 not in r.draws[0].shape]


@pytest.mark.parametrize("record", TRUE_VIEWS, ids=str)
def test_strides_and_offset(record):
    mine, reference = pair(record)
    for m, r in zip(call(chainrule, record, mine), call(torch, record, reference), strict=True):
        assert (tuple(m.stride()), m.storage_offset()) == (tuple(r.stride()), r.storage_offset())
        assert m.is_contiguous() == r.is_contiguous()


@pytest.mark.parametrize("record", TRUE_VIEWS, ids=str)
def test_strides_of_a_view_of_a_view(record):
    """The same on a base that is itself transposed and begins in the middle of its memory."""
    mine, reference = pair(record)

    def deep(t):
        library = torch if isinstance(t, torch.Tensor) else chainrule
        whole = library.stack([t, t], 0)
        return whole[1]

    expected = call(torch, record, [deep(t) for t in reference])
    for m, r in zip(call(chainrule, record, [deep(t) for t in mine]), expected, strict=True):
        assert (tuple(m.stride()), m.storage_offset()) == (tuple(r.stride()), r.storage_offset())
        assert_same(m, r)


@pytest.mark.parametrize("record", TRUE_VIEWS, ids=str)
def test_memory_is_shared(record):
    """A view's data lies inside its base's, and a number written into one is read in the other, as in PyTorch."""
    mine, reference = pair(record)
    results, expected = call(chainrule, record, mine), call(torch, record, reference)
    start = mine[0].data_ptr()
    for m, r in zip(results, expected, strict=True):
        if not is_float(r) or r.numel() == 0:
            continue
        inside = reference[0].data_ptr() <= r.data_ptr() < reference[0].data_ptr() + reference[0].nbytes
        assert (start <= m.data_ptr() < start + mine[0].nbytes) == inside
        index = (0,) * r.ndim
        m[index], r[index] = 7.0, 7.0
    assert_same(mine[0], reference[0])


@pytest.mark.parametrize("record", [r for r in TRUE_VIEWS if r.name not in ("detach", "view_as_complex")], ids=str)
def test_writing_through_a_view_of_a_result(record):
    """y = x * 2; view(y).mul_(3): the gradient takes the way through the view, as in PyTorch."""
    mine, reference = pair(record, grad=True)
    found, expected = [], []
    for library, tensors, collected in ((chainrule, mine, found), (torch, reference, expected)):
        base = tensors[0] * 2
        results = call(library, record, [base, *tensors[1:]])
        if record.name in ("expand", "expand_as", "broadcast_to", "broadcast_tensors"):
            results = [base.unsqueeze(0)]  # writing where elements share memory is refused
        try:
            results[0].mul_(3)
        except RuntimeError as error:
            collected.append(type(error))
            continue
        collected.extend([base, *gradients(library, [base * base], tensors[:1])])
    assert len(found) == len(expected)
    for m, r in zip(found, expected, strict=True):
        if isinstance(r, torch.Tensor):
            assert_same(m, r, 10)
        else:
            assert m is r


PROPERTIES = ["T", "mT", "H", "mH", "real", "data"]


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_properties(name, dtype):
    reference = torch.arange(6, dtype=torch.float64).reshape(2, 3).to(getattr(torch, dtype))
    reference = reference * (1 + 2j) if dtype == "complex128" else reference
    mine = ours(reference)
    assert_same(getattr(mine, name).resolve_conj(), getattr(reference, name))
    assert tuple(getattr(mine, name).stride()) == tuple(getattr(reference, name).stride())


def test_complex_parts():
    reference = torch.tensor([1 + 2j, 3 - 4j], dtype=torch.complex128)
    mine = ours(reference)
    assert_same(chainrule.view_as_real(mine), torch.view_as_real(reference))
    assert_same(chainrule.imag(mine), torch.imag(reference))
    assert_same(chainrule.real(mine), torch.real(reference))
    for library, t in ((chainrule, mine), (torch, reference)):
        library.view_as_real(t)[0, 1] = 9.0
        library.real(t)[1] = 5.0
    assert_same(mine, reference)
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        chainrule.imag(chainrule.zeros(2))
    for f in ("imag", "real", "view_as_real"):
        mine, reference = mine.detach().requires_grad_(), reference.detach().requires_grad_()
        m, r = getattr(chainrule, f)(mine), getattr(torch, f)(reference)
        assert_same(gradients(chainrule, [m], [mine])[0], gradients(torch, [r], [reference])[0])


@pytest.mark.parametrize(
    ("source", "target"), [("float32", "int32"), ("float64", "float32"), ("int16", "int64"), ("uint8", "int8")]
)
def test_view_as_another_dtype(source, target):
    reference = torch.arange(8).to(getattr(torch, source))
    assert_same(ours(reference).view(getattr(chainrule, target)), reference.view(getattr(torch, target)))


def test_view_refuses_what_needs_a_copy():
    x = chainrule.zeros(2, 3).t()
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        x.view(6)
    assert x.reshape(6).shape == (6,)
    with pytest.raises(RuntimeError, match=r"shape '\[4, 2\]' is invalid for input of size 6"):
        x.reshape(4, 2)


def test_base_and_view_flags():
    x = chainrule.zeros(3)
    assert x._base is None
    assert x[1:]._base is x
    assert x[1:][1:]._base is x
    assert x.requires_grad_().requires_grad
    y = (x * 2).detach_()
    assert y.grad_fn is None
    assert not y.requires_grad


@pytest.mark.parametrize("memory_format", ["contiguous_format", "preserve_format", "channels_last"])
def test_memory_formats(memory_format):
    reference = torch.arange(24.0).reshape(1, 2, 3, 4).permute(0, 3, 1, 2)
    mine = ours(reference.permute(0, 2, 3, 1).contiguous()).permute(0, 3, 1, 2)
    for make in (lambda t, f: t.clone(memory_format=f),
                 lambda t, f: t.contiguous(memory_format=f) if memory_format != "preserve_format" else t):  # fmt: skip
        m, r = make(mine, getattr(chainrule, memory_format)), make(reference, getattr(torch, memory_format))
        assert tuple(m.stride()) == tuple(r.stride())
        assert_same(m, r)


def test_clones_keep_dense_strides():
    """Clones and elementwise results keep the order of a dense tensor's dimensions, also those of size one."""
    for shape in [(2, 3, 4), (1, 3, 1), (3, 1), (1, 1), (2, 1, 4)]:
        for make in (lambda t: t.clone(), lambda t: t * 2, lambda t: t + t, lambda t: t.exp()):
            m = make(ours(torch.zeros(shape)).permute(tuple(reversed(range(len(shape))))))
            r = make(torch.zeros(shape).permute(tuple(reversed(range(len(shape))))))
            assert tuple(m.stride()) == tuple(r.stride()), shape


def test_flat_results_are_tuples():
    assert isinstance(chainrule.zeros(4).split(2), tuple)
    assert isinstance(chainrule.zeros(4).unbind(), tuple)
    assert isinstance(
        chainrule.broadcast_tensors(chainrule.zeros(1), chainrule.zeros(3)),
        type(torch.broadcast_tensors(torch.zeros(1))),
    )
    assert [t.shape for t in flat(chainrule.zeros(5).chunk(2))] == [(3,), (2,)]
    assert theirs(chainrule.zeros(2)).tolist() == [0, 0]


@pytest.mark.parametrize("offset", [0, 1, 3, 5])
def test_as_strided_beyond_its_input(offset):
    """A view of a part of the storage may show what lies before and after that part; nobody's gradient is there."""

    def program(t):
        x = t.arange(20.0, dtype=t.float64, requires_grad=True)
        part = x.detach()[5:9].requires_grad_()
        shown = part.as_strided((3, 2), (2, 1), offset)
        (first,) = t.autograd.grad((shown**3).sum(), part, create_graph=True)
        (second,) = t.autograd.grad(first.sum(), part)
        incoming = t.arange(6.0, dtype=t.float64).reshape(3, 2).requires_grad_()
        (linear,) = t.autograd.grad(shown, part, incoming, create_graph=True)
        (back,) = t.autograd.grad((linear**2).sum(), incoming)
        return shown, first, second, linear, back

    agree(program)


def test_as_strided_of_an_expanded_input():
    def program(t):
        x = t.arange(3.0, dtype=t.float64, requires_grad=True)
        wide = x.expand(4, 3)
        shown = wide.as_strided((2, 3), (0, 1), 0)
        incoming = t.arange(6.0, dtype=t.float64).reshape(2, 3).requires_grad_()
        (first,) = t.autograd.grad(shown * shown, x, incoming, create_graph=True)
        (second,) = t.autograd.grad((first**2).sum(), incoming)
        return shown, first, second

    agree(program)


NO_VIEWS = {
    "kron": lambda torch, x: torch.kron(x, x),
    "quantile": lambda torch, x: torch.quantile(x, 0.3),
    "quantiles": lambda torch, x: torch.quantile(x, torch.tensor([0.3, 0.5]), dim=0, keepdim=True),
    "quantiles of all": lambda torch, x: torch.quantile(x, torch.tensor([0.3, 0.5]), keepdim=True),
    "nanquantile": lambda torch, x: torch.nanquantile(x, 0.3, dim=1),
    "rot90": lambda torch, x: torch.rot90(x),
    "rot270": lambda torch, x: torch.rot90(x, 3),
}


@pytest.mark.parametrize("program", NO_VIEWS.values(), ids=NO_VIEWS.keys())
def test_results_that_are_rearranged_at_the_end_are_no_views(program):
    def run(torch):
        x = torch.tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 0.0]], requires_grad=True)
        y = program(torch, x)
        (gradient,) = torch.autograd.grad((y * torch.arange(y.numel()).reshape(y.shape)).sum(), x)
        return y, y._is_view(), y.grad_fn.name(), y.stride(), gradient

    agree(run)
