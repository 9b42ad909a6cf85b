"""torch.onnx: chainrule exports nothing."""

from ..compat.refusal import refused

_REASON = (
    "chainrule does not export to ONNX; save the state with torch.save(model.state_dict(), path), which PyTorch reads, "
    "and export there"
)
export = refused("onnx.export", _REASON)
dynamo_export = refused("onnx.dynamo_export", _REASON)


def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: object, opset_version: int) -> None:
    """Does nothing: it says how an operation would be exported."""
