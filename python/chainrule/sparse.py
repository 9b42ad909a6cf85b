"""torch.sparse: sparse tensors, which chainrule leaves out. Its names raise when they are used."""

from .compat.refusal import refuses_all

__getattr__ = refuses_all("sparse", "chainrule has dense tensors only; x.to_dense() of PyTorch's gives one")
