"""Modules in other dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ... import __future__ as future
from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...error_words import at_call
from ...user_warning import warn_user
from ..parameter import Parameter
from .members import Members  # at run time, for typing.get_type_hints of modules


def _with_gradient(converted: Tensor, parameter: Tensor, fn: Callable[[Tensor], Tensor]) -> Parameter:
    new = Parameter(converted, parameter.requires_grad)
    if parameter.grad is not None and not converted.is_meta:
        new.grad = fn(parameter.grad).requires_grad_(parameter.grad.requires_grad)
    return new


class ConversionMethods:
    """What Module has to convert all its tensors."""

    _parameters: Members
    _buffers: Members

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replaces the data of parameters and of their gradients, and the buffers, by fn of them."""
        if recurse:
            for module in self.children():  # type: ignore[attr-defined]
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            gradient = parameter.grad
            with no_grad():
                converted = fn(parameter)
                if future.get_swap_module_params_on_conversion():
                    from ...utils.swapping import swap_tensors

                    swap_tensors(parameter, Parameter(converted, parameter.requires_grad))
                elif converted.is_meta is not parameter.is_meta or future.get_overwrite_module_params_on_conversion():
                    self._parameters[name] = _with_gradient(
                        converted, parameter, fn
                    )  # no tensor gets elements, or loses them
                    continue
                else:
                    parameter.data = converted
                if gradient is not None:
                    gradient.data = fn(gradient)
            if gradient is not None:
                parameter.grad = gradient  # a gradient has its parameter's dtype again only now
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Calls fn on every module below, then on this one."""
        for module in self.children():  # type: ignore[attr-defined]
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Converts floating-point and complex tensors: to(dtype), to(device), to(device, dtype), to(tensor)."""
        dtype, device, memory_format, copy = read_to(*args, **kwargs)
        if copy:
            raise at_call(RuntimeError, ".to() does not accept copy argument")
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise at_call(
                TypeError, f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warn_user(
                "Complex modules are a new feature under active development whose design may change, "
                "and some modules might not work as expected when using complex tensors as parameters or buffers. "
                "Please file an issue at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml "
                "if a complex module does not work as expected."
            )

        def convert(t: Tensor) -> Tensor:
            options: dict[str, Any] = {"device": device}
            if dtype is not None and (t.is_floating_point() or t.is_complex()):
                options["dtype"] = dtype
            if memory_format is not None and t.dim() in (4, 5):
                options["memory_format"] = memory_format
            if t.is_meta and device is not None and device.type != "meta":
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device."
                )
            return t.to(**options)

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Replaces every tensor by an uninitialised one on the device."""
        return self._apply(lambda t: _core.functions["empty_like"](t, device=device), recurse)

    def type(self, dst_type: Any) -> Self:
        """Converts every tensor, whole numbers too."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Converts floating-point tensors to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Converts floating-point tensors to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Converts floating-point tensors to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Converts floating-point tensors to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """The module itself: it is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Raises: there is only the CPU."""
        return self.to("cuda" if device is None else device)

    def xpu(self, device: Any = None) -> Self:
        """Raises: there is only the CPU."""
        return self.to("xpu" if device is None else device)

    def mtia(self, device: Any = None) -> Self:
        """Raises: there is only the CPU."""
        return self.to("mtia" if device is None else device)

    def ipu(self, device: Any = None) -> Self:
        """Raises: there is only the CPU."""
        return self.to("ipu" if device is None else device)

    def share_memory(self) -> Self:
        """Moves every tensor to memory that other processes can share."""
        return self._apply(lambda t: t.share_memory_())  # type: ignore[attr-defined]


_DEVICE, _DTYPE = (str, _core.device, int, type(None)), (_core.dtype, type(None))
_OPTIONS: dict[str, tuple] = {"non_blocking": (bool,), "copy": (bool,)}
_FORMS: tuple[dict[str, tuple], ...] = (
    {"device": _DEVICE, "dtype": _DTYPE, **_OPTIONS},
    {"dtype": (_core.dtype,), **_OPTIONS},
    {"tensor": (Tensor,), **_OPTIONS},
)


def read_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, Any, bool]:
    """dtype, device, memory format and whether to copy, of any of the forms of to()."""
    for form in _FORMS:
        given = _bound(form, args, kwargs)
        if given is not None:
            break
    else:
        got = ", ".join(
            [
                *(type(value).__name__ for value in args),
                *(f"{name}={type(value).__name__}" for name, value in kwargs.items()),
            ]
        )
        raise at_call(
            TypeError,
            f"to() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, "
            "*, torch.memory_format memory_format = None)\n"
            " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format "
            "= None)\n"
            " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = "
            "None)",
        )
    rest = given.get("memory_format"), given.get("copy", False)
    if "tensor" in given:
        return given["tensor"].dtype, given["tensor"].device, *rest
    device = given.get("device")
    return given.get("dtype"), None if device is None else _core.device(device), *rest


def _bound(form: dict[str, tuple], args: tuple, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments by name, or None if they are none of this form."""
    names = list(form)
    if len(args) > len(names) or kwargs.keys() & set(names[: len(args)]):
        return None
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    kinds = {**form, "memory_format": (_core.memory_format, type(None))}
    fits = all(name in kinds and isinstance(value, kinds[name]) for name, value in given.items())
    return given if fits and names[0] in {*given, "device"} and not isinstance(given.get("device"), bool) else None
