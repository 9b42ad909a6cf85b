"""Module: the base of everything in nn."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, Self, TypeVar

from ..._core import Tensor
from ...error_words import at_call, name_module
from ...happenings import remember
from ...type_name import typename
from ...user_warning import warn_user
from ..parameter import Buffer, Parameter
from . import hooks
from .conversion import ConversionMethods
from .hooks import (
    HookedCall,
    HookMethods,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .hooks import global_parameter_registration_hooks as _global_parameter_registration_hooks  # noqa: F401
from .members import KINDS, Members, find_member
from .state import _EXTRA_STATE_KEY_SUFFIX, StateMethods, _IncompatibleKeys
from .tree import TreeMethods

__all__ = [
    "_EXTRA_STATE_KEY_SUFFIX",
    "Module",
    "_IncompatibleKeys",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]


def _forward_unimplemented(self: Any, *input: Any) -> None:
    raise at_call(NotImplementedError, f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(TreeMethods, HookMethods, StateMethods, ConversionMethods):
    """A part of a network: parameters, buffers and other modules, found by their names, and a `forward`.

    A subclass calls super().__init__(), assigns its parameters and submodules to attributes, and defines forward.
    Calling the module calls forward and the hooks around it.

    >>> class Double(torch.nn.Module):
    ...     def forward(self, x):
    ...         return 2 * x
    >>> Double()(torch.tensor([1., 2.]))
    tensor([2., 4.])
    """

    T_destination = TypeVar("T_destination", bound=dict[str, Any])
    dump_patches: bool = False
    call_super_init: bool = False
    _also_saved: tuple[str, ...] = ()  # attributes that PyTorch keeps in the state and chainrule calculates
    training: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            _refuse_arguments(type(self).__name__, args, kwargs)
        attributes = self.__dict__
        attributes["training"] = True
        for kind in KINDS:
            attributes[kind] = Members(self)
        attributes["_non_persistent_buffers_set"] = set()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:  # costs nothing until something is raised
            if self._hooked:
                return HookedCall(self, args, kwargs).run()
            if kwargs:
                return self.forward(*args, **kwargs)
            return self.forward(*args)  # cheaper than with an empty dict
        except Exception as error:
            name_module(error, self, args, kwargs)
            raise

    # ---- registering

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or None for one that this module does without."""
        self._check_new_name("parameter", name, self.__dict__.get("_parameters"))
        if param is not None:
            if not isinstance(param, Parameter):
                raise at_call(
                    TypeError,
                    f"cannot assign '{typename(param)}' object to parameter '{name}' "
                    "(torch.nn.Parameter or None required)",
                )
            if param.grad_fn is not None:
                raise at_call(
                    ValueError,
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in the "
                    "forward() method.",
                )
            param = self._offer(hooks.global_parameter_registration_hooks, name, param)
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that is part of the module but no parameter; persistent: and of its state_dict."""
        self._check_new_name("buffer", name, self.__dict__.get("_buffers"))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise at_call(
                TypeError,
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)",
            )
        self._buffers[name] = self._offer(hooks.global_buffer_registration_hooks, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule."""
        if module is not None and not isinstance(module, Module):
            raise at_call(TypeError, f"{typename(module)} is not a Module subclass")
        self._check_new_name("module", name, self.__dict__.get("_modules"))
        self._modules[name] = self._offer(hooks.global_module_registration_hooks, name, module)

    def register_module(self, name: str, module: Module | None) -> None:
        """The same as add_module."""
        self.add_module(name, module)

    def _check_new_name(self, what: str, name: Any, members: dict | None) -> None:
        if members is None:
            raise at_call(AttributeError, f"cannot assign {what} before Module.__init__() call")
        if not isinstance(name, str):
            raise at_call(TypeError, f"{what} name should be a string. Got {typename(name)}")
        if name not in members and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."' + (f", got: {name}" if what == "module" else ""))
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')

    def _offer(self, registration_hooks: dict, name: str, value: Any) -> Any:
        for hook in registration_hooks.values():
            changed = hook(self, name, value)
            if changed is not None:
                value = changed
        return value

    # ---- attributes: see Members

    __getattr__ = find_member

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = self.__dict__
        if isinstance(value, Tensor):
            if isinstance(value, Parameter):
                self._replace("parameter", name)
                self.register_parameter(name, value)
                return
            if isinstance(value, Buffer):
                self._set_buffer(name, value)
                return
        elif isinstance(value, Module):
            self._replace("module", name)
            self._modules[name] = self._offer(hooks.global_module_registration_hooks, name, value)
            return
        if "_modules" in attributes:
            if name in attributes["_parameters"]:
                self._set_none("parameter", name, value, "torch.nn.Parameter")
                return
            if name in attributes["_modules"]:
                self._set_none("child module", name, value, "torch.nn.Module")
                return
            if name in attributes["_buffers"]:
                self._set_buffer(name, value)
                return
            if name in KINDS:
                self._set_members(name, value)
                return
        object.__setattr__(self, name, value)
        if name == "__class__":
            for members in map(attributes.get, KINDS):
                if isinstance(members, Members):
                    members.show()

    def _replace(self, what: str, name: str) -> None:
        """Makes room for a member where there may be another kind of attribute."""
        attributes = self.__dict__
        if "_modules" not in attributes:
            raise at_call(
                AttributeError, f"cannot assign {what}{'s' * (what == 'parameter')} before Module.__init__() call"
            )
        own = "_parameters" if what == "parameter" else "_modules"
        if name not in attributes[own]:
            attributes.pop(name, None)
            for kind in KINDS:
                if name in attributes[kind]:
                    del attributes[kind][name]
            self._non_persistent_buffers_set.discard(name)

    def _set_none(self, what: str, name: str, value: Any, expected: str) -> None:
        if value is not None:
            raise at_call(
                TypeError, f"cannot assign '{typename(value)}' as {what} '{name}' ({expected} or None expected)"
            )
        (self.register_parameter if what == "parameter" else self.add_module)(name, None)

    def _set_buffer(self, name: str, value: Any) -> None:
        if value is not None and not isinstance(value, Tensor):
            raise at_call(
                TypeError,
                f"cannot assign '{typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)",
            )
        known = name not in self._non_persistent_buffers_set
        persistent = value.persistent if isinstance(value, Buffer) else known
        if type(self).register_buffer is Module.register_buffer or _takes_persistent(self.register_buffer):
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise at_call(
                RuntimeError,
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed.",
            )

    def _set_members(self, kind: str, members: Any) -> None:
        """Somebody assigns a whole dict of parameters, buffers or submodules."""
        for name in list(self.__dict__[kind]):
            self.__dict__.pop(name, None)
        self.__dict__[kind] = Members(self, members)

    def __delattr__(self, name: str) -> None:
        for kind in KINDS:
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                self.__dict__.pop(name, None)
                self._non_persistent_buffers_set.discard(name)
                return
        kind = getattr(type(self), name, None)
        if isinstance(kind, hooks.Hooks):  # there whether or not somebody has asked for it
            kind.drop(self)
            return
        object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        for kind in KINDS:
            self.__dict__[kind] = Members(self, state.get(kind, ()))

    def _replicate_for_data_parallel(self) -> Self:
        """A module like this one without parameters of its own; DataParallel gives it copies of them."""
        replica = self.__new__(type(self))
        names = {name for kind in KINDS for name in self.__dict__[kind]}
        replica.__dict__.update({name: value for name, value in self.__dict__.items() if name not in names})
        for kind in KINDS:
            replica.__dict__[kind] = Members(replica, {} if kind == "_parameters" else self.__dict__[kind])
        replica._is_replica = True  # type: ignore[attr-defined]
        return replica

    def __dir__(self) -> list[str]:
        members = (name for kind in KINDS for name in self.__dict__[kind])
        return sorted(name for name in {*dir(type(self)), *self.__dict__, *members} if not name[0].isdigit())

    # ---- modes

    def train(self, mode: bool = True) -> Self:
        """Sets this module and those below it to training, or with False to evaluation."""
        if not isinstance(mode, bool):
            raise at_call(ValueError, "training mode is expected to be boolean")
        if sys._getframe(1).f_code is not _TRAIN:  # the one around it was not asked: this one was
            remember(self)
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """Sets this module and those below it to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Sets whether gradients are calculated for the parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or fills them with zeros."""
        if "_is_replica" in self.__dict__:
            warn_user("Calling .zero_grad() from a module created with nn.DataParallel() has no effect.")
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                if parameter.grad.grad_fn is not None:
                    parameter.grad.detach_()
                else:
                    parameter.grad.requires_grad_(False)
                parameter.grad.zero_()

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Checks the options as torch.compile does. The module runs as it is: chainrule does not compile."""
        from ...compiler import compile as check

        check(self, *args, **kwargs)

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What a subclass wants to be printed about itself."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        return block(self._get_name(), lines + children)


_TRAIN = Module.train.__code__


def indented(text: str) -> str:
    """The text with all lines but the first moved two to the right."""
    return text.replace("\n", "\n  ")


def _addindent(s_: str, numSpaces: int) -> str:  # noqa: N803  (PyTorch's names)
    """The text with all lines but the first moved to the right; packages print with it."""
    return s_.replace("\n", "\n" + " " * numSpaces)


def block(name: str, lines: list[str]) -> str:
    """name(...) with one line each inside."""
    return f"{name}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{name}()"


def _takes_persistent(register_buffer: Callable) -> bool:
    """Whether a subclass's own register_buffer knows of buffers that are not saved."""
    return "persistent" in inspect.signature(register_buffer).parameters


def _refuse_arguments(name: str, args: tuple, kwargs: dict) -> None:
    if kwargs:
        raise at_call(TypeError, f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
    raise at_call(TypeError, f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given")
