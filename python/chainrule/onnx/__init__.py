"""torch.onnx: `export` writes a model as an ONNX file, through the package onnx."""

from enum import IntEnum

from ..compat.refusal import refused, refused_class
from .export import OperatorExportTypes, TrainingMode, export

__all__ = ["OperatorExportTypes", "TrainingMode", "export"]


class TensorProtoDataType(IntEnum):
    """ONNX's numbers of the dtypes."""

    UNDEFINED, FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = range(12)
    UINT32, UINT64, COMPLEX64, COMPLEX128, BFLOAT16, FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2 = range(12, 20)
    FLOAT8E5M2FNUZ = 20


ONNXProgram = refused_class("onnx.ONNXProgram", "chainrule gives no ONNXProgram; torch.onnx.export writes a file")
dynamo_export = refused("onnx.dynamo_export", "chainrule gives no ONNXProgram; torch.onnx.export writes a file")


def is_in_onnx_export() -> bool:
    """False: nothing is exported."""
    return False


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: object, opset_version: int) -> None:
    """Does nothing: it says how an operation would be exported."""
