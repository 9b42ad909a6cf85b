"""Errors of PyTorch's code generator, for the except clauses that name them."""


class InductorError(RuntimeError):
    """What goes wrong while code is generated; chainrule generates none."""
