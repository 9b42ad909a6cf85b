"""Writing into tensors: version checks, views in any order, what is forbidden, and right gradients elsewhere."""

import re

import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def matrix(torch):
    return torch.tensor([[0.5, 1.5, -2.0], [3.0, -0.25, 1.0]], dtype=torch.float64, requires_grad=True)


def vector(torch):
    return torch.tensor([2.0, 0.5, -1.0], dtype=torch.float64, requires_grad=True)


# Each program gets a non-leaf y = x * 1 (2 x 3) and a leaf w (3) and returns what is to be differentiated.
WRITES = {
    "cumsum_": lambda torch, y, w: y.cumsum_(1) * w,
    "cumprod_": lambda torch, y, w: y.cumprod_(1) * w,  # its gradient reads what was there before
    "mul_": lambda torch, y, w: y.mul_(w),
    "add_ alpha": lambda torch, y, w: y.add_(w, alpha=3),
    "operator": lambda torch, y, w: _augmented(y, w),
    "sin_": lambda torch, y, w: y.sin_() * w,
    "exp_ then use": lambda torch, y, w: y.exp_() * y,
    "twice": lambda torch, y, w: y.sin_().mul_(w).cos_(),
    "by its square": lambda torch, y, w: y.mul_(y * y),
    "pow_": lambda torch, y, w: y.pow_(3),
    "clamp_": lambda torch, y, w: y.clamp_(-1, 1) * w,
    "zero_": lambda torch, y, w: y.zero_() + w,
    "fill_": lambda torch, y, w: y.fill_(2.0) * w,
    "fill_ with a tensor": lambda torch, y, w: y.fill_(w[0]),
    "copy_": lambda torch, y, w: y.copy_(w) * y,
    "copy_ a constant": lambda torch, y, w: y.copy_(torch.ones(2, 3)) * w,
    "row": lambda torch, y, w: _set(y, 0, w) * y,
    "row of numbers": lambda torch, y, w: _set(y, 1, 7.0) * y,
    "element": lambda torch, y, w: _set(y, (1, 2), w[0]) * y,
    "slice": lambda torch, y, w: _set(y, (slice(None), slice(1, 3)), w[:2]) * y,
    "step": lambda torch, y, w: _set(y, (0, slice(0, 3, 2)), w[1:]) * y,
    "ellipsis": lambda torch, y, w: _set(y, Ellipsis, w) * y,
    "everything": lambda torch, y, w: _set(y, slice(None), w * w) * y,
    "list": lambda torch, y, w: _set(y, [1, 0], y.detach() * w) * y,
    "index tensor": lambda torch, y, w: _set(y, (torch.tensor([0, 1]), torch.tensor([2, 0])), w[:2]) * y,
    "mask": lambda torch, y, w: _set(y, y.detach() > 0.9, 5.0) * w,
    "mask with values": lambda torch, y, w: _set(y, y.detach() > 0.9, w) * y,
    "slice +=": lambda torch, y, w: _add_to_slice(y, w),
    "row *=": lambda torch, y, w: _scale_row(y, w),
    "T.mul_": lambda torch, y, w: (y.T.mul_(w[:2]), y * y)[1],
    "view.add_": lambda torch, y, w: (y.view(6).add_(torch.cat([w, w])), y * y)[1],
    "flatten.exp_": lambda torch, y, w: (y.flatten()[2:5].exp_(), y * w)[1],
    "narrow.zero_": lambda torch, y, w: (y.narrow(1, 0, 2).zero_(), y * w)[1],
    "select.copy_": lambda torch, y, w: (y.select(0, 1).copy_(w), y * y)[1],
    "diagonal.mul_": lambda torch, y, w: (y.diagonal().mul_(w[:2]), y * y)[1],
    "unsqueeze.sin_": lambda torch, y, w: (y.unsqueeze(0).sin_(), y * w)[1],
    "squeeze.sin_": lambda torch, y, w: (y[None].squeeze(0).sin_(), y * w)[1],
    "permute.mul_": lambda torch, y, w: (y.permute(1, 0)[0].mul_(w[:2]), y * y)[1],
    "view of a view": lambda torch, y, w: (y[1][1:][None].T.mul_(w[0]), y * y)[1],
    "base then view": lambda torch, y, w: _base_then_view(y, w),
    "view then base": lambda torch, y, w: _view_then_base(y, w),
    "two views of one place": lambda torch, y, w: _two_views(y, w),
    "view read after the base was written": lambda torch, y, w: _stale_view(y, w),
    "sibling views": lambda torch, y, w: _siblings(y, w),
    "view of the result": lambda torch, y, w: y.mul_(w)[0].sin_() * w,
    "through detach": lambda torch, y, w: (y.detach().mul_(2), y * w)[1],
    "unbind": lambda torch, y, w: (y.unbind()[0].mul_(2), y)[1],
    "split": lambda torch, y, w: (y.split(1)[0].mul_(2), y)[1],
    "chunk": lambda torch, y, w: (y.chunk(2)[1].mul_(2), y)[1],
    "saved then written": lambda torch, y, w: _saved_then_written(y, w),
    "saved output then written": lambda torch, y, w: _saved_output_then_written(y, w),
    "not needed and written": lambda torch, y, w: _not_needed(y, w),
    "saved base written through a view": lambda torch, y, w: _saved_written_by_view(y, w),
    "saved view written through the base": lambda torch, y, w: _saved_view(y, w),
    "relu_": lambda torch, y, w: y.relu_() * w,
    "expanded": lambda torch, y, w: y[0].expand(2, 3).mul_(2),
    "expanded row": lambda torch, y, w: y.sum(0, keepdim=True).expand(2, 3).add_(w),
    "wrong shape": lambda torch, y, w: y[0].add_(torch.ones(2, 3)),
    "lossy dtype": lambda torch, y, w: y.detach().long().add_(0.5),
    "into integers": lambda torch, y, w: y.detach().long().copy_(y).double() * w,
    "where_ by index": lambda torch, y, w: _set(y, (slice(None), 0), y[:, 1] * w[0]) * y,
    "lerp_": lambda torch, y, w: y.lerp_(w, 0.3),
    "div_": lambda torch, y, w: y.div_(w),
    "neg_": lambda torch, y, w: y.neg_() * w,
    "tanh_": lambda torch, y, w: y.tanh_() * y,
    "sqrt_": lambda torch, y, w: y.abs_().sqrt_() * w,
}


def _augmented(y, w):
    y += w
    y *= w
    y -= 1
    y /= 2
    return y * y


def _set(y, key, value):
    y[key] = value
    return y


def _add_to_slice(y, w):
    y[:, 1:3] += w[:2]
    y[0] -= w
    return y * y


def _scale_row(y, w):
    y[1] *= w
    y[1, 1:] /= w[1:]
    return y * y


def _base_then_view(y, w):
    v = y[0]
    y.mul_(w)
    v.sin_()
    y.add_(w)
    return y * v.sum()


def _view_then_base(y, w):
    v = y[:, 1]
    v.mul_(w[0])
    y.sin_()
    return y * v.sum()


def _two_views(y, w):
    a, b = y[0], y[:, 0]
    a.mul_(w)
    b.add_(w[:2])
    a.sin_()
    return a.sum() * b.sum() * y


def _stale_view(y, w):
    v = y[1]
    y.mul_(w)
    return v * v


def _siblings(y, w):
    a, b = y[0], y[1]
    a.mul_(w)
    return a * b + y


def _saved_then_written(y, w):
    z = y.sin()
    y.add_(1)
    return z * w


def _saved_output_then_written(y, w):
    z = y.exp()
    z.add_(1)
    return z * w


def _not_needed(y, w):
    z = y + w
    y.add_(1)
    return z * y


def _saved_written_by_view(y, w):
    z = y * y
    y[0].zero_()
    return z


def _saved_view(y, w):
    z = y[0].sin()
    y.zero_()
    return z * w


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_writes_into_a_non_leaf(write):
    def program(torch):
        x, w = matrix(torch), vector(torch)
        y = x * 1
        result = write(torch, y, w)
        version = y._version
        (result * torch.arange(1.0, result.numel() + 1).reshape(result.shape)).sum().backward()
        return y.detach(), result.detach(), version, x.grad, w.grad

    agree(program, tolerance=1e-12, words=8)


# Here the written tensor is also an input, to the gradient or in another arrangement. PyTorch raises; chainrule reads
# from a copy. Each comes with the same calculation without writes.
KEPT = {
    "by itself": (lambda torch, y, w: y.mul_(y), lambda torch, y, w: y * y),
    "transposed self": (
        lambda torch, y, w: _multiply_transposed(y, w),
        lambda torch, y, w: torch.cat([y[:, :2] * y[:, :2].T, y[:, 2:]], 1) * w,
    ),
    "view times its base": (
        lambda torch, y, w: (y[0].mul_(y[1]), y * w)[1],
        lambda torch, y, w: torch.stack([y[0] * y[1], y[1]]) * w,
    ),
    "shifted": (
        lambda torch, y, w: (y[:, 1:].mul_(y[:, :-1]), y * w)[1],
        lambda torch, y, w: torch.cat([y[:, :1], y[:, 1:] * y[:, :-1]], 1) * w,
    ),
    "addcmul_ with itself detached": (
        lambda torch, y, w: y.addcmul_(w, y.detach(), value=2),
        lambda torch, y, w: y + 2 * w * y.detach(),
    ),
    "to its own power": (
        lambda torch, y, w: y.abs_().pow_(y),
        lambda torch, y, w: y.abs() ** y.abs(),
    ),
}


def _multiply_transposed(y, w):
    s = y[:, :2]
    s.mul_(s.T)
    return y * w


@pytest.mark.parametrize(("write", "functional"), KEPT.values(), ids=KEPT.keys())
def test_a_tensor_written_with_its_own_values(write, functional):
    def program(torch, calculate):
        x, w = matrix(torch), vector(torch)
        result = calculate(torch, x * 1, w)
        (result * torch.arange(1.0, 7.0).reshape(2, 3)).sum().backward()
        return result, x.grad, w.grad

    with pytest.raises(RuntimeError, match=r"modified by an inplace operation|unsupported operation: some elements"):
        program(reference, write)
    agree(lambda torch: program(torch, write if torch is chainrule else functional), tolerance=1e-12)


# The same writes into memory that nothing else is known about: a leaf, a view of a leaf, without recording.

PLACES = {
    "a leaf": lambda torch: matrix(torch),
    "a view of a leaf": lambda torch: matrix(torch)[0],
    "a leaf's transpose": lambda torch: matrix(torch).T,
    "a constant": lambda torch: torch.ones(3),
    "a view of a constant": lambda torch: torch.ones(2, 3)[0],
    "an expanded constant": lambda torch: torch.ones(1).expand(3),
    "a detached leaf": lambda torch: matrix(torch).detach(),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("recording", [True, False], ids=["recording", "no_grad"])
@pytest.mark.parametrize("operand", ["number", "leaf"])
def test_where_one_may_write(place, recording, operand):
    def program(torch):
        target = place(torch)
        w = 2.0 if operand == "number" else torch.tensor(2.0, requires_grad=True)
        with torch.set_grad_enabled(recording):
            target.mul_(w)
        return target.detach(), target.requires_grad, target.is_leaf, target._version

    agree(program, words=5)


@pytest.mark.parametrize("write", ["inside", "outside"])
@pytest.mark.parametrize("base_requires", [True, False], ids=["tracked base", "constant base"])
@pytest.mark.parametrize("operand", ["number", "leaf"])
def test_views_made_under_no_grad(write, base_requires, operand):
    def program(torch):
        x = matrix(torch)
        base = x * 1 if base_requires else x.detach() * 1
        w = 2.0 if operand == "number" else torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
        with torch.no_grad():
            view = base[0]
            if write == "inside":
                view.mul_(w)
        if write == "outside":
            view.mul_(w)
        return base.detach(), base.requires_grad

    agree(program, words=6)


def test_a_constant_written_with_a_tracked_value_becomes_tracked():
    def program(torch):
        w, total = vector(torch), torch.zeros(3, dtype=torch.float64)
        for k in range(3):
            total[k] = w[k] ** (k + 1)
        view = total[1:]
        total.sum().backward()
        return total, total.is_leaf, view.requires_grad, w.grad

    agree(program, tolerance=1e-12)


def test_a_view_of_a_constant_follows_its_base():
    def program(torch):
        w, base = vector(torch), torch.zeros(2, 3, dtype=torch.float64)
        before = base[1]
        seen = [before.requires_grad, before.is_leaf]
        base[1] = w
        seen += [before.requires_grad, before.is_leaf, before.grad_fn.name() if before.grad_fn else None]
        (before * before).sum().backward()
        return seen, w.grad

    agree(program, tolerance=1e-12)


RESULTS = {
    "add": lambda torch, y, w: y + w,
    "mul": lambda torch, y, w: y * w,
    "div": lambda torch, y, w: y / w,
    "number div": lambda torch, y, w: 2 / y,
    "pow": lambda torch, y, w: y**3,
    "pow tensor": lambda torch, y, w: y.detach().abs() ** w,
    "exp": lambda torch, y, w: y.exp(),
    "log": lambda torch, y, w: y.abs().log(),
    "sqrt": lambda torch, y, w: y.abs().sqrt(),
    "sin": lambda torch, y, w: y.sin(),
    "tanh": lambda torch, y, w: y.tanh(),
    "sigmoid": lambda torch, y, w: y.sigmoid(),
    "relu": lambda torch, y, w: y.relu(),
    "erf": lambda torch, y, w: y.erf(),
    "erfinv": lambda torch, y, w: (y * 0.1).erfinv(),
    "maximum": lambda torch, y, w: torch.maximum(y, w),
    "clamp": lambda torch, y, w: y.clamp(-1, 1),
    "where": lambda torch, y, w: torch.where(y > 0, y, w),
    "lerp": lambda torch, y, w: torch.lerp(y, w, 0.5),
    "sum": lambda torch, y, w: y.sum(0),
    "mean": lambda torch, y, w: y.mean(1),
    "prod": lambda torch, y, w: y.prod(0),
    "amax": lambda torch, y, w: y.amax(0),
    "max": lambda torch, y, w: y.max(),
    "norm": lambda torch, y, w: y.norm(),
    "std": lambda torch, y, w: y.std(),
    "var": lambda torch, y, w: y.var(0),
    "logsumexp": lambda torch, y, w: y.logsumexp(0),
    "softmax": lambda torch, y, w: y.softmax(1),
    "log_softmax": lambda torch, y, w: y.log_softmax(1),
    "cumsum": lambda torch, y, w: y.cumsum(1),
    "cumprod": lambda torch, y, w: y.cumprod(1),
    "matmul": lambda torch, y, w: y @ w,
    "mm": lambda torch, y, w: y @ y.T,
    "cat": lambda torch, y, w: torch.cat([y, y]),
    "stack": lambda torch, y, w: torch.stack([y, y]),
    "index": lambda torch, y, w: y[[0, 1, 1]],
    "clone": lambda torch, y, w: y.clone(),
    "float": lambda torch, y, w: y.float(),
}


@pytest.mark.parametrize("make", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize("written", ["result", "input"])
def test_what_may_be_overwritten_afterwards(make, written):
    """A gradient may save its result only where PyTorch's does, else PyTorch's programs would raise here."""

    def program(torch):
        x, w = matrix(torch), vector(torch)
        y = x * 1
        z = make(torch, y, w)
        (z if written == "result" else y).add_(1)
        z.sum().backward()
        return x.grad, w.grad

    agree(program, words=8)


# ---- versions


def test_versions_count_writes():
    def program(torch):
        x = torch.ones(2, 3)
        seen = [x._version]
        for write in (
            lambda: x.add_(1),
            lambda: x[0].mul_(2),
            lambda: x.view(6).zero_(),
            lambda: x.detach().add_(1),
            lambda: x.__setitem__(0, 1.0),
            lambda: x.__setitem__((0, slice(0, 2)), torch.zeros(2)),
            lambda: x.__setitem__([0], 2.0),
            lambda: x.copy_(torch.zeros(3)),
            lambda: x.fill_(1),
            lambda: x.T.mul_(2),
            lambda: torch.add(x, 1, out=x),
            lambda: x.requires_grad_(),
            lambda: x + 1,
        ):
            write()
            seen.append(x._version)
        return seen

    agree(program)


def test_views_share_the_version():
    def program(torch):
        x = torch.ones(2, 3)
        v, d, c = x[0], x.detach(), x.clone()
        v.add_(1)
        return x._version, v._version, d._version, c._version

    agree(program)


def test_accumulation_counts_as_a_write():
    def program(torch):
        x = vector(torch)
        x.sum().backward()
        first = x.grad._version
        x.sum().backward()
        return x.grad._version - first

    agree(program)


def test_the_error_names_both_lines():
    def program():
        x = vector(chainrule)
        y = x * 2
        z = y.sin()  # where it was saved
        y.add_(1)  # where it was overwritten
        z.sum().backward()

    first = program.__code__.co_firstlineno
    with pytest.raises(RuntimeError) as caught:
        program()
    text = str(caught.value)
    assert text.startswith(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        "[torch.DoubleTensor [3]]"
    )
    assert "is at version 1; expected version 0 instead" in text
    assert re.search(rf"used here: .*test_inplace.py:{first + 3}, in program: z = y.sin\(\).*\[SinBackward0\]", text)
    assert re.search(rf"overwritten here: .*test_inplace.py:{first + 4}, in program: y.add_\(1\)", text)
    assert re.search(rf"at .*test_inplace.py:{first + 5}, in program: z.sum\(\).backward\(\)", text)


OVERWRITING = {
    "setitem": lambda y: y.__setitem__(0, 5.0),
    "view": lambda y: y[1:].mul_(2),
    "detach": lambda y: y.detach().zero_(),
    "copy_": lambda y: y.copy_(chainrule.ones(3)),
    "fill_": lambda y: y.fill_(1.0),
    "index": lambda y: y.__setitem__([0, 1], 1.0),
    "out=": lambda y: chainrule.add(chainrule.ones(3), 1, out=y.detach()),
    "no_grad": lambda y: chainrule.no_grad()(lambda: y.add_(1))(),
}


@pytest.mark.parametrize("overwrite", OVERWRITING.values(), ids=OVERWRITING.keys())
def test_every_kind_of_write_is_named(overwrite):
    x = vector(chainrule)
    y = x * 2
    z = y.sin()
    overwrite(y)
    with pytest.raises(RuntimeError, match=r"overwritten here: .*test_inplace.py:\d+") as caught:
        z.sum().backward()
    line = re.search(r"overwritten here: .*test_inplace.py:(\d+)", str(caught.value)).group(1)
    assert int(line) == overwrite.__code__.co_firstlineno


def test_the_error_for_a_written_output_names_the_output():
    def program(torch):
        y = vector(torch).exp()
        y.add_(1)
        y.sum().backward()

    agree(program, words=22)


# ---- conversions while writing


@pytest.mark.parametrize("source", ["float32", "float64", "float16", "bfloat16", "int64", "bool"])
@pytest.mark.parametrize("target", ["float32", "float64", "float16", "complex64"])
def test_copy_converts_and_broadcasts(source, target):
    def program(torch):
        values = torch.tensor([1.0, 0.0, 3.0]).to(getattr(torch, source))
        if values.is_floating_point():
            values.requires_grad_()
        out = torch.zeros(2, 3, dtype=getattr(torch, target))
        out.copy_(values)
        if not out.requires_grad:
            return out
        weights = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]], dtype=out.dtype)
        out.backward(weights)
        return out, values.grad

    agree(program)


def test_assigning_converts():
    def program(torch):
        w = vector(torch)
        y = torch.zeros(2, 3)
        y[0] = w
        y[1] = torch.tensor([1, 2, 3])
        y.sum().backward()
        return y, w.grad

    agree(program)


def test_leading_ones_of_an_assigned_value_are_dropped():
    def program(torch):
        w = vector(torch)
        y = torch.zeros(3, dtype=torch.float64)
        y[:] = w[None, None]
        y.sum().backward()
        return y, w.grad

    agree(program)


def test_in_place_on_integers_with_a_tracked_operand():
    agree(lambda torch: torch.ones(3, dtype=torch.int64).mul_(vector(torch)))
    agree(lambda torch: torch.ones(3, dtype=torch.int64).copy_(vector(torch)))


def test_in_place_returns_the_same_object():
    x = chainrule.ones(3)
    before = x
    x += 1
    assert x is before
    assert x.mul_(2) is x
    assert x.copy_(chainrule.zeros(3)) is x


def test_writing_through_the_parts_of_a_complex_tensor():
    for part in ("real", "imag"):
        gradients = []
        for lib in (chainrule, reference):
            z = lib.tensor([1 + 2j, 3 - 1j], dtype=lib.complex128, requires_grad=True)
            w = z * 2
            getattr(w, part).mul_(3)
            w.abs().sum().backward()
            gradients.append(z.grad.tolist())
        assert gradients[0] == pytest.approx(gradients[1])


def test_a_view_whose_base_got_other_memory_goes_its_own_way():
    base = chainrule.ones(4)
    view = base[:2]
    base.data = chainrule.zeros(100)
    weight = chainrule.tensor(2.0, requires_grad=True)
    view.mul_(weight)
    view.sum().backward()
    assert weight.grad.item() == 2
    assert base.requires_grad is False


def test_view_of_a_view_that_was_made_a_leaf():
    """The base has no history, so a write could not be given back to the leaf."""

    def program(library):
        x = library.ones(4).view(4).requires_grad_()
        x[:1].mul_(2)

    agree(program, words=12)


# ---- a tensor that becomes a view of itself

SHOWN_ANEW = {
    "t_": lambda y: y.t_(),
    "transpose_": lambda y: y.transpose_(0, 1),
    "swapaxes_": lambda y: y.swapaxes_(0, 1),
    "swapdims_": lambda y: y.swapdims_(-1, 0),
    "unsqueeze_": lambda y: y.unsqueeze_(1),
    "squeeze_": lambda y: y.unsqueeze_(1).squeeze_(),
    "squeeze_ one": lambda y: y.unsqueeze_(1).squeeze_(1),
    "squeeze_ several": lambda y: y.unsqueeze_(1).squeeze_((0, 1)),
    "as_strided_": lambda y: y.as_strided_((2, 2), (1, 2), 1),
}


@pytest.mark.parametrize("show", SHOWN_ANEW.values(), ids=SHOWN_ANEW.keys())
@pytest.mark.parametrize("view_first", [False, True])
def test_becoming_a_view_of_itself(show, view_first):
    """Value, layout, node, gradient; earlier views keep showing what they showed; later writes go where they should."""

    def program(t):
        w = t.arange(6.0).reshape(2, 3).requires_grad_()
        y = w * 2
        row = y[0] if view_first else y
        result = show(y)
        assert result is y
        name = y.grad_fn.name()
        y.mul_(3)
        (y * t.arange(float(y.numel())).reshape(y.shape)).sum().backward()
        return y, y.stride(), y.storage_offset(), name, y._version, row, w.grad

    agree(program)


@pytest.mark.parametrize("show", SHOWN_ANEW.values(), ids=SHOWN_ANEW.keys())
def test_a_view_that_becomes_another_view(show):
    def program(t):
        w = t.arange(12.0).reshape(3, 4).requires_grad_()
        y = w * 2
        part = y[:2, 1:]
        show(part)
        first = part.grad_fn.name()
        part.mul_(5)
        (y * t.arange(12.0).reshape(3, 4)).sum().backward()
        return y, part, first, part.grad_fn.name(), w.grad

    agree(program)


def test_what_may_not_become_a_view():
    agree(lambda t: t.ones(2, 3, requires_grad=True).t_(), words=5)
    agree(lambda t: (t.ones(2, 3, requires_grad=True) * 2).unbind()[0].unsqueeze_(0), words=5)
    agree(lambda t: t.ones(2, 2, 2).transpose_(0, 3), words=5)
    agree(lambda t: t.ones(2, 3).t_().tolist())

    def saved_before(t):
        y = t.ones(2, 3, requires_grad=True) * 2
        z = y * y
        y.t_()
        z.sum().backward()

    agree(saved_before, words=8)


def test_conj_physical_in_place():
    x = chainrule.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    y = x * 1
    assert y.conj_physical_() is y
    assert y.tolist() == [1 - 2j, 3 + 1j]
    y.imag.sum().backward()
    assert x.grad.tolist() == [-1j, -1j]


def test_sgn_of_complex_numbers_in_place():
    """The gradient reads what was there before."""

    def program(torch):
        x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
        y = x * 1
        y.sgn_()
        y.real.sum().backward()
        return y, x.grad

    agree(program)


# The operation's own node, whose first edge leads to the former value; through a view it is CopySlices.
OWN_NODES = {
    "tril_": lambda y, w: y.tril_(),
    "triu_": lambda y, w: y.triu_(1),
    "addmm_": lambda y, w: y.addmm_(w, w),
    "addmv_": lambda y, w: y[0].clone().addmv_(w, w[0]),
    "addr_": lambda y, w: y.addr_(w[0], w[1]),
    "baddbmm_": lambda y, w: y[None].clone().baddbmm_(w[None], w[None]),
    "addmm_ of a part": lambda y, w: y[1:, 1:].addmm_(w[:2], w[:, :2], beta=2, alpha=3),
    "tril_ of a view": lambda y, w: (y.t().tril_(), y)[1],
    "addmm_ by itself": lambda y, w: y.addmm_(y, w),  # needs the former value, which is gone
}


@pytest.mark.parametrize("write", OWN_NODES.values(), ids=OWN_NODES.keys())
def test_the_node_of_an_operation_in_place(write):
    def program(torch):
        x, w = (torch.arange(9.0, dtype=torch.float64).reshape(3, 3).requires_grad_() for _ in range(2))
        result = write(x * 1, w)
        edges = [node is not None for node, _ in result.grad_fn.next_functions]
        (result * torch.arange(result.numel()).reshape(result.shape)).sum().backward()
        return result.grad_fn.name(), edges, result, x.grad, w.grad

    agree(program, words=8)


# ---- memory that is read while it is written

SHARED = {
    "shifted": lambda torch, x: x.view(-1)[1:].add_(x.view(-1)[:-1]),
    "shifted copy": lambda torch, x: x.view(-1)[1:].copy_(x.view(-1)[:-1]),
    "shifted assignment": lambda torch, x: x.view(-1).__setitem__(slice(1, None), x.view(-1)[:-1]),
    "transposed": lambda torch, x: x.add_(x.t()),
    "transposed copy": lambda torch, x: x.copy_(x.t()),
    "a row of itself": lambda torch, x: x.sub_(x[1]),
    "the first row as a matrix": lambda torch, x: x.mul_(x[:1]),
    "an element": lambda torch, x: x.div_(x[0, 0]),
    "out": lambda torch, x: torch.mul(x, 2, out=x.t()),
    "the same memory": lambda torch, x: x.mul_(x.view(-1).view(3, 3)),
    "apart": lambda torch, x: x[0].add_(x[2]),
    "every second": lambda torch, x: x[::2].add_(x[1]),
    "columns": lambda torch, x: x[:, 0].copy_(x[:, 1]),
    "a column by a row": lambda torch, x: x[:, 0].copy_(x[0]),
}


@pytest.mark.parametrize("name", SHARED)
def test_memory_that_is_read_and_written(name):
    """PyTorch refuses what would depend on the order, and so do we; strided parts are copied first."""

    def program(torch):
        x = torch.arange(9.0).reshape(3, 3) + 1
        SHARED[name](torch, x)
        return x

    agree(program, words=6)


def test_a_view_whose_history_is_lost_can_still_be_read():
    def program(torch):
        y = torch.ones(4, requires_grad=True) * 1
        with torch.no_grad():
            v = y.view(2, 2)
        y.mul_(2)
        return v.tolist(), v.detach(), v.sum().item() if not torch.is_grad_enabled() else None

    agree(program)
