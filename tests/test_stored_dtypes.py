"""complex32 and the floating types of eight bits: stored, moved, converted, printed and saved as in PyTorch, which
calculates little with them."""

import importlib
import io
import random
import struct
import warnings

import pytest
import torch as reference

import chainrule
from both import agree

FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
STORED = (*FLOAT8, "complex32")
OTHERS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
WIDER = ("uint16", "uint32", "uint64", "complex128")

pytestmark = [
    pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental"),
    pytest.mark.filterwarnings("ignore:Casting complex values to real"),
]


def dense_floats():
    """Every bfloat16 and float16, their neighbours in the middle, and more, as float32."""
    rows = reference.arange(-(2**15), 2**15, dtype=reference.int16)
    values = [rows.view(reference.bfloat16).float(), rows.view(reference.float16).float()]
    values += [reference.nextafter(v, reference.tensor(limit)) for v in values for limit in (0.0, float("inf"))]
    generator = random.Random(0)
    bits = [generator.getrandbits(32) for _ in range(100_000)]
    values.append(reference.tensor(struct.unpack(f"{len(bits)}f", struct.pack(f"{len(bits)}I", *bits))))
    return reference.cat(values)


def crossed(x, torch):
    """The tensor in the other library, by its bytes."""
    whole = x.contiguous().view(reference.uint8 if torch is chainrule else chainrule.uint8)
    return torch.from_numpy(whole.numpy().copy()).view(getattr(torch, str(x.dtype).removeprefix("torch.")))


@pytest.mark.parametrize("name", FLOAT8)
def test_every_code_is_the_number_that_it_is_in_pytorch(name):
    ours, theirs = (
        torch.arange(256).to(torch.uint8).view(getattr(torch, name)).float() for torch in (chainrule, reference)
    )
    pairs = zip(ours.tolist(), theirs.tolist(), strict=True)
    assert [(i, a, b) for i, (a, b) in enumerate(pairs) if not (a == b or (a != a and b != b))] == []
    assert ours.signbit().tolist() == theirs.signbit().tolist() or name.endswith(("fnuz", "fnu", "e4m3fn", "e5m2"))


@pytest.mark.parametrize("name", FLOAT8)
def test_floats_are_rounded_to_the_bit(name):
    floats = dense_floats()
    theirs = floats.to(getattr(reference, name)).view(reference.uint8)
    ours = crossed(floats, chainrule).to(getattr(chainrule, name)).view(chainrule.uint8)
    different = (crossed(ours, reference) != theirs).nonzero().flatten()
    shown = [(floats[i].item(), ours[i.item()].item(), theirs[i].item()) for i in different[:10]]
    assert shown == []


def test_complex_halves_are_rounded_to_the_bit():
    floats = dense_floats()
    theirs = reference.complex(floats, floats.flip(0)).to(reference.complex32)
    both = crossed(floats, chainrule)
    ours = chainrule.complex(both, both.flip(0)).to(chainrule.complex32)
    known = ~theirs.real.isnan() & ~theirs.imag.isnan()
    assert reference.equal(crossed(ours.view(chainrule.int16), reference)[:, None].view(-1, 2)[known],
                           theirs.view(reference.int16)[:, None].view(-1, 2)[known])  # fmt: skip


@pytest.mark.parametrize("other", [*OTHERS, *WIDER, *STORED])
@pytest.mark.parametrize("name", STORED)
def test_conversions(name, other):
    """From and to every other dtype, contiguous and not."""

    def program(t):
        values = [[0, 1, 2, 3, 5], [7, 100, 120, 1, 0]]
        x = t.tensor(values).to(getattr(t, other)).to(getattr(t, name))
        y = t.tensor([[0.5, -1.25, 3.0], [1e5, -0.0, 0.001]]).to(getattr(t, name))
        back = y.to(getattr(t, other))
        rows = t.tensor(values).to(getattr(t, other)).t().to(getattr(t, name)).t()[:, ::2]
        return [
            repr(each.dtype) + str(each.tolist())
            for each in (x, rows, y.t().to(getattr(t, other)) if not other.startswith("uint") else x)
        ] + ([] if other.startswith("uint") else [str(back.tolist())])

    agree(program)


EXPRESSIONS = """
t.tensor([1., 2., 3.], dtype=d)
t.tensor([[1.5, -2.]], dtype=d)
t.tensor(1., dtype=d)
t.tensor([], dtype=d)
t.tensor([float("nan"), float("inf"), -0.0, 448., 1e-9], dtype=d)
t.zeros(2, dtype=d), t.ones(2, dtype=d), t.full((2,), 3., dtype=d)
t.empty(2, dtype=d).shape, t.zeros_like(x), t.ones_like(x), x.new_zeros(2), x.new_tensor([1.]), x.new_full((2,), 2.)
x.half(), x.double(), x.int(), x.bool(), x.to(t.complex64), x.bfloat16()
x.chalf()
x.clone(), x.contiguous(), x[0], x[1:], x[[0, 1]], x[t.tensor([True, False, True])]
x.view(t.uint8), x.view(t.int8), x.view(t.uint8).view(d)
x[0].item(), x.tolist(), bool(x[0]), float(x[0]), int(x[0]), complex(x[0])
t.cat([x, x]), t.stack([x, x]), t.hstack([x, x])
x.index_select(0, t.tensor([0])), x.masked_select(t.tensor([True, False, True]))
x.clone().fill_(2), x.clone().zero_(), x.clone().copy_(y), x.roll(1), x.repeat(2)
x.reshape(3, 1).t(), x.reshape(3, 1).expand(3, 2).contiguous(), x.unfold(0, 2, 1), x.as_strided((2,), (1,))
x.split(1), x.chunk(2), x.unbind(), x.diag(), t.meshgrid(x, x, indexing="ij"), t.block_diag(x, x)
t.where(t.tensor([True, False, True]), x, x)
t.where(t.tensor([True, False, True]), x, y)
x == x, x != x, x.ne(1), x.eq(1.), t.isnan(x)
t.isinf(x), t.isfinite(x)
x * x
x.abs()
x + x
x - x
x + 1
x * 2
-x
x + y
y + x
x / x
x.exp()
x.sqrt()
x > x
x < x
x.pow(2)
x.clamp(0, 1)
x.add_(1)
x.addcmul(x, x)
x.sum()
x.prod()
x.argmax()
x.sum(dtype=t.float32)
x.any(), x.all()
x.sort()
x.argsort()
x.dot(x)
x.round()
t.arange(3, dtype=d)
t.eye(2, dtype=d)
t.linspace(0, 1, 3, dtype=d)
x.numpy()
x.element_size(), x.is_floating_point(), x.is_complex(), x.type(), x.untyped_storage().nbytes()
d.itemsize, d.is_floating_point, d.is_signed, d.is_complex, repr(d), d.to_real()
d.to_complex()
t.finfo(d)
t.promote_types(d, t.float32)
t.promote_types(d, t.int8)
t.promote_types(d, t.complex64)
t.promote_types(d, t.float16)
t.promote_types(d, d), t.result_type(x, 1.), t.can_cast(d, t.float32), t.can_cast(t.float32, d), t.can_cast(d, t.int32)
t.iinfo(d)
t.set_default_dtype(d)
x.requires_grad_()
x.float().requires_grad_().to(d)
t.nn.Parameter(x.clone())
t.empty(2, dtype=d, device="meta")
x.to("meta")
x.conj(), x.real
x.imag
t.view_as_real(x)
t.from_dlpack(x) if not d.is_complex else x
t.tensor([1e9, -1e9, float("nan"), float("inf"), -0.0, 1e-9], dtype=t.float64).to(d)
t.tensor([300, -300, 2**40]).to(d), t.tensor([True, False]).to(d), t.tensor([1 + 2j]).to(d)
x.type_as(y), y.type_as(x), x.to(y)
x.to(t.float8_e5m2), x.to(t.float8_e4m3fn), x.to(t.complex32)
t.nn.functional.embedding(t.tensor([0]), x.reshape(3, 1))
x.unsqueeze(0).squeeze(0), x.swapaxes(0, 0), t.broadcast_to(x, (2, 3)), t.tensor_split(x, 3)
x.fill_(1e9)
(x * (1 + 2j)).norm() if d.is_complex else x.clone()
t.float_power(x, 2) if d.is_complex else x.clone()
x.normal_()
x.topk(1)
"""


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression, name):
    def program(t):
        d = getattr(t, name)
        x, y = t.tensor([1.0, 2.0, 3.0]).to(d), t.tensor([1.0, 2.0, 4.0])
        try:
            return str(eval(expression, {"t": t, "d": d, "x": x, "y": y})).replace("chainrule", "torch")
        finally:
            t.set_default_dtype(t.float32)

    agree(program, words=3)


def test_complex_halves_as_pairs():
    def program(t):
        x = t.tensor([[1.0, 2.0], [3.0, -4.0]], dtype=t.float16)
        z = t.view_as_complex(x)
        w = t.complex(x[:, 0], x[:, 1])
        shown = [
            z,
            w,
            z.conj(),
            z.conj().resolve_conj(),
            t.view_as_real(z),
            z.imag,
            z.conj().imag,
            z.abs(),
            z * w,
            z + 1j,
        ]
        return [repr(each) for each in (*shown, x[:, 0] * 1j, t.float16.to_complex())]

    agree(program)


def test_gradients_pass_conversions():
    def program(t):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        x.to(t.float8_e5m2).float().mul(3).sum().backward()
        x.chalf().to(t.complex64).real.sum().backward()
        return x.grad

    agree(program)


@pytest.mark.parametrize("name", STORED)
def test_saved_and_loaded_both_ways(name):
    for torch, other in ((chainrule, reference), (reference, chainrule)):
        x = torch.tensor([[1.0, 2.0], [0.5, 8.0]]).to(getattr(torch, name))
        file = io.BytesIO()
        torch.save({"x": x, "t": x.t()}, file)
        for reader in (torch, other):
            file.seek(0)
            loaded = reader.load(file)
            assert str(loaded["x"].dtype) == f"torch.{name}"
            assert loaded["x"].tolist() == x.tolist()
            assert loaded["t"].stride() == (1, 2)


def test_safetensors():
    safetensors = pytest.importorskip("safetensors.torch")
    files = importlib.import_module("chainrule.safetensors")
    x = chainrule.tensor([1.0, 2.0]).to(chainrule.float8_e4m3fn)
    back = safetensors.load(files.save({"x": x}))["x"]
    assert back.dtype is reference.float8_e4m3fn
    assert files.load(safetensors.save({"x": back}))["x"].tolist() == [1.0, 2.0]


def test_wide_tensors_and_threads():
    """Many elements, so that several threads and tiles take part."""
    values = reference.linspace(-500, 500, 300_001)
    ours = crossed(values, chainrule)
    for name in FLOAT8:
        there, here = values.to(getattr(reference, name)), ours.to(getattr(chainrule, name))
        assert reference.equal(crossed(here.view(chainrule.uint8), reference), there.view(reference.uint8))
        assert crossed(here[::3].float(), reference).nan_to_num(9).equal(there[::3].float().nan_to_num(9))


def test_nothing_else_can_read_them():
    """Every function of one tensor gives a result or raises; none takes the elements for others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in STORED:
            x = chainrule.ones(4, 4).to(getattr(chainrule, name))
            for function in chainrule._core.functions.values():
                try:
                    function(x)
                except (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError, AssertionError):
                    continue


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("function", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "irfftn", "hfft2"])
def test_fourier_transforms_refuse_them(function, name):
    """They would read past the end of what is so small."""

    def call(torch):
        x = torch.ones(2, 8).to(getattr(torch, name))
        with pytest.raises(RuntimeError) as raised:
            getattr(torch.fft, function)(x)
        return str(raised.value).partition("\n")[0].partition(";")[0]

    assert call(chainrule) == call(reference)
