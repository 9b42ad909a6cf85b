"""Reducer: averages gradients over processes while the backward pass still makes others."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ... import _core
from ..._core import Tensor
from ...autograd.grad_mode import no_grad
from ...distributed.collectives import all_reduce, broadcast
from ...distributed.grad_bucket import GradBucket
from ...distributed.process_group import ProcessGroup
from ...distributed.reduce_ops import ReduceOp
from ...error_words import at_call
from ...futures import Future
from .buckets import Bucket, cut

"""A hook runs as soon as a parameter's gradient is complete. It copies the gradient, divided by the number of
processes, into its place in a bucket. When a bucket is full, and all before it have been started, so that the order is
the same everywhere, its reduction is started without waiting. MPI moves data only while it is called, so every further
hook looks after what is under way. The hook that fills the last bucket waits for all, and puts the averages into .grad.
The order of the first pass, as rank 0 saw it, is the order of the buckets from then on.

A static graph's first pass only counts how often each parameter's hook runs, which is more than once if several
passes inside the pass (reentrant checkpoints) use it; all is reduced when that pass ends. From then on a gradient is
complete when its hook has run as often.
"""

_functions = _core.functions


class Reducer:
    """Averages the gradients of parameters over the processes of a group. See above.

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
        self.hook: Callable[[GradBucket], Any] | None = None  # the user's way to reduce a bucket
        self.divisor = group.size()
        self.expecting = False  # between a forward pass and the end of its backward pass
        self.started = False  # whether a gradient has come since
        self.passes = 0  # that have ended
        self.counted = not static  # whether `calls` is known
        self.rebuilt = False
        self.order: list[int] = []  # in which gradients came in the last pass
        self.calls = [1] * len(self.params)  # of each parameter's hook in a pass
        self.due: list[int] = []  # those that have not come
        self.queued = False  # whether a static graph's first pass will reduce at its end
        self.unused_everywhere: set[int] = set()
        self.buckets: list[Bucket] = []
        self.bucket_of: list[Bucket] = []  # by parameter
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
        owners = {i: bucket for bucket in self.buckets for i in bucket.members}
        self.bucket_of = [owners[i] for i in range(len(self.params))]
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

    def prepare(self, outputs: Iterable[Tensor], divisor: int | None = None) -> None:
        """Expects a gradient for each parameter that the outputs depend on; called after the forward pass.

        Args:
            divisor: of the sum of gradients; without it, the number of processes.
        """
        self._begin(divisor or self.group.size())
        if not self.counted:
            self._count_calls(outputs)
            return
        if self.find_unused and not self.static:
            reached = _reached(outputs, self.params)
            self.calls = [int(i in reached) for i in range(len(self.params))]
        self.due = self.calls.copy()
        for i, calls in enumerate(self.calls):
            if not calls:
                self._take(i)

    def _begin(self, divisor: int) -> None:
        self.check_finished()
        if self.passes and not self.rebuilt:
            self._rebuild()
        self.divisor = divisor
        self.order, self.expecting, self.started, self.next = [], True, False, 0
        for bucket in self.buckets:
            bucket.expect()

    def _count_calls(self, outputs: Iterable[Tensor]) -> None:
        """Has the pass through the outputs count calls, and reduce everything at its end."""
        self.calls, self.due, self.queued = [0] * len(self.params), [], False
        for output in outputs:
            if output.grad_fn is not None:
                output.register_hook(self._queue_reduction)

    def _queue_reduction(self, gradient: Tensor | None = None) -> None:
        if not self.queued:  # there may be several outputs
            self.queued = True
            _core.queue_callback(self._reduce_what_was_counted)

    def _reduce_what_was_counted(self) -> None:
        self.counted, self.due = True, [0] * len(self.params)
        self.order = list(dict.fromkeys(reversed(self.order)))[::-1]  # complete when the hook ran for the last time
        for i in range(len(self.params)):
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
        self.expecting = False
        missing = [i for i, due in enumerate(self.due or self.calls) if due]
        names = ", ".join(self.names[i] for i in missing)
        numbers = " ".join(map(str, missing))
        raise at_call(
            RuntimeError,
            "Expected to have finished reduction in the prior iteration before starting a new one. This error "
            "indicates that your module has parameters that were not used in producing loss.\n"
            f"  Parameters which did not receive grad for rank {self.group.rank()}: {names}\n"
            f"  Parameter indices which did not receive grad for rank {self.group.rank()}: {numbers}\n"
            "  Enable unused parameter detection by passing find_unused_parameters=True to DistributedDataParallel, "
            "and make sure that all `forward` function outputs participate in calculating loss.",
        )

    # ---- during the backward pass

    def on_gradient(self, i: int) -> None:
        """A parameter's hook runs: its gradient, or one more part of it, is there."""
        if not self.expecting:
            return
        self.started = True
        if not self.counted:
            self._queue_reduction()  # if no output could be found to do so
            self.calls[i] += 1
            self.order.append(i)
        elif self.due[i] == 1:
            self.due[i] = 0
            self.order.append(i)
            self._take(i)
        else:
            self._expect_more(i)

    def _expect_more(self, i: int) -> None:
        """A part of a gradient, of which more come in a static graph; or one too many."""
        if self.due[i] > 1:
            self.due[i] -= 1
            return
        if self.static:
            raise at_call(
                RuntimeError,
                "Your training graph has changed in this iteration: static_graph=True, but the parameter "
                f"{self.names[i]} (index {i}) was used {self.calls[i]} times in the first one, and more often now",
            )
        if not self.calls[i]:
            raise at_call(
                RuntimeError,
                f"The parameter {self.names[i]} got a gradient, although the outputs of forward do not depend on it. "
                "It may be used outside of the forward function, or by a checkpoint with use_reentrant=True, which "
                "hides its parameters: give use_reentrant=False, or static_graph=True if all passes are alike",
            )
        raise at_call(
            RuntimeError,
            "Expected to mark a variable ready only once. This error is caused by one of the following reasons: "
            "1) Use of a module parameter outside the `forward` function. 2) Reused parameters in multiple "
            "reentrant backward passes; static_graph=True allows them if all passes are alike. The parameter is "
            f"{self.names[i]} (index {i}).",
        )

    def _take(self, i: int) -> None:
        """Puts a gradient, or zeros for none, into its bucket, and starts what can be started."""
        bucket, grad = self.bucket_of[i], self.params[i].grad
        view = bucket.views[i]
        share = 1 if self.hook is not None else 1 / self.divisor
        if grad is None:
            view.zero_()
        elif grad is view:
            view.mul_(share)
        else:
            _functions["mul"](grad.detach(), share, out=view)
            if self.as_views:
                self.params[i].grad = view
        bucket.missing -= 1
        self._start_full_buckets()

    def _start_full_buckets(self) -> None:
        if self.next:
            self.buckets[self.next - 1].advance()  # looks after everything under way
        while self.next < len(self.buckets) and not self.buckets[self.next].missing:
            self._start(self.next)
            self.next += 1
        if self.next == len(self.buckets):
            self._finish()

    def _start(self, number: int) -> None:
        bucket = self.buckets[number]
        if self.hook is None:
            bucket.reduction = all_reduce(bucket.memory, group=self.group, async_op=True)
            return
        members = [self.params[i] for i in bucket.members]
        views = [bucket.views[i] for i in bucket.members]
        bucket.reduction = self.hook(GradBucket(number, len(self.buckets), bucket.memory, views, members))
        if not isinstance(bucket.reduction, Future):
            raise at_call(
                RuntimeError,
                f"DDP communication hook: expected a torch.futures.Future, but got {type(bucket.reduction)}",
            )

    def _finish(self) -> None:
        """Waits for all reductions and puts the averages into .grad."""
        self.expecting = False
        if self.passes == 0 if self.static else self.find_unused:
            self._agree_on_unused()
        self.passes += 1
        with no_grad():
            for bucket in self.buckets:
                found = bucket.reduction.wait()
                if self.hook is not None and found is not bucket.memory:
                    bucket.memory.copy_(found.view(-1))
                self._give_back(bucket)

    def _give_back(self, bucket: Bucket) -> None:
        for i in bucket.members:
            param, view = self.params[i], bucket.views[i]
            grad = param.grad
            if grad is view or (i in self.unused_everywhere and grad is None):
                continue
            if self.as_views:
                param.grad = view
            elif grad is None or grad.grad_fn is not None:  # made with create_graph: PyTorch's average has no history
                param.grad = view.clone()
            else:
                grad.copy_(view)

    def _agree_on_unused(self) -> None:
        used = _functions["tensor"](self.calls if self.counted else [0] * len(self.params), dtype=_core.int32)
        all_reduce(used, ReduceOp.MAX, self.group)
        self.unused_everywhere = {i for i, count in enumerate(used.tolist()) if count == 0}

    # ---- instead of a backward pass

    def go_along(self, divisor: int) -> None:
        """Takes part in a pass of the others without gradients of its own; gets the averages all the same."""
        self._begin(divisor)
        for bucket in self.buckets:
            bucket.memory.zero_()
            bucket.missing = 0
        if not self.static:
            self.calls = [int(not self.find_unused)] * len(self.params)
        self._start_full_buckets()


def _hook(reducer: Reducer, i: int) -> Any:
    """The hook of a parameter; it does not keep the reducer alive."""
    reference = weakref.ref(reducer)

    def hook(param: Tensor) -> None:
        alive = reference()
        if alive is not None:
            alive.on_gradient(i)

    return hook


def _reached(outputs: Iterable[Tensor], params: Sequence[Tensor]) -> set[int]:
    """The numbers of the parameters that the outputs depend on."""
    numbers = {id(param): i for i, param in enumerate(params)}
    found: set[int] = set()
    stack: list[Any] = []
    for output in outputs:
        if output.grad_fn is not None:
            stack.append(output.grad_fn)
        elif id(output) in numbers:
            found.add(numbers[id(output)])
    seen = set(stack)
    while stack and len(found) < len(params):
        for node, _ in stack.pop().next_functions:
            if node is None or node in seen:
                continue
            variable = getattr(node, "variable", None)
            if variable is None:
                seen.add(node)
                stack.append(node)
            elif id(variable) in numbers:
                found.add(numbers[id(variable)])
    return found
