"""Records what a function does with its tensors, as a Program."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .._core import Tensor
from ..user_warning import warn_user
from ..utils._python_dispatch import TorchDispatchMode
from .program import Call, Program, Value, replaced

__all__ = ["TracerWarning", "is_recording", "record"]

_ASKED = {
    "__bool__": "Python boolean",
    "item": "Python number",
    "tolist": "Python list",
    "numpy": "NumPy array",
    "__int__": "Python integer",
    "__float__": "Python float",
    "__index__": "Python index",
}
_VIEWS = ("T", "mT", "H", "mH", "real", "imag", "data")
_active = threading.local()


class TracerWarning(Warning):
    """A recorded program may do something else with other inputs."""


def is_recording() -> bool:
    """Whether a function is being recorded, in this thread."""
    return getattr(_active, "depth", 0) > 0


class _Recorder(TorchDispatchMode):
    """A block in which operations are written down, `linear` as one."""

    _takes_apart = False

    def __init__(self, named: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.program = Program()
        self._numbers: dict[int, int] = {}
        self._kept: list[Tensor] = []  # so that no other tensor gets the identity of one that is gone
        self._named = {id(tensor): name for name, tensor in reversed([*named.items()])}

    def number(self, tensor: Tensor) -> int:
        """The number of a tensor, which gets one if it has none."""
        if id(tensor) not in self._numbers:
            self._numbers[id(tensor)] = len(self._kept)
            self.program.kinds[len(self._kept)] = (tuple(tensor.shape), tensor.dtype)
            self._kept.append(tensor)
        return self._numbers[id(tensor)]

    def written(self, tree: Any) -> Any:
        """The tree with a Value in the place of each tensor; those not seen before are members or constants."""
        if isinstance(tree, Tensor):
            new = id(tree) not in self._numbers
            number = self.number(tree)
            if new:
                name = self._named.get(id(tree))
                if name is not None:
                    self.program.names[name] = number
                elif tree.grad_fn is None or tree._base is not None:
                    self.program.constants[number] = tree.detach()
                else:
                    raise RuntimeError(f"torch.jit.trace: cannot tell how a tensor came to be, made by {tree.grad_fn}")
            return Value(number)
        if isinstance(tree, dict):
            changed = {key: self.written(each) for key, each in tree.items()}
            return changed if type(tree) is dict else type(tree)(changed)
        if isinstance(tree, tuple) and hasattr(tree, "_fields"):
            return type(tree)(*[self.written(each) for each in tree])
        if isinstance(tree, (list, tuple)):
            kind = type(tree) if type(tree) in (list, tuple) else tuple
            return kind([self.written(each) for each in tree])
        return tree

    def _watched(self, func: Callable, args: tuple, kwargs: dict) -> Any:
        name = getattr(func, "__name__", "")
        if name in _ASKED and any(isinstance(a, Tensor) and id(a) in self._numbers for a in args):
            self._warn(name)
        return super()._watched(func, args, kwargs)

    def ask(self, name: str, x: Tensor, ask: Callable[[Tensor], Any]) -> Any:
        """An attribute of a tensor that no watcher sees: x.T and its kin are written down, bool(x) is warned of."""
        here = threading.get_ident() == self._thread and id(x) in self._numbers
        if name in _VIEWS:
            found = ask(x)
            if threading.get_ident() == self._thread:
                self._note(f"attribute.{name}", (x,), {}, found)
            return found
        if here:
            self._warn(name)
        return ask(x)

    def _warn(self, name: str) -> None:
        words = f"Converting a tensor to a {_ASKED[name]} might cause the trace to be incorrect: "
        warn_user(words + "the value is a constant of the recorded program", TracerWarning)

    def __torch_dispatch__(self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        found = func(*args, **(kwargs or {}))
        results = found if isinstance(found, (list, tuple)) else (found,)
        if any(isinstance(each, Tensor) for each in results):
            self._note(str(func), args, kwargs or {}, found)
        return found

    def _note(self, op: str, args: tuple, kwargs: dict, found: Any) -> None:
        # Before the results get their numbers: an operation in place gives a tensor that has one.
        args, kwargs = self.written(args), self.written(kwargs)
        is_tuple = isinstance(found, (list, tuple))
        results = tuple(self.number(t) if isinstance(t, Tensor) else None for t in (found if is_tuple else (found,)))
        self.program.calls.append(Call(op, args, kwargs, results, is_tuple))


@contextlib.contextmanager
def _asking(recorder: _Recorder) -> Iterator[None]:
    """A block in which the recorder hears of attributes of tensors."""
    before = {name: vars(Tensor)[name] for name in (*_VIEWS, "__bool__", "__int__", "__float__", "__index__")}

    def heard(name: str) -> Any:
        function = before[name].__get__
        if name in _VIEWS:
            return property(lambda x: recorder.ask(name, x, function))
        return lambda x: recorder.ask(name, x, before[name])

    for name in before:
        setattr(Tensor, name, heard(name))
    try:
        yield
    finally:
        for name, descriptor in before.items():
            setattr(Tensor, name, descriptor)


def record(
    function: Callable, args: tuple, kwargs: Mapping[str, Any], tensors: list[Tensor], named: Mapping[str, Tensor]
) -> Program:
    """Calls a function and gives what it did.

    Args:
        tensors: the tensors among its arguments, which are the program's inputs.
        named: the tensors that have a name: parameters and buffers.
    """
    recorder = _Recorder(named)
    recorder.program.inputs = [recorder.number(tensor) for tensor in tensors]
    _active.depth = getattr(_active, "depth", 0) + 1
    try:
        with recorder, _asking(recorder):
            found = function(*args, **kwargs)
    finally:
        _active.depth -= 1
    recorder.program.outputs = recorder.written(found)
    return _without_dead(recorder.program)


def _without_dead(program: Program) -> Program:
    """The program without calls whose results nobody uses and that change nothing."""
    used: set[int] = set()
    replaced(program.outputs, lambda value: used.add(value.number))
    kept: list[Call] = []
    for call in reversed(program.calls):
        name = call.op.split(".")[1]
        changes = name.endswith("_") or "out" in call.kwargs or "norm" in name or "rand" in name or "dropout" in name
        if changes or any(number in used for number in call.results):
            kept.append(call)
            replaced((call.args, call.kwargs), lambda value: used.add(value.number))
    program.calls = kept[::-1]
    program.constants = {number: tensor for number, tensor in program.constants.items() if number in used}
    program.names = {name: number for name, number in program.names.items() if number in used}
    return program
