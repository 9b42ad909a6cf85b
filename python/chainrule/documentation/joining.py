"""Help. Putting tensors together and taking them apart."""

TEXT = """
cat
    Tensors one after the other along `dim`.
    Shape and dtype: Sizes agree but at `dim`, where they are added; the dtype to which all are promoted.
    >>> torch.cat((torch.tensor([1, 2]), torch.tensor([3])))
    tensor([1, 2, 3])
stack
    Tensors of one shape along a new dimension `dim`.
    Shape and dtype: The shape of the tensors with their number at `dim`; the dtype to which all are promoted.
    >>> torch.stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
hstack
    Tensors side by side: cat along dimension 1, and along 0 if they have one dimension.
    Shape and dtype: The sizes of dimension 1 (0) are added; the dtype to which all are promoted.
    Derivative: each input: its part of g
    >>> torch.hstack((torch.tensor([[1], [2]]), torch.tensor([[3], [4]])))
    tensor([[1, 3],
            [2, 4]])
vstack
    Tensors one above the other: cat along dimension 0, of tensors with at least two.
    Shape and dtype: The sizes of dimension 0 are added; the dtype to which all are promoted.
    Derivative: each input: its part of g
    >>> torch.vstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 2],
            [3, 4]])
dstack
    Tensors one behind the other: cat along dimension 2, of tensors with at least three.
    Shape and dtype: The sizes of dimension 2 are added; the dtype to which all are promoted.
    Derivative: each input: its part of g
    >>> torch.dstack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[[1, 3],
             [2, 4]]])
column_stack
    Tensors as columns: hstack, with one-dimensional tensors as columns.
    Shape and dtype: The sizes of dimension 1 are added; the dtype to which all are promoted.
    Derivative: each input: its part of g
    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
block_diag
    A matrix with the given ones along its diagonal and zeros elsewhere.
    Shape and dtype: The sum of the rows by the sum of the columns; the dtype to which all are promoted.
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
split
    Pieces of size `split_size_or_sections` along `dim`, the last one smaller where it has to be; or of the sizes that
    a list names. The pieces are views.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
split_with_sizes
    Pieces of the given sizes along `dim`, as views.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    >>> torch.split_with_sizes(torch.arange(5), (2, 3))
    (tensor([0, 1]), tensor([2, 3, 4]))
chunk
    At most `chunks` pieces of equal size along `dim`, the last one smaller where it has to be. The pieces are views.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.chunk(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
tensor_split
    As many pieces as asked for, whose sizes differ by at most one; or cut before the indices given. The pieces are
    views.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.tensor_split(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
hsplit
    tensor_split along dimension 1, and along 0 if there is only one; a number of pieces has to divide the size.
    Shape and dtype: The shape of the input but for that dimension; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.hsplit(torch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
vsplit
    tensor_split along dimension 0; a number of pieces has to divide the size.
    Shape and dtype: The shape of the input but for that dimension; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.vsplit(torch.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]]))
dsplit
    tensor_split along dimension 2; a number of pieces has to divide the size.
    Shape and dtype: The shape of the input but for that dimension; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.dsplit(torch.arange(4).reshape(1, 1, 4), 2)
    (tensor([[[0, 1]]]), tensor([[[2, 3]]]))
unbind
    All slices along `dim`, as views without that dimension.
    Shape and dtype: The shape of the input without `dim`; its dtype.
    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
unsafe_split
    split whose pieces may be changed in place each by itself.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.unsafe_split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
unsafe_split_with_sizes
    split_with_sizes whose pieces may be changed in place each by itself.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.unsafe_split_with_sizes(torch.arange(5), (2, 3))
    (tensor([0, 1]), tensor([2, 3, 4]))
unsafe_chunk
    chunk whose pieces may be changed in place each by itself.
    Shape and dtype: The shape of the input but for `dim`; its dtype.
    Derivative: the gradients of the pieces, joined
    >>> torch.unsafe_chunk(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
"""
