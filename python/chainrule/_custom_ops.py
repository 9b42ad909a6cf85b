"""torch._custom_ops, the older torch.library; nothing but names."""

from .compat.refusal import refused

_NEWER = "torch.library.custom_op makes an operation"

custom_op, impl, impl_abstract = (
    refused(f"_custom_ops.{_name}", _NEWER) for _name in ("custom_op", "impl", "impl_abstract")
)
