"""DLPack under the name that PyTorch gave it first."""

from ..interop import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
