"""save and load: PyTorch's files both ways, what is refused, what is damaged, and safetensors."""

from __future__ import annotations

import collections
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch as reference

import chainrule
from both import agree
from chainrule import serialization
from fuzz_checkpoints import contents, rewritten, saved, shown

DTYPES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
)


def through(value, writer, reader, **options):
    """What `reader` loads after `writer` has saved it."""
    file = io.BytesIO()
    writer.save(value, file)
    file.seek(0)
    return reader.load(file, **options)


def bits(tensor) -> list[int]:
    return list(tensor.contiguous().view(chainrule.uint8 if isinstance(tensor, chainrule.Tensor) else reference.uint8))


# ---- the same file for both libraries


@pytest.mark.parametrize(
    "file",
    [saved(reference), saved(chainrule), saved(chainrule, pickle_protocol=5), saved(reference, pickle_protocol=4)],
    ids=["PyTorch", "chainrule", "protocol 5", "PyTorch, protocol 4"],
)
def test_everything_that_a_checkpoint_holds(file):
    chainrule.manual_seed(0)
    assert shown(chainrule.load(io.BytesIO(file))) == shown(contents(chainrule))


def test_pytorch_reads_it():
    def loaded(library):
        result = reference.load(io.BytesIO(saved(library)))
        kinds = result.pop("kinds")
        assert kinds == [reference.float16, (1, 2), reference.device("cpu"), reference.strided]
        return result

    ours, theirs = loaded(chainrule), loaded(reference)
    reference.testing.assert_close(ours["state"], theirs["state"], rtol=0, atol=0)
    assert ours["state"]._metadata == theirs["state"]._metadata
    for name in ("views", "odd"):
        for a, b in zip(ours[name], theirs[name], strict=True):
            assert (a.dtype, a.tolist(), a.stride(), a.storage_offset()) == (
                b.dtype,
                b.tolist(),
                b.stride(),
                b.storage_offset(),
            )
    assert type(ours["parameter"]) is reference.nn.Parameter
    assert (ours["noted"].note, ours["plain"], ours["counted"]) == ("kept", theirs["plain"], theirs["counted"])
    ours["views"][0][1, 0] = 99
    assert ours["views"][1][0, 0] == 99


@pytest.mark.parametrize("dtype", DTYPES)
def test_bit_for_bit(dtype):
    raw = os.urandom(64)
    for library, other in ((chainrule, reference), (reference, chainrule)):
        x = library.frombuffer(bytearray(raw), dtype=library.uint8)
        x = x.ne(0) if dtype == "bool" else x.view(getattr(library, dtype))
        y = through(x, library, other)
        assert bytes(map(int, bits(y))) == bytes(map(int, bits(x)))
        assert str(y.dtype) == str(x.dtype)


@pytest.mark.parametrize("value", [1, "text", None, [1, {"a": (2,)}], {1: 2}, {"a", "b"}, 1.5, b"\0\xff", 2 - 1j])
def test_plain_values(value):
    assert through(value, chainrule, chainrule) == value
    assert through(value, reference, chainrule) == value
    assert through(value, chainrule, reference) == value


def test_the_old_format_of_pytorch():
    file = saved(reference, _use_new_zipfile_serialization=False)
    chainrule.manual_seed(0)
    assert shown(chainrule.load(io.BytesIO(file))) == shown(contents(chainrule))
    trusted = chainrule.load(io.BytesIO(file), weights_only=False)
    assert shown(trusted) == shown(chainrule.load(io.BytesIO(file)))
    file = io.BytesIO()
    reference.save([reference.ones(2), {"a": reference.arange(3)}], file, _use_new_zipfile_serialization=False)
    file.seek(0)
    a, b = chainrule.load(file, weights_only=False)
    assert (a.tolist(), b["a"].tolist()) == ([1, 1], [0, 1, 2])


def test_state_of_a_module_both_ways():
    def model(library):
        library.manual_seed(1)
        return library.nn.Sequential(library.nn.Linear(3, 4), library.nn.BatchNorm1d(4), library.nn.LSTM(4, 2))

    ours, theirs = model(chainrule), model(reference)
    model(chainrule).load_state_dict(through(theirs.state_dict(), reference, chainrule))
    theirs.load_state_dict(through(ours.state_dict(), chainrule, reference))


def test_a_whole_module_needs_trust():
    layer = chainrule.nn.Linear(2, 3)
    with pytest.raises(
        pickle.UnpicklingError, match=r"(?s)^Weights only load failed.*GLOBAL torch\.nn\.modules\.linear\.L"
    ):
        through(layer, chainrule, chainrule)
    again = through(layer, chainrule, chainrule, weights_only=False)
    assert shown(again.state_dict()) == shown(layer.state_dict())
    theirs = reference.nn.Sequential(reference.nn.Linear(2, 3), reference.nn.ReLU())
    ours = through(theirs, reference, chainrule, weights_only=False)
    assert type(ours[1]) is chainrule.nn.ReLU
    assert ours(chainrule.ones(2)).tolist() == theirs(reference.ones(2)).tolist()
    whole = chainrule.nn.Sequential(
        layer, chainrule.nn.BatchNorm1d(3), chainrule.nn.Dropout(), chainrule.nn.LayerNorm(3)
    )
    theirs = through(whole.eval(), chainrule, reference, weights_only=False)
    x = [[1.0, 2.0], [3.0, 4.0]]
    reference.testing.assert_close(
        theirs(reference.tensor(x)), reference.tensor(whole(chainrule.tensor(x)).tolist()), rtol=1e-5, atol=1e-6
    )
    theirs.double()
    assert theirs[0].weight.dtype is theirs[0]._parameters["weight"].dtype is reference.float64


def test_the_other_byte_order():
    """A file from a machine that stores the highest byte first."""
    values = [1.5, -2.0, 3.25]
    records = {"data/0": struct.pack(">3f", *values), "byteorder": b"big"}
    file = rewritten(
        saved_value(chainrule.tensor(values)), lambda name, data: records.get(name.partition("/")[2], data)
    )
    assert chainrule.load(io.BytesIO(file)).tolist() == values


def saved_value(value) -> bytes:
    file = io.BytesIO()
    chainrule.save(value, file)
    return file.getvalue()


def test_files_are_the_same_for_the_same_contents():
    assert saved_value({"a": chainrule.ones(3)}) == saved_value({"a": chainrule.ones(3)})


def test_records_are_aligned(tmp_path):
    chainrule.save([chainrule.ones(n) for n in range(5)], tmp_path / "x.pt")
    data = (tmp_path / "x.pt").read_bytes()
    for entry in zipfile.ZipFile(tmp_path / "x.pt").infolist():
        lengths = struct.unpack("<HH", data[entry.header_offset + 26 : entry.header_offset + 30])
        assert (entry.header_offset + 30 + sum(lengths)) % 64 == 0
        assert entry.filename.startswith("x/")


def test_checksums_that_pytorch_left_out():
    before = reference.serialization.get_crc32_options()
    reference.serialization.set_crc32_options(False)
    try:
        assert through(reference.arange(3), reference, chainrule).tolist() == [0, 1, 2]
    finally:
        reference.serialization.set_crc32_options(before)


def test_one_storage_as_two_types():
    def program(library):
        x = library.ones(4)
        library.save([x, x.view(library.int32)], io.BytesIO())

    agree(program, words=12)


# ---- arguments


@pytest.mark.parametrize(
    "place", ["cpu", chainrule.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage, None]
)
def test_map_location(place):
    file = rewritten(
        saved_value(chainrule.ones(2)), lambda name, data: data.replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0")
    )
    if place is None:
        with pytest.raises(RuntimeError, match=r"^Attempting to deserialize object on a CUDA device"):
            chainrule.load(io.BytesIO(file))
    else:
        assert chainrule.load(io.BytesIO(file), map_location=place).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match=r"^Attempting to deserialize object on a CUDA device"):
        chainrule.load(io.BytesIO(file), map_location="cuda:1")


def test_map_location_is_told_the_device():
    seen = []
    through(
        reference.ones(3),
        reference,
        chainrule,
        map_location=lambda storage, location: seen.append((len(storage), location)),
    )
    assert seen == [(12, "cpu")]


def test_mapped_into_memory(tmp_path):
    path = tmp_path / "x.pt"
    reference.save({"a": reference.arange(10.0), "e": reference.zeros(0)}, path)
    x = chainrule.load(path, mmap=True)
    assert x["a"].tolist() == list(range(10))
    x["a"][0] = 5  # a copy of the page
    assert chainrule.load(path)["a"][0] == 0
    with pytest.raises(ValueError, match="must be a file path"):
        chainrule.load(io.BytesIO(path.read_bytes()), mmap=True)


def test_refused_arguments(tmp_path):
    with pytest.raises(NotImplementedError, match="pickle_module"):
        chainrule.save(1, io.BytesIO(), pickle_module=json)
    with pytest.raises(RuntimeError, match=r"^Can not safely load weights when explicit pickle_module"):
        chainrule.load(io.BytesIO(saved_value(1)), pickle_module=pickle, weights_only=True)
    with pytest.raises(FileNotFoundError):
        chainrule.load(tmp_path / "none.pt")
    with pytest.raises(RuntimeError, match=r"^Parent directory"):
        chainrule.save(1, tmp_path / "none" / "x.pt")
    with pytest.raises(AttributeError, match=r"^expected 'f' to be"):
        chainrule.save(1, 5)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="seekable"):
        chainrule.load(5)  # type: ignore[arg-type]
    with pytest.raises(EOFError, match=r"^Ran out of input"):
        chainrule.load(io.BytesIO())
    with pytest.raises(pickle.UnpicklingError):
        chainrule.load(io.BytesIO(b"no checkpoint at all"))


# ---- writing: a crash loses nothing


class Unpicklable:
    def __reduce__(self):
        raise ValueError("cannot be saved")


def test_the_old_file_survives_an_error(tmp_path):
    path = tmp_path / "x.pt"
    chainrule.save([1], path)
    with pytest.raises(ValueError, match="cannot be saved"):
        chainrule.save([chainrule.ones(1000), Unpicklable()], path)
    assert chainrule.load(path) == [1]
    assert os.listdir(tmp_path) == ["x.pt"]


def test_the_old_file_survives_a_kill(tmp_path):
    """The process dies in the middle of writing."""
    path = tmp_path / "x.pt"
    chainrule.save([1], path)
    program = f"""
import os, chainrule
from chainrule.serialization import archive
def dies(self): os._exit(9)
archive.ArchiveWriter.close = dies
chainrule.save([chainrule.ones(100000)], {str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", program], env=environment(), check=False).returncode == 9
    assert chainrule.load(path) == [1]


def environment() -> dict:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def test_links_and_permissions_are_kept(tmp_path):
    real, link = tmp_path / "real.pt", tmp_path / "link.pt"
    chainrule.save(1, real)
    real.chmod(0o640)
    link.symlink_to(real)
    chainrule.save(2, link)
    assert link.is_symlink()
    assert (chainrule.load(real), real.stat().st_mode & 0o777) == (2, 0o640)
    chainrule.save(3, os.devnull)


# ---- what is refused


class Evil:
    def __reduce__(self):
        return os.system, ("kill -9 $PPID",)  # whoever runs it dies


class Mine:
    """A user's own class."""

    def __init__(self, x):
        self.x = x


class MyTensor(chainrule.Tensor):
    """A user's own tensors."""


def test_no_name_is_imported():
    for protocol in (2, 4):
        file = io.BytesIO()
        reference.save({"a": reference.ones(2), "e": Evil()}, file, pickle_protocol=protocol)
        file.seek(0)
        with pytest.raises(
            pickle.UnpicklingError, match=r"(?s)^Weights only load failed.*posix\.system whose module posix is blocked"
        ):
            chainrule.load(file)
        file.seek(0)
        assert serialization.get_unsafe_globals_in_checkpoint(file) == ["posix.system"]
    file = io.BytesIO()
    chainrule.save([Mine(1), MyTensor, Mine(2)], file, pickle_protocol=5)
    file.seek(0)
    names = [f"{__name__}.Mine", f"{__name__}.MyTensor"]
    assert serialization.get_unsafe_globals_in_checkpoint(file) == names
    with pytest.raises(pickle.UnpicklingError, match="damaged"):
        serialization.get_unsafe_globals_in_checkpoint(archive_with(b"\xffno pickle"))


def test_names_that_the_user_allows():
    with pytest.raises(pickle.UnpicklingError, match="Mine was not an allowed global"):
        through(Mine(3), chainrule, chainrule)
    with serialization.safe_globals([Mine]):
        assert through(Mine(chainrule.ones(1)), chainrule, chainrule).x.tolist() == [1]
        assert serialization.get_safe_globals() == [Mine]
    assert serialization.get_safe_globals() == []
    serialization.add_safe_globals([MyTensor])
    try:
        x = through(chainrule.ones(2).as_subclass(MyTensor), chainrule, chainrule)
        assert (type(x), x.tolist()) == (MyTensor, [1, 1])
    finally:
        serialization.clear_safe_globals()


def archive_with(text: bytes) -> io.BytesIO:
    """A file whose pickle is this."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", text)
        archive.writestr("archive/data/0", b"\0" * 8)
    file.seek(0)
    return file


STORAGE = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\x000X\3\0\0\0cpuK\2tQ"
TENSOR = b"ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE
ENDLESS = TENSOR + b"K\0J\xff\xff\xff\x7fJ\xff\xff\xff\x7f\x86K\0K\0\x86\x89)tR"  # 2**62 elements, all the first


@pytest.mark.parametrize(
    "text",
    {
        "endless key": b"}" + b")" + b"\x85" * 1_000_000 + b"K\1s.",
        "endless list": b"]" * 1_000_000 + b"a" * 999_999 + b"X",
        "length beyond the file": b"\x8d" + b"\xff" * 8 + b"a.",
        "length of a number": b"\x8b" + b"\xff\xff\xff\x7f" + b"1.",
        "bytearray of a size": b"cbuiltins\nbytearray\nJ\0\0\0\x7f\x85R.",
        "call of a number": b"K\1)R.",
        "call of a class": b"ctorch\nTensor\n)R.",
        "empty stack": b".",
        "no mark": b"t.",
        "state of a number": b"K\1}b.",
        "state of a tensor": TENSOR + b"K\0K\2\x85K\1\x85\x89)tR}b.",
        "tensor beyond its storage": TENSOR + b"K\0K\3\x85K\1\x85\x89)tR.",
        "tensor before its storage": TENSOR + b"J\xff\xff\xff\xffK\1\x85K\1\x85\x89)tR.",
        "tensor of a negative size": TENSOR + b"K\0J\xff\xff\xff\xff\x85K\1\x85\x89)tR.",
        "tensor of an absurd size": TENSOR + b"K\0\x8a\x09" + b"\xff" * 8 + b"\0\x85K\1\x85\x89)tR.",
        "tensor without a storage": b"ctorch._utils\n_rebuild_tensor_v2\n(NK\0))\x89)tR.",
        "storage of another size": STORAGE.replace(b"K\2", b"K\3") + b".",
        "storage that is not there": STORAGE.replace(b"000X", b"00\x31X").replace(b"\x000X", b"\x001X") + b".",
        "old text codes": b"I1\n.",
        "another function for a tensor": b"ctorch._tensor\n_rebuild_from_type_v2\n(cbuiltins\nbytearray\n"
        b"ctorch\nTensor\nJ\0\0\0\x7f\x85}tR.",
        "sizes from an endless tensor": b"ctorch._utils\n_rebuild_tensor_v2\n("
        + STORAGE
        + b"K\0"
        + ENDLESS
        + b"K\1\x85\x89)tR.",
        "arguments from an endless tensor": b"ccollections\nOrderedDict\n" + ENDLESS + b"\x81.",
        "pairs from an endless tensor": b"ccollections\nOrderedDict\n" + ENDLESS + b"\x85R.",
        "encoding that is a tensor": b"c_codecs\nencode\nX\1\0\0\0a" + ENDLESS + b"\x86R.",
        "description of a tensor": b"(" + ENDLESS + b"NNNNtQ.",
        "a dtype that is not here": b"ctorch\nquint8\n.",
        "attributes that are no names": TENSOR[:0] + b"ccollections\nOrderedDict\n)R}K\1K\2sb.",
    }.values(),
    ids=lambda text: repr(text[:12]),
)
def test_hostile_pickles(text):
    with pytest.raises((pickle.UnpicklingError, RuntimeError)):
        chainrule.load(archive_with(text))


def test_hostile_old_files():
    parts = [pickle.dumps(value, 2) for value in (0x1950A86A20F9469CFC6C, 1001, {}, None)]
    deep = b"\x80\2])" + b"\x85" * 1_000_000 + b"a."
    for text in (b"".join(parts) + deep, b"".join(parts[:1]) + deep, b"".join(parts) + b"\x80\2K\1."):
        with pytest.raises((pickle.UnpicklingError, RuntimeError)):
            chainrule.load(io.BytesIO(text))


def test_hostile_archives():
    data = saved_value(chainrule.arange(100.0))
    for end in range(0, len(data) - 1, 97):
        with pytest.raises((RuntimeError, EOFError, pickle.UnpicklingError)):
            chainrule.load(io.BytesIO(data[:end]))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"X\0\0\0\0" * 100 + b".")
    file.seek(0)
    with pytest.raises(RuntimeError, match="compressed"):
        chainrule.load(file)
    flipped = bytearray(data)
    flipped[data.index(struct.pack("<f", 50.0))] ^= 1
    with pytest.raises(RuntimeError, match=r"^PytorchStreamReader failed reading file data/0.*checksum"):
        chainrule.load(io.BytesIO(flipped))
    file = io.BytesIO(data)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr("archive/constants.pkl", b"N.")
    file.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript"):
        chainrule.load(file)


FUZZ = Path(__file__).with_name("fuzz_checkpoints.py")


def test_mutated_files():
    """Errors or the right tensors; the full 10,000 are `fuzz_checkpoints.py 1 10000`."""
    run = [sys.executable, str(FUZZ), "7", "600"]
    result = subprocess.run(run, env=environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    outcomes = collections.Counter(eval(result.stdout))
    assert outcomes.total() == 600
    assert min(outcomes["loaded"], outcomes["RuntimeError"], outcomes["UnpicklingError"]) > 10


# ---- safetensors


def test_safetensors_without_its_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "safetensors", None)
    from chainrule import safetensors

    with pytest.raises(ImportError, match="pip install safetensors"):
        safetensors.save({"a": chainrule.ones(2)})


def test_safetensors(tmp_path):
    library = pytest.importorskip("safetensors.torch", reason="the library belongs to the test extra")
    from chainrule import safetensors

    def tensors(torch) -> dict:
        kinds = [kind for kind in DTYPES if kind != "complex128"]
        return {kind: torch.arange(6).reshape(2, 3).to(getattr(torch, kind)) for kind in kinds} | {
            "e": torch.zeros(0, 2)
        }

    safetensors.save_file(tensors(chainrule), tmp_path / "x.safetensors", metadata={"by": "chainrule"})
    assert (tmp_path / "x.safetensors").read_bytes() == library.save(tensors(reference), {"by": "chainrule"})
    again = safetensors.load_file(tmp_path / "x.safetensors")
    assert {name: shown(x) for name, x in again.items()} == {n: shown(x) for n, x in tensors(chainrule).items()}
    x = chainrule.ones(4)
    with pytest.raises(RuntimeError, match="share memory"):
        safetensors.save({"a": x[:2], "b": x[2:]})
    with pytest.raises(ValueError, match="non contiguous"):
        safetensors.save({"a": chainrule.ones(2, 3).t()})
    for end in range(0, 200, 7):
        with pytest.raises(Exception, match="deserializ"):
            safetensors.load((tmp_path / "x.safetensors").read_bytes()[:end])
