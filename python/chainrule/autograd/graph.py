"""The recorded graph: its nodes, edges and hooks, and what happens to tensors that it saves."""

from __future__ import annotations

import contextlib
from _thread import _local
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import _core
from .._core import Node, Tensor
from ..error_words import at_call
from ..tensor_methods import RemovableHandle, _add_hook

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


# ---- nodes


def _register_hook(self: Node, fn: Callable) -> RemovableHandle:
    """Calls `fn(grad_inputs, grad_outputs)` after this node ran; what it returns replaces grad_inputs."""
    return _add_hook(self._hooks(), fn)


def _register_prehook(self: Node, fn: Callable) -> RemovableHandle:
    """Calls `fn(grad_outputs)` before this node runs; what it returns replaces grad_outputs."""
    return _add_hook(self._prehooks(), fn)


class InputMetadata(NamedTuple):
    """What a node knows of the gradient that it takes for one of its outputs."""

    shape: tuple[int, ...]
    dtype: Any
    device: Any
    is_nested_tensor: bool = False


def _input_metadata(self: Node) -> list[InputMetadata]:
    return [InputMetadata(_core.Size(shape), dtype, _core.device("cpu")) for shape, dtype in self._outputs]


Node.register_hook = _register_hook
Node.register_prehook = _register_prehook
Node._input_metadata = property(_input_metadata)


# ---- edges


class GradientEdge(NamedTuple):
    """A place in the graph: an output of a node. autograd.grad and backward take it wherever they take a tensor.

    >>> x = torch.ones(2, requires_grad=True) * 2
    >>> torch.autograd.graph.get_gradient_edge(x).output_nr
    0
    """

    node: Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of `tensor` arrives; for a leaf, its AccumulateGrad node.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> torch.autograd.graph.get_gradient_edge(x * x).output_nr
    0
    """
    if not tensor.requires_grad:
        raise at_call(
            RuntimeError, "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    node: Any = tensor.grad_fn
    if node is None:
        with _recording():
            node = tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr)


@contextlib.contextmanager
def _recording() -> Iterator[None]:
    before = _core.is_grad_enabled()
    _core.set_grad_enabled(True)
    try:
        yield
    finally:
        _core.set_grad_enabled(before)


def as_tensor(place: Any) -> Any:
    """A tensor that stands for an edge in the engine; tensors stay what they are."""
    return _core.tensor_at(place.node, place.output_nr) if isinstance(place, GradientEdge) else place


# ---- saved tensors


class _State(_local):  # threading.local, without the rest of threading
    message: str | None = None  # why hooks may not be used
    mutable = False  # inside allow_mutation_on_saved_tensors


_state = _State()


class saved_tensors_hooks:  # noqa: N801
    """Within it, `pack_hook(tensor)` says what is kept of a saved tensor and `unpack_hook` makes it a tensor again.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> with torch.autograd.graph.saved_tensors_hooks(lambda t: t.item(), torch.tensor):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> Any:
        if _state.message is not None:
            raise at_call(RuntimeError, _state.message)
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise at_call(TypeError, f"saved_tensors_hooks(): expected a function, not {type(hook).__name__}")
        _core.push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *exception: Any) -> None:
        _core.pop_saved_hooks()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps saved tensors of GPUs on the CPU until backward needs them; those of the CPU stay what they are.

    Args:
        pin_memory: keeps them in pinned memory, from which a GPU copies by itself.

    >>> x = torch.tensor(3., requires_grad=True)
    >>> with torch.autograd.graph.save_on_cpu():
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        def pack(tensor: Tensor) -> Tensor | tuple[_core.device, Tensor]:
            if not tensor.is_cuda:
                return tensor
            here = tensor.cpu()
            return tensor.device, here.pin_memory() if pin_memory else here

        def unpack(packed: Tensor | tuple[_core.device, Tensor]) -> Tensor:
            return packed if isinstance(packed, Tensor) else packed[1].to(packed[0], non_blocking=pin_memory)

        super().__init__(pack, unpack)


class disable_saved_tensors_hooks(contextlib.ContextDecorator):  # noqa: N801
    """Within it, entering saved_tensors_hooks raises with this message.

    >>> with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
    ...     y = torch.ones(2, requires_grad=True) ** 2
    """

    def __init__(self, error_message: str):
        self.message = error_message

    def __enter__(self) -> None:
        if _core.saved_hooks_depth():
            raise at_call(RuntimeError, self.message)
        self.before, _state.message = _state.message, self.message

    def __exit__(self, *error: object) -> None:
        _state.message = self.before


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Counts a write that the library did not see, so that saved tensors are known to be overwritten.

    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x)
    >>> x._version
    1
    """
    several = tensor if isinstance(tensor, Iterable) and not isinstance(tensor, Tensor) else (tensor,)
    tensors = tuple(several)
    if not all(isinstance(t, Tensor) for t in tensors):
        raise at_call(RuntimeError, "increment_version expect a Iterable[Tensor] as input")
    for t in tensors:
        _core.increment_version(t)


# ---- hooks on several tensors


class _Handles:
    """Takes several hooks back."""

    def __init__(self, handles: Sequence[RemovableHandle]):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Handles:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable, *, mode: str = "all") -> _Handles:
    """Calls `fn` once per backward: with all gradients when they are there, or (mode="any") with the first.

    >>> x, y = torch.tensor(3., requires_grad=True), torch.tensor(4., requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * y).backward()
    [tensor(4.), tensor(3.)]
    """
    if mode not in ("all", "any"):
        raise at_call(ValueError, f"Expects mode to be one of ('all', 'any') but got {mode}")
    for t in tensors:
        if not t.requires_grad:
            raise AssertionError("Expected gradient function to be set: one of the tensors does not require a gradient")
    return _Handles(_watch_all(tensors, fn) if mode == "all" else _watch_any(tensors, fn))


def _watch_any(tensors: Sequence[Tensor], fn: Callable) -> list[RemovableHandle]:
    seen_in: list[int] = [-1]  # the pass whose first gradient was seen

    def hook(gradient: Tensor) -> None:
        if seen_in[0] != _core.current_run():
            seen_in[0] = _core.current_run()
            fn(gradient)

    return [t.register_hook(hook) for t in tensors]


def _watch_all(tensors: Sequence[Tensor], fn: Callable) -> list[RemovableHandle]:
    """Which of the tensors this pass reaches is known from the graph when the first gradient arrives."""
    passes: dict[int, list] = {}  # by pass: how many gradients are still to come, and the gradients
    places = [get_gradient_edge(t)[:2] for t in tensors]

    def make_hook(i: int) -> Callable:
        def hook(gradient: Tensor) -> None:
            run = _core.current_run()
            if run not in passes:
                passes[run] = [sum(_core.run_reaches(*place) for place in places), [None] * len(tensors)]
            state = passes[run]
            state[0] -= 1
            state[1][i] = gradient
            if state[0] == 0:
                del passes[run]
                fn(state[1])

        return hook

    return [t.register_hook(make_hook(i)) for i, t in enumerate(tensors)]


from .saved_mutation import allow_mutation_on_saved_tensors  # noqa: E402  it needs the hooks above
