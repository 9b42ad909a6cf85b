"""Help. The same elements with other dimensions: views, which share memory with the input."""

TEXT = """
reshape
    The elements in the same order with another shape; one size may be -1 and follows from the others. A view where
    the strides allow it, else a copy.
    Shape and dtype: `shape`; the dtype of the input.
    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
view
    The same memory with another shape, or read as another dtype of the same or a different width.
    Shape and dtype: The sizes given; the dtype of the input, or the one given.
    >>> torch.arange(6).view(2, 3)
    tensor([[0, 1, 2],
            [3, 4, 5]])
view_as
    The same memory with the shape of `other`.
    Shape and dtype: The shape of `other`; the dtype of the input.
    Derivative: g with the input's shape
    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
reshape_as
    reshape to the shape of `other`.
    Shape and dtype: The shape of `other`; the dtype of the input.
    Derivative: g with the input's shape
    >>> torch.arange(4).reshape_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
flatten
    Dimensions `start_dim` to `end_dim` as one.
    Shape and dtype: Sizes (a, b, c) flattened from 1 on become (a, b * c); the dtype of the input.
    Derivative: g with the input's shape
    >>> torch.flatten(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
unflatten
    Dimension `dim` as several of the given sizes; one of them may be -1.
    Shape and dtype: The sizes take the place of `dim`; the dtype of the input.
    Derivative: g with the input's shape
    >>> torch.unflatten(torch.arange(6), 0, (2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
ravel
    All elements in one dimension; a view where the tensor is contiguous.
    Shape and dtype: (number of elements,); the dtype of the input.
    Derivative: g with the input's shape
    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
squeeze
    Without the dimensions of size 1; with `dim`, only without that one or those.
    Shape and dtype: The shape of the input without sizes 1; its dtype.
    >>> torch.squeeze(torch.ones(1, 2, 1)).shape
    torch.Size([2])
unsqueeze
    With a new dimension of size 1 at `dim`.
    Shape and dtype: The shape of the input with a 1 at `dim`; its dtype.
    >>> torch.unsqueeze(torch.tensor([1, 2]), 0)
    tensor([[1, 2]])
transpose
    Dimensions `dim0` and `dim1` swapped.
    Shape and dtype: The shape of the input with the two sizes swapped; its dtype.
    >>> torch.transpose(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
swapaxes = transpose
swapdims = transpose
t
    The transpose of a matrix; a tensor with fewer dimensions as it is.
    Shape and dtype: (n, m) of an input of shape (m, n); its dtype.
    >>> torch.t(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
adjoint
    The last two dimensions swapped, and complex numbers conjugated.
    Shape and dtype: (*, n, m) of an input of shape (*, m, n); its dtype.
    Derivative: the adjoint of g
    >>> torch.adjoint(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
permute
    The dimensions in another order.
    Shape and dtype: The sizes in the order `dims`; the dtype of the input.
    >>> torch.permute(torch.ones(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
movedim
    Dimensions `source` moved to the places `destination`; the others keep their order.
    Shape and dtype: The sizes moved likewise; the dtype of the input.
    Derivative: g with its dimensions put back
    >>> torch.movedim(torch.ones(2, 3, 4), 0, 2).shape
    torch.Size([3, 4, 2])
expand
    Dimensions of size 1 repeated to the sizes given, and new ones in front, without copying; -1 keeps a size.
    Shape and dtype: The sizes given; the dtype of the input.
    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
expand_as
    expand to the shape of `other`.
    Shape and dtype: The shape of `other`; the dtype of the input.
    Derivative: g summed over the dimensions that were expanded
    >>> torch.tensor([[1], [2]]).expand_as(torch.zeros(2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]])
broadcast_to
    expand to `size`.
    Shape and dtype: `size`; the dtype of the input.
    Derivative: g summed over the dimensions that were expanded
    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
broadcast_tensors
    All tensors expanded to the shape that they have together.
    Shape and dtype: One shape for all; each tensor keeps its dtype.
    Derivative: each input: its g summed over the dimensions that were expanded
    >>> torch.broadcast_tensors(torch.tensor([[1], [2]]), torch.tensor([3, 4]))
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
select
    The slice at `index` along `dim`, without that dimension.
    Shape and dtype: The shape of the input without `dim`; its dtype.
    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
narrow
    `length` slices along `dim` from `start` on.
    Shape and dtype: The shape of the input with size `length` at `dim`; its dtype.
    Derivative: zeros with g at the slice
    >>> torch.narrow(torch.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3])
diagonal
    The diagonal of each matrix in dimensions `dim1` and `dim2`, `offset` above the main one.
    Shape and dtype: Without dim1 and dim2, and with the diagonal as last dimension; the dtype of the input.
    >>> torch.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
unfold
    Windows of `size` elements along `dimension`, `step` apart, as a new last dimension.
    Shape and dtype: Size (n - size) / step + 1 at `dimension`, and `size` at the end; the dtype of the input.
    >>> torch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
as_strided
    Any view of the memory: sizes, strides and where it begins.
    Shape and dtype: `size`; the dtype of the input.
    >>> torch.as_strided(torch.arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
atleast_1d
    The tensor, or each of several, with at least one dimension.
    Shape and dtype: (1,) of an input of shape (), else its shape; its dtype.
    Derivative: g with the input's shape
    >>> torch.atleast_1d(torch.tensor(3))
    tensor([3])
atleast_2d
    The tensor, or each of several, with at least two dimensions.
    Shape and dtype: (1, 1) of an input of shape (), (1, n) of (n,), else its shape; its dtype.
    Derivative: g with the input's shape
    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]])
atleast_3d
    The tensor, or each of several, with at least three dimensions.
    Shape and dtype: (1, n, 1) of an input of shape (n,), (m, n, 1) of (m, n), else its shape; its dtype.
    Derivative: g with the input's shape
    >>> torch.atleast_3d(torch.tensor([1, 2])).shape
    torch.Size([1, 2, 1])
detach
    The same memory without history: no gradient flows through it.
    Shape and dtype: Those of the input.
    Derivative: none, the history is cut
    >>> torch.detach(torch.ones(2, requires_grad=True))
    tensor([1., 1.])
view_copy
    view as a copy.
    Shape and dtype: `size`; the dtype of the input, or the one given.
    Derivative: g with the input's shape
    >>> torch.view_copy(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]])
alias_copy
    The tensor as a copy.
    Shape and dtype: Those of the input.
    Derivative: g
    >>> torch.alias_copy(torch.tensor([1, 2]))
    tensor([1, 2])
as_strided_copy
    as_strided as a copy.
    Shape and dtype: `size`; the dtype of the input.
    Derivative: g added at the elements that the view shows
    >>> torch.as_strided_copy(torch.arange(6), (2, 2), (3, 1))
    tensor([[0, 1],
            [3, 4]])
detach_copy
    detach as a copy.
    Shape and dtype: Those of the input.
    Derivative: none, the history is cut
    >>> torch.detach_copy(torch.tensor([1., 2.]))
    tensor([1., 2.])
diagonal_copy
    diagonal as a copy.
    Shape and dtype: Without dim1 and dim2, and with the diagonal as last dimension; the dtype of the input.
    Derivative: zeros with g on the diagonal
    >>> torch.diagonal_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
expand_copy
    expand as a copy.
    Shape and dtype: `size`; the dtype of the input.
    Derivative: g summed over the dimensions that were expanded
    >>> torch.expand_copy(torch.tensor([[1], [2]]), (2, 2))
    tensor([[1, 1],
            [2, 2]])
narrow_copy
    narrow as a copy.
    Shape and dtype: The shape of the input with size `length` at `dim`; its dtype.
    Derivative: zeros with g at the slice
    >>> torch.narrow_copy(torch.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3])
permute_copy
    permute as a copy.
    Shape and dtype: The sizes in the order `dims`; the dtype of the input.
    Derivative: g with its dimensions put back
    >>> torch.permute_copy(torch.tensor([[1, 2], [3, 4]]), (1, 0))
    tensor([[1, 3],
            [2, 4]])
select_copy
    select as a copy.
    Shape and dtype: The shape of the input without `dim`; its dtype.
    Derivative: zeros with g at the selected index
    >>> torch.select_copy(torch.tensor([[1, 2], [3, 4]]), 1, 0)
    tensor([1, 3])
slice_copy
    input[start:end:step] along `dim`, as a copy.
    Shape and dtype: The shape of the input with the number of slices at `dim`; its dtype.
    Derivative: zeros with g at the slice
    >>> torch.slice_copy(torch.arange(6), 0, 1, 5, 2)
    tensor([1, 3])
squeeze_copy
    squeeze as a copy.
    Shape and dtype: The shape of the input without sizes 1; its dtype.
    Derivative: g with the input's shape
    >>> torch.squeeze_copy(torch.tensor([[1, 2]]))
    tensor([1, 2])
unsqueeze_copy
    unsqueeze as a copy.
    Shape and dtype: The shape of the input with a 1 at `dim`; its dtype.
    Derivative: g without the added dimension
    >>> torch.unsqueeze_copy(torch.tensor([1, 2]), 0)
    tensor([[1, 2]])
t_copy
    t as a copy.
    Shape and dtype: (n, m) of an input of shape (m, n); its dtype.
    Derivative: the transpose of g
    >>> torch.t_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]])
transpose_copy
    transpose as a copy.
    Shape and dtype: The shape of the input with the two sizes swapped; its dtype.
    Derivative: g with the two dimensions swapped back
    >>> torch.transpose_copy(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]])
unbind_copy
    unbind as copies.
    Shape and dtype: As many tensors as `dim` has slices, without that dimension; the dtype of the input.
    Derivative: the gradients of the slices, stacked
    >>> torch.unbind_copy(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
unfold_copy
    unfold as a copy.
    Shape and dtype: Size (n - size) / step + 1 at `dimension`, and `size` at the end; the dtype of the input.
    Derivative: g added up over the windows
    >>> torch.unfold_copy(torch.arange(4), 0, 2, 2)
    tensor([[0, 1],
            [2, 3]])
split_copy
    split as copies.
    Shape and dtype: Pieces of size `split_size` along `dim`, the last one smaller where it has to be.
    Derivative: the gradients of the pieces, joined
    >>> torch.split_copy(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
split_with_sizes_copy
    split_with_sizes as copies.
    Shape and dtype: Pieces of the given sizes along `dim`; the dtype of the input.
    Derivative: the gradients of the pieces, joined
    >>> torch.split_with_sizes_copy(torch.arange(5), (2, 3))
    (tensor([0, 1]), tensor([2, 3, 4]))
view_as_complex_copy
    view_as_complex as a copy.
    Shape and dtype: (*) of an input of shape (*, 2); complex64 of float32, complex128 of float64.
    Derivative: g as pairs of real numbers
    >>> torch.view_as_complex_copy(torch.tensor([[1., 2.]]))
    tensor([1.+2.j])
view_as_real_copy
    view_as_real as a copy.
    Shape and dtype: (*, 2) of an input of shape (*); float32 of complex64, float64 of complex128.
    Derivative: g as complex numbers
    >>> torch.view_as_real_copy(torch.tensor([1 + 2j]))
    tensor([[1., 2.]])
"""
