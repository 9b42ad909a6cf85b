"""save(): any object that can be pickled, its tensors in PyTorch's zip format."""

from __future__ import annotations

import copyreg
import os
import pickle
import sys
from collections import OrderedDict
from io import BytesIO
from types import FunctionType, ModuleType
from typing import Any, BinaryIO, ClassVar

from .._core import Tensor, UntypedStorage, layout
from .._utils import saved_form
from ..error_words import telling_the_line
from ..nn.modules.members import Members
from ..nn.modules.module import Module
from ..storage import TypedStorage
from . import options
from .allowed import _get_layout
from .archive import ArchiveWriter
from .atomic_file import replaced_file
from .locations import location_tag
from .names import STORAGE_TYPE_OF, StorageType, written_name

DEFAULT_PROTOCOL = 2


_Pickler: Any = vars(pickle)["_Pickler"]  # the one in Python; the one in C cannot write names of other libraries


class Pickler(_Pickler):
    """Writes PyTorch's names for what is chainrule's, and gives storages numbers instead of writing them."""

    def __init__(self, file: Any, protocol: int):
        super().__init__(file, protocol)
        self.storages: dict[str, UntypedStorage] = {}
        self._keys: dict[int, str] = {}
        self._dtypes: dict[int, Any] = {}

    def persistent_id(self, obj: Any) -> tuple | None:
        """The description of a storage, in PyTorch's form."""
        if isinstance(obj, TypedStorage):
            return self._described(obj.untyped(), obj.dtype, STORAGE_TYPE_OF[obj.dtype], len(obj))
        if isinstance(obj, UntypedStorage):
            return self._described(obj, None, UntypedStorage, len(obj))
        return None

    def _described(self, storage: UntypedStorage, dtype: Any, kind: Any, count: int) -> tuple:
        address = storage.data_ptr() or id(storage)
        if len(storage) and self._dtypes.setdefault(address, dtype) is not dtype:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types: "
                f"{self._dtypes[address] or 'bytes'} and {dtype or 'bytes'}. Save a clone() of one of them."
            )
        key = self._keys.setdefault(address, str(len(self._keys)))
        self.storages[key] = storage
        return "storage", kind, key, location_tag(storage), count

    def reducer_override(self, obj: Any) -> Any:
        """How tensors are written; everything else as it says itself."""
        if isinstance(obj, Tensor) and type(obj).__reduce_ex__ is Tensor.__reduce_ex__:
            obj.__reduce_ex__(DEFAULT_PROTOCOL)  # warns of hooks, which are lost
            return saved_form(obj)
        if isinstance(obj, Module) and type(obj).__getstate__ is Module.__getstate__:
            return copyreg.__newobj__, (type(obj),), module_state(obj)  # type: ignore[attr-defined]
        if isinstance(obj, layout):
            return _get_layout, (str(obj),)
        return obj.name if isinstance(obj, StorageType) else NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Writes a name, as PyTorch knows it."""
        place = getattr(obj, "__qualname__", None) if name is None else name
        module = getattr(obj, "__module__", None) or "chainrule"
        written = written_name(obj, module, place or "")
        if written == (module, place):
            super().save_global(obj, name=name)
            return
        self.write(pickle.GLOBAL + f"{written[0]}\n{written[1]}\n".encode())
        self.memoize(obj)

    # PyTorch's modules keep their members in plain dicts, so that no name is needed to read them.
    dispatch: ClassVar = {**_Pickler.dispatch, FunctionType: save_global, Members: _Pickler.save_dict}


def module_state(module: Module) -> dict[str, Any]:
    """A module's attributes as PyTorch's modules keep them: members only in their dicts, dicts of hooks always."""
    state = module.__getstate__()
    members = {name for kind in ("_parameters", "_buffers", "_modules") for name in state[kind]}
    hooks = {name: OrderedDict() for name in ("_backward_hooks", "_forward_hooks") if name not in state}
    state = {name: value for name, value in state.items() if name not in members}
    return state | hooks | {name: getattr(module, name) for name in module._also_saved}


@telling_the_line
def save(
    obj: Any,
    f: str | os.PathLike | BinaryIO,
    pickle_module: ModuleType = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Writes an object in PyTorch's file format, so that PyTorch reads it too.

    Tensors that share memory share it again after load(). A file given by name is written under another name first
    and then renamed: a crash leaves the old one as it was.

    Args:
        obj: what to save: tensors, state dicts, and whatever else can be pickled.
        f: a name, or a file opened for writing bytes.
        pickle_module: only Python's pickle.
        pickle_protocol: of the pickle inside; PyTorch's loader takes 2 (and newer ones in part).

    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(torch.tensor([1., 2.]), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([1., 2.])
    """
    if pickle_module is not pickle:
        raise NotImplementedError(f"save(pickle_module={pickle_module.__name__}): chainrule writes with pickle only")
    if not _use_new_zipfile_serialization and options.this_thread.skip_data:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    if isinstance(f, (str, os.PathLike)):
        stem = os.path.splitext(os.path.basename(os.fspath(f)))[0]
        name = stem if stem.isascii() and stem.isprintable() and stem else "archive"
        with replaced_file(f) as file:
            _write(obj, file, name, pickle_protocol, _use_new_zipfile_serialization, _disable_byteorder_record)
        return
    if not hasattr(f, "write"):
        raise AttributeError(
            f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, not {type(f).__name__}"
        )
    if not callable(f.write):
        raise TypeError(f"Buffer of {str(type(f)).strip('<>')} has no callable attribute 'write'")
    _write(obj, f, "archive", pickle_protocol, _use_new_zipfile_serialization, _disable_byteorder_record)
    f.flush()


def _write(obj: Any, file: BinaryIO, name: str, protocol: int, zipped: bool, without_byte_order: bool) -> None:
    if not zipped:
        from .old_format_writing import write_old

        write_old(obj, file, protocol)
        return
    text = BytesIO()
    pickler = Pickler(text, protocol)
    pickler.dump(obj)
    archive = ArchiveWriter(file, name, options.save.storage_alignment, options.save.compute_crc32)
    archive.write("data.pkl", text.getvalue())
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", str(options.save.storage_alignment).encode())
    if not without_byte_order:
        archive.write("byteorder", sys.byteorder.encode())
    for key, storage in pickler.storages.items():
        empty = options.this_thread.skip_data or not len(storage)
        archive.write(f"data/{key}", bytes(len(storage)) if empty else storage.cpu())
    archive.write("version", b"3\n")
    archive.close()
