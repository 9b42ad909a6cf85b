"""Writing into tensors that a graph keeps: the graph gets a copy when the write comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from .._core import Tensor
from ..error_words import at_call
from ..watchers import unwatch, watch
from .graph import _state, saved_tensors_hooks

__all__ = ["allow_mutation_on_saved_tensors"]


class _Handle:
    """Stands in a graph for a tensor, as it was; what it stands for lives no longer than it."""

    __slots__ = ("__weakref__", "storage")

    def __init__(self, storage: Any):
        self.storage = storage  # kept, so that its id is no other storage's


class _Saved:
    """The tensors that graphs keep, and the copies of those that were overwritten since."""

    def __init__(self) -> None:
        self.original: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.cloned: WeakKeyDictionary[_Handle, Tensor] = WeakKeyDictionary()
        self.tid_to_weakhandle: WeakValueDictionary[tuple, _Handle] = WeakValueDictionary()
        self.sid_to_handles: dict[int, WeakSet[_Handle]] = {}  # by storage

    def pack(self, tensor: Tensor) -> _Handle:
        storage = tensor.untyped_storage()
        sid = id(storage)
        tid = sid, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype, tensor._version
        handle = self.tid_to_weakhandle.get(tid)
        if handle is None:
            handle = self.tid_to_weakhandle[tid] = _Handle(storage)
            self.original[handle] = tensor
            self.sid_to_handles.setdefault(sid, WeakSet()).add(handle)
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        for tensors in (self.cloned, self.original):
            if handle in tensors:
                return tensors[handle]
        raise AssertionError(
            "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context in which the graph was "
            "originally recorded."
        )

    def keep(self, tensor: Tensor) -> None:
        """The tensor is about to be written into."""
        for handle in self.sid_to_handles.pop(id(tensor.untyped_storage()), ()):
            if handle in self.original:
                self.cloned[handle] = self.original.pop(handle).detach().clone()

    def clear(self) -> None:
        for kept in (self.original, self.cloned, self.tid_to_weakhandle, self.sid_to_handles):
            kept.clear()


def _written(name: str, args: tuple, kwargs: dict) -> Iterator[Tensor]:
    """The tensors that a call writes into."""
    out = kwargs.get("out")
    candidates = list(out) if isinstance(out, (list, tuple)) else [out]
    if args and (name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))):
        candidates += args[0] if isinstance(args[0], (list, tuple)) else [args[0]]
    return (t for t in candidates if isinstance(t, Tensor))


class allow_mutation_on_saved_tensors(saved_tensors_hooks):  # noqa: N801
    """Within it, tensors may be overwritten after an operation saved them: the graph gets copies first. They end with
    it, so backward has to run within it as well.

    >>> with torch.autograd.graph.allow_mutation_on_saved_tensors():
    ...     x = torch.tensor([3.], requires_grad=True)
    ...     y = x.clone()
    ...     z = y * y
    ...     _ = y.zero_()
    ...     z.backward()
    >>> x.grad
    tensor([6.])
    """

    def __init__(self) -> None:
        self._saved = _Saved()
        super().__init__(self._saved.pack, self._saved.unpack)

    def _see(self, function: Callable, args: tuple, kwargs: dict) -> Any:
        for tensor in _written(getattr(function, "__name__", ""), args, kwargs):
            self._saved.keep(tensor)
        return function(*args, **kwargs)

    def __enter__(self) -> _Saved:
        if _state.mutable:
            raise at_call(RuntimeError, "allow_mutation_on_saved_tensors contexts cannot be nested")
        super().__enter__()
        _state.mutable = True
        watch(self._see)
        return self._saved

    def __exit__(self, *exception: Any) -> None:
        unwatch(self._see)
        self._saved.clear()
        _state.mutable = False
        super().__exit__(*exception)
