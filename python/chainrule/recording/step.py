"""record(step): runs a function as usual, then from a recording of what its kernels did."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..pytree import tree_flatten, tree_unflatten
from ..user_warning import warn_user
from .observation import Observation
from .variables import Variables, is_constant

_MOST = 8  # recordings of one step, for different shapes, modes and values
_TRIES = 3  # recordings that find the variables changed, until we take it that each call changes them


class Recorded:
    """One recording, with the form of the arguments and of the result that it is for."""

    def __init__(self, call: Any, spec: Any, constants: list[Any], form: Any, tensors: list[Tensor]) -> None:
        self.call, self.spec, self.constants, self.form, self.tensors = call, spec, constants, form, tensors

    def takes(self, spec: Any, constants: list[Any]) -> bool:
        return self.spec == spec and all(map(_is_same, self.constants, constants))

    def in_form(self, results: tuple) -> Any:
        """What the step returns, of its tensors."""
        spec, leaves = self.form
        return tree_unflatten([results[x.place] if isinstance(x, _Place) else x for x in leaves], spec)


class _Place:
    """Stands for a tensor of a result."""

    def __init__(self, place: int) -> None:
        self.place = place


def _is_same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and is_constant(a) and a == b)


class RecordedStep:
    """A step that is replayed where it can be; what `chainrule.record` gives.

    Attributes:
        reason: why the last call ran as usual, or "".
        replays: how many calls were replayed.
    """

    def __init__(self, step: Callable[..., Any], check_every: int = 0, strict: bool = False) -> None:
        functools.update_wrapper(self, step, updated=())
        self._step, self._check_every, self._strict = step, check_every, strict
        self._recorded: list[Recorded] = []
        self._quick: Any = None  # the last recording of plain tensors that gives one
        self._observed: Observation | None = None
        self._tries = 0
        self._refused = False
        self._lock = threading.Lock()
        self.reason = ""
        self.replays = 0

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        bound = RecordedStep(self._step.__get__(instance, owner), self._check_every, self._strict)
        instance.__dict__.setdefault(self._step.__name__, bound)  # found first from now on
        return bound

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._quick is not None and not kwargs:
            results = self._quick(*args)
            if results is not None:
                self.replays += 1
                return results[0]
        if self._refused or not self._lock.acquire(blocking=False):
            return self._step(*args, **kwargs)
        try:
            return self._call(args, kwargs)
        finally:
            self._lock.release()

    def _call(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if _core.is_recording():  # a step around this one
            return self._step(*args, **kwargs)
        leaves, spec = tree_flatten((args, kwargs))
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        constants = [Tensor if isinstance(x, Tensor) else x for x in leaves]
        for recorded in self._recorded:
            if not recorded.takes(spec, constants):
                continue
            if self._check_every and (self.replays + 1) % self._check_every == 0:
                from .checking import checked_call

                ordinary = functools.partial(self._step, *args, **kwargs)
                found = checked_call(recorded.call, recorded.tensors, tensors, ordinary)
            else:
                found = recorded.call(*tensors)
            if found is not None:
                self.replays += 1
                return recorded.in_form(found)
            if recorded.call.running:
                return self._step(*args, **kwargs)
            self.reason = f"{recorded.call.changed} is another one than before"
        if len(self._recorded) == _MOST:
            self._refuse(f"it was recorded {_MOST} times, and {self.reason or 'its arguments differ each time'}")
            return self._step(*args, **kwargs)
        if self._observed is None:
            self._observed = Observation()
            with self._observed:
                return self._step(*args, **kwargs)
        return self._record(args, kwargs, leaves, spec, constants)

    # ---- recording

    def _record(self, args: tuple, kwargs: dict[str, Any], leaves: list, spec: Any, constants: list) -> Any:
        observed = self._observed
        assert observed is not None
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        others = [x for x in leaves if not isinstance(x, Tensor) and not is_constant(x)]
        before = Variables([self._step, *others], observed)
        known = set(observed.functions), set(observed.selves)
        own = [_own_copy(t) for t in tensors]
        replaced = iter(own)
        own_args, own_kwargs = tree_unflatten([next(replaced) if isinstance(x, Tensor) else x for x in leaves], spec)
        recording = _core.Recording(own, before.tensors)
        try:
            before.watch(recording)
            for t in tensors:
                if type(t) is not Tensor:
                    recording.refuse(f"is given a tensor of the class {type(t).__name__}")
                if t.grad_fn is not None:
                    recording.refuse("is given a tensor that leads back to a graph: give it y.detach()")
            with observed:
                result = self._step(*own_args, **own_kwargs)
        except BaseException:
            self._observed = None  # what ran on the way to an error is no part of the step
            raise
        finally:
            recording.stop()
            for given, copy, written in zip(tensors, own, recording.written, strict=True):
                if written:
                    with _no_grad():
                        given.copy_(copy)
        found, form = tree_flatten(result)
        steady = recording.variables_hold() and known == (set(observed.functions), set(observed.selves))
        problem = _problem(recording, observed, before, steady)
        if steady and not problem and recording.finish([x for x in found if isinstance(x, Tensor)]):
            return self._keep(Recorded(recording, spec, constants, (form, found), before.tensors), tensors)
        return self._give_up(recording, problem, result, tensors, own, steady)

    def _keep(self, recorded: Recorded, tensors: list[Tensor]) -> Any:
        form, found = recorded.form
        places = iter(range(len(found)))
        recorded.form = form, [_Place(next(places)) if isinstance(x, Tensor) else x for x in found]
        self._recorded.insert(0, recorded)
        self._tries, self.reason = 0, ""
        arguments = recorded.spec.children[0].children
        plain = all(c is Tensor for c in recorded.constants) and len(arguments) == len(recorded.constants)
        one = form.is_leaf() and isinstance(found[0], Tensor)
        self._quick = recorded.call if plain and one and not self._check_every else None
        return recorded.in_form(recorded.call.results(*tensors))

    def _give_up(self, recording: Any, problem: str, result: Any, tensors: list, own: list, steady: bool) -> Any:
        """What the call gave all the same. State that a first call makes is there at the next one."""
        self._tries += 1
        if steady or self._tries >= _TRIES:
            self._refuse(problem or _with_line(recording.reason, recording.line))
        with _no_grad():
            for given, copy in zip(tensors, own, strict=True):
                if copy.grad is not None:
                    given.grad = copy.grad.clone() if given.grad is None else given.grad.add_(copy.grad)
        mine = {id(copy): given for given, copy in zip(tensors, own, strict=True)}
        leaves, form = tree_flatten(result)
        return tree_unflatten([mine.get(id(x), x) for x in leaves], form)

    def _refuse(self, why: str) -> None:
        self._refused, self._quick, self.reason = True, None, why
        self._recorded.clear()
        name = getattr(self._step, "__name__", type(self._step).__name__)
        text = f"record({name}): the step runs as usual, for it cannot be replayed: {why}"
        if self._strict:
            raise at_call(RuntimeError, text)
        warn_user(text)


def _no_grad() -> Any:
    from ..autograd.grad_mode import no_grad

    return no_grad()


def _own_copy(t: Tensor) -> Tensor:
    """Where a recording finds an argument: of the same layout, and a leaf if that is one."""
    copy = t.detach().clone()
    return copy.requires_grad_() if t.requires_grad else copy


def _problem(recording: Any, observed: Observation, before: Variables, steady: bool) -> str:
    if observed.obstacles:
        why, file, line = observed.obstacles[0]
        return f"it {why} ({file}:{line})" if file else f"it {why}"
    if recording.reason:
        return _with_line(recording.reason, recording.line)
    if before.obstacle:
        return f"it {before.obstacle}"
    if before.changed_options():
        return "it changes an option of an optimizer"
    if not steady:
        name = recording.changed_name
        return f"it changes the variable {name!r}" if name else "it changes a variable, or does not do the same twice"
    return ""


def _with_line(reason: str, line: Any) -> str:
    if line is None:
        return f"it {reason}"
    file, number, _, text = line
    return f"it {reason} ({file}:{number}: {text})"


def record(step: Callable[..., Any] | None = None, *, check_every: int = 0, strict: bool = False) -> Any:
    """Records what a function's kernels do, and replays that without Python.

    The function (forward, backward, optimizer step, whatever it calls) runs as usual at its first calls; from then on
    its kernels are called again on the same memory. Tensors that it is given are copied in, those that it returns are
    copied out. Parameters, buffers, the optimizer's state and random numbers change as they would. Whatever it depends
    on is looked at before each call: shapes, dtypes, modes, variables, modules and their flags; where something is
    another one, the step is recorded anew. What cannot be replayed (a value that is read, a branch on it, Python's
    random numbers, a variable that it changes, printing) is found while it is recorded: a warning names it with its
    line, and the step goes on running as usual.

    Args:
        step: the function; without it, `record` is a decorator with options.
        check_every: in every so-manieth call the step also runs as usual, and the results have to be equal.
        strict: whether a step that cannot be replayed raises.

    >>> w = torch.tensor([1., 2.], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5)
    >>> def step(x):
    ...     optimizer.zero_grad()
    ...     loss = (w * x).sum()
    ...     loss.backward()
    ...     optimizer.step()
    ...     return loss.detach()
    >>> fast = torch.record(step)
    >>> for _ in range(5):
    ...     loss = fast(torch.ones(2))
    >>> w
    tensor([-1.5000, -0.5000], requires_grad=True)
    >>> fast.replays > 0
    True
    """
    if step is None:
        return functools.partial(record, check_every=check_every, strict=strict)
    if not callable(step):
        raise at_call(TypeError, f"record() takes a function, not {type(step).__name__}")
    return RecordedStep(step, check_every, strict)
