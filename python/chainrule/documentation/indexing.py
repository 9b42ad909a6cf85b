"""Help. Reading elements at places that other tensors name."""

TEXT = """
gather
    For each place of `index`, the element of `input` at that place, but at the index along `dim`.
    Shape and dtype: The shape of `index`, which is int64; the dtype of the input.
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
take
    The elements at the indices, counted as if the input had one dimension.
    Shape and dtype: The shape of `index`, which is int64; the dtype of the input.
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, 3]))
    tensor([1, 4])
take_along_dim
    gather with `indices` broadcast against the input; without `dim`, over all elements.
    Shape and dtype: The shape of the indices after broadcasting; the dtype of the input.
    Derivative: zeros with g added at the indices
    >>> torch.take_along_dim(torch.tensor([[3, 1, 2]]), torch.tensor([[1, 2, 0]]), dim=1)
    tensor([[1, 2, 3]])
index_select
    The slices along `dim` that `index` names.
    Shape and dtype: The shape of the input with the length of `index` at `dim`; its dtype.
    >>> torch.index_select(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([1, 1]))
    tensor([[2, 2],
            [4, 4]])
masked_select
    The elements where `mask` is true, in one dimension; both are broadcast.
    Shape and dtype: (number of true elements,); the dtype of the input.
    >>> torch.masked_select(torch.tensor([1, 2, 3]), torch.tensor([True, False, True]))
    tensor([1, 3])
nonzero
    Where the elements are not zero: one row of indices for each; with `as_tuple`, a tensor for each dimension.
    Shape and dtype: (number of such elements, number of dimensions); int64.
    Derivative: none, the result is of integers
    >>> torch.nonzero(torch.tensor([[0, 7], [5, 0]]))
    tensor([[0, 1],
            [1, 0]])
nonzero_static
    nonzero with a fixed number of rows: `size`, filled up with `fill_value`.
    Shape and dtype: (size, number of dimensions); int64.
    Derivative: none, the result is of integers
    >>> torch.nonzero_static(torch.tensor([0, 7, 5]), size=3)
    tensor([[ 1],
            [ 2],
            [-1]])
argwhere
    Where the elements are not zero: one row of indices for each.
    Shape and dtype: (number of such elements, number of dimensions); int64.
    Derivative: none, the result is of integers
    >>> torch.argwhere(torch.tensor([0, 7, 5]))
    tensor([[1],
            [2]])
unravel_index
    Shape and dtype: A tensor for each dimension of `shape`, each with the shape of `indices`; int64.
    Derivative: none, the result is of integers
    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
"""
