"""Help. Writing elements: into a copy, and with a name that ends in an underscore into the tensor itself."""

TEXT = """
scatter
    The input with elements of `src`, or `value`, written at the places of `index` along `dim`; `reduce` "add" or
    "multiply" combines them with what is there. Of several elements written to one place the last stays; the
    gradient of `src` reaches all of them, as in PyTorch, and explain.doctor points it out.
    Shape and dtype: Those of the input; `index` is int64.
    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([5., 6.]))
    tensor([6., 0., 5.])
scatter_add
    The input with the elements of `src` added at the places of `index` along `dim`.
    Shape and dtype: Those of the input; `index` is int64.
    Derivative: self: g, src: g at the index
    >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([5., 6.]))
    tensor([ 0.,  0., 11.])
scatter_reduce
    The input with the elements of `src` combined at the places of `index` along `dim`: by "sum", "prod", "mean",
    "amax" or "amin", with what is there, or without it if not `include_self`.
    Shape and dtype: Those of the input; `index` is int64.
    Derivative: g, shared among the elements that were combined as their sum, product, mean or extreme says
    >>> torch.scatter_reduce(torch.zeros(2), 0, torch.tensor([0, 0, 1]), torch.tensor([3., 5., 1.]), "amax")
    tensor([5., 1.])
index_add
    The input with alpha times the slices of `source` added at `index` along `dim`.
    Shape and dtype: Those of the input; the source has the length of `index` at `dim`.
    >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0]), torch.tensor([1., 2.]))
    tensor([3., 0., 0.])
index_copy
    The input with the slices of `source` written at `index` along `dim`.
    Shape and dtype: Those of the input; the source has the length of `index` at `dim`.
    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([1., 2.]))
    tensor([2., 0., 1.])
index_fill
    The input with `value` in the slices at `index` along `dim`.
    Shape and dtype: Those of the input.
    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 7)
    tensor([7., 0., 7.])
index_put
    The input with `values` written where the tensors of `indices` point, as input[indices] = values does; with
    `accumulate`, added. Of several values written to one place the last stays; the gradient reaches all of them, as in
    PyTorch, and explain.doctor points it out.
    Shape and dtype: Those of the input; the values broadcast to the places.
    >>> torch.index_put(torch.zeros(3), (torch.tensor([0, 2]),), torch.tensor(1.))
    tensor([1., 0., 1.])
index_reduce
    The input with the slices of `source` combined at `index` along `dim`: by "prod", "mean", "amax" or "amin".
    Shape and dtype: Those of the input; the source has the length of `index` at `dim`.
    Derivative: g, shared among the elements that were combined as their product, mean or extreme says
    >>> torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.tensor([3., 5.]), "prod")
    tensor([15.,  1.])
masked_fill
    The input with `value` where `mask` is true.
    Shape and dtype: The mask is broadcast; the dtype of the input.
    >>> torch.masked_fill(torch.tensor([1., 2., 3.]), torch.tensor([True, False, True]), 0)
    tensor([0., 2., 0.])
masked_scatter
    The input with the elements of `source`, one after the other, where `mask` is true.
    Shape and dtype: The mask is broadcast; the dtype of the input.
    >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([5., 6.]))
    tensor([5., 0., 6.])
put
    The input with the elements of `source` written at the indices, counted as if it had one dimension.
    Shape and dtype: Those of the input; `index` is int64.
    >>> torch.put(torch.zeros(3), torch.tensor([2, 0]), torch.tensor([5., 6.]))
    tensor([6., 0., 5.])
select_scatter
    The input with `src` as the slice at `index` along `dim`.
    Shape and dtype: Those of the input; src has its shape without `dim`.
    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
slice_scatter
    The input with `src` as its slices start:end:step along `dim`.
    Shape and dtype: Those of the input; src has the shape of the slices.
    >>> torch.slice_scatter(torch.zeros(4), torch.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
diagonal_scatter
    The input with `src` on its diagonal.
    Shape and dtype: Those of the input; src has the shape of the diagonal.
    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
as_strided_scatter
    The input with `src` at the elements that as_strided(size, stride, storage_offset) shows.
    Shape and dtype: Those of the input; src has the shape `size`.
    >>> torch.as_strided_scatter(torch.zeros(4), torch.ones(2), (2,), (2,))
    tensor([1., 0., 1., 0.])
fill
    A tensor like the input, with `value` everywhere.
    Shape and dtype: Those of the input.
    Derivative: input: 0, value: the sum of g
    >>> torch.fill(torch.zeros(2), 7)
    tensor([7., 7.])
fill_
    Writes `value` everywhere, and returns the tensor.
    Shape and dtype: Those of the input.
    >>> torch.zeros(2).fill_(7)
    tensor([7., 7.])
fill_diagonal_
    Writes `fill_value` along the main diagonal, and returns the tensor; with `wrap`, a tall matrix gets another below.
    Shape and dtype: Those of the input.
    Derivative: g with zeros on the diagonal
    >>> torch.zeros(2, 3).fill_diagonal_(7)
    tensor([[7., 0., 0.],
            [0., 7., 0.]])
zero_
    Writes zeros everywhere, and returns the tensor.
    Shape and dtype: Those of the input.
    >>> torch.ones(2).zero_()
    tensor([0., 0.])
copy_
    Writes the elements of `src` into the tensor, converted to its dtype, and returns it.
    Shape and dtype: Those of the input; src is broadcast to its shape.
    >>> torch.zeros(2).copy_(torch.tensor([1, 2]))
    tensor([1., 2.])
"""
