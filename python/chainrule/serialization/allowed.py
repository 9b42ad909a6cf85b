"""The names that a checkpoint may contain, and what may be done with them; a file can reach nothing else."""

from __future__ import annotations

import contextlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from types import BuiltinMethodType, MethodType
from typing import Any

from .. import _core
from .._core import Size, Tensor, UntypedStorage, device
from .._utils import REBUILD, WITHOUT_STORAGE_TYPE
from ..nn.parameter import Parameter
from ..storage import TypedStorage
from .names import STORAGE_TYPES, written_name

_DEEPEST_KEY = 16


def checked_key(key: Any, depth: int = 0) -> Any:
    """A key of a dict or set, if it is a plain value; hashing a tuple of any depth would exhaust the C stack."""
    if isinstance(key, tuple):
        if depth == _DEEPEST_KEY:
            raise ValueError("a key is nested too deeply")
        for item in key:
            checked_key(item, depth + 1)
    elif not isinstance(key, (str, bytes, int, float, complex, type(None), _core.dtype, device)):
        raise TypeError(f"a key is a {type(key).__name__}, not a plain value")
    return key


def _pairs(*items: Any) -> list:
    """What a dict is made from: nothing, another dict, or a list of pairs."""
    if len(items) > 1:
        raise TypeError("a dict is made from one argument")
    given = _expect(items[0], dict, list) if items else []
    pairs = given.items() if isinstance(given, dict) else (_expect(pair, tuple, list) for pair in given)
    return [(checked_key(key), value) for key, value in pairs]


def _expect(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"expected {' or '.join(kind.__name__ for kind in kinds)}, but got {type(value).__name__}")
    return value


# ---- what may be called: each function takes the arguments as the file gives them and trusts none


def _ordered_dict(*items: Any) -> OrderedDict:
    return OrderedDict(_pairs(*items))


def _counter(*items: Any) -> Counter:
    return Counter(dict(_pairs(*items)))


def _set(items: Any = ()) -> set:
    return {checked_key(item) for item in _expect(items, list, tuple)}


def _complex(real: Any = 0, imag: Any = 0) -> complex:
    return complex(_expect(real, int, float), _expect(imag, int, float))


def _bytearray(data: Any = b"") -> bytearray:
    return bytearray(_expect(data, bytes))  # never a number, which would be a length


def _encode(text: Any, encoding: Any) -> bytes:
    if _expect(encoding, str) not in ("latin1", "latin-1"):
        raise ValueError("bytes are written as latin1 only")
    return _expect(text, str).encode("latin1")


def _size(sizes: Any) -> Size:
    return Size([_expect(size, int) for size in _expect(sizes, tuple, list)])


def _device(kind: Any, index: Any = None) -> device:
    return device(_expect(kind, str)) if index is None else device(_expect(kind, str), _expect(index, int))


_LAYOUT_NAMES = ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")
_LAYOUTS = {f"torch.{name}": getattr(_core, name) for name in _LAYOUT_NAMES}


def _get_layout(name: Any) -> Any:
    return _LAYOUTS[_expect(name, str)]


_OF_TENSORS = (
    *("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3"),
    *("_rebuild_meta_tensor_no_storage", "_rebuild_parameter"),
)


def _from_type(function: Any, kind: Any, arguments: Any, state: Any) -> Any:
    """_rebuild_from_type_v2 for tensors and parameters, or a subclass that the user allowed."""
    if not any(function is REBUILD[f"torch._utils.{name}"] for name in _OF_TENSORS):
        raise TypeError("a tensor is rebuilt by one of the functions for it")
    known = kind is Tensor or kind is Parameter
    if not known and not (is_allowed_by_user(kind) and issubclass(kind, Tensor)):
        raise TypeError("the class is none of tensors that may be loaded")
    rebuild = REBUILD["torch._tensor._rebuild_from_type_v2"]
    return rebuild(function, kind, _expect(arguments, tuple), attributes(state) if known else state)


def _parameter_with_state(data: Any, requires_grad: Any, hooks: Any, state: Any) -> Parameter:
    rebuild = REBUILD["torch._utils._rebuild_parameter_with_state"]
    return rebuild(data, requires_grad, hooks, attributes(state))


def attributes(state: Any) -> dict:
    """The attributes of an object; those that belong to its class by slots are not for a file to set."""
    if isinstance(state, tuple) and len(state) == 2 and not state[1]:
        state = state[0]
    state = {} if state is None else state
    if not isinstance(state, dict) or not all(type(name) is str for name in state):
        raise TypeError("the attributes of an object are a dict with names as keys")
    return state


# ---- the names

_CONSTRUCTORS: dict[str, tuple[Any, Callable]] = {
    "collections.OrderedDict": (OrderedDict, _ordered_dict),
    "collections.Counter": (Counter, _counter),
    "builtins.set": (set, _set),
    "builtins.complex": (complex, _complex),
    "builtins.bytearray": (bytearray, _bytearray),
    "_codecs.encode": (_encode, _encode),
    "torch.Size": (Size, _size),
    "torch.device": (device, _device),
    "torch.serialization._get_layout": (_get_layout, _get_layout),
    **{name: (function, function) for name, function in REBUILD.items()},
    "torch._tensor._rebuild_from_type_v2": (REBUILD["torch._tensor._rebuild_from_type_v2"], _from_type),
    "torch._utils._rebuild_parameter_with_state": (
        REBUILD["torch._utils._rebuild_parameter_with_state"],
        _parameter_with_state,
    ),
}
_VALUES: dict[str, Any] = {
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.nn.Parameter": Parameter,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
    **{f"torch.{name}": kind for name, kind in STORAGE_TYPES.items()},
    **{f"torch.cuda.{name}": kind for name, kind in STORAGE_TYPES.items()},
    **{repr(kind.dtype): kind.dtype for kind in STORAGE_TYPES.values()},
    **{repr(dtype): dtype for dtype in WITHOUT_STORAGE_TYPE},
}
NAMES: dict[str, Any] = _VALUES | {name: value for name, (value, _) in _CONSTRUCTORS.items()}
CONSTRUCTOR = {id(value): constructor for value, constructor in _CONSTRUCTORS.values()}

# ---- what the user allows besides

_user: dict[Any, None] = {}  # as given: classes and functions, or tuples of one and its name
_by_name: dict[str, Any] | None = None  # the same by their names in files, made anew after a change


def _named() -> dict[str, Any]:
    global _by_name
    if _by_name is None:
        _by_name = dict(_entry(item) for item in _user)
    return _by_name


def _entry(item: Any) -> tuple[str, Any]:
    if not isinstance(item, tuple):
        return ".".join(written_name(item, str(item.__module__), item.__qualname__)), item
    if len(item) != 2:
        raise ValueError(
            f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(item)}"
        )
    if type(item[1]) is not str:
        raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(item[1])}")
    return item[1], item[0]


def _change(items: dict[Any, None]) -> None:
    global _user, _by_name
    _user, _by_name = items, None


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allows load() to use these classes and functions where a file names them.

    Args:
        safe_globals: classes and functions, or tuples of one and the name that it has in the file.

    >>> class Mine:
    ...     pass
    >>> torch.serialization.add_safe_globals([Mine])
    >>> torch.serialization.clear_safe_globals()
    """
    _change({**_user, **dict.fromkeys(safe_globals)})


def get_safe_globals() -> list[Any]:
    """What add_safe_globals() has allowed.

    >>> isinstance(torch.serialization.get_safe_globals(), list)
    True
    """
    return list(_user)


def clear_safe_globals() -> None:
    """Allows only again what tensors need.

    >>> torch.serialization.clear_safe_globals()
    >>> isinstance(torch.serialization.get_safe_globals(), list)
    True
    """
    _change({})


class safe_globals(contextlib.ContextDecorator):  # noqa: N801
    """add_safe_globals() for the time of a block.

    >>> class Mine:
    ...     pass
    >>> with torch.serialization.safe_globals([Mine]):
    ...     Mine in torch.serialization.get_safe_globals()
    True
    """

    def __init__(self, safe_globals: list[Any]):
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exception: object) -> None:
        _change({item: None for item in _user if item not in self.safe_globals})


def user_allowed(name: str) -> Any:
    """What the user allowed under this name; KeyError if nothing."""
    return _named()[name]


def is_allowed_by_user(value: Any) -> bool:
    """Whether the user named exactly this class or function."""
    return any(value is allowed or _same_method(value, allowed) for allowed in _named().values())


def _same_method(a: Any, b: Any) -> bool:
    """Methods of classes are new objects whenever somebody asks for them."""
    return type(a) is type(b) and isinstance(a, (BuiltinMethodType, MethodType)) and a == b


def refused(names: Iterable[str]) -> list[str]:
    """Those of the names that a file may not contain."""
    return sorted(name for name in names if name not in NAMES and name not in _named())
