"""torch.nested: tensors of rows of different lengths, which chainrule has not. Its names raise when they are used."""

from .compat.refusal import refuses_all

__path__: list[str] = []  # a package: compat/stand_ins.py has its files
__getattr__ = refuses_all(
    "nested",
    "chainrule has no nested tensors; torch.nn.utils.rnn.pad_sequence makes one tensor of rows of different lengths",
)
