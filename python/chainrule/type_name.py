"""typename: what a value is called in messages."""

from typing import Any

from ._core import Tensor


def typename(obj: Any, /) -> str:
    """The name of a value's type, with its module; for a tensor its type's old name, torch.FloatTensor for example."""
    if isinstance(obj, Tensor):
        return obj.type()  # type: ignore[return-value]
    cls = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(cls, "__module__", "") or ""
    return cls.__qualname__ if module in ("", "builtins", "__builtin__") else f"{module}.{cls.__qualname__}"
