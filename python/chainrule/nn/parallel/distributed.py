"""DistributedDataParallel: each process has the whole model and a part of the batch; gradients are averaged."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ... import _core
from ..._core import Tensor
from ...distributed.collectives import broadcast
from ...distributed.objects import all_gather_object
from ...distributed.process_group import ProcessGroup, default_group
from ..modules.module import Module
from .reducer import Reducer

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
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
        self.process_group = process_group or default_group()
        ignored: set[str] = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        trained = [(name, p) for name, p in module.named_parameters() if p.requires_grad and name not in ignored]
        if not trained:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        if device_ids or output_device is not None:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/"
                f"multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
                f"{output_device}, and the module's parameters are on the CPU: leave both out"
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
            self._copy_from_first([t for _, t in _everything(module, ignored)])
        self.reducer = Reducer(
            trained,
            self.process_group,
            self.bucket_bytes_cap,
            find_unused_parameters,
            gradient_as_bucket_view,
            static_graph,
        )

    def _copy_from_first(self, tensors: list[Tensor]) -> None:
        works = [broadcast(t.detach(), group=self.process_group, async_op=True, group_src=0) for t in tensors]
        for work in works:
            if work is not None:
                work.wait()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Calls the module; a backward pass through its outputs averages the gradients."""
        syncs = _core.is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            self.reducer.check_finished()
        if self.require_forward_param_sync and self.broadcast_buffers:
            buffers = [b for name, b in self.module.named_buffers() if name not in self.parameters_to_ignore]
            self._copy_from_first(buffers)
        outputs = self.module(*inputs, **kwargs)
        self.require_forward_param_sync = syncs
        if syncs:
            self.reducer.prepare(_tensors(outputs))
        return outputs

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
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. Run a dummy forward "
            "pass to correctly initialize the modules"
        )


def _check_same_model(group: ProcessGroup, named: list[tuple[str, Tensor]]) -> None:
    """Raises in all processes if their models differ in names, shapes or dtypes."""
    own = [(name, tuple(t.shape), str(t.dtype)) for name, t in named]
    everyone: list[Any] = [None] * group.size()
    all_gather_object(everyone, own, group)
    first = everyone[0]
    for rank, other in enumerate(everyone):
        if len(other) != len(first):
            raise RuntimeError(
                f"DDP expects same model across all ranks, but Rank 0 has {len(first)} params, while rank {rank} has "
                f"inconsistent {len(other)} params."
            )
        for mine, theirs in zip(first, other, strict=True):
            if mine != theirs:
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank 0 has {mine[0]} of shape {list(mine[1])} and "
                    f"{mine[2]}, while rank {rank} has {theirs[0]} of shape {list(theirs[1])} and {theirs[2]}."
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
