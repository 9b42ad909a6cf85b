"""Trading time for memory: a part of the calculation is not kept for backward but done again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import _core
from .._core import Tensor
from ..autograd.differentiate import backward
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..autograd.graph import saved_tensors_hooks
from ..error_words import at_call
from ..user_warning import warn_user
from .checkpoint_frame import CheckpointError, Frame, GraphExecGroup, current_autocast
from .checkpoint_log import OperationLog
from .checkpoint_random import RandomStates
from .checkpoint_random import get_device_states as get_device_states
from .checkpoint_random import set_device_states as set_device_states
from .selective_checkpoint import CheckpointPolicy as CheckpointPolicy
from .selective_checkpoint import SelectiveCheckpointContext as SelectiveCheckpointContext
from .selective_checkpoint import create_selective_checkpoint_contexts as create_selective_checkpoint_contexts

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "GraphExecGroup",
    "checkpoint",
    "checkpoint_sequential",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


_early_stop: bool | None = None


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether doing a calculation again ends as soon as backward has what it needs.

    >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     x = torch.tensor(3., requires_grad=True)
    ...     torch.utils.checkpoint.checkpoint(torch.square, x, use_reentrant=False).backward()
    """
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


_debug: bool | None = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Whether checkpoint() writes operations down, whatever its `debug` says; None leaves it to that.

    >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(False):
    ...     x = torch.tensor(3., requires_grad=True)
    ...     torch.utils.checkpoint.checkpoint(torch.square, x, use_reentrant=False).backward()
    """
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


def noop_context_fn() -> tuple[Any, Any]:
    """The contexts of the first and of the second calculation: nothing.

    >>> len(torch.utils.checkpoint.noop_context_fn())
    2
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


class CheckpointFunction(Function):
    """The older way: backward does the calculation again and runs a backward pass of its own."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable, preserve_rng_state: bool, *args: Any) -> Any:
        ctx.run_function = run_function
        ctx.random_states = RandomStates(args) if preserve_rng_state else None
        ctx.precision = current_autocast()
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.save_for_backward(*(a if isinstance(a, Tensor) else None for a in args))
        return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple:
        if _core.run_selects():
            raise at_call(
                RuntimeError,
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument.",
            )
        inputs = [
            other if t is None else t.detach().requires_grad_(t.requires_grad)
            for t, other in zip(ctx.saved_tensors, ctx.others, strict=True)
        ]
        with contextlib.ExitStack() as stack:
            if ctx.random_states is not None:
                stack.enter_context(ctx.random_states.resumed())
            stack.enter_context(enable_grad())
            stack.enter_context(ctx.precision())
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
        pairs = [(y, g) for y, g in zip(outputs, gradients, strict=True) if isinstance(y, Tensor) and y.requires_grad]
        if not pairs:
            raise at_call(RuntimeError, "none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([y for y, _ in pairs], [g for _, g in pairs])
        return (None, None, *(x.grad if isinstance(x, Tensor) else None for x in inputs))


def checkpoint(
    function: Callable,
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """function(*args, **kwargs), of which nothing is kept for backward: it is called again when backward comes there.

    With use_reentrant=False (recommended) it works with everything that autograd does; with True, backward runs a pass
    of its own inside. The random numbers of the second call are those of the first unless preserve_rng_state=False.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.utils.checkpoint.checkpoint(torch.square, x, use_reentrant=False).backward()
    >>> x.grad
    tensor(6.)
    """
    if use_reentrant is None:
        warn_user(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True."
        )
        use_reentrant = True
    keep_random = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise at_call(ValueError, "Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise at_call(ValueError, "Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        if not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            warn_user("None of the inputs have requires_grad=True. Gradients will be None")
        return CheckpointFunction.apply(function, keep_random, *args)
    if determinism_check not in ("default", "none"):
        raise at_call(
            ValueError, f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    first, second = context_fn()
    early = early_stop if _early_stop is None else _early_stop
    frame = Frame(function, args, kwargs, keep_random, second, determinism_check, early)
    if debug if _debug is None else _debug:
        frame.log = OperationLog()
    with saved_tensors_hooks(frame.pack, frame.unpack), first, frame.log or contextlib.nullcontext():
        output = function(*args, **kwargs)
    frame.completed = True
    return output


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """The functions one after another, cut into `segments` parts that are checkpointed, all but the last.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> steps = [torch.square, torch.square]
    >>> torch.utils.checkpoint.checkpoint_sequential(steps, 2, x, use_reentrant=False).backward()
    >>> x.grad
    tensor(108.)
    """
    if use_reentrant is None:
        warn_user(
            "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In "
            "version 2.9 we will raise an exception if use_reentrant is not passed."
            " use_reentrant=False is recommended."
        )
        use_reentrant = True
    keep_random = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise at_call(ValueError, "Unexpected keyword arguments: " + ",".join(kwargs))
    steps: Sequence[Callable] = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def run(start: int, end: int) -> Callable:
        def forward(value: Any) -> Any:
            for step in steps[start : end + 1]:
                value = step(value)
            return value

        return forward

    size, end = len(steps) // segments, -1
    for start in range(0, size * (segments - 1), size):
        end = start + size - 1
        input = checkpoint(run(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=keep_random)
    return run(end + 1, len(steps) - 1)(input)
