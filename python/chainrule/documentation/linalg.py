"""Help. Linear algebra: solving, factorising, eigenvalues, norms."""

TEXT = """
linalg_solve
    The X for which A @ X = B, or X @ A = B if not `left`.
    Shape and dtype: B is (*, n, k), or (*, n); X has its shape; A is (*, n, n); floating or complex, one dtype.
    Derivative: B: gB = solve(A^H, g), A: -gB @ X^H
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
linalg_solve_ex
    solve, with `info` in place of an error: the number of the first pivot that is zero, or 0.
    Shape and dtype: As solve; info is int32 of shape (*).
    Derivative: as solve
    >>> torch.linalg.solve_ex(torch.eye(2), torch.tensor([1., 2.]))
    torch.return_types.linalg_solve_ex(
    result=tensor([1., 2.]),
    info=tensor(0, dtype=torch.int32))
linalg_inv
    The inverse of each matrix.
    Shape and dtype: (*, n, n) of (*, n, n); floating or complex.
    Derivative: -y^H @ g @ y^H
    >>> torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
inverse = linalg_inv
linalg_inv_ex
    inv, with `info` in place of an error: the number of the first pivot that is zero, or 0.
    Shape and dtype: As inv; info is int32 of shape (*).
    Derivative: -y^H @ g @ y^H
    >>> torch.linalg.inv_ex(torch.eye(2))
    torch.return_types.linalg_inv_ex(
    inverse=tensor([[1., 0.],
            [0., 1.]]),
    info=tensor(0, dtype=torch.int32))
linalg_tensorinv
    The inverse of tensordot with `input`: its first `ind` dimensions are the rows, the others the columns.
    Shape and dtype: The columns' sizes, then the rows'; floating or complex.
    Derivative: that of inv, with the input's shape
    >>> torch.linalg.tensorinv(torch.eye(4).reshape(2, 2, 4), ind=2).shape
    torch.Size([4, 2, 2])
linalg_tensorsolve
    The X for which tensordot(input, X, X.ndim) = other.
    Shape and dtype: The last dimensions of `input`, whose product is the number of elements of `other`.
    Derivative: that of solve, with the input's shape
    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([1., 1., 1., 1.])
linalg_solve_triangular
    The X for which A @ X = B, A a triangle: of zeros below the diagonal if `upper`, above it if not.
    Shape and dtype: The shape of B, (*, n, k); A is (*, n, n); floating or complex, one dtype.
    Derivative: B: gB = the solution with A^H and g, A: the triangle of -gB @ X^H
    >>> torch.linalg.solve_triangular(torch.tensor([[2., 1.], [0., 1.]]), torch.tensor([[4.], [2.]]), upper=True)
    tensor([[1.],
            [2.]])
triangular_solve
    solve_triangular with its older arguments; also gives A.
    Shape and dtype: The shape of `input`, (*, n, k), and that of `A`, (*, n, n); floating or complex, one dtype.
    Derivative: as solve_triangular
    >>> torch.triangular_solve(torch.tensor([[4.], [2.]]), torch.tensor([[2., 1.], [0., 1.]])).solution
    tensor([[1.],
            [2.]])
linalg_det
    The determinant of each matrix.
    Shape and dtype: (*) of (*, n, n); floating or complex.
    Derivative: g * y * inv(A)^H
    >>> torch.linalg.det(torch.tensor([[2., 0.], [0., 4.]]))
    tensor(8.)
det = linalg_det
linalg_slogdet
    The sign of the determinant and the logarithm of its magnitude, which cannot overflow.
    Shape and dtype: (*) and (*) of (*, n, n); floating or complex, the logarithm real.
    Derivative: of the logarithm: g * inv(A)^H
    >>> torch.linalg.slogdet(torch.tensor([[2., 0.], [0., -2.]]))
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(1.3863))
slogdet = linalg_slogdet
logdet
    The logarithm of the determinant; NaN where it is negative.
    Shape and dtype: (*) of (*, n, n); floating or complex.
    Derivative: g * inv(A)^H
    >>> torch.logdet(torch.tensor([[2., 0.], [0., 2.]]))
    tensor(1.3863)
linalg_cholesky
    The lower triangle L with L @ L^H = input, of a positive definite matrix; the upper one if `upper`.
    Shape and dtype: (*, n, n) of (*, n, n); floating or complex.
    Derivative: L^-H @ (the lower triangle of L^H @ g, its diagonal halved) @ L^-1, made symmetric
    >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 2.]]))
    tensor([[2., 0.],
            [1., 1.]])
cholesky = linalg_cholesky
linalg_cholesky_ex
    cholesky, with `info` in place of an error: the size of the leading part that is not positive definite, or 0.
    Shape and dtype: As cholesky; info is int32 of shape (*).
    Derivative: as cholesky
    >>> torch.linalg.cholesky_ex(torch.tensor([[4., 2.], [2., 2.]])).L
    tensor([[2., 0.],
            [1., 1.]])
cholesky_solve
    The X for which A @ X = input, with the Cholesky factor of A in `input2`.
    Shape and dtype: The shape of `input`, (*, n, k), with `input2` (*, n, n); floating or complex, one dtype.
    Derivative: input: the solution with g; the factor: through A
    >>> torch.cholesky_solve(torch.tensor([[4.], [2.]]), torch.tensor([[2., 0.], [0., 1.]]))
    tensor([[1.],
            [2.]])
cholesky_inverse
    The inverse of A from its Cholesky factor.
    Shape and dtype: (*, n, n) of (*, n, n); floating or complex.
    Derivative: that of the inverse, through A
    >>> torch.cholesky_inverse(torch.tensor([[2., 0.], [0., 1.]])).diagonal()
    tensor([0.2500, 1.0000])
linalg_lu
    The permutation P, the lower triangle L and the upper triangle U with P @ L @ U = A.
    Shape and dtype: (*, m, m), (*, m, k) and (*, k, n) of (*, m, n), k the smaller of m and n; floating or complex.
    Derivative: through the triangles of L^H @ gL and gU @ U^H
    >>> torch.linalg.lu(torch.tensor([[0., 2.], [4., 4.]]))
    torch.return_types.linalg_lu(
    P=tensor([[0., 1.],
            [1., 0.]]),
    L=tensor([[1., 0.],
            [0., 1.]]),
    U=tensor([[4., 4.],
            [0., 2.]]))
linalg_lu_factor
    L and U in one matrix, the ones of L's diagonal left out, and which rows were swapped, counted from 1.
    Shape and dtype: (*, m, n) and int32 (*, k) of (*, m, n); floating or complex.
    Derivative: as lu
    >>> torch.linalg.lu_factor(torch.tensor([[0., 2.], [4., 4.]]))
    torch.return_types.linalg_lu_factor(
    LU=tensor([[4., 4.],
            [0., 2.]]),
    pivots=tensor([2, 2], dtype=torch.int32))
linalg_lu_factor_ex
    lu_factor, with `info` in place of an error: the number of the first pivot that is zero, or 0.
    Shape and dtype: As lu_factor; info is int32 of shape (*).
    Derivative: as lu
    >>> torch.linalg.lu_factor_ex(torch.eye(2)).info
    tensor(0, dtype=torch.int32)
linalg_lu_solve
    The X for which A @ X = B, with what lu_factor(A) gave.
    Shape and dtype: The shape of B, (*, n, k); LU is (*, n, n); floating or complex, one dtype.
    Derivative: B: the solution with A^H and g; LU: through the triangles
    >>> torch.linalg.lu_solve(*torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]])), torch.tensor([[2.], [2.]]))
    tensor([[1.0000],
            [0.5000]])
lu_solve
    linalg.lu_solve with its older order of arguments.
    Shape and dtype: The shape of `input`, (*, n, k); LU_data is (*, n, n); floating or complex, one dtype.
    Derivative: input: the solution with A^H and g; LU_data: through the triangles
    >>> torch.lu_solve(torch.tensor([[2.], [2.]]), *torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]])))
    tensor([[1.0000],
            [0.5000]])
lu_unpack
    P, L and U from what lu_factor gave.
    Shape and dtype: (*, m, m), (*, m, k) and (*, k, n) of (*, m, n), k the smaller of m and n.
    Derivative: LU_data: the lower triangle of gL without its diagonal plus the upper triangle of gU
    >>> torch.lu_unpack(*torch.linalg.lu_factor(torch.tensor([[0., 2.], [4., 4.]]))).U
    tensor([[4., 4.],
            [0., 2.]])
lu
    lu_factor by its older name; with `get_infos`, also its info.
    Shape and dtype: (*, m, n) and int32 (*, k) of (*, m, n); floating or complex.
    Derivative: as linalg.lu
    >>> torch.lu(torch.tensor([[0., 2.], [4., 4.]]))[1]
    tensor([2, 2], dtype=torch.int32)
linalg_qr
    Q with orthonormal columns and the upper triangle R with Q @ R = A.
    Shape and dtype: (*, m, k) and (*, k, n) of (*, m, n), k the smaller of m and n; `mode` "complete" has k = m for Q.
    Derivative: (gQ + Q @ copyltu(R @ gR^H - gQ^H @ Q)) @ R^-H, where copyltu makes the lower triangle symmetric
    >>> q, r = torch.linalg.qr(torch.tensor([[3., 1.], [4., 2.]]))
    >>> torch.allclose(q @ r, torch.tensor([[3., 1.], [4., 2.]]))
    True
qr = linalg_qr
geqrf
    R and the Householder vectors below it in one matrix, and their factors tau.
    Shape and dtype: (*, m, n) and (*, k) of (*, m, n), k the smaller of m and n; floating or complex.
    Derivative: none, PyTorch defines none
    >>> torch.geqrf(torch.tensor([[3., 1.], [4., 2.]])).tau.shape
    torch.Size([2])
linalg_householder_product
    The first columns of the product of Householder's reflections, as geqrf gives them.
    Shape and dtype: (*, m, n) of (*, m, n) and tau (*, k); floating or complex, one dtype.
    Derivative: through one reflection after the other
    >>> q = torch.linalg.householder_product(*torch.geqrf(torch.tensor([[3., 1.], [4., 2.]])))
    >>> torch.allclose(q.T @ q, torch.eye(2), atol=1e-6)
    True
orgqr = linalg_householder_product
ormqr
    The product of Householder's reflections and another matrix, without forming the first.
    Shape and dtype: The shape of `input3`; floating or complex, one dtype.
    Derivative: that of householder_product and of the product
    >>> a, tau = torch.geqrf(torch.tensor([[3., 1.], [4., 2.]]))
    >>> torch.allclose(torch.ormqr(a, tau, torch.eye(2)), torch.linalg.householder_product(a, tau))
    True
linalg_svd
    U, the singular values S, largest first, and Vh with U @ diag(S) @ Vh = A.
    Shape and dtype: (*, m, m), (*, k) and (*, n, n) of (*, m, n), or (*, m, k) and (*, k, n) if not `full_matrices`;
    S is real.
    Derivative: U @ (the parts of gU and gV between the singular directions, over differences of S^2, + diag(gS)) @ Vh
    >>> torch.linalg.svd(torch.tensor([[0., 2.], [3., 0.]])).S
    tensor([3., 2.])
linalg_svdvals
    The singular values, largest first.
    Shape and dtype: (*, k) of (*, m, n), k the smaller of m and n; real.
    Derivative: U @ diag(g) @ Vh
    >>> torch.linalg.svdvals(torch.tensor([[0., 2.], [3., 0.]]))
    tensor([3., 2.])
svd
    linalg.svd with V in place of Vh, and thin if `some`.
    Shape and dtype: (*, m, k), (*, k) and (*, n, k) of (*, m, n), k the smaller of m and n; S is real.
    Derivative: as linalg.svd
    >>> torch.svd(torch.tensor([[0., 2.], [3., 0.]])).S
    tensor([3., 2.])
linalg_eigh
    The eigenvalues, ascending, and the orthonormal eigenvectors of a symmetric or Hermitian matrix; only the triangle
    `UPLO` is read.
    Shape and dtype: (*, n), real, and (*, n, n) of (*, n, n); floating or complex.
    Derivative: V @ (diag(gL) + V^H @ gV / differences of eigenvalues) @ V^H
    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
linalg_eigvalsh
    The eigenvalues of a symmetric or Hermitian matrix, ascending.
    Shape and dtype: (*, n), real, of (*, n, n); floating or complex.
    Derivative: V @ diag(g) @ V^H
    >>> torch.linalg.eigvalsh(torch.tensor([[2., 0.], [0., 1.]]))
    tensor([1., 2.])
linalg_eig
    The eigenvalues and eigenvectors of any square matrix.
    Shape and dtype: (*, n) and (*, n, n) of (*, n, n); complex.
    Derivative: V^-H @ (diag(gL) + V^H @ gV / conj(differences of eigenvalues), without V's scale) @ V^H
    >>> torch.linalg.eig(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
linalg_eigvals
    The eigenvalues of any square matrix.
    Shape and dtype: (*, n) of (*, n, n); complex.
    Derivative: V^-H @ diag(g) @ V^H
    >>> torch.linalg.eigvals(torch.tensor([[2., 0.], [0., 1.]]))
    tensor([2.+0.j, 1.+0.j])
linalg_pinv
    The pseudoinverse; singular values below `atol` + `rtol` times the largest count as zero.
    Shape and dtype: (*, n, m) of (*, m, n); floating or complex.
    Derivative: -y^H @ g @ y^H, and the parts of g outside of the matrix's range
    >>> torch.linalg.pinv(torch.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
pinverse = linalg_pinv
linalg_matrix_rank
    How many singular values are not zero: above `atol` + `rtol` times the largest.
    Shape and dtype: (*) of (*, m, n); int64.
    Derivative: none, the result is of integers
    >>> torch.linalg.matrix_rank(torch.tensor([[2., 0.], [0., 0.]]))
    tensor(1)
linalg_lstsq
    The X for which |A @ X - B| is smallest, with the residuals, the rank and the singular values where they are known.
    Shape and dtype: X is (*, n, k) of input (*, m, n) and B (*, m, k); floating or complex, one dtype.
    Derivative: that of pinv(A) @ B
    >>> torch.linalg.lstsq(torch.tensor([[1.], [1.]]), torch.tensor([[1.], [3.]])).solution
    tensor([[2.0000]])
linalg_ldl_factor
    L and the block-diagonal D of a symmetric matrix in one matrix, and the pivots.
    Shape and dtype: (*, n, n) and int32 (*, n) of (*, n, n); floating or complex.
    Derivative: none, PyTorch defines none
    >>> torch.linalg.ldl_factor(torch.tensor([[2., 0.], [0., 4.]])).LD
    tensor([[2., 0.],
            [0., 4.]])
linalg_ldl_factor_ex
    ldl_factor, with `info` in place of an error.
    Shape and dtype: As ldl_factor; info is int32 of shape (*).
    Derivative: none, PyTorch defines none
    >>> torch.linalg.ldl_factor_ex(torch.eye(2)).info
    tensor(0, dtype=torch.int32)
linalg_ldl_solve
    The X for which A @ X = B, with what ldl_factor(A) gave.
    Shape and dtype: The shape of B, (*, n, k); LD is (*, n, n); floating or complex, one dtype.
    Derivative: none, PyTorch defines none
    >>> torch.linalg.ldl_solve(*torch.linalg.ldl_factor(torch.tensor([[2., 0.], [0., 4.]])), torch.tensor([[2.], [2.]]))
    tensor([[1.0000],
            [0.5000]])
linalg_matrix_exp
    The exponential of each matrix: the sum of A ** k / k!.
    Shape and dtype: (*, n, n) of (*, n, n); floating or complex.
    Derivative: the upper right block of the exponential of [[A^H, g], [0, A^H]]
    >>> torch.linalg.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
matrix_exp = linalg_matrix_exp
linalg_vector_norm
    The norm of order `ord` over `dim` or all: (sum of |x| ** ord) ** (1 / ord).
    Shape and dtype: Without the dimensions reduced; the real dtype of the input, or `dtype`.
    >>> torch.linalg.vector_norm(torch.tensor([3., 4.]))
    tensor(5.)
linalg_matrix_norm
    A norm of each matrix: "fro", "nuc", or inf, -inf, 1, -1, 2, -2 for sums of rows, of columns and singular values.
    Shape and dtype: Without the two dimensions; the real dtype of the input, or `dtype`.
    Derivative: that of the vector norm, of the sums or of the singular values
    >>> torch.linalg.matrix_norm(torch.tensor([[3., 0.], [0., 4.]]))
    tensor(5.)
linalg_norm
    vector_norm or matrix_norm: by `dim`, or by the input's dimensions where `ord` is given.
    Shape and dtype: Without the dimensions reduced; the real dtype of the input, or `dtype`.
    Derivative: as vector_norm or matrix_norm
    >>> torch.linalg.norm(torch.tensor([[3., 0.], [0., 4.]]), 2)
    tensor(4.)
linalg_cond
    The condition number: the norm of the matrix times that of its inverse, for p 2 the largest singular value over the
    smallest.
    Shape and dtype: (*) of (*, n, n); real.
    Derivative: that of the singular values, or of both norms
    >>> torch.linalg.cond(torch.tensor([[2., 0.], [0., 4.]]))
    tensor(2.)
frobenius_norm
    The root of the sum of squares over one or two dimensions.
    Shape and dtype: Without the dimensions; the real dtype of the input.
    Derivative: g * input / y
    >>> torch.frobenius_norm(torch.tensor([[3., 0.], [0., 4.]]), (0, 1))
    tensor(5.)
nuclear_norm
    The sum of the singular values.
    Shape and dtype: Without the two dimensions; the real dtype of the input.
    Derivative: g * U @ Vh
    >>> torch.nuclear_norm(torch.tensor([[3., 0.], [0., 4.]]))
    tensor(7.)
linalg_cross = cross
linalg_diagonal = diagonal
linalg_vander = vander
linalg_matmul = matmul
linalg_vecdot
    The sums of the products of x, conjugated, and y along `dim`.
    Shape and dtype: The inputs are broadcast to one shape; it without `dim`; one dtype.
    Derivative: x: conj(g) * y, y: g * x
    >>> torch.linalg.vecdot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
linalg_matrix_power
    The product of `n` copies of each matrix; for negative n, of its inverse.
    Shape and dtype: (*, n, n) of (*, n, n).
    Derivative: the sum over the factors of the products of the others, transposed, around g
    >>> torch.linalg.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
matrix_power = linalg_matrix_power
linalg_multi_dot
    The product of several matrices, in the order that needs the fewest multiplications.
    Shape and dtype: (n, p) of matrices that fit one after the other; the first and the last may be vectors; one dtype.
    Derivative: each matrix: g multiplied with the transposes of all others
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)])
    tensor([[12.],
            [12.]])
svd_lowrank
    An approximate thin svd with q singular values, from random projections.
    Shape and dtype: (*, m, q), (*, q) and (*, n, q) of (*, m, n); floating or complex.
    Derivative: that of the qr and svd it is made of
    >>> torch.allclose(torch.svd_lowrank(torch.diag(torch.tensor([3., 2.])), q=2)[1], torch.tensor([3., 2.]))
    True
pca_lowrank
    svd_lowrank of the input less the means of its columns: the principal components.
    Shape and dtype: (*, m, q), (*, q) and (*, n, q) of (*, m, n); floating or complex.
    Derivative: that of the qr and svd it is made of
    >>> torch.pca_lowrank(torch.tensor([[1., 0.], [-1., 0.], [0., 0.]]), q=1)[1].shape
    torch.Size([1])
lobpcg
    The k largest (or smallest) eigenvalues of a large symmetric matrix and their vectors, found by iteration.
    Shape and dtype: (*, k) and (*, n, k) of (*, n, n); floating.
    Derivative: that of an eigenvalue decomposition, for the eigenvalues that were found
    >>> torch.lobpcg(torch.diag(torch.arange(1., 10.)), k=1)[0].round()
    tensor([9.])
"""
