"""conj() and the imaginary part of a conjugate are views with a bit: what shares memory, what settles it, writes."""

import copy
import io
import pickle

import pytest

import chainrule
from both import agree


def told(value):
    """What is to be known of a result: its bits, its layout, whether it is a view, its elements."""
    if isinstance(value, (list, tuple)):
        return [told(item) for item in value]
    if not hasattr(value, "is_conj"):
        return value
    elements = value.detach().resolve_conj().resolve_neg()
    return value.is_conj(), value.is_neg(), value.stride(), value._is_view(), elements


def saved(t, x):
    file = io.BytesIO()
    t.save(x, file)
    file.seek(0)
    return t.load(file)


VIEWS = {
    "itself": lambda t, x, c: c,
    "twice": lambda t, x, c: c.conj(),
    "adjoints": lambda t, x, c: [x.mH, x.H, x.adjoint(), c.mH],
    "parts": lambda t, x, c: [c.real, c.imag, c.imag.t()[1], t.imag(c.mT)],
    "negatives": lambda t, x, c: [t._neg_view(x), t._neg_view(c), t._neg_view(c).imag, t._neg_view(t._neg_view(x))],
    "shapes": lambda t, x, c: [c.view(12), c.t(), c.reshape(2, 6), c.flatten(), c.expand(2, 3, 4), c.unsqueeze(0), c.T],
    "parts of it": lambda t, x, c: [c[0], c[:, 1:], c.unbind()[1], c.split(2)[0], c.diagonal(), c.unfold(0, 2, 1)],
    "strided": lambda t, x, c: c.as_strided((2, 2), (1, 3)),
    "cut off": lambda t, x, c: [c.detach(), c.data, t.nn.Parameter(c)],
    "as they are": lambda t, x, c: [c.contiguous(), c.to(t.complex64), c.resolve_neg(), +c, t.as_tensor(c), c.cpu()],
}
COPIES = {
    "clone": lambda t, x, c: [c.clone(), c.imag.clone(), c.t().contiguous(), c.t().reshape(12), c[[0, 2]]],
    "resolved": lambda t, x, c: [c.resolve_conj(), c.imag.resolve_neg(), c.conj_physical(), x.conj_physical()],
    "converted": lambda t, x, c: [c.to(t.complex128), c.imag.double(), c.imag.int(), t.tensor(c.tolist())],
    "joined": lambda t, x, c: [t.cat([c, x]), t.stack([x, c]), t.where(x.real > 0, c, x)],
    "like it": lambda t, x, c: [t.zeros_like(c), c.new_zeros(2)],
    "arithmetic": lambda t, x, c: [c + 1, 2j - c, c * x, 1 / c, c / x, -c, c**2, c @ x.mT, abs(c), c == x],
    "functions": lambda t, x, c: [c.sum(0), c.imag.max(), c.imag.sort()[1], t.einsum("ij,ij->i", c, x), c.norm()],
    "numbers": lambda t, x, c: [c[0, 0].item(), complex(c[1, 1]), float(c.imag[0, 0]), bool(c.imag[0, 0]), c.tolist()],
    "copied": lambda t, x, c: [copy.deepcopy(c), copy.copy(c), pickle.loads(pickle.dumps(c)), saved(t, c)],
    "saved": lambda t, x, c: [saved(t, [c, x])[0], saved(t, c.imag), pickle.loads(pickle.dumps(c.imag))],
    "printed": lambda t, x, c: [repr(c), repr(c.imag), repr(c[0, 0]), str(c.real)],
    "numpy": lambda t, x, c: [c.numpy(force=True).tolist(), c.imag.numpy(force=True).tolist()],
    "batched": lambda t, x, c: [t.func.vmap(lambda v: v.conj() * 2)(x), t.func.vmap(lambda v: v.conj())(x)],
    "compared": lambda t, x, c: [t.equal(c, x.conj_physical()), t.allclose(c, x), c.is_set_to(x), c[0, 0].item() in c],
}
WRITES = {
    "mul_": lambda t, x, c: c.mul_(2j),
    "operators": lambda t, x, c: [c.__imul__(2j), c.__iadd__(x)],
    "with its base": lambda t, x, c: c.add_(x),
    "into its base": lambda t, x, c: x.add_(c),
    "filled": lambda t, x, c: c.fill_(1 + 2j),
    "copied": lambda t, x, c: c.copy_(t.arange(12).reshape(3, 4) * 1j),
    "conjugate into itself": lambda t, x, c: x.copy_(c),
    "a row": lambda t, x, c: c.__setitem__(0, 3 + 1j),
    "all": lambda t, x, c: c.__setitem__(slice(None), 3 + 1j),
    "by indices": lambda t, x, c: c.__setitem__([0, 2], 5j),
    "by a mask": lambda t, x, c: c.masked_fill_(x.real > 0, 2j),
    "row of a conjugate": lambda t, x, c: x.__setitem__(0, c[1]),
    "imaginary part": lambda t, x, c: [c.imag.mul_(3), c.imag[0].fill_(7.0), c.real.fill_(9.0)],
    "attributes": lambda t, x, c: [setattr(c, "real", 7.0), setattr(c, "imag", x.real), setattr(x, "imag", 2)],
    "out=": lambda t, x, c: t.add(x, 1, out=c),
    "put": lambda t, x, c: c.index_put_((t.tensor([0]),), t.tensor(1j)),
    "turned": lambda t, x, c: c.t_(),
}
REFUSALS = {
    "numpy": lambda t, x, c: c.numpy(),
    "numpy of a negative": lambda t, x, c: c.imag.numpy(),
    "array": lambda t, x, c: c.__array__(),
    "dlpack": lambda t, x, c: c.__dlpack__(),
    "view_as_real": lambda t, x, c: t.view_as_real(c),
    "another dtype": lambda t, x, c: c.view(t.complex128),
    "another dtype of a negative": lambda t, x, c: c.imag.view(t.int32),
    "assigned": lambda t, x, c: setattr(x, "real", "text"),
}


def values(t):
    return t.randn(3, 4, dtype=t.complex64)


@pytest.mark.parametrize("program", (VIEWS | COPIES).values(), ids=VIEWS | COPIES)
def test_results(program):
    def run(t):
        x = values(t)
        return told(program(t, x, x.conj()))

    agree(run, tolerance=1e-5)


@pytest.mark.parametrize("program", VIEWS.values(), ids=VIEWS)
def test_views_share_memory(program):
    x = values(chainrule)
    found = program(chainrule, x, x.conj())
    for view in found if isinstance(found, list) else [found]:
        assert view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize("program", WRITES.values(), ids=WRITES)
def test_writes_reach_the_base(program):
    def run(t):
        x = values(t)
        c = x.conj()
        result = program(t, x, c)
        return told([result, x, c]), result is c, x._version > 0

    agree(run, tolerance=1e-5)


@pytest.mark.parametrize("program", REFUSALS.values(), ids=REFUSALS)
def test_refusals(program):
    def run(t):
        x = values(t)
        return program(t, x, x.conj())

    agree(run, words=6)


def test_a_negative_is_not_exported():
    """PyTorch exports the memory as it is, which shows the wrong sign."""
    with pytest.raises(BufferError, match="negative bit"):
        chainrule.ones(2, dtype=chainrule.complex64).conj().imag.__dlpack__()
    with pytest.raises(BufferError):
        memoryview(chainrule.ones(2, dtype=chainrule.complex64).conj())


def written(x, w, write):
    y = x * 1
    write(y, w)
    return y


GRADIENTS = {
    "conj": lambda t, x, w: x.conj() * w,
    "itself": lambda t, x, w: x.conj(),
    "imaginary part": lambda t, x, w: x.conj().imag ** 2,
    "negative": lambda t, x, w: t._neg_view(x) * w,
    "adjoint": lambda t, x, w: x.mH @ w,
    "view": lambda t, x, w: x.conj().view(12) * 2j,
    "resolved": lambda t, x, w: x.conj().resolve_conj(),
    "calculated": lambda t, x, w: x.conj().conj_physical(),
    "written": lambda t, x, w: written(x, w, lambda y, w: y.conj().mul_(w)),
    "written view": lambda t, x, w: (x * 1).conj().mul_(w),
    "written imaginary part": lambda t, x, w: written(x, w, lambda y, w: y.conj().imag.mul_(w.real)),
    "written row": lambda t, x, w: written(x, w, lambda y, w: y.conj()[0].copy_(y[1] * w[0])),
    "assigned row": lambda t, x, w: written(x, w, lambda y, w: y.conj().__setitem__(0, y[2] * w[1])),
    "assigned part": lambda t, x, w: written(x, w, lambda y, w: setattr(y, "real", y.imag * 2)),
    "base written": lambda t, x, w: base_written(x, w),
    "cut off": lambda t, x, w: t.zeros_like(w).conj().detach().copy_(x * w) * 1,
    "leaf": lambda t, x, w: x.conj().mul_(2),
    "twice": lambda t, x, w: t.autograd.grad((x.conj() * x * x).sum(), x, t.tensor(1 + 1j), create_graph=True)[0],
}


def base_written(x, w):
    y = x * 1
    c = y.conj()
    y.mul_(w)
    return c


@pytest.mark.parametrize("program", GRADIENTS.values(), ids=GRADIENTS)
def test_gradients(program):
    def run(t):
        x, w = values(t).requires_grad_(), values(t)
        y = program(t, x, w)
        start = t.ones_like(y.detach()) * (1 + 2j) if y.is_complex() else t.ones_like(y.detach())
        return [y, *t.autograd.grad(y, x, start)]

    agree(run, words=8, tolerance=1e-5)


def test_names_in_the_graph():
    def run(t):
        x = values(t).requires_grad_()
        c = x.conj()
        nodes = [c, c.imag, t._neg_view(x), c.resolve_conj(), c.conj_physical(), c * 2]
        below = (c * 2).grad_fn.next_functions[0][0]
        return [y.grad_fn.name() for y in nodes], below.name()

    agree(run)


def test_gradients_from_python():
    """Hooks and custom Functions may give conjugates back, and keep them."""

    def run(t):
        class Conjugate(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x.conj())
                return x.conj()

            @staticmethod
            def backward(ctx, g):
                return g.conj() * ctx.saved_tensors[0].conj()

        class Bare(Conjugate):
            @staticmethod
            def backward(ctx, g):
                return g.conj()

        found = []
        for function in (Conjugate.apply, Bare.apply, lambda x: Bare.apply(x * 1)):
            x, w = values(t).requires_grad_(), values(t)
            y = function(x) * w
            y.register_hook(lambda g: g.conj())
            x.register_hook(lambda g: (g * 2).conj())
            y.sum().backward(t.tensor(1 + 1j).conj())
            y = function(x) * w
            y.sum().backward(t.tensor(1 + 1j))
            found.append(x.grad.resolve_conj())
        return found

    agree(run, tolerance=1e-5)


def test_leaves_and_their_gradients():
    def run(t):
        x, w = values(t).conj().detach().requires_grad_(), values(t)
        (x * w).sum().backward(t.tensor(1j))
        first = x.grad.clone()
        x.grad = (t.ones(3, 4) * 1j).conj()
        (x * w).sum().backward(t.tensor(1j))
        return first, x.grad.resolve_conj(), x.is_conj()

    agree(run, tolerance=1e-5)


def test_forward_mode():
    def run(t):
        forward, w = t.autograd.forward_ad, values(t)
        with forward.dual_level():
            x = forward.make_dual(values(t), w.conj())
            tangents = [x.conj() * 2, x.conj().imag]
            y = x * 1
            y.conj().mul_(w)
            z = x * 1
            c = z.conj()
            z.mul_(w)
            return [forward.unpack_dual(y).tangent.resolve_conj().resolve_neg() for y in (*tangents, y, c * 1)]

    agree(run, tolerance=1e-5)


TANGENTS = {
    "conjugate": lambda t, x, w: x.conj(),
    "imaginary part": lambda t, x, w: x.conj().imag,
    "row": lambda t, x, w: x.conj()[0],
    "turned": lambda t, x, w: x.mH[1],
    "pairs": lambda t, x, w: t.view_as_real(x),
    "written": lambda t, x, w: x.conj().mul_(w),
    "part written": lambda t, x, w: [x.conj().imag.mul_(2), x][1],
    "row written": lambda t, x, w: [x.conj()[0].copy_(w[0]), x][1],
    "base written": lambda t, x, w: [x.conj(), x.mul_(w)][0],
    "zeroed": lambda t, x, w: [x.conj()[1].zero_(), x][1],
}


@pytest.mark.parametrize("made", ["plain", "conjugate"])
@pytest.mark.parametrize("program", TANGENTS.values(), ids=TANGENTS)
def test_tangents_of_views(program, made):
    """They are views with the same bits, of the tangent of the tensor that they show."""

    def run(t):
        forward, w = t.autograd.forward_ad, values(t)
        with forward.dual_level():
            x = values(t)
            x = forward.make_dual(x.conj() if made == "conjugate" else x, values(t))
            try:
                y = program(t, x, w)
            except RuntimeError as error:  # view_as_real of a conjugate
                return str(error)[:40]
            tangents = [forward.unpack_dual(v).tangent for v in (y, x)]
            if y is not x:
                tangents[0].mul_(2)  # the memory is one
            return [v.resolve_conj().resolve_neg() for v in tangents]

    agree(run, tolerance=1e-5)


PARTS = [lambda y: y.imag, lambda y: y.conj().imag, lambda y: y.conj()[0], lambda y: y[1]]


@pytest.mark.parametrize("part", PARTS, ids=["imag", "conj imag", "conj row", "row"])
def test_gradients_of_writes_into_what_has_the_bit_itself(part):
    """x.data of a conjugate is no view of anything. PyTorch has no gradient for the imaginary parts of such a one."""

    def gradients(base):
        t, w = chainrule, values(chainrule).requires_grad_()
        y = base.data.clone() if not base.is_conj() else base
        view = part(y)
        view.copy_(w[0] * 1 if view.is_complex() else w.imag)
        first = t.autograd.grad((y * (2 - 1j)).sum(), w, t.tensor(1 + 3j))
        y = y.detach().data
        view = part(y)
        y.mul_(w)  # the view follows
        return *first, *t.autograd.grad(view.sum(), w, t.tensor(1 + 3j) if view.is_complex() else None)

    x = values(chainrule)
    found = []
    for base in (x.clone().conj().data, x.conj_physical()):
        chainrule.manual_seed(1)
        found.append(gradients(base))
    for mine, plain in zip(*found, strict=True):
        assert chainrule.allclose(mine, plain)


def test_large_conjugates_do_not_wait():
    """An operation that waits reads memory as it lies; see Note [Pending operations]."""

    def run(t):
        x = t.randn(700, 500, dtype=t.complex64)
        part = t.view_as_real(x)[..., 0].contiguous()
        negative = t._neg_view(part)
        a = negative * 2 + part
        b = (part * 3).add_(negative)
        negative.mul_(2)
        return a, b, part.sum(), (t._neg_view(part) @ part.t())[:2, :2]

    agree(run, tolerance=1e-3)


def test_no_tensor_is_left_marked():
    """The doors look for unresolved tensors only while there are some."""
    x = values(chainrule)
    c = x.conj()
    assert c.is_conj()
    assert not (c + 1).is_conj()
    del c
    assert (x * 2).sum().item() == pytest.approx(complex(x.sum()) * 2, rel=1e-5)
