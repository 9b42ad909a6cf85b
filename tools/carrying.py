"""Carries what PyTorch's database of operations holds to another library: tensors and strides, dtypes, functions.

A function of the database that calls torch.sin is run with that library in the place of torch.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

ROOMS = ("nn.functional", "linalg", "fft", "special", "signal.windows", "masked", "sparse", "nn.init", "nn", "Tensor")
WIDE = {"bfloat16": "float32", "complex32": "complex64"}  # what NumPy lacks, and in what it crosses
NAMED = (torch.dtype, torch.layout, torch.memory_format)
PARTS = (*NAMED, torch.device, torch.Generator, torch.Tensor, types.ModuleType, types.FunctionType, functools.partial)


def at(library: Any, path: str) -> Any:
    return functools.reduce(getattr, filter(None, path.split(".")), library)


@functools.cache
def public_paths() -> dict[int, tuple[str, Any]]:
    """The path below torch of each public function and class, by its identity; it is kept, and so is the identity."""
    paths: dict[int, tuple[str, Any]] = {}
    for room in ("", *ROOMS):
        place = at(torch, room)
        for name in dir(place):
            value = getattr(place, name, None)
            if callable(value) and (name[0] != "_" or name.startswith("__")):
                paths.setdefault(id(value), (f"{room}.{name}".lstrip("."), value))
    return paths


def path_of(value: Any) -> str:
    return public_paths().get(id(value), ("", None))[0]


class Globals(dict):
    """What a function sees of its module, carried over name by name, when it is asked for."""

    def __init__(self, carrier: Carrier, names: dict) -> None:
        super().__init__(__builtins__=builtins)
        self.carrier, self.names = carrier, names

    def __missing__(self, name: str) -> Any:
        value = self.names[name]
        is_part = isinstance(value, (*PARTS, types.BuiltinFunctionType)) or (
            isinstance(value, type) and value.__module__.startswith("torch")
        )
        self[name] = self.carrier(value) if is_part else value
        return self[name]


class Carrier:
    """Calling it carries a value over. PyTorch's own goes through the same hands, so that both get the same."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.seed = 42
        self.rebound: dict[Callable, Callable] = {}
        self.whole_memory = False  # as_strided reads outside of a view

    def __call__(self, value: Any, known: dict | None = None, grad: bool = True) -> Any:
        """`known` keeps what a tensor became, so that the same one stays the same one."""
        known = {} if known is None else known

        def carry(x: Any) -> Any:
            return self(x, known, grad)

        match value:
            case torch.Tensor():
                if value not in known:
                    known[value] = self.tensor(value, grad and value.requires_grad)
                return known[value]
            case torch.dtype() | torch.layout() | torch.memory_format():
                return getattr(self.library, str(value).removeprefix("torch."))
            case torch.device():
                return self.library.device(str(value))
            case torch.Generator():
                return self.library.Generator().manual_seed(value.initial_seed())
            case torch.Size():
                return self.library.Size(value)
            case slice():
                return slice(carry(value.start), carry(value.stop), carry(value.step))
            case tuple() | list():
                return type(value)(map(carry, value))
            case dict():
                return {key: carry(item) for key, item in value.items()}
            case types.ModuleType():
                path = value.__name__.removeprefix("torch").lstrip(".")
                return value if path.startswith("testing") or value.__name__[:5] != "torch" else at(self.library, path)
            case torch.nn.Module():
                arguments = inspect.signature(type(value)).parameters
                return carry(type(value))(**{name: carry(x) for name, x in vars(value).items() if name in arguments})
            case functools.partial():
                return functools.partial(carry(value.func), *carry(value.args), **carry(value.keywords))
        return self.function(value) if callable(value) else value

    def tensor(self, t: torch.Tensor, grad: bool = False) -> Any:
        if t.layout != torch.strided:
            return self.sparse(t.detach()).requires_grad_(grad)
        t = t.detach().resolve_conj().resolve_neg()
        count = t.untyped_storage().nbytes() // t.element_size()
        if self.whole_memory and count > t.numel():
            whole = self.from_array(t.as_strided((count,), (1,), 0))
            made = self.library.as_strided(whole, tuple(t.shape), t.stride(), t.storage_offset())
        elif t.numel() and not t.is_contiguous():
            span = 1 + sum((size - 1) * stride for size, stride in zip(t.shape, t.stride(), strict=True))
            made = self.library.as_strided(self.from_array(t.as_strided((span,), (1,))), tuple(t.shape), t.stride())
        else:
            made = self.from_array(t)
        return made.requires_grad_(grad)

    def sparse(self, t: torch.Tensor) -> Any:
        if t.layout == torch.sparse_coo:
            parts, make = (t._indices(), t._values()), self.library.sparse_coo_tensor
            return make(*map(self, parts), tuple(t.shape), is_coalesced=t.is_coalesced())
        by_row = t.layout in (torch.sparse_csr, torch.sparse_bsr)
        starts, plain = (t.crow_indices(), t.col_indices()) if by_row else (t.ccol_indices(), t.row_indices())
        parts = (self(starts), self(plain), self(t.values()))
        return self.library.sparse_compressed_tensor(*parts, tuple(t.shape), layout=self(t.layout))

    def from_array(self, t: torch.Tensor) -> Any:
        wide = WIDE.get(name_of(t.dtype))
        array = np.array((t.to(getattr(torch, wide)) if wide else t).numpy())
        return self.library.from_numpy(array).to(self(t.dtype))

    def function(self, f: Any) -> Any:
        """The library's own, or a function of PyTorch's tests with the library in the place of torch."""
        if getattr(f, "__name__", "") == "wrapper_set_seed":
            return self.seeded
        if isinstance(f, types.FunctionType) and f.__module__.startswith("torch.testing"):
            if f not in self.rebound:
                self.rebound[f] = self.rebind(f)
            return self.rebound[f]
        path = path_of(f)
        module = str(getattr(f, "__module__", ""))
        if not path and self.library is not torch and module[:5] == "torch" and not module.startswith("torch.testing"):
            raise AttributeError(f"{f} is not public")
        return at(self.library, path) if path else f

    def seeded(self, f: Callable, *args: Any, **kwargs: Any) -> Any:
        self.library.manual_seed(self.seed)
        return f(*args, **kwargs)

    def rebind(self, f: types.FunctionType) -> types.FunctionType:
        cells = tuple(types.CellType(self(cell.cell_contents)) for cell in f.__closure__ or ())
        new = types.FunctionType(f.__code__, Globals(self, f.__globals__), f.__name__, self(f.__defaults__), cells)
        new.__kwdefaults__ = self(f.__kwdefaults__)
        return new

    # ---- back again

    def array(self, t: Any) -> np.ndarray:
        t = t.detach().to_dense().resolve_conj().resolve_neg()
        if self.library is torch and t._is_zerotensor():
            t = torch.zeros(t.shape, dtype=t.dtype)
        wide = WIDE.get(name_of(t.dtype))
        return np.array((t.to(getattr(self.library, wide)) if wide else t).numpy())

    def leaves(self, result: Any) -> Iterator[Any]:
        """The tensors and plain values that a result is made of."""
        if isinstance(result, dict):
            result = list(result.values())
        if isinstance(result, (list, tuple)):
            for item in result:
                yield from self.leaves(item)
        else:
            yield result


def name_of(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def tensors_in(value: Any) -> list[torch.Tensor]:
    """PyTorch's tensors in arguments, in order, each once."""
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return list(dict.fromkeys(t for item in inner for t in tensors_in(item)))
