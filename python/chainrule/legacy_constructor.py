"""Tensor(2, 3), FloatTensor([1., 2.]), LongTensor(array): PyTorch's old constructors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._core import Tensor
from .error_words import at_call
from .storage import TypedStorage
from .user_warning import warn_user


def construct(
    cls: type, *args: Any, dtype: _core.dtype | None = None, place: _core.device | None = None, **kwargs: Any
) -> Tensor:
    """A tensor of the given sizes, or with the given data; a subclass's instance where asked.

    Args:
        place: where it is made; the CPU if None.
    """
    device = kwargs.pop("device", None)
    kind = "cpu" if place is None else place.type
    _check_device(device, kind)
    place = _core.device(kind) if place is None else place if device is None else _core.device(device)
    if device is not None and args and isinstance(args[0], Tensor):
        raise at_call(
            RuntimeError,
            "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
            "torch.tensor(...) or torch.as_tensor(...) instead.",
        )
    if not args and len(kwargs) == 1 and next(iter(kwargs)) in ("size", "data"):
        name, value = kwargs.popitem()
        args = (_core.Size(value) if name == "size" else value,)
    if kwargs or (len(args) > 1 and isinstance(args[0], (list, tuple))):
        raise no_combination(args, kwargs)
    data = _data(args, dtype, place)
    if cls is not Tensor and args and isinstance(args[0], Tensor):
        return _core.view_as_subclass(cls, args[0])
    return data if cls is Tensor else _core.make_subclass(cls, data, False)


def no_combination(args: tuple, kwargs: dict) -> TypeError:
    """What is raised where the arguments are in no order that there is."""
    kinds = [type(value).__name__ for value in args]
    kinds += [f"{name}={'torch.dtype' if name == 'dtype' else type(value).__name__}" for name, value in kwargs.items()]
    return TypeError(
        f"new() received an invalid combination of arguments - got ({', '.join(kinds)}), but expected one of:\n"
        " * (*, torch.device device = None)\n * (torch.Storage storage)\n * (Tensor other)\n"
        " * (tuple of ints size, *, torch.device device = None)\n * (object data, *, torch.device device = None)"
    )


def _check_device(device: Any, kind: str) -> None:
    given = kind if device is None else _core.device(device).type
    if given != kind:
        raise at_call(
            RuntimeError, f"legacy constructor expects device type: {kind} but device type: {given} was passed"
        )


def _data(args: tuple, dtype: _core.dtype | None, place: _core.device) -> Tensor:
    empty, tensor = _core.functions["empty"], _core.functions["tensor"]
    wanted = _core.get_default_dtype() if dtype is None else dtype
    if len(args) == 1 and not _is_size(args[0]):
        (data,) = args
        if isinstance(data, (TypedStorage, _core.UntypedStorage)):
            return tensor(data, dtype=wanted, device=data.device)  # over its memory; another dtype is refused
        if isinstance(data, Tensor):
            if data.is_nested:
                raise at_call(NotImplementedError, "Tensor() takes no nested tensor; values() has its items")
            if dtype is not None and data.dtype is not dtype:
                raise at_call(
                    TypeError, f"expected a tensor of dtype {dtype} (got {data.dtype}); convert it with .to({dtype})"
                )
            return _core.view_as_subclass(Tensor, data)  # with its history
        if not isinstance(data, Sequence) and not hasattr(data, "__array__"):
            raise at_call(TypeError, f"new(): data must be a sequence (got {type(data).__name__})")
        return tensor(data if wanted.is_floating_point else _truncated(data), dtype=wanted, device=place)
    for i, size in enumerate(args, 1):
        if not _is_size(size):
            raise at_call(
                TypeError,
                f"new(): argument 'size' failed to unpack the object at pos {i} with error "
                f'"type must be tuple of ints,but got {type(size).__name__}"',
            )
    return empty(*(args or (0,)), dtype=wanted, device=place)


def _is_size(value: Any) -> bool:
    return isinstance(value, _core.Size) or (isinstance(value, int) and not isinstance(value, bool))


def _truncated(data: Any) -> Any:
    """LongTensor([1.5]) drops the fraction."""
    if isinstance(data, (list, tuple)):
        return [_truncated(item) for item in data]
    return int(data) if isinstance(data, float) else data


class _LegacyType(type):
    """The class of FloatTensor and its kin: calling one makes a plain Tensor, and instances are told by their dtype."""

    dtype: _core.dtype
    is_cuda = False
    layout = _core.strided

    def __new__(mcs, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> _LegacyType:
        if bases:
            raise at_call(TypeError, f"type 'torch.{bases[0].__name__}' is not an acceptable base type")
        return super().__new__(mcs, name, bases, members)

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        cls.check_available()
        if "dtype" in kwargs:
            raise no_combination(args, kwargs)
        return construct(Tensor, *args, dtype=cls.dtype, place=_core.device("cuda") if cls.is_cuda else None, **kwargs)

    def check_available(cls) -> None:
        """Raises where it is a type of GPUs, and there is none."""
        if cls.is_cuda and not _core._cuda.device_count()[0]:
            raise TypeError(f"type {cls} not available. Torch not compiled with CUDA enabled.")

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.is_cuda == cls.is_cuda

    def __str__(cls) -> str:
        return f"torch.{'cuda.' if cls.is_cuda else ''}{cls.__name__}"

    def __repr__(cls) -> str:
        return f"<class '{cls}'>"


def _legacy(name: str, dtype: _core.dtype) -> _LegacyType:
    text = f"""PyTorch's older name for tensors of dtype {dtype}: makes one, and isinstance() asks for the dtype.

    >>> torch.{name}(2).dtype
    {dtype}
    """
    return _LegacyType(name, (), {"dtype": dtype, "__doc__": text, "__module__": "chainrule"})


BoolTensor = _legacy("BoolTensor", _core.bool)
ByteTensor = _legacy("ByteTensor", _core.uint8)
CharTensor = _legacy("CharTensor", _core.int8)
ShortTensor = _legacy("ShortTensor", _core.int16)
IntTensor = _legacy("IntTensor", _core.int32)
LongTensor = _legacy("LongTensor", _core.int64)
HalfTensor = _legacy("HalfTensor", _core.float16)
BFloat16Tensor = _legacy("BFloat16Tensor", _core.bfloat16)
FloatTensor = _legacy("FloatTensor", _core.float32)
DoubleTensor = _legacy("DoubleTensor", _core.float64)


TYPES = {
    each.__name__: each
    for each in (
        *(BoolTensor, ByteTensor, CharTensor, ShortTensor, IntTensor, LongTensor),
        *(HalfTensor, BFloat16Tensor, FloatTensor, DoubleTensor),
    )
}


def cuda_type(of_cpu: _LegacyType) -> _LegacyType:
    """torch.cuda.FloatTensor beside torch.FloatTensor."""
    members = {"dtype": of_cpu.dtype, "is_cuda": True, "__module__": "chainrule.cuda"}
    text = f"PyTorch's older name for tensors of dtype {of_cpu.dtype} on a GPU."
    return _LegacyType(of_cpu.__name__, (), members | {"__doc__": text})


class _SparseLegacyType(_LegacyType):
    """torch.sparse.FloatTensor and its kin: makes a COO tensor of indices, values and a size."""

    layout = _core.sparse_coo

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        if len(args) < 2:  # a size, or nothing
            size = tuple(args[0]) if args and not isinstance(args[0], int) else args
            return _core.functions["zeros"](size or (0,), dtype=cls.dtype, layout=_core.sparse_coo)
        if isinstance(args[0], int):
            return _core.functions["zeros"](args, dtype=cls.dtype, layout=_core.sparse_coo)
        warn_user(
            "torch.sparse.SparseTensor(indices, values, shape, *, device=) is deprecated.  Please use "
            "torch.sparse_coo_tensor(indices, values, shape, dtype=, device=)."
        )
        return _core.functions["sparse_coo_tensor"](*args, dtype=cls.dtype, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and instance.is_sparse and instance.dtype is cls.dtype

    def __str__(cls) -> str:
        return f"torch.sparse.{cls.__name__}"


def sparse_type(name: str) -> _LegacyType:
    """torch.sparse.FloatTensor beside torch.FloatTensor."""
    of_cpu = TYPES[name]
    text = f"PyTorch's older name for COO tensors of dtype {of_cpu.dtype}."
    return _SparseLegacyType(name, (), {"dtype": of_cpu.dtype, "__module__": "chainrule.sparse", "__doc__": text})


def set_default_tensor_type(t: Any) -> None:
    """PyTorch's older set_default_dtype: takes DoubleTensor, or its name.

    >>> torch.set_default_tensor_type(torch.FloatTensor)  # warns
    """
    warn_user(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    if isinstance(t, str):
        name = t.removeprefix("torch.")
        on_gpu = name.startswith("cuda.")
        t = TYPES.get(name.removeprefix("cuda."))
        t = cuda_type(t) if t is not None and on_gpu else t
    dtype = getattr(t, "dtype", None)
    if not isinstance(t, _LegacyType) or dtype is None or not dtype.is_floating_point:
        raise at_call(TypeError, "invalid type object: only floating-point types are supported as the default type")
    t.check_available()
    _core.set_default_dtype(dtype)
    _core.set_default_device("cuda" if t.is_cuda else None)
