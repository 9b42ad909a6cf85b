"""torch.jit.trace: functions and modules as recorded programs, which can be saved."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .._core import Tensor
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..pytree import tree_leaves
from ..user_warning import warn_user
from .program import Program
from .recorder import TracerWarning, record

__all__ = ["ScriptFunction", "ScriptModule", "TopLevelTracedModule", "trace", "trace_module", "traced_module"]

_DICT = (
    "Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid if the "
    "container structure does not change based on the module's inputs. Consider using a constant container instead "
    "(e.g. for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If you absolutely need this and "
    "know the side effects, pass strict=False to trace() to allow this behavior."
)


class _Arguments:
    """The names of a function's arguments, and the tensors in a call."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    def tensors(self, args: tuple, kwargs: Mapping[str, Any], expected: int) -> list[Tensor]:
        """The tensors of a call in the order in which the program takes them."""
        given = dict(kwargs)
        values = [*args, *(given.pop(name) for name in self.names[len(args) :] if name in given)]
        if given:
            raise TypeError(f"the recorded function has no argument {', '.join(map(repr, given))}: {self.names}")
        found = [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor)]
        if len(found) != expected:
            raise RuntimeError(f"the recorded function takes {expected} tensors, but {len(found)} were given")
        return found


def _argument_names(function: Callable) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [name for name, each in inspect.signature(function).parameters.items() if each.kind in kinds]


class ScriptFunction:
    """A recorded function.

    >>> double = torch.jit.trace(lambda x: 2 * x, torch.ones(2))
    >>> double(torch.tensor([1.0, 3.0]))
    tensor([2., 6.])
    """

    def __init__(self, program: Program, names: Sequence[str], name: str) -> None:
        self.program, self.arguments, self.name = program, _Arguments(names), name
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.program.run(self.arguments.tensors(args, kwargs, len(self.program.inputs)), _no_member)

    @property
    def graph(self) -> str:
        """The program, one operation a line."""
        return str(self.program)

    code = graph

    def save(self, f: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Writes the program to a file, which torch.jit.load reads."""
        from .program_file import save

        save(self, f, _extra_files)


def _no_member(name: str) -> Tensor:
    raise AttributeError(name)


class ScriptModule(Module):
    """A recorded module; torch.jit.trace and torch.jit.load make them."""

    refusal = "chainrule records programs with torch.jit.trace, and compiles none from Python's text"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if type(self) is not _TracedSubmodule and not isinstance(self, TopLevelTracedModule):
            raise RuntimeError(f"torch.jit.ScriptModule: {self.refusal}")
        super().__init__()


class _TracedSubmodule(ScriptModule):
    """The parameters and buffers of a part of a recorded module; only the whole can be called."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Raises: operations of parts are not told apart."""
        raise NotImplementedError("chainrule records a module as one program; its parts cannot be called on their own")


class TopLevelTracedModule(ScriptModule):
    """A recorded module with the parameters and buffers of the one that was recorded."""

    def __init__(self, program: Program, names: Sequence[str], name: str) -> None:
        super().__init__()
        self.__dict__["program"], self.__dict__["arguments"] = program, _Arguments(names)
        self.__dict__["original_name"] = name

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the recorded operations."""
        tensors = self.arguments.tensors(args, kwargs, len(self.program.inputs))
        return self.program.run(tensors, self._member)

    def _member(self, name: str) -> Tensor:
        path, _, last = name.rpartition(".")
        return getattr(self.get_submodule(path), last)

    @property
    def graph(self) -> str:
        """The program, one operation a line."""
        return str(self.program)

    inlined_graph = code = graph

    def save(self, f: Any, _extra_files: Mapping[str, Any] | None = None) -> None:
        """Writes the program and its tensors to a file, which torch.jit.load reads."""
        from .program_file import save

        save(self, f, _extra_files)

    def extra_repr(self) -> str:
        """What was recorded."""
        return f"original_name={self.original_name}"


def traced_module(
    program: Program, names: Sequence[str], name: str, members: Mapping[str, tuple[Tensor, bool]]
) -> TopLevelTracedModule:
    """A module for a program, with parameters and buffers by their dotted names; True for buffers that are saved."""
    module = TopLevelTracedModule(program, names, name)
    for dotted, (tensor, persistent) in members.items():
        *path, last = dotted.split(".")
        owner: Module = module
        for part in path:
            if part not in owner._modules:
                owner.add_module(part, _TracedSubmodule())
            inner = owner._modules[part]
            assert inner is not None
            owner = inner
        if isinstance(tensor, Parameter):
            owner.register_parameter(last, tensor)
        else:
            owner.register_buffer(last, tensor, persistent)
    return module


def _members(module: Module) -> dict[str, tuple[Tensor, bool]]:
    saved = module.state_dict(keep_vars=True)
    found: dict[str, tuple[Tensor, bool]] = {}
    for name, tensor in (
        *module.named_parameters(remove_duplicate=False),
        *module.named_buffers(remove_duplicate=False),
    ):
        found[name] = (tensor, name in saved)
    return found


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Sequence[Any] | None = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Mapping[str, Any] | None = None,
    _store_inputs: bool = True,
) -> Any:
    """The function or module as a program: the operations that it calls with these inputs, whatever inputs come later.

    Sizes, branches and loops are as they were with the example. The program shares the module's parameters.

    >>> double = torch.jit.trace(lambda x: 2 * x, torch.ones(2))
    >>> double(torch.tensor([1., 2., 3.]))
    tensor([2., 4., 6.])
    """
    if optimize is not None:
        warn_user("`optimize` is deprecated and has no effect", DeprecationWarning)
    if isinstance(func, (ScriptFunction, TopLevelTracedModule)):
        return func
    if example_kwarg_inputs is not None:
        if example_inputs is not None:
            raise RuntimeError("example_inputs and example_kwarg_inputs: give one of them")
        kwargs, args = dict(example_kwarg_inputs), ()
        if not kwargs:
            raise RuntimeError("example_kwarg_inputs should be a dict")
    elif example_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    else:
        kwargs, args = {}, example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
        args = tuple(example_inputs) if isinstance(example_inputs, list) else args
    made = _recorded(func, args, kwargs, strict)
    if check_trace:
        for inputs in [args, *(check_inputs or ())]:
            _check(func, made, inputs if isinstance(inputs, tuple) else (inputs,), kwargs, check_tolerance)
    return made


def _recorded(func: Any, args: tuple, kwargs: dict, strict: bool) -> ScriptFunction | TopLevelTracedModule:
    body = func.forward if isinstance(func, Module) else func
    names = _argument_names(body)
    if kwargs:  # in the order of the function's own arguments
        kwargs = {name: kwargs[name] for name in [*names, *kwargs] if name in kwargs}
    tensors = [leaf for leaf in tree_leaves([*args, *kwargs.values()]) if isinstance(leaf, Tensor)]
    members = _members(func) if isinstance(func, Module) else {}
    program = record(func, args, kwargs, tensors, {name: tensor for name, (tensor, _) in members.items()})
    if strict and isinstance(program.outputs, dict):
        raise RuntimeError(_DICT)
    if not isinstance(func, Module):
        return ScriptFunction(program, names, getattr(func, "__name__", type(func).__name__))
    module = traced_module(program, names, type(func).__name__, members)
    module.training = func.training
    return module


def _check(func: Any, made: Any, args: tuple, kwargs: Mapping[str, Any], tolerance: float) -> None:
    """Warns if the program gives something else than what was recorded; random numbers are drawn alike for both."""
    from ..random import fork_rng, get_rng_state, set_rng_state
    from ..testing import assert_close

    state = get_rng_state()
    with fork_rng(devices=()):
        expected = func(*args, **kwargs)
        set_rng_state(state)
        found = made(*args, **kwargs)
    try:
        assert_close(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
    except AssertionError as error:
        words = "Output of the recorded program does not match the output of the function: "
        warn_user(words + str(error), TracerWarning)


def trace_module(mod: Module, inputs: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
    """torch.jit.trace of a module's forward, whose example inputs are inputs["forward"]."""
    if list(inputs) != ["forward"]:
        raise NotImplementedError(f"torch.jit.trace_module: chainrule records forward, not {sorted(inputs)}")
    return trace(mod, inputs["forward"], *args, **kwargs)
