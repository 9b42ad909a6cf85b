"""torch.onnx: chainrule exports nothing."""

from .refusal import refused

_REASON = (
    "chainrule does not export to ONNX; save the state with torch.save(model.state_dict(), path), which PyTorch reads, "
    "and export there"
)
export = refused("onnx.export", _REASON)
dynamo_export = refused("onnx.dynamo_export", _REASON)


def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    return False
