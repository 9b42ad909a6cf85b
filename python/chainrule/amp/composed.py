"""Recurrent networks inside an autocast region: as PyTorch composes them there, of products that are cast.

The core's own functions do a whole sequence in one dtype. Under autocast the products are in the lower precision while
LSTM and GRU keep their state in float32, so these are written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core import Tensor, functions

State = tuple[Tensor, ...]
Weights = Sequence[Tensor | None]  # w_ih, w_hh, b_ih, b_hh, and perhaps w_hr, which projects the output
_linear, _cat, _stack = functions["linear"], functions["cat"], functions["stack"]

# ---- cells: the products of input and state, and the state, become the next state


def _lstm(gates: Tensor, products: Tensor, state: State) -> State:
    i, f, g, o = (gates + products).chunk(4, 1)
    c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru(gates: Tensor, products: Tensor, state: State) -> State:
    (r, z, n), (hr, hz, hn) = gates.chunk(3, 1), products.chunk(3, 1)
    z = (hz + z).sigmoid()
    n = (n + hn * (hr + r).sigmoid()).tanh()
    return ((state[0] - n) * z + n,)


def _tanh(gates: Tensor, products: Tensor, state: State) -> State:
    return ((gates + products).tanh(),)


def _relu(gates: Tensor, products: Tensor, state: State) -> State:
    return ((gates + products).relu(),)


def _next(cell: Callable, gates: Tensor, state: State, weights: Weights) -> State:
    after = cell(gates, _linear(state[0], weights[1], weights[3]), state)
    return (after[0] @ weights[4].t(), *after[1:]) if len(weights) > 4 and weights[4] is not None else after


def _cell_function(cell: Callable, several: bool = False) -> Callable[..., Any]:
    def function(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih=None, b_hh=None) -> Any:
        state = tuple(hx) if several else (hx,)
        after = _next(cell, _linear(input, w_ih, b_ih), state, (w_ih, w_hh, b_ih, b_hh))
        return after if several else after[0]

    return function


# ---- layers


def _fit(state: State, start: State, size: int, ended: list[State]) -> State:
    """The state for `size` sequences: those that have ended leave it, those that begin join it."""
    now = state[0].shape[0]
    if size < now:
        ended.append(tuple([part[size:] for part in state]))
        return tuple([part[:size] for part in state])
    if size > now:
        return tuple([_cat([part, first[now:size]]) for part, first in zip(state, start, strict=True)])
    return state


def _layer(cell: Callable, steps: list[Tensor], start: State, weights: Weights, backwards: bool) -> tuple:
    """The outputs of all steps, and the state after each sequence's last."""
    order = range(len(steps) - 1, -1, -1) if backwards else range(len(steps))
    state = tuple([part[: steps[order[0]].shape[0]] for part in start])
    outputs: list[Any] = [None] * len(steps)
    ended: list[State] = []
    for t in order:
        state = _fit(state, start, steps[t].shape[0], ended)
        outputs[t] = (state := _next(cell, steps[t], state, weights))[0]
    ended.append(state)
    last = [_cat(parts) if len(parts) > 1 else parts[0] for parts in zip(*reversed(ended), strict=True)]
    return outputs, last


def _grouped(params: Sequence[Tensor], biased: bool, count: int) -> list[Weights]:
    """The weights of each layer and direction; `count` of them."""
    size = len(params) // count
    groups = [list(params[i * size : (i + 1) * size]) for i in range(count)]
    return groups if biased else [[*group[:2], None, None, *group[2:]] for group in groups]


def _network_function(cell: Callable, several: bool = False) -> Callable[..., Any]:
    def function(input: Tensor, *rest: Any) -> tuple:
        packed = isinstance(rest[2], (list, tuple))
        sizes = rest[0].tolist() if packed else None
        hx, params, biased, layers, dropout, train, bidirectional, *last = rest[1:] if packed else rest
        batch_first = bool(last and last[0])
        if batch_first:
            input = input.transpose(0, 1)
        directions = 2 if bidirectional else 1
        groups = _grouped(params, biased, layers * directions)
        state = tuple(hx) if several else (hx,)
        ends: list[list[Tensor]] = []
        for layer in range(layers):
            sides = []
            for direction in range(directions):
                weights = groups[number := layer * directions + direction]
                gates = _linear(input, weights[0], weights[2])
                steps = list(gates.unbind(0) if sizes is None else gates.split(sizes))
                outputs, end = _layer(cell, steps, tuple([part[number] for part in state]), weights, direction == 1)
                sides.append(_stack(outputs) if sizes is None else _cat(outputs))
                ends.append(end)
            input = sides[0] if directions == 1 else _cat(sides, -1)
            if dropout and train and layer < layers - 1:
                input = functions["dropout"](input, dropout, True)
        output = input.transpose(0, 1) if batch_first else input
        return output, *[_stack(list(parts)) for parts in zip(*ends, strict=True)]

    return function


lstm, lstm_cell = _network_function(_lstm, several=True), _cell_function(_lstm, several=True)
gru, gru_cell = _network_function(_gru), _cell_function(_gru)
rnn_tanh, rnn_tanh_cell = _network_function(_tanh), _cell_function(_tanh)
rnn_relu, rnn_relu_cell = _network_function(_relu), _cell_function(_relu)
