"""Switching recording on and off: no_grad, enable_grad, set_grad_enabled, inference_mode."""

import functools
from collections.abc import Callable
from typing import Any, Self, TypeVar, overload

from .. import _core
from ..user_warning import warn_user

_F = TypeVar("_F", bound=Callable[..., Any])


def _is_generator(function: Any) -> bool:
    """As inspect says; importing that would take as long as half of chainrule."""
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    code = getattr(function, "__code__", None)
    return code is not None and bool(code.co_flags & 0x20)


class _Mode:
    """A context manager that is a decorator too, for functions and generators."""

    _wanted = True

    prev = False

    def __enter__(self):
        self.prev = _core.is_grad_enabled()
        _core.set_grad_enabled(self._wanted)

    def __exit__(self, *exception) -> None:
        _core.set_grad_enabled(self.prev)

    def clone(self):
        return type(self)()

    def __call__(self, function: Any) -> Any:
        if isinstance(function, type):
            warn_user(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
            )
            function.__init__ = self(function.__init__)
            return function
        if _is_generator(function):
            return self._wrap_generator(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped

    def _wrap_generator(self, function):
        # The mode holds while the generator's own code runs, not while its consumer does.
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            generator = function(*args, **kwargs)
            send, value = generator.send, None
            while True:
                try:
                    with self.clone():
                        item = send(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    send, value = generator.send, (yield item)
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    send, value = generator.throw, error

        return wrapped


class _PlainMode(_Mode):
    @overload
    def __new__(cls, orig_func: None = None) -> Self: ...
    @overload
    def __new__(cls, orig_func: _F) -> _F: ...
    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class no_grad(_PlainMode):  # noqa: N801
    """Within it, operations are not recorded: results have requires_grad=False.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    _wanted = False


class enable_grad(_PlainMode):  # noqa: N801
    """Within it, operations are recorded even inside no_grad.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    _wanted = True


class set_grad_enabled(_Mode):  # noqa: N801
    """Switches recording on or off, at once; as a context manager it switches back at the end.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool):
        self.prev, self.mode = _core.is_grad_enabled(), mode
        _core.set_grad_enabled(mode)

    def __enter__(self):
        _core.set_grad_enabled(self.mode)

    def __call__(self, function: Any) -> Any:
        _core.set_grad_enabled(self.prev)
        return super().__call__(function)

    def clone(self):
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(_Mode):  # noqa: N801
    """As no_grad, and what is made within it can never be part of a graph; `inference_mode(False)` ends it.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.inference_mode():
    ...     y = x * 2
    >>> y.is_inference()
    True
    """

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...
    @overload
    def __new__(cls, mode: _F) -> _F: ...
    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True):
        self.mode = mode

    def __enter__(self) -> None:
        self._before = _core.is_inference_mode_enabled(), _core.is_grad_enabled()
        _core.set_inference_mode(self.mode)
        _core.set_grad_enabled(not self.mode)

    def __exit__(self, *exception) -> None:
        inference, recording = self._before
        _core.set_inference_mode(inference)
        _core.set_grad_enabled(recording)

    def clone(self):
        return type(self)(self.mode)


class _Switch(_Mode):
    """A setting that is switched at once; as a context manager it is switched back at the end."""

    def __init__(self, mode: bool):
        self.prev, self.mode = self._get(), mode
        self._set(mode)

    @staticmethod
    def _get() -> bool:
        raise NotImplementedError

    @staticmethod
    def _set(mode: bool) -> None:
        raise NotImplementedError

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception) -> None:
        self._set(self.prev)

    def __call__(self, function: Any) -> Any:
        self._set(self.prev)
        return super().__call__(function)

    def clone(self):
        return type(self)(self.mode)


_multithreading = True


def is_multithreading_enabled() -> bool:
    """What set_multithreading_enabled was given; backward runs on the thread that calls it all the same.

    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return _multithreading


class set_multithreading_enabled(_Switch):  # noqa: N801
    """Kept for PyTorch's programs: backward runs on the thread that calls it, whatever is set here.

    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    _get = staticmethod(is_multithreading_enabled)

    @staticmethod
    def _set(mode: bool) -> None:
        global _multithreading
        _multithreading = mode


class enforce_grad_layout_policy(_Switch):  # noqa: N801
    """Whether a gradient is laid out in memory as its leaf is (the default), or taken as it comes.

    >>> with torch.autograd.enforce_grad_layout_policy(False):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    @staticmethod
    def _get() -> bool:
        return _core.is_grad_layout_enforced()

    @staticmethod
    def _set(mode: bool) -> None:
        _core.set_grad_layout_enforced(mode)
