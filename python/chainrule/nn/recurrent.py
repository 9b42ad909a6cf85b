"""Recurrent networks over whole sequences: layers, directions and steps, from one cell each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .. import _core
from .._core import Tensor
from .functional.dropout import dropout as drop
from .functional.linear import linear

_functions = _core.functions

State = tuple[Tensor, ...]  # (h,), or (h, c) for an LSTM
Cell = Callable[[Tensor, State, Sequence[Tensor | None]], State]


# ---- cells: the input is already multiplied by its weight; weights are (w_hh, b_hh, w_hr)


def rnn_tanh_cell(projected: Tensor, state: State, weights: Sequence[Tensor | None]) -> State:
    """tanh(x + W h + b)."""
    return ((projected + linear(state[0], weights[0], weights[1])).tanh(),)


def rnn_relu_cell(projected: Tensor, state: State, weights: Sequence[Tensor | None]) -> State:
    """relu(x + W h + b)."""
    return ((projected + linear(state[0], weights[0], weights[1])).relu(),)


def lstm_cell(projected: Tensor, state: State, weights: Sequence[Tensor | None]) -> State:
    """Long short-term memory: input, forget and output gates around a memory c."""
    h, c = state
    i, f, g, o = (projected + linear(h, weights[0], weights[1])).chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if weights[2] is None else linear(h, weights[2])), c


def gru_cell(projected: Tensor, state: State, weights: Sequence[Tensor | None]) -> State:
    """Gated recurrent unit: reset and update gates."""
    (h,) = state
    reset_x, update_x, new_x = projected.chunk(3, 1)
    reset_h, update_h, new_h = linear(h, weights[0], weights[1]).chunk(3, 1)
    new = (new_x + (reset_x + reset_h).sigmoid() * new_h).tanh()
    return (new + (update_x + update_h).sigmoid() * (h - new),)


CELLS: dict[str, Cell] = {
    "RNN_TANH": rnn_tanh_cell,
    "RNN_RELU": rnn_relu_cell,
    "LSTM": lstm_cell,
    "GRU": gru_cell,
}


# ---- sequences


def run(
    mode: str,
    data: Tensor,
    batch_sizes: Sequence[int],
    state: State,
    weights: Sequence[Sequence[Tensor | None]],
    directions: int,
    dropout: float,
) -> tuple[Tensor, State]:
    """All layers over all steps.

    Args:
        data: the steps one after the other, (sum of batch_sizes, features); batch_sizes never grow.
        state: (layers * directions, batch, features) each.
        weights: w_ih, w_hh, b_ih, b_hh, w_hr for each layer and direction; biases and w_hr may be None.
        dropout: the probability of it between layers.
    """
    cell, layers = CELLS[mode], len(weights) // directions
    ends: list[State] = []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            i = layer * directions + direction
            start = tuple(part[i] for part in state)
            output, end = _one_direction(cell, data, batch_sizes, start, weights[i], backwards=direction == 1)
            outputs.append(output)
            ends.append(end)
        data = outputs[0] if directions == 1 else _functions["cat"](outputs, 1)
        if dropout > 0 and layer < layers - 1:
            data = drop(data, dropout)
    return data, tuple(_functions["stack"](parts) for parts in zip(*ends, strict=True))


def _one_direction(
    cell: Cell,
    data: Tensor,
    batch_sizes: Sequence[int],
    start: State,
    weights: Sequence[Tensor | None],
    *,
    backwards: bool,
) -> tuple[Tensor, State]:
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    steps = linear(data, w_ih, b_ih).split(list(batch_sizes))
    recurrent = (w_hh, b_hh, w_hr)
    outputs: list[Tensor] = []
    if backwards:
        state = tuple(part[: batch_sizes[-1]] for part in start)
        for step in reversed(steps):
            state = _joined(state, start, len(step))
            state = cell(step, state, recurrent)
            outputs.append(state[0])
        return _functions["cat"](outputs[::-1]), state
    state, ended = start, []
    for step in steps:
        count = len(step)
        if count < len(state[0]):
            ended.append(tuple(part[count:] for part in state))
            state = tuple(part[:count] for part in state)
        state = cell(step, state, recurrent)
        outputs.append(state[0])
    if ended:
        state = tuple(_functions["cat"](parts) for parts in zip(state, *reversed(ended), strict=True))
    return _functions["cat"](outputs), state


def _joined(state: State, start: State, count: int) -> State:
    """The state, with those sequences that begin at this step, seen from the end."""
    have = len(state[0])
    if have == count:
        return state
    return tuple(_functions["cat"]([part, first[have:count]]) for part, first in zip(state, start, strict=True))
