"""torch.utils.cpp_extension: extensions in C++ are compiled against PyTorch, and chainrule is not it."""

from ..compat.refusal import refuses_all

__getattr__ = refuses_all(
    "utils.cpp_extension",
    "extensions in C++ are compiled against PyTorch; write the operation in Python, with a torch.autograd.Function",
)
