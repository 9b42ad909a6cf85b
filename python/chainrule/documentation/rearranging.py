"""Help. The elements in other places: turned, repeated, padded, triangles and diagonals."""

TEXT = """
flip
    The order of the elements reversed along the dimensions `dims`.
    Shape and dtype: Those of the input.
    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (0,))
    tensor([[3, 4],
            [1, 2]])
fliplr
    Shape and dtype: Those of the input, which has at least two dimensions.
    Derivative: g flipped back
    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
flipud
    Shape and dtype: Those of the input, which has at least one dimension.
    Derivative: g flipped back
    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
rot90
    Shape and dtype: The shape of the input, with the two sizes swapped for odd k; its dtype.
    Derivative: g rotated back
    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
roll
    The elements moved by `shifts` along `dims`; what falls off one end comes in at the other.
    Shape and dtype: Those of the input.
    >>> torch.roll(torch.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
repeat
    Copies of the tensor side by side, as many along each dimension as the sizes say.
    Shape and dtype: The sizes of the input times those given; its dtype.
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
tile
    repeat; where fewer numbers than dimensions are given, they count from the last.
    Shape and dtype: The sizes of the input times those given; its dtype.
    Derivative: g summed over the repetitions
    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
repeat_interleave
    Each element (or slice along `dim`) repeated, as often as `repeats` says for all or for each.
    Shape and dtype: The sum of the repeats at `dim`, or one dimension; the dtype of the input.
    Derivative: g summed over the repetitions
    >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
tril
    The lower triangle of each matrix, up to `diagonal`, zeros above.
    Shape and dtype: Those of the input.
    >>> torch.tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
triu
    The upper triangle of each matrix, from `diagonal` on, zeros below.
    Shape and dtype: Those of the input.
    >>> torch.triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
diag
    Of a vector the matrix with it on the diagonal, of a matrix its diagonal.
    Shape and dtype: (n, n) of (n,), and (n,) of (n, n), for diagonal 0; the dtype of the input.
    Derivative: the diagonal of g, or zeros with g on the diagonal
    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
diag_embed
    Matrices with the last dimension on their diagonals and zeros elsewhere.
    Shape and dtype: (*, n, n) of an input of shape (*, n), for offset 0; its dtype.
    >>> torch.diag_embed(torch.tensor([[1, 2]]))
    tensor([[[1, 0],
             [0, 2]]])
diagflat
    The matrix with all elements on its diagonal.
    Shape and dtype: (n, n) of an input of n elements, for offset 0; its dtype.
    Derivative: the diagonal of g, with the input's shape
    >>> torch.diagflat(torch.tensor([[1, 2]]))
    tensor([[1, 0],
            [0, 2]])
constant_pad_nd
    The tensor with `value` added at both ends of the last dimensions: pad is (left, right, top, bottom, ...), the
    last dimension first; negative numbers take away.
    Shape and dtype: Each size with its two numbers added; the dtype of the input.
    >>> torch.constant_pad_nd(torch.tensor([1, 2]), (1, 2), 0)
    tensor([0, 1, 2, 0, 0])
"""
