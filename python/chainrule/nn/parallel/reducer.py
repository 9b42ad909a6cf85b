"""Reducer: averages gradients over processes while the backward pass still makes others."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...distributed.collectives import all_reduce, broadcast
from ...distributed.process_group import ProcessGroup
from ...distributed.reduce_ops import ReduceOp
from .buckets import Bucket, cut

"""Note [Reducing gradients]
A hook runs as soon as a parameter's gradient is complete. It copies the gradient, divided by the number of processes,
into its place in a bucket. When a bucket is full, and all before it have been started, so that the order is the same
everywhere, its reduction is started without waiting. MPI moves data only while it is called, so every further hook
looks after what is under way. The hook that fills the last bucket waits for all, and puts the averages into .grad.
The order of the first pass, as rank 0 saw it, is the order of the buckets from then on.
"""

_functions = _core.functions


class Reducer:
    """Averages the gradients of parameters over the processes of a group. See Note [Reducing gradients].

    Args:
        named: the parameters and their names.
        group: the processes.
        bucket_bytes: how large buckets become.
        find_unused: whether the graph is searched for parameters without a gradient before each backward pass.
        as_views: whether .grad is the bucket's memory itself.
        static: whether every pass uses the same parameters as the first one.
    """

    def __init__(
        self,
        named: Sequence[tuple[str, Tensor]],
        group: ProcessGroup,
        bucket_bytes: int,
        find_unused: bool,
        as_views: bool,
        static: bool,
    ):
        self.names = [name for name, _ in named]
        self.params = [param for _, param in named]
        self.group, self.bucket_bytes = group, bucket_bytes
        self.find_unused, self.as_views, self.static = find_unused, as_views, static
        self.expecting = False  # between a forward pass and the end of its backward pass
        self.started = False  # whether a gradient has come since
        self.rebuilt = False
        self.order: list[int] = []  # in which gradients came in the last pass
        self.unused: set[int] = set()  # of this process, in this pass
        self.unused_everywhere: set[int] = set()
        self.static_unused: tuple[set[int], set[int]] | None = None
        self.buckets: list[Bucket] = []
        self.bucket_of: dict[int, Bucket] = {}
        self.next = 0  # the first bucket that is not under way
        self._build(range(len(self.params) - 1, -1, -1))
        self._hooks = [param.register_post_accumulate_grad_hook(_hook(self, i)) for i, param in enumerate(self.params)]

    def remove(self) -> None:
        """Takes the hooks off the parameters."""
        for handle in self._hooks:
            handle.remove()

    def _build(self, order: Iterable[int]) -> None:
        groups = cut(list(order), self.params, self.bucket_bytes)
        self.buckets = [Bucket(group, self.params) for group in groups]
        self.bucket_of = {i: bucket for bucket in self.buckets for i in bucket.members}
        if self.as_views:
            for i, param in enumerate(self.params):
                if param.grad is not None:  # accumulated without a reduction until now
                    self._adopt(i, param)

    def _adopt(self, i: int, param: Tensor) -> None:
        view = self.bucket_of[i].views[i]
        with no_grad():
            view.copy_(param.grad)  # type: ignore[arg-type]
        param.grad = view

    # ---- before the backward pass

    def prepare(self, outputs: Iterable[Tensor]) -> None:
        """Expects a gradient for each parameter that the outputs depend on; called after the forward pass."""
        self.check_finished()
        if not self.rebuilt and self.order:
            self._rebuild()
        self.order, self.expecting, self.started, self.next = [], True, False, 0
        for bucket in self.buckets:
            bucket.expect()
        self.unused, self.unused_everywhere = set(), set()
        if self.static_unused is not None:
            self.unused, self.unused_everywhere = self.static_unused
        elif self.find_unused or self.static:
            self.unused = _unreached(outputs, self.params)
        for i in sorted(self.unused):
            self._take(i)

    def _rebuild(self) -> None:
        """Orders the buckets as rank 0's gradients came."""
        self.rebuilt = True
        if self.find_unused and not self.static:
            return
        known = set(self.order)
        order = self.order + [i for i in range(len(self.params) - 1, -1, -1) if i not in known]
        numbers = _functions["tensor"](order, dtype=_core.int64)
        broadcast(numbers, group=self.group, group_src=0)
        self._build(numbers.tolist())

    def check_finished(self) -> None:
        """Raises, naming them, if parameters got no gradient in the last pass, so that others still wait for it."""
        if not (self.expecting and self.started):
            return
        missing = sorted(i for bucket in self.buckets for i in bucket.missing)
        self.expecting = False
        names = ", ".join(self.names[i] for i in missing)
        numbers = " ".join(map(str, missing))
        raise RuntimeError(
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates that your module has parameters that were not used in producing loss.\n"
            f"  Parameters which did not receive grad for rank {self.group.rank()}: {names}\n"
            f"  Parameter indices which did not receive grad for rank {self.group.rank()}: {numbers}\n"
            "  Enable unused parameter detection by passing find_unused_parameters=True to DistributedDataParallel, "
            "and make sure that all `forward` function outputs participate in calculating loss."
        )

    # ---- during the backward pass

    def on_gradient(self, i: int) -> None:
        """A parameter's gradient is complete."""
        if not self.expecting:
            return
        self.started = True
        if i in self.unused:
            raise RuntimeError(
                f"The parameter {self.names[i]} got a gradient, although the outputs of forward do not depend on it. "
                "It may be used outside of the forward function, or by a checkpoint with use_reentrant=True, which "
                "hides its parameters: give use_reentrant=False"
            )
        if i not in self.bucket_of[i].missing:
            raise RuntimeError(
                "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
                "1) Use of a module parameter outside the `forward` function. 2) Reused parameters in multiple "
                f"reentrant backward passes. The parameter is {self.names[i]} (index {i})."
            )
        self.order.append(i)
        self._take(i)

    def _take(self, i: int) -> None:
        """Puts a gradient, or zeros for none, into its bucket, and starts what can be started."""
        bucket, param = self.bucket_of[i], self.params[i]
        view, grad = bucket.views[i], param.grad
        with no_grad():
            if grad is None:
                view.zero_()
            elif grad is view:
                view.mul_(1 / self.group.size())
            else:
                _functions["mul"](grad.detach(), 1 / self.group.size(), out=view)
                if self.as_views:
                    param.grad = view
        bucket.missing.discard(i)
        self._start_full_buckets()

    def _start_full_buckets(self) -> None:
        if 0 < self.next < len(self.buckets):
            self.buckets[self.next - 1].work.is_completed()  # looks after everything under way
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            bucket = self.buckets[self.next]
            bucket.work = all_reduce(bucket.memory, group=self.group, async_op=True)
            self.next += 1
        if self.next == len(self.buckets):
            self._finish()

    def _finish(self) -> None:
        """Waits for all reductions and puts the averages into .grad."""
        self.expecting = False
        if (self.find_unused or self.static) and self.static_unused is None:
            self._agree_on_unused()
        for bucket in self.buckets:
            bucket.work.wait()
            if not self.as_views:
                self._give_back(bucket)
            else:
                for i in bucket.members:
                    if self.params[i].grad is None and i not in self.unused_everywhere:
                        self.params[i].grad = bucket.views[i]

    def _give_back(self, bucket: Bucket) -> None:
        with no_grad():
            for i in bucket.members:
                param = self.params[i]
                if i in self.unused_everywhere and param.grad is None:
                    continue
                if param.grad is None:
                    param.grad = bucket.views[i].clone()
                elif param.grad.grad_fn is None:
                    param.grad.copy_(bucket.views[i])
                else:  # made with create_graph: PyTorch's average has no history either
                    param.grad = bucket.views[i].clone()

    def _agree_on_unused(self) -> None:
        used = _functions["ones"](len(self.params), dtype=_core.int32)
        for i in self.unused:
            used[i] = 0
        all_reduce(used, ReduceOp.MAX, self.group)
        self.unused_everywhere = {i for i, count in enumerate(used.tolist()) if count == 0}
        if self.static:
            self.static_unused = (self.unused, self.unused_everywhere)


def _hook(reducer: Reducer, i: int) -> Any:
    """The hook of a parameter; it does not keep the reducer alive."""
    reference = weakref.ref(reducer)

    def hook(param: Tensor) -> None:
        alive = reference()
        if alive is not None:
            alive.on_gradient(i)

    return hook


def _unreached(outputs: Iterable[Tensor], params: Sequence[Tensor]) -> set[int]:
    """The numbers of the parameters that the outputs do not depend on."""
    numbers = {id(param): i for i, param in enumerate(params)}
    missing = set(numbers.values())
    stack: list[Any] = []
    for output in outputs:
        if output.grad_fn is not None:
            stack.append(output.grad_fn)
        else:
            missing.discard(numbers.get(id(output), -1))
    seen = set(stack)
    while stack and missing:
        for node, _ in stack.pop().next_functions:
            if node is None or node in seen:
                continue
            variable = getattr(node, "variable", None)
            if variable is not None:
                missing.discard(numbers.get(id(variable), -1))
            else:
                seen.add(node)
                stack.append(node)
    return missing
