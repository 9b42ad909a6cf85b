"""Help. New tensors: from data, of one number, of sequences of numbers."""

TEXT = """
tensor
    A new tensor that holds a copy of `data`: a number, nested lists, an array, a tensor.
    Shape and dtype: The shape of the data; the dtype that its numbers need (floats: the default dtype), or `dtype`.
    Derivative: none, the result has no history
    >>> torch.tensor([[1., 2.], [3., 4.]])
    tensor([[1., 2.],
            [3., 4.]])
as_tensor
    A tensor of `data` that shares its memory where it can: a tensor or an array of the wanted dtype.
    Shape and dtype: The shape of the data; its dtype, or `dtype`.
    Derivative: g, where the data is a tensor
    >>> torch.as_tensor([1, 2, 3])
    tensor([1, 2, 3])
scalar_tensor
    A tensor without dimensions that holds one number.
    Shape and dtype: (); the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.scalar_tensor(3.5)
    tensor(3.5000)
from_numpy
    A tensor that shares the memory of a NumPy array.
    Shape and dtype: Those of the array.
    Derivative: none, the result has no history
    >>> import numpy
    >>> torch.from_numpy(numpy.array([1., 2.], dtype=numpy.float32))
    tensor([1., 2.])
frombuffer
    A tensor that shares the memory of a buffer, such as a bytearray.
    Shape and dtype: One dimension, `count` elements, or as many as there are; `dtype`.
    Derivative: none, the result has no history
    >>> torch.frombuffer(bytearray([1, 2, 3]), dtype=torch.uint8)
    tensor([1, 2, 3], dtype=torch.uint8)
zeros
    A tensor full of zeros.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
ones
    A tensor full of ones.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
full
    A tensor that is `fill_value` everywhere.
    Shape and dtype: The sizes given; the dtype that the number needs, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.full((2, 2), 7)
    tensor([[7, 7],
            [7, 7]])
empty
    A tensor with whatever the memory held: for elements that are written before they are read.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.empty(2, 3).shape
    torch.Size([2, 3])
empty_strided
    An empty tensor with the given strides.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
empty_permuted
    An empty tensor whose dimensions lie in memory in the order `physical_layout`, outermost first.
    Shape and dtype: The sizes given; the default dtype, or `dtype`.
    Derivative: none, the result has no history
    >>> torch.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
zeros_like
    Zeros with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> torch.zeros_like(torch.tensor([1., 2.]))
    tensor([0., 0.])
ones_like
    Ones with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> torch.ones_like(torch.tensor([1., 2.]))
    tensor([1., 1.])
full_like
    `fill_value` everywhere, with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> torch.full_like(torch.tensor([1., 2.]), 7)
    tensor([7., 7.])
empty_like
    An empty tensor with the shape, dtype and layout of `input`.
    Shape and dtype: The shape of the input; its dtype, or `dtype`.
    Derivative: none, the values of the input are not used
    >>> torch.empty_like(torch.ones(2, 3)).shape
    torch.Size([2, 3])
arange
    The numbers from `start` (0) to below `end`, `step` (1) apart.
    Shape and dtype: One dimension of ceil((end - start) / step) elements; int64 for whole numbers, else the default
    dtype, or `dtype`.
    Derivative: none, the arguments are numbers
    >>> torch.arange(1, 10, 3)
    tensor([1, 4, 7])
range
    The numbers from `start` to `end`, both included, `step` (1) apart: PyTorch's older arange.
    Shape and dtype: One dimension of floor((end - start) / step) + 1 elements; the default dtype, or `dtype`.
    Derivative: none, the arguments are numbers
    >>> torch.range(1, 4)
    tensor([1., 2., 3., 4.])
linspace
    `steps` numbers from `start` to `end`, both included, at equal distances.
    Shape and dtype: (steps,); the default dtype, or `dtype`.
    Derivative: none, the arguments are taken as numbers
    >>> torch.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
logspace
    Shape and dtype: (steps,); the default dtype, or `dtype`.
    Derivative: none, the arguments are taken as numbers
    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
eye
    The identity matrix: ones on the diagonal, zeros elsewhere.
    Shape and dtype: (n, n), or (n, m); the default dtype, or `dtype`.
    Derivative: none, the arguments are numbers
    >>> torch.eye(2, 3)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
tril_indices
    Where the lower triangle of a matrix with `row` rows and `col` columns is, row by row.
    Shape and dtype: (2, number of elements); int64, or `dtype`.
    Derivative: none, the result is of integers
    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
triu_indices
    Where the upper triangle of a matrix with `row` rows and `col` columns is, row by row.
    Shape and dtype: (2, number of elements); int64, or `dtype`.
    Derivative: none, the result is of integers
    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
meshgrid
    Shape and dtype: As many tensors as are given, each with one dimension for each of them; the dtype of the inputs.
    Derivative: each input: its g summed over the other dimensions
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
    (tensor([[1, 1, 1],
            [2, 2, 2]]), tensor([[3, 4, 5],
            [3, 4, 5]]))
cartesian_prod
    Shape and dtype: (product of the lengths, number of tensors), or the one tensor given; the dtype of the inputs.
    Derivative: each input: g added up where the element was used
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
combinations
    Shape and dtype: (number of combinations, r) of an input with one dimension; its dtype.
    Derivative: g added up where the element was used
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
vander
    Shape and dtype: (n, N) of an input of n elements; its dtype.
    Derivative: the sum over the columns of g * k * x ** (k - 1)
    >>> torch.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
bartlett_window
    A triangle that begins at zero; one whole period unless `periodic` is false.
    Shape and dtype: (window_length,); the default dtype, or `dtype`, which is floating.
    Derivative: none, the arguments are numbers
    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
blackman_window
    0.42 - 0.5 cos(x) + 0.08 cos(2x) over one whole period, or symmetric if `periodic` is false.
    Shape and dtype: (window_length,); the default dtype, or `dtype`, which is floating.
    Derivative: none, the arguments are numbers
    >>> torch.blackman_window(3).shape
    torch.Size([3])
hann_window
    0.5 - 0.5 cos(x) over one whole period, or symmetric if `periodic` is false.
    Shape and dtype: (window_length,); the default dtype, or `dtype`, which is floating.
    Derivative: none, the arguments are numbers
    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
hamming_window
    Shape and dtype: (window_length,); the default dtype, or `dtype`, which is floating.
    Derivative: none, the arguments are numbers
    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
kaiser_window
    Shape and dtype: (window_length,); the default dtype, or `dtype`, which is floating.
    Derivative: none, the arguments are numbers
    >>> torch.kaiser_window(4)
    tensor([5.2773e-05, 2.1567e-01, 1.0000e+00, 2.1567e-01])
"""
