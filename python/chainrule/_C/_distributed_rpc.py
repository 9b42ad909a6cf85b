"""torch._C._distributed_rpc: there are no remote calls."""


def _is_current_rpc_agent_set() -> bool:
    """False: chainrule has no RPC."""
    return False
