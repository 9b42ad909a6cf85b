"""The settings of PyTorch's code generator that scripts change; chainrule does not compile, so they change nothing."""

from typing import Any

from ..compiler import cudagraph_mark_step_begin as cudagraph_mark_step_begin
from . import config as config
from . import exc as exc
from .option_names import OPTIONS


def list_options() -> list[str]:
    """The names that torch.compile takes in `options`."""
    return [*OPTIONS]


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """The options that each mode of torch.compile stands for."""
    graphs, tuned = {"triton.cudagraphs": True}, {"max_autotune": True, "coordinate_descent_tuning": True}
    simple = ("fallback_by_default", "selective_decompose")
    left_out = """
    reorder_for_peak_memory reorder_for_compute_comm_overlap triton.reorder_for_reducing_graph_partitions
    use_pre_grad_passes use_joint_graph_passes use_post_grad_passes use_dce allow_buffer_reuse
    """
    modes = {
        "default": {},
        "lite": {**dict.fromkeys(simple, True), **dict.fromkeys(left_out.split(), False)},
        "reduce-overhead": graphs,
        "max-autotune-no-cudagraphs": tuned,
        "max-autotune": {**graphs, **tuned},
    }
    return modes[mode] if mode else modes
