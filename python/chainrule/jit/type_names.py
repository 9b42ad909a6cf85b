"""Types of PyTorch's compiler, which packages name in annotations; they raise when they are made."""

from __future__ import annotations

from typing import Any

from ..compat.refusal import refused_class

_NAMES = """
AnyType AwaitType BoolType ClassType ComplexType ConcreteModuleType DeviceObjType DictType EnumType FloatType FutureType
InferredType IntType InterfaceType ListType NoneType NumberType OptionalType PyObjectType RRefType StreamObjType
StringType SymBoolType SymIntType TensorType TupleType UnionType ScriptObject ScriptMethod ScriptClass
"""


def __getattr__(name: str) -> Any:
    if name not in _NAMES.split():
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return globals().setdefault(name, refused_class(name, "chainrule runs Python and has no compiler with types"))
