"""torch.autograd.profiler: the profiler under its older name."""

from __future__ import annotations

from typing import Any

from ..compat.refusal import refused_class
from ..error_words import at_call
from ..profiler.events import EventList, FunctionEvent, FunctionEventAvg
from ..profiler.session import profile as _profile
from ..profiler.tracer import record_function
from ..user_warning import warn_user

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "profile", "record_function"]


class profile(_profile):  # noqa: N801
    """Within it operations are timed; with enabled=False it is an ordinary block. `use_kineto` chooses between two
    engines of PyTorch's, and `with_modules` concerns TorchScript: neither changes anything here.

    >>> with torch.autograd.profiler.profile() as profiled:
    ...     y = torch.ones(2) + 1
    >>> len(profiled.function_events) > 0
    True
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        **kineto: Any,
    ) -> None:
        if kineto:
            raise at_call(
                NotImplementedError, f"torch.autograd.profiler.profile: chainrule has no {next(iter(kineto))}"
            )
        if use_cuda or use_device not in (None, "cpu"):
            warn_user("CUDA is not available, disabling CUDA profiling")
        assert use_cpu, "Device-only events supported only with Kineto (use_kineto=True): chainrule has the CPU's alone"
        super().__init__(
            record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory, with_stack=with_stack
        )
        self.enabled = enabled

    def __enter__(self) -> profile:
        if self.enabled:
            self.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.enabled:
            self.stop()

    @property
    def function_events(self) -> EventList:
        """Every event."""
        return self.events()

    @property
    def self_cpu_time_total(self) -> float:
        """The sum of what each event took by itself."""
        return self.events().self_cpu_time_total

    def table(self, *args: Any, **kwargs: Any) -> str:
        """The events as a table."""
        return self.events().table(*args, **kwargs)


emit_nvtx = refused_class("autograd.profiler.emit_nvtx", "chainrule has no CUDA")
emit_itt = refused_class("autograd.profiler.emit_itt", "chainrule has no ITT")
