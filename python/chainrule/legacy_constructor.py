"""Tensor(2, 3), Tensor([1., 2.]): PyTorch's old constructor."""

from . import _core
from ._core import Tensor


def construct(cls: type, *args, **kwargs) -> Tensor:
    """A float tensor of the given sizes, or with the given data; a subclass's instance where asked."""
    kwargs.pop("device", None)
    if kwargs:
        raise TypeError(f"new() received an unexpected keyword argument '{next(iter(kwargs))}'")
    data = _data(args)
    return data if cls is Tensor else _core.make_subclass(cls, data, False)


def _data(args: tuple) -> Tensor:
    functions = _core.functions
    if not args:
        return functions["empty"](0)
    if all(isinstance(a, int) for a in args):
        return functions["empty"](*args)
    if len(args) != 1:
        raise TypeError(f"new() received an invalid combination of arguments - got {len(args)} values")
    (data,) = args
    if isinstance(data, _core.Size):
        return functions["empty"](data)
    if isinstance(data, Tensor):
        return data.detach()
    return functions["tensor"](data, dtype=_core.get_default_dtype())
