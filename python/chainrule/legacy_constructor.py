"""Tensor(2, 3), Tensor([1., 2.]): PyTorch's old constructor."""

from collections.abc import Sequence

from . import _core
from ._core import Tensor


def construct(cls: type, *args, **kwargs) -> Tensor:
    """A float tensor of the given sizes, or with the given data; a subclass's instance where asked."""
    device = kwargs.pop("device", None)
    _check_device(device)
    if device is not None and args and isinstance(args[0], Tensor):
        raise RuntimeError(
            "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
            "torch.tensor(...) or torch.as_tensor(...) instead."
        )
    if not args and len(kwargs) == 1 and next(iter(kwargs)) in ("size", "data"):
        name, value = kwargs.popitem()
        args = (_core.Size(value) if name == "size" else value,)
    if kwargs:
        raise TypeError(f"new() received an unexpected keyword argument '{next(iter(kwargs))}'")
    data = _data(args)
    return data if cls is Tensor else _core.make_subclass(cls, data, False)


def _check_device(device) -> None:
    if device is None:
        return
    try:
        _core.device(device)
    except AssertionError:
        raise RuntimeError(
            f"legacy constructor expects device type: cpu but device type: {device} was passed"
        ) from None


def _data(args: tuple) -> Tensor:
    empty, tensor = _core.functions["empty"], _core.functions["tensor"]
    if len(args) == 1 and not _is_size(args[0]):
        (data,) = args
        if isinstance(data, Tensor):
            return data.detach()
        if not isinstance(data, Sequence) and not hasattr(data, "__array__"):
            raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
        return tensor(data, dtype=_core.get_default_dtype())
    for i, size in enumerate(args, 1):
        if not _is_size(size):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {i} with error "
                f'"type must be tuple of ints,but got {type(size).__name__}"'
            )
    return empty(*args) if args else empty(0)


def _is_size(value) -> bool:
    return isinstance(value, _core.Size) or (isinstance(value, int) and not isinstance(value, bool))
