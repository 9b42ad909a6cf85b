"""Parameter and Buffer: tensors that a module counts among its own; and those whose shape is not known yet."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..overrides import _disabled_torch_function_impl

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]

_empty = _core.functions["empty"]


class _ParameterType(type(Tensor)):
    """Counts tensors of other classes that were made parameters as instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False):
            return True
        return super().__instancecheck__(instance)


_ParameterMeta = _ParameterType  # PyTorch's name


class Parameter(Tensor, metaclass=_ParameterType):
    """The memory of `data` as a leaf that requires a gradient; what is calculated from it is a plain tensor.

    Args:
        data: the tensor; without one the parameter is empty. A tensor of a subclass keeps its class.
        requires_grad: whether gradients are calculated for it.

    >>> torch.nn.Parameter(torch.tensor([1., 2.]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            return _core.make_subclass(cls, _empty(0), requires_grad)
        if type(data) is Tensor or type(data) is Parameter:
            return _core.make_subclass(cls, data, requires_grad)
        parameter: Any = data.detach().requires_grad_(requires_grad)
        if type(parameter) is not type(data):
            raise at_call(
                RuntimeError,
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(parameter).__name__} was found instead.",
            )
        setattr(parameter, "_is_param", True)  # noqa: B010  (no attribute of plain tensors)
        return parameter

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]  (no method, as in PyTorch)

    def __deepcopy__(self, memo: dict) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)


_core.set_parameter_type(Parameter)


def fresh(*shape: int, device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter of this shape, uninitialised."""
    return Parameter(_empty(shape, device=device, dtype=dtype))


class _BufferType(type(Tensor)):
    """A buffer is any tensor that carries the mark."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False):
            return True
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that becomes a buffer of the module it is assigned to, without register_buffer.

    Args:
        data: the tensor; without one the buffer is empty.
        persistent: whether it is part of the module's state_dict.

    >>> class Scaled(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = torch.nn.Buffer(torch.tensor(2.))
    >>> Scaled().state_dict()
    OrderedDict([('scale', tensor(2.))])
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        given: Tensor = _empty(0) if data is None else data
        buffer: Any = given.detach().requires_grad_(given.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


class UninitializedTensorMixin:
    """A tensor without a shape; materialize() gives it one and makes it an ordinary parameter or buffer."""

    cls_to_become: type
    _allowed_methods = frozenset(
        (
            *("__hash__", "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "bfloat16"),
            *("char", "short", "int", "long", "cuda", "cpu", "to", "type", "get_device", "requires_grad_"),
            *("__get__", "__set__"),  # of the properties: data, grad, dtype ...
        )
    )

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Takes memory for the shape, uninitialised."""
        self.data = _empty(shape, device=device, dtype=self.data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise at_call(
            RuntimeError,
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
            "Call `forward` to initialize the parameters before accessing their attributes.",
        )

    def share_memory_(self) -> Any:
        raise at_call(
            RuntimeError,
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`.",
        )

    def __repr__(self, **kwargs: Any) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)

    def __deepcopy__(self: Any, memo: dict) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if func.__name__ in cls._allowed_methods:
            return super().__torch_function__(func, types, args, kwargs or {})  # type: ignore[misc]
        raise at_call(
            ValueError,
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions",
        )


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape the first input will tell.

    >>> torch.nn.UninitializedParameter()
    <UninitializedParameter>
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return _core.make_subclass(cls, _empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape the first input will tell.

    >>> torch.nn.UninitializedBuffer()
    <UninitializedBuffer>
    """

    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        buffer: Any = _core.make_subclass(cls, _empty(0, device=device, dtype=dtype), requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def is_lazy(param: Any) -> bool:
    """Whether the tensor has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)
