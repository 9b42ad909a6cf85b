"""Several processes that calculate together: torch.distributed on MPI, through mpi4py.

Nothing here is loaded with chainrule, and MPI not before init_process_group().
"""

from ..compat.refusal import leave_out
from ..lazy import load

_FILES = {
    "availability": "is_available is_backend_available is_gloo_available is_mpi_available is_nccl_available "
    "is_torchelastic_launched is_ucc_available is_xccl_available",
    "collectives": "all_reduce all_reduce_coalesced barrier broadcast monitored_barrier reduce",
    "debug": "DebugLevel get_debug_level set_debug_level set_debug_level_from_env",
    "errors": "DistBackendError DistError DistNetworkError DistStoreError QueueEmptyError",
    "exchanges": "all_gather all_gather_into_tensor all_gather_single all_to_all all_to_all_single gather "
    "reduce_scatter reduce_scatter_single reduce_scatter_tensor scatter",
    "grad_bucket": "GradBucket",
    "groups": "get_global_rank get_group_rank get_process_group_ranks new_group new_subgroups "
    "new_subgroups_by_enumeration",
    "objects": "all_gather_object broadcast_object_list gather_object recv_object_list scatter_object_list "
    "send_object_list",
    "point_to_point": "P2POp batch_isend_irecv irecv isend recv send",
    "process_group": "Backend GroupMember ProcessGroup destroy_process_group get_backend get_node_local_rank "
    "get_rank get_world_size group init_process_group is_initialized _rank_not_in_group",
    "reduce_ops": "ReduceOp",
    "stores": "FileStore HashStore PrefixStore Store TCPStore init_device_mesh",
    "work": "Work",
}

__getattr__, __dir__, __all__ = load(__name__, _FILES, ("algorithms", "distributed_c10d", "optim"))

_SHARDED = """
_composable _composable.fsdp _functional_collectives _tensor _tensor.experimental checkpoint checkpoint.default_planner
checkpoint.format_utils checkpoint.hf_storage checkpoint.optimizer checkpoint.state_dict checkpoint.state_dict_loader
device_mesh fsdp fsdp.api fsdp.fully_sharded_data_parallel fsdp.sharded_grad_scaler fsdp.wrap nn nn.functional
pipelining tensor tensor._utils tensor.device_mesh tensor.experimental tensor.parallel tensor.placement_types
"""
_PLANS = """
BackwardPrefetch CPUOffload CPUOffloadPolicy FullOptimStateDictConfig FullStateDictConfig LocalStateDictConfig
MixedPrecision MixedPrecisionPolicy OffloadPolicy OptimStateDictConfig Partial Placement Replicate Shard
ShardedOptimStateDictConfig ShardedStateDictConfig ShardingStrategy StateDictConfig StateDictType
"""


def _plan(name: str):
    if name not in _PLANS.split():
        return None
    from . import sharding_plans

    return getattr(sharding_plans, name)


leave_out(
    __name__,
    _SHARDED.split(),
    "chainrule trains data-parallel only, with nn.parallel.DistributedDataParallel: every process has the whole model",
    _plan,
)
