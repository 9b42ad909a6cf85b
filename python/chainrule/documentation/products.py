"""Help. Products of matrices and vectors, and distances."""

TEXT = """
matmul
    The product a @ b of `input` and `other`: of vectors a number, of matrices a matrix, with more dimensions the
    products of all matrices in the last two.
    Shape and dtype: (*, n, p) of (*, n, m) and (*, m, p), where * is broadcast; both have one dtype.
    >>> torch.matmul(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
mm
    The product a @ b of the matrices `input` and `mat2`.
    Shape and dtype: (n, p) of (n, m) and (m, p); both have one dtype.
    >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[11.]])
bmm
    The products a @ b of the matrices in `input` and `mat2`.
    Shape and dtype: (b, n, p) of (b, n, m) and (b, m, p); both have one dtype.
    >>> torch.bmm(torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[3.]],
    <BLANKLINE>
            [[3.]]])
mv
    The product of a matrix and a vector.
    Shape and dtype: (n,) of (n, m) and (m,); both have one dtype.
    >>> torch.mv(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
dot
    The sum of the products of the elements of two vectors, a and b.
    Shape and dtype: () of (n,) and (n,); both have one dtype.
    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
vdot
    dot with the complex conjugate of the first vector.
    Shape and dtype: () of (n,) and (n,); both have one dtype.
    >>> torch.vdot(torch.tensor([1j]), torch.tensor([1j]))
    tensor(1.+0.j)
inner
    dot over the last dimensions, of each vector of `input` with each of `other`.
    Shape and dtype: (*, +) of (*, n) and (+, n); both have one dtype.
    Derivative: input: g @ other, other: g.T @ input
    >>> torch.inner(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1., 1.]))
    tensor([3., 7.])
outer
    The products of each element of `input` with each of `vec2`.
    Shape and dtype: (n, m) of (n,) and (m,); the dtype to which both are promoted.
    Derivative: input: g @ vec2, vec2: input @ g
    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
addmm
    beta * input + alpha * (a @ b), where a is `mat1` and b is `mat2`.
    Shape and dtype: (n, p) of (n, m) and (m, p), to which the input is broadcast; all have one dtype.
    >>> torch.addmm(torch.ones(1), torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[12.]])
addmv
    beta * input + alpha * (mat @ vec).
    Shape and dtype: (n,) of (n, m) and (m,), to which the input is broadcast; all have one dtype.
    >>> torch.addmv(torch.ones(1), torch.tensor([[1., 2.]]), torch.tensor([3., 4.]))
    tensor([12.])
addr
    beta * input + alpha * outer(a, b), where a is `vec1` and b is `vec2`.
    Shape and dtype: (n, m) of (n,) and (m,), to which the input is broadcast; the dtype to which all are promoted.
    >>> torch.addr(torch.ones(1), torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[4., 5.],
            [7., 9.]])
addbmm
    beta * input + alpha * the sum of a @ b over all matrices of a, `batch1`, and b, `batch2`.
    Shape and dtype: (n, p) of (b, n, m) and (b, m, p), to which the input is broadcast; all have one dtype.
    >>> torch.addbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[7.]])
baddbmm
    beta * input + alpha * (a @ b) for each matrix of a, `batch1`, and b, `batch2`.
    Shape and dtype: (b, n, p) of (b, n, m) and (b, m, p), to which the input is broadcast; all have one dtype.
    >>> torch.baddbmm(torch.ones(1), torch.ones(2, 1, 3), torch.ones(2, 3, 1))
    tensor([[[4.]],
    <BLANKLINE>
            [[4.]]])
linear
    input @ weight.T + bias, over the last dimension.
    Shape and dtype: (*, out) of input (*, in), weight (out, in) and bias (out,); all have one dtype.
    >>> torch.nn.functional.linear(torch.tensor([1., 2.]), torch.tensor([[3., 4.]]), torch.tensor([10.]))
    tensor([21.])
kron
    Shape and dtype: The sizes multiplied; the dtype to which both are promoted.
    Derivative: input: g * other summed over each block, other: g * input summed over the blocks
    >>> torch.kron(torch.tensor([[1, 2]]), torch.tensor([[1], [1]]))
    tensor([[1, 2],
            [1, 2]])
tensordot
    Shape and dtype: The dimensions of `a` that are left, then those of `b`; both have one dtype.
    Derivative: a: g contracted with b, b: g contracted with a
    >>> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), dims=1).shape
    torch.Size([2, 4])
chain_matmul
    Shape and dtype: (n, p) of matrices that fit one after the other; all have one dtype.
    Derivative: each matrix: g multiplied with the transposes of all others
    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1))
    tensor([[12.],
            [12.]])
cross
    Shape and dtype: The inputs are broadcast to one shape, with size 3 at `dim`; the dtype to which both are promoted.
    Derivative: input: cross(other, g), other: cross(g, input)
    >>> torch.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
dist
    Shape and dtype: () of inputs that are broadcast to one shape; the dtype to which both are promoted.
    Derivative: input: g times the derivative of the norm, other: minus that
    >>> torch.dist(torch.tensor([0., 0.]), torch.tensor([3., 4.]))
    tensor(5.)
cdist
    Shape and dtype: (*, n, m) of (*, n, d) and (*, m, d), where * is broadcast; both have one dtype.
    Derivative: g times the direction between the two points, summed over the other points
    >>> torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5., 1.]])
renorm
    Shape and dtype: Those of the input, which is floating or complex.
    Derivative: g for the slices that are kept; for the others g times their factor, less its part along x
    >>> torch.renorm(torch.tensor([[3., 4.], [0.3, 0.4]]), p=2, dim=0, maxnorm=1)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
norm_except_dim
    Shape and dtype: Size 1 everywhere but at `dim`; the dtype of the input.
    Derivative: g * sgn(x) * (|x| / y)^(pow - 1)
    >>> torch.norm_except_dim(torch.tensor([[3., 4.], [6., 8.]]))
    tensor([[ 5.],
            [10.]])
"""
