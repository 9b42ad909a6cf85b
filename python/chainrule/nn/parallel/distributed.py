"""DistributedDataParallel: each process has the whole model and a part of the batch; gradients are averaged."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ... import _core
from ..._core import Tensor
from ...distributed.algorithms.join import Join, Joinable, JoinHook
from ...distributed.collectives import broadcast
from ...distributed.grad_bucket import GradBucket
from ...distributed.objects import all_gather_object
from ...distributed.process_group import ProcessGroup, default_group
from ...error_words import at_call
from ...futures import Future
from ..modules.batchnorm import SyncBatchNorm
from ..modules.module import Module
from .reducer import Reducer
from .uneven_inputs import GoingAlong, announce

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module, Joinable):
    """Calls its module, and averages its gradients over all processes during the backward pass.

    Parameters and buffers are copied from rank 0 when it is made. Gradients are reduced in buckets while the backward
    pass still makes others. The loss of each process should be a mean over its part of the batch: the average over
    processes is then that of the whole batch.

    Args:
        module: the model, the same in all processes.
        device_ids, output_device: GPUs; there are none.
        dim: the batch dimension.
        broadcast_buffers: whether buffers, such as running averages, are copied from rank 0 before each forward pass.
        init_sync: whether parameters and buffers are checked and copied from rank 0 at the beginning.
        process_group: the processes; all without it.
        bucket_cap_mb: how large buckets become; 25 MB without it.
        find_unused_parameters: whether parameters that the outputs do not depend on are looked for, in the graph,
            before each backward pass; without it, a parameter that gets no gradient is an error.
        check_reduction: has had no effect since PyTorch 1.1.
        gradient_as_bucket_view: whether .grad is a part of the bucket's memory instead of a copy.
        static_graph: whether every pass uses the same parameters as the first one; unused ones are looked for once.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
    ) -> None:
        super().__init__()
        Joinable.__init__(self)
        self._divide_by_initial_world_size = True
        self.process_group = process_group or default_group()
        ignored: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        trained = [(name, p) for name, p in module.named_parameters() if p.requires_grad and name not in ignored]
        if not trained:
            raise at_call(
                RuntimeError,
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient.",
            )
        if device_ids or output_device is not None:
            raise at_call(
                ValueError,
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                f"multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
                f"{output_device}, and the module's parameters are on the CPU: leave both out",
            )
        _refuse_uninitialized(trained)
        self.module, self.dim = module, dim
        self.device, self.device_ids, self.output_device = _core.device("cpu"), None, None
        self.broadcast_buffers, self.find_unused_parameters = broadcast_buffers, find_unused_parameters
        self.gradient_as_bucket_view, self.static_graph = gradient_as_bucket_view, static_graph
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.parameters_to_ignore = ignored
        megabytes = 25 if bucket_cap_mb is None else bucket_cap_mb
        self.bucket_bytes_cap = int(megabytes * 1024 * 1024)
        if init_sync:
            _check_same_model(self.process_group, _everything(module, ignored))
            self._copy_model(0)
        self.reducer = Reducer(
            trained,
            self.process_group,
            self.bucket_bytes_cap,
            find_unused_parameters,
            gradient_as_bucket_view,
            static_graph,
        )

    def _copy_from(self, root: int, tensors: list[Tensor]) -> None:
        works = [broadcast(t.detach(), group=self.process_group, async_op=True, group_src=root) for t in tensors]
        for work in works:
            if work is not None:
                work.wait()

    def _copy_model(self, root: int) -> None:
        self._copy_from(root, [t for _, t in _everything(self.module, self.parameters_to_ignore)])

    def _copy_buffers(self, root: int = 0) -> None:
        """Copies one process's buffers into those of all, if this pass needs them."""
        if self.require_forward_param_sync and self.broadcast_buffers:
            self._copy_from(
                root, [b for name, b in self.module.named_buffers() if name not in self.parameters_to_ignore]
            )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module; a backward pass through its outputs averages the gradients."""
        syncs = _core.is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            self.reducer.check_finished()
        if self._join_config.enable:
            source, divisor = announce(self, syncs)
        else:
            source, divisor = 0, self.process_group.size()
        self._copy_buffers(source)
        outputs = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = syncs
        if syncs:
            self.reducer.prepare(_tensors(outputs), divisor)
        return outputs

    def register_comm_hook(self, state: Any, hook: Callable[[Any, GradBucket], Future[Tensor]]) -> None:
        """Has a function reduce each bucket of gradients, instead of an average.

        Args:
            state: its first argument.
            hook: gets the state and a GradBucket and returns a future of the reduced buffer, see
                distributed.algorithms.ddp_comm_hooks.default_hooks.
        """
        if not callable(hook):
            raise at_call(TypeError, "Communication hook must be callable.")
        if self.reducer.hook is not None:
            raise at_call(RuntimeError, "register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = functools.partial(hook, state)

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Join:
        """A context in which processes may have different numbers of batches; those that are done go along.

        Args:
            divide_by_initial_world_size: whether the sum of gradients is divided by the number of all processes,
                otherwise by the number of those that still have batches.
            enable: whether it does anything.
            throw_on_early_termination: whether all raise as soon as one has no more batches.
        """
        together = any(isinstance(module, SyncBatchNorm) for module in self.module.modules())
        if enable and together and not throw_on_early_termination:
            raise at_call(
                ValueError,
                "DistributedDataParallel.join: SyncBatchNorm needs a batch of every process in every pass; "
                "give throw_on_early_termination=True",
            )
        options = {"divide_by_initial_world_size": divide_by_initial_world_size}
        return Join([self], enable, throw_on_early_termination, **options)

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What this process does while others still have batches."""
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return GoingAlong(self)

    @property
    def join_device(self) -> _core.device:
        """The CPU."""
        return self.device

    @property
    def join_process_group(self) -> ProcessGroup:
        """The processes."""
        return self.process_group

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, gradients are added up in this process alone; the next pass outside averages what came together.

        Forward and backward pass both belong inside.
        """
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def _set_static_graph(self) -> None:
        self.static_graph = self.reducer.static = True
        self.reducer.counted = False

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Module, params_and_buffers_to_ignore: Any) -> None:
        setattr(module, "_ddp_params_and_buffers_to_ignore", params_and_buffers_to_ignore)  # noqa: B010

    def __getstate__(self) -> dict[str, Any]:
        """Groups and hooks stay here; loading makes new ones."""
        state = self.__dict__.copy()
        for name in ("process_group", "reducer"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.process_group = default_group()
        named = self.module.named_parameters()
        trained = [(name, p) for name, p in named if p.requires_grad and name not in self.parameters_to_ignore]
        options = (self.find_unused_parameters, self.gradient_as_bucket_view, self.static_graph)
        self.reducer = Reducer(trained, self.process_group, self.bucket_bytes_cap, *options)


def _everything(module: Module, ignored: set[str]) -> list[tuple[str, Tensor]]:
    named = [*module.named_parameters(), *module.named_buffers()]
    return [(name, tensor) for name, tensor in named if name not in ignored]


def _refuse_uninitialized(named: Sequence[tuple[str, Tensor]]) -> None:
    from ..parameter import UninitializedParameter

    if any(isinstance(p, UninitializedParameter) for _, p in named):
        raise at_call(
            RuntimeError,
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward "
            "pass to correctly initialize the modules",
        )


def _check_same_model(group: ProcessGroup, named: list[tuple[str, Tensor]]) -> None:
    """Raises in all processes if their models differ in names, shapes or dtypes."""
    own = [(name, tuple(t.shape), str(t.dtype)) for name, t in named]
    everyone: list[Any] = [None] * group.size()
    all_gather_object(everyone, own, group)
    first = everyone[0]
    for rank, other in enumerate(everyone):
        if len(other) != len(first):
            raise at_call(
                RuntimeError,
                f"DDP expects same model across all ranks, but Rank 0 has {len(first)} params, while rank {rank} has "
                f"inconsistent {len(other)} params.",
            )
        for mine, theirs in zip(first, other, strict=True):
            if mine != theirs:
                raise at_call(
                    RuntimeError,
                    f"DDP expects same model across all ranks, but Rank 0 has {mine[0]} of shape {list(mine[1])} and "
                    f"{mine[2]}, while rank {rank} has {theirs[0]} of shape {list(theirs[1])} and {theirs[2]}.",
                )


def _tensors(value: Any) -> Iterator[Tensor]:
    """The tensors in what a module returns."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _tensors(getattr(value, name))
