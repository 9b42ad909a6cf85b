"""What a running program has: tensors that steps choose from, leaves, and a diary of what was seen on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SHAPES = [(5, 7), (37,), (3, 4, 5), (1,), (), (30, 41), (7, 7), (2, 0, 3), (600,), (6, 1)]


@dataclass
class State:
    torch: Any
    leaves: list[Any] = field(default_factory=list)
    tensors: list[Any] = field(default_factory=list)
    diary: list[Any] = field(default_factory=list)
    held: list[Any] = field(default_factory=list)  # hooks' handles, arrays, finalizers: whatever must live on
    threaded: bool = False  # PyTorch counts the nodes of each thread, so their order in a pass is not ours
    raising: list[bool] = field(default_factory=list)  # switches of hooks that raise

    def pick(self, number: int):
        return self.tensors[number % len(self.tensors)]

    def partner(self, t, number: int):
        """A tensor that goes with t in arithmetic: its like if there is one."""
        likes = [u for u in self.tensors if u.shape == t.shape and u.dtype == t.dtype]
        return likes[number % len(likes)]

    def put(self, t):
        self.tensors.append(t)
        return t

    def write_down(self, label: str, t):
        self.diary.append((label, record(t)))


def record(t):
    """All of a tensor that a user can see of its content, to the bit."""
    if t is None or isinstance(t, (bool, int, float, str)):
        return t
    plain = t.detach()
    return (str(plain.dtype).rpartition(".")[2], tuple(plain.shape), plain.contiguous().numpy().copy())


def start(torch, number: int, double: bool) -> State:
    """Leaves of several shapes and both float dtypes, and what was made of them."""
    state = State(torch)
    for k in range(4):
        shape = SHAPES[(number + 3 * k) % len(SHAPES)]
        dtype = torch.float64 if double or (number >> k) & 1 else torch.float32
        count = 1
        for n in shape:
            count *= n
        values = (torch.arange(count, dtype=dtype) * 0.37 + 0.11 * (k + 1)).sin()
        leaf = values.reshape(shape).clone().requires_grad_(k < 3)
        state.leaves.append(leaf)
        state.tensors += [leaf, leaf * 1.25]
    return state
