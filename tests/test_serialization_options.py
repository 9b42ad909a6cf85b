"""What save and load can be told: by arguments, settings, the environment and lists of names; and whole modules."""

from __future__ import annotations

import copy
import io
import itertools
import mmap
import os
import pickle
import sys
import zipfile

import pytest
import torch as reference

import chainrule
from chainrule import serialization
from chainrule.utils.serialization import config

LIBRARIES = (chainrule, reference)
PAIRS = list(itertools.product(LIBRARIES, repeat=2))


def saved(library, value, **options) -> io.BytesIO:
    file = io.BytesIO()
    library.save(value, file, **options)
    file.seek(0)
    return file


# ---- whole modules


def network(library):
    nn = library.nn
    library.manual_seed(0)
    layers = (
        *(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.GRUCell(2, 2), nn.LSTM(2, 3), nn.MultiheadAttention(4, 2)),
        *(nn.ParameterList([library.ones(2)]), nn.ParameterDict({"a": library.ones(2)}), nn.MultiMarginLoss()),
    )
    return nn.Sequential(*layers)


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_whole_modules_load_with_the_same_list(writer, reader):
    names = serialization.get_unsafe_globals_in_checkpoint(saved(writer, network(writer)))
    assert names == serialization.get_unsafe_globals_in_checkpoint(saved(reference, network(reference)))
    kinds = {type(module) for module in network(reader).modules()}
    with reader.serialization.safe_globals([*kinds]):
        loaded = reader.load(saved(writer, network(writer)))
    assert str(loaded) == str(network(reference))
    x = reader.arange(6.0).reshape(1, 2, 3)
    assert loaded[0](x).tolist() == network(reader)[0](x).tolist()
    sequence = reader.ones(2, 1, 2)
    assert loaded[3](sequence)[0].tolist() == network(reader)[3](sequence)[0].tolist()


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_subclasses_without_elements_of_their_own(writer, reader):
    """The tensor itself is of the device "meta" and has another in an attribute."""

    class Wrapper(writer.Tensor):
        __module__, __qualname__ = "__main__", "Wrapper"

    class Read(reader.Tensor):
        __module__, __qualname__ = "__main__", "Wrapper"

    x = writer.ones(2, 3, device="meta").as_subclass(Wrapper)
    x.inner = writer.arange(3.0)
    with reader.serialization.safe_globals([Read]):
        loaded = reader.load(saved_in_main(writer, x, Wrapper))
    assert type(loaded) is Read
    assert loaded.is_meta
    assert tuple(loaded.shape) == (2, 3)
    assert loaded.inner.tolist() == [0, 1, 2]


def saved_in_main(library, value, kind) -> io.BytesIO:
    """Pickle looks its classes up by their names."""
    main = sys.modules["__main__"]
    main.Wrapper = kind
    try:
        return saved(library, value)
    finally:
        del main.Wrapper


# ---- names


class Slotted:
    """Attributes with and without slots."""

    __slots__ = ("__dict__", "x")


def test_the_list_of_names():
    serialization.add_safe_globals([Slotted, (Slotted, "other.Name")])
    with serialization.safe_globals([print, Slotted]):
        assert serialization.get_safe_globals() == [Slotted, (Slotted, "other.Name"), print]
    assert serialization.get_safe_globals() == [(Slotted, "other.Name")]
    serialization.clear_safe_globals()
    with (
        serialization.safe_globals([(Slotted, "a", "b")]),
        pytest.raises(Exception, match="tuple of length 2") as raised,
    ):
        chainrule.load(saved(chainrule, Slotted()))
    assert isinstance(raised.value, (ValueError, pickle.UnpicklingError))


def test_slots_of_classes_that_the_user_allows():
    value = Slotted()
    value.x, value.y = 1, chainrule.ones(1)
    with serialization.safe_globals([Slotted]):
        loaded = chainrule.load(saved(chainrule, value))
    assert (loaded.x, loaded.y.tolist()) == (1, [1])


@pytest.mark.parametrize("value", [print, os.getcwd])
def test_words_for_refused_names(value):
    messages = []
    for library in LIBRARIES:
        with pytest.raises(pickle.UnpicklingError) as raised:
            library.load(saved(library, value))
        messages.append(str(raised.value))
    words = "Unsupported global: GLOBAL print was" if value is print else "GLOBAL posix.getcwd whose module posix is"
    assert all(words in message for message in messages)


class Wrapped(chainrule.Tensor):
    """A tensor with a slot."""

    __slots__ = ("other",)


def test_slots_of_tensors():
    x = chainrule.ones(2).as_subclass(Wrapped)
    x.other, x.note = [1], "a"
    with serialization.safe_globals([Wrapped]):
        copies = [copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), chainrule.load(saved(chainrule, x))]
    assert [(type(y), y.other, y.note) for y in copies] == [(Wrapped, [1], "a")] * 4


# ---- the environment


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_environment_decides(library, monkeypatch):
    file = saved(library, library.nn.Linear(1, 1))
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed"):
        library.load(file, weights_only=False)
    file.seek(0)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "yes")
    with pytest.raises(RuntimeError, match=r"^Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD`"):
        library.load(file)
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert isinstance(library.load(file), library.nn.Linear)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match=r"^Weights only load failed"):
        library.load(file, weights_only=True)


# ---- the format


@pytest.mark.parametrize(("writer", "reader"), PAIRS)
def test_the_old_format_is_written(writer, reader):
    base = writer.arange(6.0)
    file = saved(
        writer,
        {"a": base, "b": base[2:], "c": [writer.ones(2, dtype=writer.int8)]},
        _use_new_zipfile_serialization=False,
    )
    writer.save(writer.zeros(1), file_at_end(file), _use_new_zipfile_serialization=False)
    file.seek(0)
    loaded = reader.load(file)
    assert (loaded["b"].tolist(), loaded["c"][0].tolist()) == ([2, 3, 4, 5], [1, 1])
    assert loaded["a"].untyped_storage().data_ptr() == loaded["b"].untyped_storage().data_ptr()
    assert reader.load(file).tolist() == [0]  # what follows in the same file


def file_at_end(file: io.BytesIO) -> io.BytesIO:
    file.seek(0, 2)
    return file


def test_settings_of_saving(monkeypatch):
    x = chainrule.arange(5.0)
    monkeypatch.setattr(config.save, "storage_alignment", 4096)
    file = saved(chainrule, x)
    place = file.getvalue().find(bytes(x.numpy().tobytes()))
    assert place % 4096 == 0
    assert chainrule.load(file).tolist() == x.tolist()
    assert reference.load(io.BytesIO(file.getvalue())).tolist() == x.tolist()
    serialization.set_crc32_options(False)
    try:
        file = saved(chainrule, x)
    finally:
        serialization.set_crc32_options(True)
    assert chainrule.load(file).tolist() == x.tolist()
    with pytest.raises(zipfile.BadZipFile, match="Bad CRC-32"):
        zipfile.ZipFile(file).read("archive/data/0")


def test_elements_left_out():
    x = chainrule.ones(3)
    with serialization.skip_data():
        file = saved(chainrule, [x, x[1:]])
    a, b = chainrule.load(file)
    assert (a.tolist(), b.tolist()) == ([0, 0, 0], [0, 0])
    assert a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    file = saved(chainrule, x)
    with serialization.skip_data():
        assert chainrule.load(file).shape == (3,)
    with serialization.skip_data(), pytest.raises(RuntimeError, match=r"^Cannot use skip_data"):
        saved(chainrule, x, _use_new_zipfile_serialization=False)


def test_byte_order_of_files_that_do_not_say_it():
    file = saved(chainrule, chainrule.tensor([1], dtype=chainrule.int32), _disable_byteorder_record=True)
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        assert chainrule.load(file).tolist() == [1 << 24]
    finally:
        serialization.set_default_load_endianness(None)
    file.seek(0)
    assert chainrule.load(file).tolist() == [1]
    with pytest.raises(TypeError, match=r"^Invalid argument type"):
        serialization.set_default_load_endianness("big")


def test_pages_shared_with_the_file(tmp_path):
    path = tmp_path / "x.pt"
    chainrule.save(chainrule.ones(3), path)
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        chainrule.load(path, mmap=True)[0] = 5
        assert chainrule.load(path, mmap=True).tolist() == [5, 1, 1]
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    with pytest.raises(ValueError, match=r"^Invalid argument in function set_default_mmap_options"):
        serialization.set_default_mmap_options(7)


@pytest.mark.parametrize("name", [".format_version", ".storage_alignment", "byteorder", "data/0"])
def test_a_damaged_header_is_told(name):
    messages = []
    for library in LIBRARIES:
        data = bytearray(saved(library, library.ones(2)).getvalue())
        data[data.find(f"archive/{name}".encode()) - 30] = 0
        with pytest.raises(RuntimeError) as raised:
            library.load(io.BytesIO(data))
        messages.append(str(raised.value).partition("\n  at ")[0])  # chainrule's has the user's line
    assert messages[0] == messages[1]


def test_a_file_that_can_only_be_written():
    class Pipe:
        def __init__(self):
            self.data = b""

        def write(self, data) -> int:
            self.data += bytes(data)
            return len(data)

        def flush(self) -> None:
            pass

    pipe = Pipe()
    chainrule.save(chainrule.ones(3), pipe)
    for library in LIBRARIES:
        assert library.load(io.BytesIO(pipe.data)).tolist() == [1, 1, 1]


def test_places_of_storages():
    seen = []
    serialization.register_package(5, lambda storage: seen.append("tag"), lambda storage, place: seen.append(place))
    try:
        chainrule.load(saved(chainrule, chainrule.ones(1)))
        assert seen == ["tag", "cpu"]
    finally:
        serialization.locations._packages.pop(0)
