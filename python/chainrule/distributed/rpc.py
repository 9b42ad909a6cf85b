"""torch.distributed.rpc: calls in other processes, which chainrule does not have."""

from ..compat.refusal import refused, refused_class

__path__: list[str] = []  # a package: compat/stand_ins.py has its files
_REASON = "chainrule has no remote calls; torch.distributed sends and receives tensors and objects"


def is_available() -> bool:
    """False."""
    return False


init_rpc, shutdown, rpc_sync, rpc_async, remote, get_worker_info = (
    refused(f"distributed.rpc.{_name}", _REASON)
    for _name in ("init_rpc", "shutdown", "rpc_sync", "rpc_async", "remote", "get_worker_info")
)
RRef, TensorPipeRpcBackendOptions, RpcBackendOptions, BackendType, PyRRef = (
    refused_class(f"distributed.rpc.{_name}", _REASON)
    for _name in ("RRef", "TensorPipeRpcBackendOptions", "RpcBackendOptions", "BackendType", "PyRRef")
)
