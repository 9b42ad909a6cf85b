"""Weak references to tensors, and dictionaries by them: two tensors are the same key only if they are one object."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any, Generic, TypeVar

from .._core import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]

V = TypeVar("V")


class WeakIdRef(weakref.ref):
    """A weak reference that equals another one to the same object, whatever the object's own == says.

    >>> x = torch.ones(2)
    >>> torch.utils.weak.WeakIdRef(x) == torch.utils.weak.WeakIdRef(x)
    True
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:  # the reference itself is made by __new__
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, theirs = self(), other() if isinstance(other, weakref.ref) else None
        return self is other if mine is None or theirs is None else mine is theirs


class WeakIdKeyDictionary(MutableMapping, Generic[V]):
    """A dictionary whose keys are held weakly and compared by identity; an entry leaves it with its key.

    >>> notes = torch.utils.weak.WeakIdKeyDictionary()
    >>> x = torch.ones(2)
    >>> notes[x] = "weight"
    >>> del x
    >>> len(notes)
    0
    """

    def __init__(self, dict: Any = None, ref_type: type[WeakIdRef] = WeakIdRef) -> None:
        self.data: dict[WeakIdRef, V] = {}
        self.ref_type = ref_type
        myself = weakref.ref(self)

        def forget(key: WeakIdRef) -> None:
            if (living := myself()) is not None:
                living.data.pop(key, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __setitem__(self, key: Any, value: V) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __getitem__(self, key: Any) -> V:
        try:
            return self.data[self.ref_type(key)]
        except KeyError:
            raise KeyError(key) from None

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # it cannot be held weakly
            return False

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            if (key := reference()) is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def keyrefs(self) -> list[WeakIdRef]:
        """The weak references to the keys."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary[V]:
        """Another dictionary with the same entries."""
        return type(self)(self)

    __copy__ = copy


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor; calling it gives the tensor, or None once it is gone.

    >>> x = torch.ones(2)
    >>> torch.utils.weak.TensorWeakRef(x)() is x
    True
    """

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
