"""For programs written for PyTorch and not for chainrule: old names, devices of other vendors, and what is refused."""
