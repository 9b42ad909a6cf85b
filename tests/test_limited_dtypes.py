"""uint16, uint32 and uint64: stored, moved, converted and compared as in PyTorch, which calculates little with them."""

import copy
import io
import pickle

import numpy as np
import pytest
import torch as reference

import chainrule
from both import agree

LIMITED = ("uint16", "uint32", "uint64")
TOP = {"uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}
OTHERS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


def values(dtype: str) -> list[int]:
    return [0, 1, 7, TOP[dtype] // 2, TOP[dtype] // 2 + 1, TOP[dtype] - 1, TOP[dtype]]


def made(library, dtype: str):
    return library.tensor(values(dtype), dtype=getattr(library, dtype))


EXPRESSIONS = {
    "printed": lambda t, x, d: repr(x),
    "summarised": lambda t, x, d: repr(x.repeat(300)),
    "numbers": lambda t, x, d: [x.tolist(), x[-1].item(), int(x[1]), float(x[-1]), bool(x[0]), [*range(9)][x[1]]],
    "facts": lambda t, x, d: [repr(d), d.is_signed, d.itemsize, d.is_floating_point, repr(t.iinfo(d)), x.type()],
    "limits": lambda t, x, d: [t.iinfo(d).min, t.iinfo(d).max, t.iinfo(d).bits],
    "created": lambda t, x, d: [f(2, dtype=d) for f in (t.zeros, t.ones)] + [t.full((2,), 3, dtype=d)],
    "wrapped": lambda t, x, d: t.full((2,), -1, dtype=d),
    "filled": lambda t, x, d: x.fill_(x[-1].item()),
    "too large": lambda t, x, d: t.full((2,), 2**64, dtype=d),
    "like": lambda t, x, d: [t.zeros_like(x), t.full_like(x, 5), x.new_ones(2), t.empty_like(x).dtype == d],
    "equal": lambda t, x, d: [x == x[3], x != 7, x.eq(1), t.equal(x, x), t.allclose(x, x)],
    "multiplied": lambda t, x, d: [x * x, x * 3, x.mul_(5), 2 * x, x * 2.5],
    "bits": lambda t, x, d: [x & 5, x | 5, x ^ x[2], x.bitwise_and(3)],
    "signs": lambda t, x, d: [x.signbit(), t.signbit(x[-1])],
    "complex numbers": lambda t, x, d: [x * 1j, x[:3] == 1j, repr(t.result_type(x, 1j))],
    "divided": lambda t, x, d: [x / 2, t.true_divide(x, x + 0.5)],
    "functions": lambda t, x, d: [t.sqrt(x), t.exp(-x.float() / 1e30), t.log(x), t.atan2(x, x), t.sin(t.ones_like(x))],
    "rounded": lambda t, x, d: [x.floor(), x.ceil(), x.trunc(), x.round(), x.isnan(), x.isinf(), x.nan_to_num()],
    "sums": lambda t, x, d: [x.sum(), x.prod(), x.cumsum(0), x.any(), x.all(), x.sum(dtype=t.float64)],
    "sorted": lambda t, x, d: (
        [*x.flip(0).sort(), *x.sort(descending=True), x.argsort(), t.msort(x.roll(3))]
        if t is chainrule
        else [*t.tensor(x.tolist()[::-1], dtype=d).sort(), *x.sort(descending=True), x.argsort(), t.msort(x.roll(3))]
    ),
    "unique": lambda t, x, d: [*x.repeat(2).unique(return_inverse=True, return_counts=True), x.unique_consecutive()],
    "slices": lambda t, x, d: t.stack([x, x.roll(1), x]).unique(dim=0),
    "shapes": lambda t, x, d: [t.cat([x, x]), t.stack([x, x]), x.repeat(2), x.view(7, 1).t(), x[None].expand(2, 7)],
    "indexed": lambda t, x, d: [x[t.tensor([0, -1])], x[x == 7], x[1:5:2], t.where(x == 1, x, x[-1])],
    "assigned": lambda t, x, d: [x.__setitem__(t.tensor([0, 1]), x[-1]), x.__setitem__(slice(2, 4), 9), x],
    "bytes": lambda t, x, d: [x.view(t.uint8).tolist(), x.view(t.int64 if d is t.uint64 else t.int16).tolist()],
    "added": lambda t, x, d: x + 1,
    "negated": lambda t, x, d: -x,
    "compared": lambda t, x, d: x < 3,
    "largest": lambda t, x, d: x.amax(),
    "no index": lambda t, x, d: t.arange(9)[x[:2]],
    "ranges": lambda t, x, d: t.arange(3, dtype=d),
    "identity": lambda t, x, d: t.eye(3, dtype=d),
    "no gradient": lambda t, x, d: x.requires_grad_(),
    "mean": lambda t, x, d: x.mean(),
    "random": lambda t, x, d: [t.randint(0, 60000, (20,), dtype=d), t.zeros(7, dtype=d).random_(3, 9)],
    "no random": lambda t, x, d: t.randperm(3, dtype=d),
    "negative number": lambda t, x, d: t.tensor([-1], dtype=d),
    "beyond": lambda t, x, d: t.tensor([t.iinfo(d).max + 1], dtype=d),
    "as a string": lambda t, x, d: [f"{x[1]:>6}", str(x[1])],
}


@pytest.mark.parametrize("dtype", LIMITED)
@pytest.mark.parametrize("program", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_as_in_pytorch(program, dtype):
    agree(lambda t: program(t, made(t, dtype), getattr(t, dtype)), words=2)


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("dtype", LIMITED)
def test_conversions(dtype):
    for other in OTHERS:
        agree(lambda t, other=other: made(t, dtype).to(getattr(t, other)))
        numbers = [0, 1, 0.0, 1.0, 127.0] if other in ("bool", "int8") else [0, 3.7, 200, 100.5]
        numbers += [-1.0, -100.25, 70000.0, 3e9, 1e19] if other in ("float32", "float64") else []
        agree(lambda t, n=numbers, other=other: t.tensor(n).to(getattr(t, other)).to(getattr(t, dtype)))
    for other in LIMITED:
        agree(lambda t, other=other: made(t, dtype).to(getattr(t, other)))


@pytest.mark.parametrize("dtype", LIMITED)
@pytest.mark.parametrize("other", [*OTHERS, *LIMITED])
def test_promotion(dtype, other):
    agree(lambda t: str(t.promote_types(getattr(t, dtype), getattr(t, other))), words=14)
    agree(lambda t: t.ones(2, dtype=getattr(t, other)) * made(t, dtype)[:2], words=5)
    if other != "complex64":
        agree(lambda t: str(t.result_type(made(t, dtype), t.ones((), dtype=getattr(t, other)))), words=5)
    assert chainrule.can_cast(getattr(chainrule, dtype), getattr(chainrule, other)) == reference.can_cast(
        getattr(reference, dtype), getattr(reference, other)
    )


@pytest.mark.parametrize("dtype", LIMITED)
def test_with_numpy(dtype):
    array = np.array(values(dtype), dtype=dtype)
    x = chainrule.from_numpy(array)
    assert x.dtype is getattr(chainrule, dtype)
    assert x.tolist() == values(dtype)
    array[0] = 5
    assert x[0].item() == 5
    assert x.numpy().dtype == array.dtype
    assert np.asarray(x)[0] == 5
    assert np.from_dlpack(x).tolist() == x.tolist() == chainrule.from_dlpack(array).tolist()
    assert chainrule.tensor(array).tolist() == chainrule.as_tensor(list(array)).tolist() == array.tolist()
    assert chainrule.frombuffer(bytearray(array.tobytes()), dtype=x.dtype).tolist() == array.tolist()


@pytest.mark.parametrize("dtype", LIMITED)
def test_copies_and_files(dtype):
    x = made(chainrule, dtype)
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone()):
        assert y.dtype is x.dtype
        assert y.tolist() == x.tolist()
    for writer, reader in ((chainrule, chainrule), (chainrule, reference), (reference, chainrule)):
        file = io.BytesIO()
        writer.save({"x": made(writer, dtype)[1:], "y": made(writer, dtype)}, file)
        file.seek(0)
        loaded = reader.load(file)
        assert loaded["x"].tolist() == values(dtype)[1:]
        assert str(loaded["y"].dtype) == f"torch.{dtype}"


def test_safetensors(tmp_path):
    pytest.importorskip("safetensors")
    from chainrule import safetensors

    given = {dtype: made(chainrule, dtype) for dtype in LIMITED}
    loaded = safetensors.load(safetensors.save(given))
    assert {name: x.tolist() for name, x in loaded.items()} == {name: x.tolist() for name, x in given.items()}


def test_numbers_above_int64():
    for number in (2**63, 2**64 - 1):
        agree(lambda t, n=number: [t.ones(2) + n, t.ones(2, dtype=t.float64) * n, t.zeros(2).fill_(n)])
        agree(lambda t, n=number: t.tensor(n), words=4)
        agree(lambda t, n=number: t.full((2,), n), words=6)
        agree(lambda t, n=number: t.zeros(2, dtype=t.int64).fill_(n), words=6)
        agree(lambda t, n=number: t.ones(2, dtype=t.int64) + n)


HASHED = {
    "floats": lambda t: t.hash_tensor(t.tensor([1.0, -2.5, float("nan")])),
    "halves": lambda t: [t.tensor([1.5, 3.0], dtype=d).hash_tensor() for d in (t.float16, t.bfloat16, t.float64)],
    "integers": lambda t: [t.tensor([-1, 5, 3], dtype=d).hash_tensor() for d in (t.int8, t.int32, t.int64)],
    "truth": lambda t: t.hash_tensor(t.tensor([True, True, True])),
    "rows": lambda t: t.hash_tensor(t.arange(30.0).reshape(5, 6), 1),
    "columns": lambda t: t.hash_tensor(t.arange(30.0).reshape(5, 6), 0, keepdim=True),
    "two": lambda t: t.hash_tensor(t.arange(30.0).reshape(5, 2, 3), (0, -1)),
    "all, kept": lambda t: t.hash_tensor(t.arange(30.0).reshape(5, 2, 3), keepdim=True),
    "one": lambda t: t.hash_tensor(t.tensor(3.0), 0),
    "leaf": lambda t: t.hash_tensor(t.ones(2, requires_grad=True)).requires_grad,
    "no rows": lambda t: t.hash_tensor(t.ones(0, 3), 1),
    "nothing": lambda t: t.hash_tensor(t.ones(0)),
    "an empty dimension": lambda t: t.hash_tensor(t.ones(0, 3), 0),
    "twice": lambda t: t.hash_tensor(t.ones(2, 3), (0, 0)),
    "outside": lambda t: t.hash_tensor(t.ones(2, 3), 2),
    "complex": lambda t: t.hash_tensor(t.tensor([1j])),
    "unsigned": lambda t: t.hash_tensor(t.zeros(2, dtype=t.uint16)),
    "mode": lambda t: t.hash_tensor(t.ones(2), mode=1),
    "out": lambda t: t.hash_tensor(t.ones(3), 0, out=t.empty(0, dtype=t.uint64)),
    "out of another dtype": lambda t: t.hash_tensor(t.ones(3), 0, out=t.empty(0)),
}


@pytest.mark.parametrize("program", HASHED.values(), ids=HASHED)
def test_hash_tensor(program):
    agree(program, words=1)
