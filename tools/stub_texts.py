"""What the core cannot say for its type stubs: types of properties and operators, and all that is not an operation."""

import re
from keyword import kwlist

KEYWORDS = frozenset(kwlist)  # `from` is an argument of uniform_, which only ** can give

# In the class Tensor, int, float, bool, dtype, device and type are methods or properties; the stubs write _int for int.
SHADOWED = ("int", "float", "bool", "complex", "str", "type", "dtype", "device", "layout", "memory_format")


def unshadowed(annotation: object) -> str:
    """An annotation as the stubs write it."""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(rf"(?<![\w.])({'|'.join(SHADOWED)})\b", r"_\1", text)


ARGUMENT_TYPES = {
    "Tensor": "Tensor",
    "Operand": "Tensor | _Number",
    "Number": "_Number",
    "int": "_int",
    "float": "_float",
    "bool": "_bool",
    "str": "_str",
    "dtype": "_DTypeLike",
    "device": "_DeviceLike",
    "layout": "_layout",
    "memory_format": "_memory_format",
    "Generator": "Generator",
    "object": "Any",
    "int[]": "_int | Sequence[_int]",
    "int[*]": "Sequence[_int]",
    "Tensor[]": "Sequence[Tensor]",
    "Tensor[*]": "Sequence[Tensor]",
}

RETURN_TYPES = {
    "Tensor": "Tensor",
    "Tensor[]": "tuple[Tensor, ...]",
    "int": "_int",
    "bool": "_bool",
    "Size": "Size",
    "tuple": "tuple[_int, ...]",
    "dict": "dict[_int, Any]",
    "None": "None",
    "UntypedStorage": "UntypedStorage",
}
# A 0-d tensor's list is a number; a number that is known not to be complex is worth more to a type checker.
RETURN_TYPES_BY_NAME = {"tolist": "Any", "item": "_int | _float | _bool"}

# Methods whose result depends on whether an argument is there, and what only a type checker sees.
METHODS = {
    name: [
        "    @overload",
        f"    def {name}(self, dim: None = None) -> {whole}: ...",
        "    @overload",
        f"    def {name}(self, dim: _int) -> _int: ...",
    ]
    for name, whole in (("size", "Size"), ("stride", "tuple[_int, ...]"))
}
METHODS["_make_subclass"] = [
    "    @staticmethod",
    "    def _make_subclass(",
    "        cls: _type,  # pyright: ignore[reportSelfClsParameterName]",
    "        data: Tensor,",
    "        require_grad: _bool = False,",
    "    ) -> Any: ...",
]
METHODS["__buffer__"] = ["    def __buffer__(self, flags: _int, /) -> memoryview: ..."]  # a name from Python 3.12 on
METHODS["__torch_function__"] = [
    "    @classmethod",
    "    def __torch_function__(",
    "        cls, func: Callable[..., Any], types: Iterable[_type], args: tuple[Any, ...] = (), kwargs: Any = None",
    "    ) -> Any: ...",
]
METHODS["__cuda_array_interface__"] = ["    @property", "    def __cuda_array_interface__(self) -> Any: ..."]
METHODS["__reduce_ex__"] = ["    def __reduce_ex__(self, protocol: Any, /) -> Any: ..."]
METHODS["__array_priority__"] = ["    __array_priority__: _int"]
METHODS["__new__"] = ["    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ..."]

PROPERTIES = {
    "shape": "Size",
    "dtype": "_dtype",
    "device": "_device",
    "ndim": "_int",
    "itemsize": "_int",
    "nbytes": "_int",
    "requires_grad": "_bool",
    "grad": "Tensor | Any",  # None before the first backward(); a checker need not ask each time
    "grad_fn": "Node | Any",  # None for leaves
    "is_leaf": "_bool",
    "retains_grad": "_bool",
    "data": "Tensor",
    "T": "Tensor",
    "mT": "Tensor",
    "H": "Tensor",
    "mH": "Tensor",
    "real": "Tensor",
    "imag": "Tensor",
    "output_nr": "_int",
    "_version": "_int",
    "_base": "Tensor | None",
    "_cut": "tuple[_str, _SourceLine | None] | None",
    "_written": "_SourceLine | None",
    "_backward_hooks": "dict[_int, Any] | None",
    "_post_accumulate_grad_hooks": "dict[_int, Any] | None",
    "layout": "_layout",
    "name": "None",
    "grad_dtype": "_dtype",
    "is_cpu": "_bool",
    "is_ipu": "_bool",
    "is_maia": "_bool",
    "is_mkldnn": "_bool",
    "is_mtia": "_bool",
    "is_sparse_csr": "_bool",
    "is_vulkan": "_bool",
    "is_xla": "_bool",
    "is_cuda": "_bool",
    "is_sparse": "_bool",
    "is_quantized": "_bool",
    "is_nested": "_bool",
    "is_meta": "_bool",
    "is_mps": "_bool",
    "is_xpu": "_bool",
}

PLAIN = ("__repr__", "__hash__", "__setattr__", "__delattr__", "__init__")  # as object's

# Names, the argument, the result.
OPERATORS = (
    (
        "__add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ "
        "__mod__ __rmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rlshift__ "
        "__rshift__ __rrshift__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ "
        "__div__ __rdiv__ __idiv__ __ior__ __ixor__ __ilshift__ __irshift__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__",
        "other: Tensor | _Number",
        "Tensor",
    ),
    ("__matmul__ __rmatmul__ __imatmul__", "other: Tensor", "Tensor"),
    ("__neg__ __pos__ __abs__ __invert__", "", "Tensor"),
    ("__bool__ __nonzero__", "", "_bool"),
    ("__int__ __long__ __index__ __len__", "", "_int"),
    ("__float__", "", "_float"),
    ("__getitem__", "key: Any", "Tensor"),
    ("__setitem__", "key: Any, value: Tensor | _Number", "None"),
    ("__delitem__", "key: Any", "None"),
    ("__contains__", "item: Tensor | _Number", "_bool"),
)

ALIASES = """
_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_str = builtins.str
_type = builtins.type
_complex = builtins.complex
_Number = builtins.int | builtins.float | builtins.complex
"""

CORE_HEAD = f"""
import builtins
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, overload

from .storage import TypedStorage
from .tensor_methods import RemovableHandle
{ALIASES}
class dtype:
    @property
    def is_floating_point(self) -> _bool: ...
    @property
    def is_complex(self) -> _bool: ...
    @property
    def is_signed(self) -> _bool: ...
    @property
    def itemsize(self) -> _int: ...
    def to_real(self) -> dtype: ...
    def to_complex(self) -> dtype: ...

class device:
    def __init__(self, type: _str | device, index: _int | None = None) -> None: ...
    @property
    def type(self) -> _str: ...
    @property
    def index(self) -> _int | None: ...
    def __enter__(self) -> device: ...
    def __exit__(self, *exception: Any) -> None: ...

class Size(tuple[_int, ...]):
    def __new__(cls, sizes: Iterable[_int] = ()) -> Size: ...
    def numel(self) -> _int: ...

class layout: ...
class memory_format: ...

_dtype = dtype
_device = device
_layout = layout
_memory_format = memory_format
_DTypeLike = dtype | _type[_float] | _type[_int] | _type[_bool] | _type[_complex]
_DeviceLike = device | _str | _int
_SourceLine = tuple[_str, _int, _str, _str]  # file, line, function, text
"""

CORE_REST = """
class Node:
    def name(self) -> _str: ...
    @property
    def next_functions(self) -> tuple[tuple[Node | None, _int], ...]: ...
    @property
    def metadata(self) -> dict[Any, Any]: ...
    @property
    def variable(self) -> Tensor: ...
    @property
    def saved_tensors(self) -> tuple[Tensor, ...]: ...
    @property
    def source(self) -> _SourceLine | None: ...
    @property
    def formula(self) -> _str: ...
    @property
    def operation(self) -> _str: ...
    def _sequence_nr(self) -> _int: ...
    def _hooks(self) -> dict[_int, Callable[..., Any]]: ...
    def _prehooks(self) -> dict[_int, Callable[..., Any]]: ...

class Generator:
    def __init__(self, device: _DeviceLike | None = None) -> None: ...
    def manual_seed(self, seed: _int) -> Generator: ...
    def seed(self) -> _int: ...
    def initial_seed(self) -> _int: ...
    def get_state(self) -> Tensor: ...
    def set_state(self, new_state: Tensor | None) -> Generator: ...
    def clone_state(self) -> Generator: ...
    @property
    def device(self) -> _device: ...

class UntypedStorage:
    is_cuda: _bool
    def __init__(self, size_or_bytes: _int | Iterable[_int] = 0, /, *, device: _DeviceLike | None = None) -> None: ...
    def __len__(self) -> _int: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __buffer__(self, flags: _int, /) -> memoryview: ...
    @property
    def device(self) -> _device: ...
    @property
    def _cdata(self) -> _int: ...
    def _tensor(self, dtype: _DTypeLike, offset: _int, size: Sequence[_int], stride: Sequence[_int], /) -> Tensor: ...
    def nbytes(self) -> _int: ...
    def size(self) -> _int: ...
    def data_ptr(self) -> _int: ...
    def resizable(self) -> _bool: ...
    def tolist(self) -> list[_int]: ...
    def clone(self) -> UntypedStorage: ...
    def fill_(self, value: _int) -> UntypedStorage: ...
    def copy_(self, source: Any, non_blocking: _bool | None = None) -> UntypedStorage: ...
    def element_size(self) -> _int: ...
    def untyped(self) -> UntypedStorage: ...
    def cpu(self) -> UntypedStorage: ...
    def is_pinned(self, device: Any = "cuda") -> _bool: ...
    def is_shared(self) -> _bool: ...
    def share_memory_(self) -> UntypedStorage: ...
    def resize_(self, size: _int) -> UntypedStorage: ...

default_generator: Generator
functions: dict[_str, Callable[..., Any]]
functional_names: frozenset[_str]

def get_default_dtype() -> dtype: ...
def set_default_dtype(d: _DTypeLike, /) -> None: ...
def promote_types(type1: _DTypeLike, type2: _DTypeLike, /) -> dtype: ...
def can_cast(from_: _DTypeLike, to: _DTypeLike, /) -> _bool: ...
def result_type(tensor1: Tensor | _Number, tensor2: Tensor | _Number, /) -> dtype: ...
def is_grad_enabled() -> _bool: ...
def set_grad_enabled(on: _bool, /) -> None: ...
def run_backward(
    outputs: Sequence[Tensor],
    gradients: Sequence[Tensor | None],
    retain_graph: _bool,
    create_graph: _bool,
    inputs: Sequence[Tensor],
    /,
) -> None: ...
def gradients_of(
    outputs: Sequence[Tensor],
    gradients: Sequence[Tensor | None],
    inputs: Sequence[Tensor],
    retain_graph: _bool,
    create_graph: _bool,
    /,
) -> tuple[Tensor | None, ...]: ...
def enter_dual_level() -> None: ...
def exit_dual_level() -> None: ...
def tangent(tensor: Tensor, /) -> Tensor | None: ...
def set_tangent(tensor: Tensor, tangent: Tensor, /) -> None: ...
def make_subclass(cls: _type, data: Tensor, require_grad: _bool, /) -> Any: ...
def view_as_subclass(cls: _type, data: Tensor, /) -> Any: ...
def set_parameter_type(cls: _type, /) -> None: ...
def set_torch_functions(ordinary: Any, disabled: Any, /) -> None: ...
def overriding_enabled() -> _bool: ...
def set_overriding_enabled(on: _bool, /) -> None: ...
def is_overridden(args: tuple[Any, ...], /) -> _bool: ...
def call_override(function: Any, name: _str, args: tuple[Any, ...], kwargs: dict[_str, Any], /) -> Any: ...
def to_dlpack(tensor: Tensor, versioned: _bool, /) -> Any: ...
def from_dlpack(capsule: Any, /) -> Tensor: ...
def set_library_prefix(prefix: _str, /) -> None: ...
def current_line() -> _SourceLine | None: ...
def time_source_line(count: _int, /) -> _float: ...
def get_num_threads() -> _int: ...
def set_num_threads(n: _int, /) -> None: ...
def instruction_set() -> _str: ...
def memory_statistics() -> dict[_str, _int]: ...
def reset_peak_memory() -> None: ...
def trim_memory() -> None: ...
def set_memory_cache_limit(limit: _int, /) -> None: ...
def live_tensors() -> _int: ...
def live_nodes() -> _int: ...
def op_table() -> list[dict[_str, Any]]: ...
def op_aliases() -> list[tuple[_str, _str]]: ...
def signatures() -> list[tuple[_str, _str, _str]]: ...
"""

PACKAGE_HEAD = """
import builtins
from collections.abc import Sequence
from typing import Any, TypeGuard, overload

from . import _core
"""

PACKAGE_REST = f"""
{ALIASES.strip()}
_dtype = _core.dtype
_layout = _core.layout
_memory_format = _core.memory_format
_DTypeLike = _dtype | _type[_float] | _type[_int] | _type[_bool] | _type[_complex]
_DeviceLike = _core.device | _str | _int

__version__: _str
e: _float
inf: _float
nan: _float
pi: _float
newaxis: None
half: _dtype
float: _dtype
double: _dtype
short: _dtype
int: _dtype
long: _dtype
cfloat: _dtype
cdouble: _dtype

def is_tensor(obj: Any) -> TypeGuard[Tensor]: ...
"""
