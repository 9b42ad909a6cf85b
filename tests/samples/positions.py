"""Records of reading and writing at positions, under masks, in parts, and of views' copying forms.

Where an op replaces elements, positions are distinct: of several elements that meet in one place PyTorch's gradient
counts each.
"""

from .record import B, N, X, op

_M = X(2, 3, 4)

READS = [
    op("gather", X(3, 4), 0, N(2, 3)),
    op("gather", X(3, 4), 1, N(3, 6, high=4)),
    op("gather", X(3, 4), -1, N(2, 0)),
    op("gather", X(), 0, N(high=1)),
    op("gather", X(), 0, N(2, high=1)),
    op("gather", _M, 1, N(2, 5, 4)),
    op("index_select", X(3, 4), 0, N(5)),
    op("index_select", X(3, 4), 1, N(2)),
    op("index_select", _M, 1, N(4)),
    op("index_select", X(), 0, N(1, high=1)),
    op("index_select", X(3, 4), 0, N(0)),
    op("take", X(3, 4), N(2, 3, low=-12, high=12)),
    op("take", X(3), N(high=3)),
    op("take_along_dim", X(3, 4), N(3, 2), 1),
    op("take_along_dim", X(3, 4), N(1, 2), dim=1),
    op("take_along_dim", X(3, 1), N(3, 4), 0),
    op("take_along_dim", X(3, 4), N(2, 3)),
    op("masked_select", X(3, 4), B(3, 4)),
    op("masked_select", X(3, 4), B(4)),
    op("masked_select", X(4), B(3, 1)),
    op("masked_select", X(), B()),
    op("trace", X(3, 4)),
    op("trace", X(0, 4)),
    op("sum_to_size", _M, 3, 1),
    op("sum_to_size", _M, (1, 1, 4)),
    op("sum_to_size", _M, 2, 3, 4),
]

WRITES = [
    op("scatter", X(3, 4), 0, N(1, 4), X(1, 4)),
    op("scatter", X(3, 4), 1, N(3, 1, high=4), X(3, 1)),
    op("scatter", X(3, 4), 0, N(1, 3), 2.5),
    op("scatter", X(), 0, N(high=1), X()),
    op("scatter", X(3, 4), 0, N(0, 4), X(0, 4)),
    *(op("scatter", X(3, 4), 0, N(2, 3), X(2, 3), reduce=reduce, skip="gradient") for reduce in ("add", "multiply")),
    op("scatter", X(3, 4), 0, N(2, 3), 3, reduce="add", skip="gradient"),  # with reduce= PyTorch has none
    op("scatter_add", X(3, 4), 0, N(5, 4), X(5, 4)),
    op("scatter_add", X(3, 4), 1, N(2, 7, high=4), X(2, 7)),
    op("scatter_add", X(), 0, N(high=1), X()),
    *(
        op("scatter_reduce", X(3, 4), 0, N(5, 4), X(5, 4), reduce, include_self=include)
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include in (True, False)
    ),
    op("scatter_reduce", X(2, 3), 1, N(2, 5), X(2, 5), "sum"),
    op("index_add", X(3, 4), 0, N(5), X(5, 4)),
    op("index_add", X(3, 4), 1, N(2), X(3, 2), alpha=2),
    op("index_add", _M, 1, N(4), X(2, 4, 4)),
    op("index_add", X(), 0, N(1, high=1), X()),
    op("index_copy", X(3, 4), 0, N(1), X(1, 4)),
    op("index_copy", X(3, 4), 1, N(1), X(3, 1)),
    op("index_copy", X(3), 0, N(), X()),
    op("index_fill", X(3, 4), 0, N(2), 1.5),
    op("index_fill", X(3, 4), 1, N(3), X()),
    op("index_fill", X(), 0, N(1, high=1), X()),
    *(
        op("index_reduce", X(3, 4), 0, N(5), X(5, 4), reduce, include_self=include)
        for reduce in ("prod", "mean", "amax", "amin")
        for include in (True, False)
    ),
    op("index_put", X(3, 4), [N(1), N(1)], X(1)),
    op("index_put", X(3, 4), [N(5)], X(5, 4), True),
    op("index_put", X(3, 4), [N(2, 1), N(3)], X(), True),
    op("index_put", X(3, 4), [B(3, 4)], X()),
    op("put", X(3, 4), N(1, high=12), X(1)),
    op("put", X(3, 4), N(2, 3, low=-12, high=12), X(2, 3), True),
    op("masked_fill", X(3, 4), B(3, 4), 1.5),
    op("masked_fill", X(3, 4), B(4), X()),
    op("masked_fill", X(4), B(3, 1), 2, skip="inplace"),  # the mask is larger: tried below with the errors
    op("masked_scatter", X(3, 4), B(3, 4), X(20)),
    op("masked_scatter", X(3, 4), B(4), X(3, 4)),
    op("fill", X(3, 4), 1.5),
    op("fill", X(3, 4), X()),
    op("constant_pad_nd", X(3, 4), (1, 2)),
    op("constant_pad_nd", X(3, 4), (-1, 2, 0, 3), 1.5),
    op("constant_pad_nd", X(3, 4), (-4, 0), 2),
]

PARTS = [
    op("select_scatter", X(3, 4), X(4), 0, 1),
    op("select_scatter", X(3, 4), X(3), -1, -1),
    op("slice_scatter", X(3, 4), X(2, 4), 0, 1),
    op("slice_scatter", X(3, 4), X(3, 2), 1, 0, 4, 2),
    op("slice_scatter", X(3, 4), X(3, 4)),
    op("slice_scatter", X(3, 4), X(3, 1), 1, start=-2, end=-1),
    op("diagonal_scatter", X(3, 4), X(3)),
    op("diagonal_scatter", X(2, 3, 4), X(2, 3), 1, 1, 2),
    # PyTorch's gradient of the next is wrong, and it takes contiguous tensors only: test_positions.py
    op("as_strided_scatter", X(3, 4, grad=False), X(2, 2, grad=False), (2, 2), (4, 1), 1),
    op("unfold", X(7), 0, 3, 2),
    op("unfold", X(3, 5), 1, 2, 1),
    op("unfold", X(), 0, 1, 1),
    op("diagflat", X(2, 3)),
    op("diagflat", X(3), -1),
    *(op(name, X(2, 4, 2), 2) for name in ("hsplit", "vsplit", "dsplit")),
    *(op(name, X(2, 4, 2), (1, 2)) for name in ("hsplit", "vsplit", "dsplit")),
    op("hsplit", X(4), 2),
    op("unsafe_chunk", X(5, 2), 2),
    op("unsafe_split", X(5, 2), 2),
    op("unsafe_split_with_sizes", X(5, 2), (2, 3)),
]

COPIES = [
    op("alias_copy", X(3, 4)),
    op("as_strided_copy", X(12), (3, 2), (4, 1), 1),
    op("detach_copy", X(3), skip="gradient"),  # PyTorch's has a gradient that raises; ours requires none
    op("diagonal_copy", X(3, 4), 1),
    op("expand_copy", X(3, 1), (2, 3, 4)),
    op("narrow_copy", X(3, 4), 0, 1, 2),
    op("permute_copy", _M, (2, 0, 1)),
    op("select_copy", _M, 1, 2),
    op("slice_copy", X(5, 2), 0, 1, 4, 2),
    op("split_copy", X(5, 2), 2),
    op("split_with_sizes_copy", X(5, 2), (2, 3)),
    op("squeeze_copy", X(1, 3, 1)),
    op("squeeze_copy", X(1, 3, 1), 0),
    op("squeeze_copy", X(1, 3, 1), (0, 2)),
    op("t_copy", X(3, 4)),
    op("transpose_copy", _M, 0, -1),
    op("unbind_copy", _M, 1),
    op("unfold_copy", X(7), 0, 3, 2),
    op("unsqueeze_copy", X(3, 4), 1),
    op("view_copy", _M, (6, 4)),
    op("view_as_complex_copy", X(3, 2, grad=False)),  # in PyTorch without a gradient
]

POSITIONS = [*READS, *WRITES, *PARTS, *COPIES]
