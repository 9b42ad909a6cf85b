"""ZeroRedundancyOptimizer: each process keeps the optimiser's state of its share of the parameters only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import Tensor
from ..distributed.algorithms.join import Join, Joinable, JoinHook
from ..distributed.collectives import broadcast
from ..distributed.objects import gather_object
from ..distributed.point_to_point import irecv, isend
from ..distributed.process_group import ProcessGroup, default_group
from ..error_words import at_call
from .optimizer import Optimizer, ParamsT, StateDict

__all__ = ["ZeroRedundancyOptimizer"]

_functions = _core.functions


class _StepsAlong(JoinHook):
    """A process without batches still updates its share for the others."""

    def __init__(self, optimizer: ZeroRedundancyOptimizer):
        self.optimizer = optimizer

    def main_hook(self) -> None:
        """One step."""
        self.optimizer._update()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """Another optimiser with its parameters dealt out: each process updates its share and sends it to the others.

    State, two numbers for each parameter in Adam's case, is so kept once in all processes together. The gradients have
    to be the same everywhere, as DistributedDataParallel makes them; clip_grad_norm_ needs no change therefore.

    Args:
        params: as any optimiser takes them, the same in all processes.
        optimizer_class: the optimiser.
        process_group: the processes; all without it.
        parameters_as_bucket_view: not supported, parameters are sent from their own memory.
        overlap_with_ddp: not supported.
        defaults: the optimiser's options.
    """

    def __init__(
        self,
        params: ParamsT,
        optimizer_class: Any,
        process_group: ProcessGroup | None = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        for name, value in (
            ("parameters_as_bucket_view", parameters_as_bucket_view),
            ("overlap_with_ddp", overlap_with_ddp),
        ):
            if value:
                raise at_call(ValueError, f"ZeroRedundancyOptimizer: {name}=True is not supported")
        Joinable.__init__(self)
        self.process_group = process_group or default_group()
        self._shares: list[list[list[Tensor]]] = []  # by group of parameters, by rank
        self._loads = [0] * self.process_group.size()  # elements by rank
        self._whole: StateDict | None = None
        self._class, self._options = optimizer_class, defaults
        self.optim: Optimizer | None = None
        super().__init__(params, defaults)
        self.optim = optimizer_class(self._own_groups(), **defaults)
        self._copy_options(self._local().param_groups, self.param_groups)

    # ---- shares

    def _own_groups(self) -> list[dict[str, Any]]:
        groups = [{"params": shares[self.process_group.rank()]} for shares in self._shares]
        self._copy_options(self.param_groups, groups)
        return groups

    def _deal_out(self, params: list[Tensor]) -> list[list[Tensor]]:
        """The largest first, each to the process that has least."""
        shares: list[list[Tensor]] = [[] for _ in self._loads]
        for param in sorted(params, key=lambda p: p.numel(), reverse=True):
            rank = self._loads.index(min(self._loads))
            self._loads[rank] += param.numel()
            shares[rank].append(param)
        return shares

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own, and deals them out."""
        super().add_param_group(param_group)
        self._shares.append(self._deal_out(self.param_groups[-1]["params"]))
        if self.optim is not None:
            self.optim.add_param_group(self._own_groups()[-1])

    @staticmethod
    def _copy_options(source: list[dict[str, Any]], target: list[dict[str, Any]]) -> None:
        for one, other in zip(source, target, strict=True):
            other.update({key: value for key, value in one.items() if key not in ("params", "param_names")})

    def _local(self) -> Optimizer:
        assert self.optim is not None
        return self.optim

    # ---- steps

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Updates this process's share, then gets the others' from the processes that have updated them."""
        work = Join.notify_join_context(self)
        if work is not None:
            work.wait()
        return self._update(closure, **kwargs)

    def _update(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        local = self._local()
        self._copy_options(self.param_groups, local.param_groups)
        loss = local.step(**kwargs) if closure is None else local.step(closure=closure, **kwargs)
        works = [
            broadcast(param.detach(), group=self.process_group, group_src=rank, async_op=True)
            for shares in self._shares
            for rank, share in enumerate(shares)
            for param in share
        ]
        for work in works:
            if work is not None:
                work.wait()
        self._copy_options(local.param_groups, self.param_groups)
        return loss

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What this process does while others still have batches."""
        return _StepsAlong(self)

    @property
    def join_device(self) -> _core.device:
        """The CPU."""
        return _core.device("cpu")

    @property
    def join_process_group(self) -> ProcessGroup:
        """The processes."""
        return self.process_group

    # ---- state dicts

    def _numbers(self) -> dict[int, int]:
        """Each parameter's number in a state dict, by its identity."""
        params = [param for group in self.param_groups for param in group["params"]]
        return {id(param): number for number, param in enumerate(params)}

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Collects the whole state in one process, where state_dict() may be called then; all processes call this.

        Args:
            to: its rank.
        """
        self._copy_options(self.param_groups, self._local().param_groups)
        group, numbers = self.process_group, self._numbers()
        root = group.ranks.index(to)
        state = {numbers[id(param)]: values for param, values in self._local().state.items()}
        plans: list[Any] = [None] * group.size()
        tensors = {(number, key): v for number, values in state.items() for key, v in values.items() if _is_tensor(v)}
        plan = {
            number: {key: (tuple(v.shape), v.dtype) if _is_tensor(v) else v for key, v in values.items()}
            for number, values in state.items()
        }
        gather_object(plan, plans if group.rank() == root else None, group=group, group_dst=root)
        if group.rank() != root:
            for work in [isend(tensor, group=group, group_dst=root) for tensor in tensors.values()]:
                if work is not None:
                    work.wait()
            return
        whole: dict[int, Any] = dict(state)
        for rank, other in enumerate(plans):
            if rank != root:
                whole |= self._received(rank, other)
        groups = super().state_dict()["param_groups"]
        self._whole = {"state": dict(sorted(whole.items())), "param_groups": groups}

    def _received(self, rank: int, plan: dict[int, Any]) -> dict[int, Any]:
        """A process's state, whose tensors come in the order of its plan."""
        result: dict[int, Any] = {}
        works = []
        for number, values in plan.items():
            result[number] = {}
            for key, value in values.items():
                if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], _core.dtype):
                    value = _functions["empty"](value[0], dtype=value[1])
                    works.append(irecv(value, group=self.process_group, group_src=rank))
                result[number][key] = value
        for work in works:
            if work is not None:
                work.wait()
        return result

    def state_dict(self) -> StateDict:
        """The whole state, as the optimiser itself would give it; only where consolidate_state_dict() collected it."""
        if self._whole is None:
            raise at_call(
                RuntimeError,
                "Optimizer state has not been consolidated on this rank. Please call `consolidate_state_dict(to="
                f"{self.process_group.ranks[self.process_group.rank()]})` on all ranks beforehand if you meant to save "
                "the global state.",
            )
        return self._whole

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Takes options and this process's share of the state from a state dict of the whole."""
        super().load_state_dict(state_dict)
        self._whole = None
        local = self._local()
        own = {id(param) for group in local.param_groups for param in group["params"]}
        local.state.clear()
        local.state.update({param: values for param, values in self.state.items() if id(param) in own})
        self.state.clear()
        self._copy_options(self.param_groups, local.param_groups)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)
