"""The part of the table that is linear algebra; the bodies are in chainrule.linalg."""

_OUT = "Tensor!? out=None"  # of the result's dtype
_OUTS = "object!? out=None"  # several tensors
_CAST_OUT = "Tensor? out=None"  # of any dtype into which the result can be cast
_CAST_OUTS = "object? out=None"
_CHECKED = f"bool check_errors=False, {_OUTS}"
_TOLERANCES = f"*, Operand? atol=None, Operand? rtol=None, bool hermitian=False, {_CAST_OUT}"
_NORM = f"bool keepdim=False, *, dtype? dtype=None, {_OUT}"
_TRIANGLE = "bool upper=True, bool transpose=False, bool unitriangular=False"
_SIDE = "bool left=True, bool unitriangular=False"
_UNPACKED = "bool unpack_data=True, bool unpack_pivots=True"
_EIGEN = "(eigenvalues, eigenvectors)"
_LSTSQ = "(solution, residuals, rank, singular_values)"

_LOBPCG = (
    "int? k=None, Tensor? B=None, Tensor? X=None, int? n=None, Tensor? iK=None, int? niter=None, float? tol=None, "
    "bool? largest=None, str? method=None, object tracker=None, object ortho_iparams=None, "
    "object ortho_fparams=None, object ortho_bparams=None"
)

LINALG = {
    "linalg.lu_factors": f"""
        function linalg_lu(Tensor A, *, bool pivot=True, {_OUTS}) -> (P, L, U)
        function linalg_lu_factor(Tensor A, *, bool pivot=True, {_OUTS}) -> (LU, pivots)
        function linalg_lu_factor_ex(Tensor A, *, bool pivot=True, {_CHECKED}) -> (LU, pivots, info)
        function linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False, {_OUT})
        both     lu_solve(Tensor input, Tensor LU_data, Tensor LU_pivots, *, {_OUT})
        function lu_unpack(Tensor LU_data, Tensor LU_pivots, {_UNPACKED}, *, {_OUTS}) -> (P, L, U)
        function lu(Tensor A, bool pivot=True, bool get_infos=False, {_OUTS}) -> Tensor[]
        method   lu(Tensor input, bool pivot=True, bool get_infos=False) -> Tensor[]
    """,
    "linalg.solving": f"""
        function linalg_solve(Tensor A, Tensor B, *, bool left=True, {_OUT})
        function linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, {_CHECKED}) -> (result, info)
        function linalg_inv(Tensor A, *, {_OUT})
        function linalg_inv_ex(Tensor A, *, {_CHECKED}) -> (inverse, info)
        both     inverse(Tensor input, *, {_OUT})
        function linalg_tensorinv(Tensor input, int ind=2, *, {_CAST_OUT})
        function linalg_tensorsolve(Tensor input, Tensor other, int[]? dims=None, *, {_CAST_OUT})
    """,
    "linalg.triangles": f"""
        function linalg_solve_triangular(Tensor input, Tensor B, *, bool upper, {_SIDE}, {_OUT})
        both     triangular_solve(Tensor input, Tensor A, {_TRIANGLE}, *, {_OUTS}) -> (solution, cloned_coefficient)
    """,
    "linalg.determinants": f"""
        function linalg_det(Tensor A, *, {_OUT})
        both     det(Tensor input)
        function linalg_slogdet(Tensor A, *, {_OUTS}) -> (sign, logabsdet)
        both     slogdet(Tensor input, *, {_OUTS}) -> (sign, logabsdet)
        both     logdet(Tensor input)
    """,
    "linalg.cholesky_factors": f"""
        function linalg_cholesky(Tensor input, *, bool upper=False, {_OUT})
        function linalg_cholesky_ex(Tensor input, *, bool upper=False, {_CHECKED}) -> (L, info)
        both     cholesky(Tensor input, bool upper=False, *, {_CAST_OUT})
        both     cholesky_solve(Tensor input, Tensor input2, bool upper=False, *, {_CAST_OUT})
        both     cholesky_inverse(Tensor input, bool upper=False, *, {_CAST_OUT})
    """,
    "linalg.orthogonal": f"""
        function linalg_qr(Tensor A, str mode='reduced', *, {_OUTS}) -> (Q, R)
        both     qr(Tensor input, bool some=True, *, {_OUTS}) -> (Q, R)
        both     geqrf(Tensor input, *, {_CAST_OUTS}) -> (a, tau)
        function linalg_householder_product(Tensor input, Tensor tau, *, {_CAST_OUT})
        both     orgqr(Tensor input, Tensor input2, *, {_CAST_OUT})
        both     ormqr(Tensor input, Tensor input2, Tensor input3, bool left=True, bool transpose=False, *, {_OUT})
    """,
    "linalg.singular_values": f"""
        function linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None, {_OUTS}) -> (U, S, Vh)
        function linalg_svdvals(Tensor A, *, str? driver=None, {_OUT})
        both     svd(Tensor input, bool some=True, bool compute_uv=True, *, {_OUTS}) -> (U, S, V)
    """,
    "linalg.eigenvalues": f"""
        function linalg_eigh(Tensor input, str UPLO='L', *, {_OUTS}) -> {_EIGEN}
        function linalg_eigvalsh(Tensor input, str UPLO='L', *, {_OUT})
        function linalg_eig(Tensor input, *, {_CAST_OUTS}) -> {_EIGEN}
        function linalg_eigvals(Tensor input, *, {_CAST_OUT})
    """,
    "linalg.pseudoinverse": f"""
        function linalg_pinv(Tensor input, {_TOLERANCES})
        function linalg_pinv.rcond(Tensor input, Operand rcond, bool hermitian=False, *, {_CAST_OUT})
        both     pinverse(Tensor input, float rcond=1e-15)
        function linalg_matrix_rank(Tensor input, {_TOLERANCES})
        function linalg_matrix_rank.tol(Tensor input, Operand tol, bool hermitian=False, *, {_CAST_OUT})
    """,
    "linalg.least_squares": f"""
        function linalg_lstsq(Tensor input, Tensor b, float? rcond=None, *, str? driver=None, {_CAST_OUTS}) -> {_LSTSQ}
    """,
    "linalg.symmetric": f"""
        function linalg_ldl_factor(Tensor input, *, bool hermitian=False, {_OUTS}) -> (LD, pivots)
        function linalg_ldl_factor_ex(Tensor input, *, bool hermitian=False, {_CHECKED}) -> (LD, pivots, info)
        function linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False, {_OUT})
    """,
    "linalg.exponential": """
        function linalg_matrix_exp(Tensor input)
        both     matrix_exp(Tensor input)
    """,
    "linalg.norms": f"""
        function linalg_matrix_norm(Tensor input, object ord='fro', int[] dim=(-2,-1), {_NORM})
        function linalg_norm(Tensor input, object ord=None, int[]? dim=None, {_NORM})
        function linalg_cond(Tensor input, object p=None, *, {_CAST_OUT})
        function frobenius_norm(Tensor input, int[] dim, bool keepdim=False, *, {_OUT})
        function nuclear_norm(Tensor input, int[]? dim=None, bool keepdim=False, *, {_OUT})
    """,
    "linalg.products": f"""
        function linalg_cross(Tensor input, Tensor other, *, int dim=-1, {_OUT})
        function linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)
        function linalg_vecdot(Tensor x, Tensor y, *, int dim=-1, {_OUT})
        function linalg_vander(Tensor x, *, int? N=None)
        function linalg_matrix_power(Tensor input, int n, *, {_OUT})
        both     matrix_power(Tensor input, int n, *, {_OUT})
        function linalg_multi_dot(Tensor[] tensors, *, {_OUT})
    """,
    "linalg.lowrank": """
        function svd_lowrank(Tensor A, int? q=6, int? niter=2, Tensor? M=None) -> Tensor[]
        function pca_lowrank(Tensor A, int? q=None, bool center=True, int niter=2) -> Tensor[]
    """,
    "linalg.lobpcg_iteration": f"""
        function lobpcg(Tensor A, {_LOBPCG}) -> Tensor[]
    """,
}
