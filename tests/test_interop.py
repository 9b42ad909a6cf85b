"""NumPy, DLPack, buffers and Python's own numbers and lists: in and out, shared or copied as in PyTorch."""

from __future__ import annotations

import array
import gc
import math
import operator
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch as reference

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")

NUMPY_DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64"]


def arrays_as_lists(program):
    """A program whose results may be arrays or NumPy's numbers: those compare as (kind, dtype, values)."""

    def plain(value):
        if isinstance(value, np.ndarray | np.generic):
            return (type(value).__name__, str(value.dtype), value.tolist())
        return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value

    def run(torch):
        with warnings.catch_warnings():
            # PyTorch's methods predate NumPy 2 and are warned about; what NumPy warns about besides is the same.
            warnings.simplefilter("ignore")
            return plain(program(torch))

    return run


def x(torch, requires_grad=False):
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=requires_grad)


A = np.array([3.0, 1.0, 2.0])

# ---- NumPy's functions and operators

NUMPY = {
    "sin": lambda torch: np.sin(x(torch)),
    "add": lambda torch: np.add(x(torch), x(torch)),
    "add array": lambda torch: np.add(A, x(torch)),
    "isnan": lambda torch: np.isnan(x(torch)),
    "exp of integers": lambda torch: np.exp(torch.tensor([1, 2])),
    "maximum": lambda torch: np.maximum(x(torch), A),
    "clip": lambda torch: np.clip(x(torch), 0, 2),
    "matmul": lambda torch: np.matmul(A, x(torch)),
    "dot": lambda torch: np.dot(A, x(torch)),
    "concatenate": lambda torch: np.concatenate([x(torch), x(torch)]),
    "norm": lambda torch: np.linalg.norm(x(torch)),
    "allclose": lambda torch: np.allclose(x(torch), x(torch)),
    "array": lambda torch: np.array(x(torch)),
    "asarray": lambda torch: np.asarray(x(torch), dtype=np.int32),
    "array of tensors": lambda torch: np.array([x(torch), x(torch)]),
    "with gradient": lambda torch: np.sin(x(torch, True)),
    "array with gradient": lambda torch: np.array(x(torch, True)),
    "tensor + array": lambda torch: x(torch) + A,
    "tensor * array": lambda torch: x(torch) * A,
    "tensor ** array": lambda torch: x(torch) ** A,
    "tensor @ array": lambda torch: x(torch) @ A,
    "array + tensor": lambda torch: A + x(torch),
    "array / tensor": lambda torch: A / x(torch),
    "array < tensor": lambda torch: x(torch) > A,
    "tensor == array": lambda torch: x(torch) == A,
    "array == tensor": lambda torch: x(torch) == A,
    "tensor == array of text": lambda torch: x(torch) == np.array("a"),
    "tensor == array, shapes": lambda torch: x(torch) == A[:2],
    "array += tensor": lambda torch: operator.iadd(A.copy(), x(torch)),
    "indexing an array": lambda torch: A[torch.tensor([0, 2])],
    "indexing an array, 0-d": lambda torch: A[torch.tensor(1)],
    "__array__": lambda torch: x(torch).__array__(np.float64),
    "float64 * tensor": lambda torch: np.float64(2) * x(torch),
    "tensor - float64": lambda torch: x(torch) - np.float64(2),
    "float64 / tensor": lambda torch: np.float64(2) / x(torch),
    "float64 ** tensor": lambda torch: np.float64(2) ** x(torch),
    "float64 < tensor": lambda torch: np.float64(2) < x(torch),
    "int64 * integers": lambda torch: np.int64(2) * torch.tensor([1, 2]),
    "float32 + integers": lambda torch: np.float32(2) + torch.tensor([1, 2]),
    "number with gradient": lambda torch: np.float64(2) * x(torch, True),
    "as an argument": lambda torch: torch.add(x(torch), np.float32(0.5), alpha=np.int64(2)),
}


@pytest.mark.parametrize("program", NUMPY.values(), ids=NUMPY.keys())
def test_numpy_functions(program):
    agree(arrays_as_lists(program))


def test_complex_numbers_of_numpy_stay_complex():
    """PyTorch drops the imaginary part of a numpy.complex64 with a warning; complex128 is a Python complex to both."""
    assert (np.complex64(2j) * x(chainrule)).tolist() == [2j, 4j, 6j]
    agree(lambda torch: np.complex128(2j) * x(torch))


def test_numpy_results_keep_a_subclass():
    class Mine(chainrule.Tensor):
        pass

    assert type(np.sqrt(x(chainrule).as_subclass(Mine))) is Mine


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_memory_is_shared_both_ways(dtype):
    t = chainrule.zeros(2, 3, dtype=getattr(chainrule, dtype)).t()
    view = t.numpy()
    assert (view.dtype, view.shape, view.strides) == (np.dtype(dtype), (3, 2), (view.itemsize, 3 * view.itemsize))
    view[1, 0] = 1
    assert t[1, 0] == 1
    t[2, 1] = 1
    assert view[2, 1] == 1
    back = chainrule.from_numpy(view)
    assert back.data_ptr() == t.data_ptr()
    del t, back
    gc.collect()
    assert view.sum() == 2  # the array keeps the memory


def test_numpy_refusals():
    agree(lambda torch: x(torch, True).numpy(), words=8)
    agree(lambda torch: (x(torch, True) * 2).numpy(), words=8)
    agree(lambda torch: x(torch, True).numpy(force=True).tolist())
    agree(lambda torch: x(torch).bfloat16().numpy(), words=3)
    with pytest.raises(BufferError):
        memoryview(x(chainrule, True))


def test_numpy_where_nothing_is_recorded():
    def program(torch):
        with torch.no_grad():
            leaf = x(torch, True)
            return leaf.numpy().tolist(), np.asarray(leaf).tolist()

    agree(program)
    assert memoryview(x(chainrule)).tolist() == [1.0, 2.0, 3.0]


FROM_NUMPY = {
    "negative stride": lambda torch: torch.from_numpy(A[::-1]),
    "text": lambda torch: torch.from_numpy(np.array(["a"])),
    "objects": lambda torch: torch.from_numpy(np.array([1, None])),
    "records": lambda torch: torch.from_numpy(np.zeros(2, dtype=[("a", float)])),
    "dates": lambda torch: torch.from_numpy(np.zeros(2, dtype="M8[s]")),
    "long double": lambda torch: torch.from_numpy(np.zeros(2, dtype=np.longdouble)),
    "byte order": lambda torch: torch.from_numpy(A.astype(">f8")),
    "a list": lambda torch: torch.from_numpy([1, 2]),
    "a number": lambda torch: torch.from_numpy(np.float64(3)),
    "0-d": lambda torch: torch.from_numpy(np.array(3.0)),
    "strided": lambda torch: torch.from_numpy(np.arange(12.0).reshape(3, 4)[:, ::2]),
    "odd strides": lambda torch: torch.from_numpy(
        np.lib.stride_tricks.as_strided(np.zeros(4, np.int32), (2,), (6,), writeable=False)
    ),
}


@pytest.mark.parametrize("program", FROM_NUMPY.values(), ids=FROM_NUMPY.keys())
def test_from_numpy(program):
    agree(program, words=3)


def test_a_read_only_array_is_shared_with_a_warning():
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    with pytest.warns(UserWarning, match="The given NumPy array is not writable"):
        shared = chainrule.from_numpy(fixed)
    assert shared.data_ptr() == fixed.ctypes.data
    assert chainrule.tensor(fixed).tolist() == [0.0, 1.0, 2.0]  # a copy needs no warning


def test_numpy_is_optional():
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import chainrule, pickle, copy\n"
        "x = chainrule.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)\n"
        "(x * x).sum().backward()\n"
        "assert x.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]\n"
        "assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()\n"
        "assert copy.deepcopy(x).grad.tolist() == x.grad.tolist()\n"
        "assert memoryview(x.detach()).tolist() == x.tolist()\n"
        "assert chainrule.from_dlpack(x.detach()).tolist() == x.tolist()\n"
        "assert chainrule.asarray([1, 2]).tolist() == [1, 2]\n"
        "chainrule.manual_seed(0); chainrule.randn(3); repr(x)\n"
        "try: x.detach().numpy()\n"
        "except ImportError: print('fine')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


# ---- tensor(), as_tensor() and their data

DATA = {
    "mixed": lambda torch: [1, 2.5, True],
    "bool and int": lambda torch: [True, 2],
    "complex": lambda torch: [1, 1j],
    "nothing": lambda torch: [],
    "nothing twice": lambda torch: [[], []],
    "tuples": lambda torch: ((1, 2), [3, 4]),
    "range": lambda torch: range(3),
    "bytes": lambda torch: b"ab",
    "bytearray": lambda torch: bytearray(b"ab"),
    "memoryview": lambda torch: memoryview(b"ab"),
    "array.array": lambda torch: array.array("f", [1.5, 2.5]),
    "Size": lambda torch: torch.Size([2, 3]),
    "numpy": lambda torch: np.arange(6).reshape(2, 3).T,
    "list of arrays": lambda torch: [A, A],
    "arrays and lists": lambda torch: [A, [1, 2, 3]],
    "arrays of different length": lambda torch: [np.arange(2), np.arange(3)],
    "arrays and numbers": lambda torch: [A, 1],
    "numpy numbers": lambda torch: [np.float32(1.5), np.float32(2)],
    "numpy int": lambda torch: np.int8(3),
    "numpy bool": lambda torch: [np.bool_(True), False],
    "numpy half": lambda torch: np.float16(1.5),
    "numpy complex": lambda torch: np.complex64(1 + 2j),
    "number and numpy": lambda torch: [A[0], 1],
    "numpy text": lambda torch: np.array(["a"]),
    "0-d tensors": lambda torch: [torch.tensor(1.0), torch.tensor(2.0)],
    "1-element tensors": lambda torch: [torch.tensor([1.0]), torch.tensor([2.0])],
    "tensor and number": lambda torch: [torch.tensor(1), 2.5],
    "larger tensors": lambda torch: [x(torch), x(torch)],
    "larger integer tensors": lambda torch: [torch.tensor([1, 2]), torch.tensor([1])],
    "ragged": lambda torch: [[1, 2, 3], [1, 2]],
    "ragged deep": lambda torch: [[[1], [2]], [[1]]],
    "number then list": lambda torch: [1, [2]],
    "float then list": lambda torch: [1.0, [2]],
    "list then number": lambda torch: [[1], 2],
    "text": lambda torch: "a",
    "list of text": lambda torch: ["a"],
    "number then text": lambda torch: [1, "a"],
    "none": lambda torch: None,
    "list of none": lambda torch: [1, None],
    "dict": lambda torch: {},
    "set": lambda torch: {1, 2},
    "generator": lambda torch: (i for i in [1]),
    "too large": lambda torch: [2**63],
    "smallest": lambda torch: -(2**63),
    "large float": lambda torch: 1e40,
}


@pytest.mark.parametrize("data", DATA.values(), ids=DATA.keys())
@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy.ndarrays")
def test_tensor_of(data):
    agree(lambda torch: torch.tensor(data(torch)), words=2)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float16", "float64", "bool", "complex64"])
@pytest.mark.filterwarnings("ignore:Creating a tensor from a list of numpy.ndarrays")
def test_tensor_of_with_dtype(dtype):
    for data in ([1.5, 2.0], [1, 2], [True], A, [A, A], 300, float("nan"), [[1.0], [2.0]], [np.float32(1.5)]):
        agree(lambda torch, data=data: torch.tensor(data, dtype=getattr(torch, dtype)))


def test_a_ragged_list_names_the_place():
    with pytest.raises(ValueError, match=r"expected sequence of length 3 at dim 2 \(got 2\)") as raised:
        chainrule.tensor([[[1, 2, 3], [1, 2]]])
    assert "data[0][1] has 2 entries" in str(raised.value)


def test_a_copy_of_a_tensor_warns():
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert chainrule.tensor(x(chainrule, True)).requires_grad is False


AS_TENSOR = {
    "array": lambda torch: torch.as_tensor(A),
    "list": lambda torch: torch.as_tensor([1, 2.5]),
    "number": lambda torch: torch.as_tensor(np.float32(2)),
    "dtype": lambda torch: torch.as_tensor(A, dtype=torch.float32),
    "tensor": lambda torch: torch.as_tensor(x(torch, True)),
    "itself": lambda torch: (lambda t: torch.as_tensor(t) is t)(x(torch)),
    "asarray": lambda torch: torch.asarray(A),
    "asarray list": lambda torch: torch.asarray([1, 2]),
    "asarray number": lambda torch: torch.asarray(3),
    "asarray numpy number": lambda torch: torch.asarray(np.float64(3)),
    "asarray itself": lambda torch: (lambda t: torch.asarray(t) is t)(x(torch)),
    "asarray copy": lambda torch: (lambda t: torch.asarray(t, copy=True) is t)(x(torch)),
    "asarray dtype": lambda torch: torch.asarray(A, dtype=torch.float32),
    "asarray no copy": lambda torch: torch.asarray(A, dtype=torch.float32, copy=False),
    "asarray no copy of a list": lambda torch: torch.asarray([1], copy=False),
    "asarray buffer": lambda torch: torch.asarray(bytearray(b"abcd"), dtype=torch.int16),
    "asarray grad": lambda torch: torch.asarray(A, requires_grad=True),
    "asarray grad of tensor": lambda torch: torch.asarray(x(torch), requires_grad=True),
    "asarray no grad": lambda torch: torch.asarray(x(torch, True), requires_grad=False),
    "asarray grad of integers": lambda torch: torch.asarray(torch.tensor([1]), requires_grad=True),
    "asarray dict": lambda torch: torch.asarray({}),
    "asarray negative stride": lambda torch: torch.asarray(A[::-1]),
    "asarray capsule": lambda torch: torch.asarray(x(torch).__dlpack__()),
}


@pytest.mark.parametrize("program", AS_TENSOR.values(), ids=AS_TENSOR.keys())
def test_as_tensor_and_asarray(program):
    agree(program, words=4)


FROM_BUFFER = {
    "int32": lambda torch: torch.frombuffer(bytearray(b"abcdefgh"), dtype=torch.int32),
    "count, offset": lambda torch: torch.frombuffer(bytearray(b"abcdef"), dtype=torch.int16, count=2, offset=1),
    "the rest": lambda torch: torch.frombuffer(bytearray(b"abcdef"), dtype=torch.int16, offset=2),
    "array": lambda torch: torch.frombuffer(A.copy(), dtype=torch.float64),
    "grad": lambda torch: torch.frombuffer(bytearray(8), dtype=torch.float32, requires_grad=True),
    "no multiple": lambda torch: torch.frombuffer(bytearray(b"abcde"), dtype=torch.int16),
    "empty": lambda torch: torch.frombuffer(bytearray(), dtype=torch.int16),
    "too many": lambda torch: torch.frombuffer(bytearray(b"ab"), dtype=torch.int16, count=3),
    "far too many": lambda torch: torch.frombuffer(bytearray(b"ab"), dtype=torch.int16, count=2**62),
    "none": lambda torch: torch.frombuffer(bytearray(b"ab"), dtype=torch.int16, count=0),
    "offset beyond": lambda torch: torch.frombuffer(bytearray(b"ab"), dtype=torch.int16, offset=5),
    "offset before": lambda torch: torch.frombuffer(bytearray(b"ab"), dtype=torch.int16, offset=-1),
    "no buffer": lambda torch: torch.frombuffer(3, dtype=torch.int16),
    "no dtype": lambda torch: torch.frombuffer(bytearray(8)),
    "strided": lambda torch: torch.frombuffer(np.zeros((3, 3))[:, ::2], dtype=torch.float64),
}


@pytest.mark.parametrize("program", FROM_BUFFER.values(), ids=FROM_BUFFER.keys())
def test_frombuffer(program):
    agree(program, words=4)


def test_a_buffer_is_shared_and_cannot_move():
    memory = bytearray(8)
    t = chainrule.frombuffer(memory, dtype=chainrule.int32)
    t[1] = 1
    assert memory[4] == 1
    with pytest.raises(BufferError):
        memory.extend(b"more")  # would leave the tensor without memory
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        chainrule.frombuffer(b"abcd", dtype=chainrule.uint8)


# ---- DLPack


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@pytest.mark.parametrize("other", [np, reference], ids=["NumPy", "PyTorch"])
def test_dlpack_both_ways(dtype, other):
    t = chainrule.zeros(3, 4, dtype=getattr(chainrule, dtype))[:, ::2].t()
    theirs = other.from_dlpack(t)
    assert tuple(theirs.shape) == (2, 3)
    theirs[1, 2] = 1
    assert t[1, 2] == 1
    back = chainrule.from_dlpack(theirs)
    assert (back.data_ptr(), back.stride(), back.dtype) == (t.data_ptr(), t.stride(), t.dtype)
    del t, theirs
    gc.collect()
    assert back[1, 2] == 1


def test_bfloat16_goes_through_dlpack():
    t = chainrule.tensor([1.5, 2.5], dtype=chainrule.bfloat16)
    assert reference.from_dlpack(t).tolist() == [1.5, 2.5]
    assert chainrule.from_dlpack(reference.tensor([1.5], dtype=reference.bfloat16)).dtype is chainrule.bfloat16


DLPACK = {
    "gradient": lambda torch: torch.from_dlpack(x(torch, True)),
    "a number": lambda torch: torch.from_dlpack(3),
    "stream": lambda torch: x(torch).__dlpack__(stream=1),
    "capsule": lambda torch: torch.from_dlpack(x(torch).__dlpack__()),
    "versioned": lambda torch: torch.from_dlpack(x(torch).__dlpack__(max_version=(1, 0))),
    "empty": lambda torch: torch.from_dlpack(torch.empty(0, 3)).stride(),
    "0-d": lambda torch: torch.from_dlpack(torch.tensor(1.5)),
    "expanded": lambda torch: torch.from_dlpack(torch.ones(2).expand(3, 2)).stride(),
    "device": lambda torch: tuple(map(int, x(torch).__dlpack_device__())),
    "copy": lambda torch: (lambda t: torch.from_dlpack(t, copy=True).data_ptr() == t.data_ptr())(x(torch)),
}


@pytest.mark.parametrize("program", DLPACK.values(), ids=DLPACK.keys())
def test_dlpack(program):
    agree(program, words=4)


def test_a_capsule_can_be_used_once():
    capsule = x(chainrule).__dlpack__()
    chainrule.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="can be consumed only once"):
        chainrule.from_dlpack(capsule)


def test_negative_strides_are_refused():
    with pytest.raises(RuntimeError, match="negative strides"):
        chainrule.from_dlpack(np.arange(3.0)[::-1])


@pytest.mark.filterwarnings("ignore:The given array is read-only")
def test_a_read_only_array_comes_through_dlpack():
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    assert chainrule.from_dlpack(fixed).tolist() == [0.0, 1.0, 2.0]


# ---- Python's numbers

NUMBERS = {
    "bool": lambda t: bool(t),
    "int": lambda t: int(t),
    "float": lambda t: float(t),
    "complex": lambda t: complex(t),
    "index": lambda t: operator.index(t),
    "item": lambda t: t.item(),
    "tolist": lambda t: t.tolist(),
    "len": lambda t: len(t),
    "list": lambda t: list(t),
    "list index": lambda t: [1, 2, 3][t],
    "range": lambda t: list(range(t)),
    "hash": lambda t: hash(t) == id(t),
    "format": lambda t: format(t, ".3f"),
    "plain format": lambda t: format(t, ""),
    "percent": lambda t: "%.2f" % t,  # noqa: UP031
    "round": lambda t: round(t),
    "floor": lambda t: math.floor(t),
    "sqrt": lambda t: math.sqrt(t),
    "sum": lambda t: sum(t),
    "max": lambda t: max(t),
    "sorted": lambda t: sorted(t),
    "reversed": lambda t: list(reversed(t)),
    "number in": lambda t: 1 in t,
    "text in": lambda t: "a" in t,
    "itself in": lambda t: t in t,
    "in a list": lambda t: t in [t],
    "plus text": lambda t: t + "a",
    "plus none": lambda t: t + None,
    "plus list": lambda t: operator.add(t, [1]),
    "equals none": lambda t: t == None,  # noqa: E711
    "equals list": lambda t: t == [1.0],
    "less than none": lambda t: t < None,
    "list times": lambda t: [0] * t,
    "divmod": lambda t: divmod(t, 2),
    "unpack": lambda t: (lambda *a: len(a))(*t),
    "is_nonzero": lambda t: t.is_nonzero(),
}
TENSORS = {
    "float": lambda torch: torch.tensor(1.6),
    "int": lambda torch: torch.tensor(2),
    "bool": lambda torch: torch.tensor(True),
    "complex": lambda torch: torch.tensor(1 + 2j),
    "real complex": lambda torch: torch.tensor([1 + 0j]),
    "one": lambda torch: torch.tensor([1.5]),
    "one int": lambda torch: torch.tensor([1]),
    "none": lambda torch: torch.tensor([]),
    "three": lambda torch: torch.tensor([1.0, 3.0, 2.0]),
    "matrix": lambda torch: torch.tensor([[1, 2], [3, 4]]),
    "nan": lambda torch: torch.tensor(float("nan")),
    "inf": lambda torch: torch.tensor(float("inf")),
    "half": lambda torch: torch.tensor(1.5, dtype=torch.bfloat16),
}


@pytest.mark.parametrize("make", TENSORS.values(), ids=TENSORS.keys())
@pytest.mark.parametrize("use", NUMBERS.values(), ids=NUMBERS.keys())
def test_python_numbers(make, use):
    agree(lambda torch: use(make(torch)), words=1 if use is NUMBERS["round"] else 3)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int32"])
def test_arrays_have_the_type_that_numpy_calls_by_that_name(dtype):
    """NumPy has two types of eight bytes, and prints the dtype of the other one."""
    t = chainrule.arange(3).to(getattr(chainrule, dtype))
    assert {np.asarray(t).dtype.char, t.numpy().dtype.char, np.array(t).dtype.char} == {np.dtype(dtype).char}
