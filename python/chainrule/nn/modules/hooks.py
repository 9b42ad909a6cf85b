"""The hooks of modules: where they are kept, how they are added, and a call that runs them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...error_words import at_call
from ...tensor_methods import RemovableHandle
from ...user_warning import warn_user

if TYPE_CHECKING:
    from .module import Module

global_backward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
global_backward_hooks: OrderedDict[int, Callable] = OrderedDict()
global_forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()
global_forward_hooks: OrderedDict[int, Callable] = OrderedDict()
global_forward_hooks_with_kwargs: dict[int, bool] = {}
global_forward_hooks_always_called: dict[int, bool] = {}
global_buffer_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
global_module_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
global_parameter_registration_hooks: OrderedDict[int, Callable] = OrderedDict()


class Hooks:
    """The hooks of one kind: made when first asked for, so that a module without hooks neither makes nor checks any.

    Those that run in a call mark the module: `Module.__call__` looks at `_hooked` alone.
    """

    def __init__(self, *, in_call: bool):
        self.in_call = in_call

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, module: Any, owner: type | None = None) -> Any:
        if module is None:
            return self
        hooks = module.__dict__[self.name] = OrderedDict()
        if self.in_call:
            module.__dict__["_hooked"] = True
        return hooks

    def drop(self, module: Any) -> None:
        """Forgets the module's hooks of this kind."""
        module.__dict__.pop(self.name, None)


class HookHandle(RemovableHandle):
    """Takes a hook back, and what was noted about it."""

    def __init__(self, hooks: dict, *notes: dict):
        super().__init__(hooks)
        self._notes = notes

    def remove(self) -> None:
        super().remove()
        for note in self._notes:
            note.pop(self.id, None)


class BoundHook:
    """A hook that is given its module first and does not keep the module alive."""

    def __init__(self, hook: Callable, module: Module | None = None):
        self.hook = hook
        self.module = None if module is None else ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.module is None:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise at_call(RuntimeError, "You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __reduce__(self):
        return BoundHook, (self.hook, None if self.module is None else self.module())


def add_hook(hooks: OrderedDict, hook: Callable, *notes: tuple[dict, bool], prepend: bool = False) -> HookHandle:
    """Adds a hook, at the end or in front, and notes what is true of it in the dicts beside."""
    handle = HookHandle(hooks, *(note for note, _ in notes))
    hooks[handle.id] = hook
    for note, applies in notes:
        if applies:
            note[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


class _Refused:
    REGULAR = "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    GLOBAL = "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    WAY_OUT = "Please use only one of them."


class HookMethods:
    """What Module has to do with hooks."""

    _hooked: bool = False
    _is_full_backward_hook: bool | None = None
    _backward_pre_hooks = Hooks(in_call=True)
    _backward_hooks = Hooks(in_call=True)
    _forward_pre_hooks = Hooks(in_call=True)
    _forward_hooks = Hooks(in_call=True)
    _forward_pre_hooks_with_kwargs = Hooks(in_call=False)
    _forward_hooks_with_kwargs = Hooks(in_call=False)
    _forward_hooks_always_called = Hooks(in_call=False)

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls hook(module, args) before forward, with_kwargs: hook(module, args, kwargs); it may return new ones."""
        noted = (self._forward_pre_hooks_with_kwargs, with_kwargs)
        return add_hook(self._forward_pre_hooks, hook, noted, prepend=prepend)

    def register_forward_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Calls hook(module, args, output) after forward; what it returns replaces the output.

        Args:
            prepend: run before the hooks that are there already.
            with_kwargs: call hook(module, args, kwargs, output).
            always_call: call the hook even if forward raised.
        """
        noted = (self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)
        return add_hook(self._forward_hooks, hook, *noted, prepend=prepend)

    def register_full_backward_pre_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls hook(module, grad_output) before the gradients of the module's inputs are calculated."""
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook: Callable, prepend: bool = False) -> RemovableHandle:
        """Calls hook(module, grad_input, grad_output) when they are calculated; it may return a new grad_input."""
        if self._is_full_backward_hook is False:
            raise at_call(RuntimeError, _Refused.REGULAR + _Refused.WAY_OUT)
        self._is_full_backward_hook = True
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook: Callable) -> RemovableHandle:
        """Hooks the last operation of forward only. Deprecated: use register_full_backward_hook."""
        if self._is_full_backward_hook is True:
            raise at_call(RuntimeError, _Refused.REGULAR + _Refused.WAY_OUT)
        self._is_full_backward_hook = False
        return add_hook(self._backward_hooks, hook)


# ---- hooks of all modules


class _Global:
    is_full_backward_hook: bool | None = None


class _GlobalHandle(HookHandle):
    def remove(self) -> None:
        super().remove()
        _mark_all_modules()


def _mark_all_modules() -> None:
    HookMethods._hooked = bool(
        global_backward_pre_hooks or global_backward_hooks or global_forward_pre_hooks or global_forward_hooks
    )


def _add_global(hooks: OrderedDict, hook: Callable, *notes: tuple[dict, bool]) -> RemovableHandle:
    handle = add_hook(hooks, hook, *notes)
    handle.__class__ = _GlobalHandle
    _mark_all_modules()
    return handle


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, args) before every module's forward."""
    return _add_global(global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls hook(module, args, output) after every module's forward."""
    noted = (global_forward_hooks_with_kwargs, with_kwargs), (global_forward_hooks_always_called, always_call)
    return _add_global(global_forward_hooks, hook, *noted)


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, grad_output) in every module's backward."""
    return _add_global(global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, grad_input, grad_output) in every module's backward."""
    return _add_global_backward(hook, full=True)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Hooks the last operation of every module. Deprecated: use register_module_full_backward_hook."""
    return _add_global_backward(hook, full=False)


def _add_global_backward(hook: Callable, *, full: bool) -> RemovableHandle:
    if _Global.is_full_backward_hook is (not full):
        raise at_call(RuntimeError, _Refused.GLOBAL + _Refused.WAY_OUT)
    _Global.is_full_backward_hook = full
    return _add_global(global_backward_hooks, hook)


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, name, buffer) when a buffer is registered; what it returns takes the buffer's place."""
    return add_hook(global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, name, submodule) when a submodule is registered."""
    return add_hook(global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls hook(module, name, parameter) when a parameter is registered."""
    return add_hook(global_parameter_registration_hooks, hook)


# ---- the call


class HookedCall:
    """One call of a module that has hooks, or of any module while there are global ones."""

    def __init__(self, module: Module, args: tuple, kwargs: dict):
        self.module, self.args, self.kwargs = module, args, kwargs
        self.result: Any = None
        self.called: set[int] = set()

    def run(self) -> Any:
        try:
            self._run_pre_hooks()
            self._run_forward()
            return self.result
        except Exception:
            self._run_hooks_that_are_always_called()
            raise

    def _run_pre_hooks(self) -> None:
        module = self.module
        for id, hook in [*global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()]:
            if id not in module._forward_pre_hooks_with_kwargs:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)
                continue
            changed = hook(module, self.args, self.kwargs)
            if changed is None:
                continue
            if not isinstance(changed, tuple) or len(changed) != 2:
                raise at_call(
                    RuntimeError,
                    f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}.",
                )
            self.args, self.kwargs = changed

    def _run_forward(self) -> None:
        full, regular = self._backward_hooks()
        before = [*global_backward_pre_hooks.values(), *self.module._backward_pre_hooks.values()]
        backward = _watcher(self.module, full, before)
        if backward:
            self.args = backward.watch_inputs(self.args)
        self.result = self.module.forward(*self.args, **self.kwargs)
        for id, hook in [*global_forward_hooks.items(), *self.module._forward_hooks.items()]:
            if self._is_always_called(id):
                self.called.add(id)
            self._run_hook(id, hook)
        if backward:
            self.result = backward.watch_outputs(self.result)
        if regular:
            from .backward_hooks import hook_first_node

            hook_first_node(self.args, self.result, [BoundHook(hook, self.module) for hook in regular])

    def _backward_hooks(self) -> tuple[list, list]:
        full, regular = [], []
        for is_full, hooks in (
            (_Global.is_full_backward_hook, global_backward_hooks),
            (self.module._is_full_backward_hook, self.module._backward_hooks),
        ):
            (full if is_full else regular).extend(hooks.values())
        return full, regular

    def _is_always_called(self, id: int) -> bool:
        return id in self.module._forward_hooks_always_called or id in global_forward_hooks_always_called

    def _run_hook(self, id: int, hook: Callable) -> None:
        if id in self.module._forward_hooks_with_kwargs or id in global_forward_hooks_with_kwargs:
            changed = hook(self.module, self.args, self.kwargs, self.result)
        else:
            changed = hook(self.module, self.args, self.result)
        if changed is not None:
            self.result = changed

    def _run_hooks_that_are_always_called(self) -> None:
        for kind, hooks in (
            ("global module", global_forward_hooks),
            ("module", self.module._forward_hooks),
        ):
            for id, hook in list(hooks.items()):
                if not self._is_always_called(id) or id in self.called:
                    continue
                try:
                    self._run_hook(id, hook)
                except Exception as error:
                    warn_user(
                        f"{kind} forward hook with ``always_call=True`` raised an exception "
                        f"that was silenced as another error was raised in forward: {error!s}"
                    )


def _watcher(module: Module, hooks: list[Callable], pre_hooks: list[Callable]) -> Any:
    if not hooks and not pre_hooks:
        return None
    from .backward_hooks import BackwardHook

    return BackwardHook(module, hooks, pre_hooks)
