"""torch.onnx: `export` writes a model as an ONNX file, through the package onnx."""

from ..compat.refusal import refused, refused_class
from .export import OperatorExportTypes, TrainingMode, export

__all__ = ["OperatorExportTypes", "TrainingMode", "export"]

ONNXProgram = refused_class("onnx.ONNXProgram", "chainrule gives no ONNXProgram; torch.onnx.export writes a file")
dynamo_export = refused("onnx.dynamo_export", "chainrule gives no ONNXProgram; torch.onnx.export writes a file")


def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: object, opset_version: int) -> None:
    """Does nothing: it says how an operation would be exported."""
