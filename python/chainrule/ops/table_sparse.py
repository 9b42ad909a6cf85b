"""The part of the table that is about sparse tensors; the bodies are in chainrule.sparse."""

_OPTIONS = (
    "dtype? dtype=None, device? device=None, bool pin_memory=False, bool requires_grad=False, "
    "bool? check_invariants=None"
)
_COO = "object indices=None, object values=None, object size=None"
_COMPRESSED = "object compressed_indices, object plain_indices, object values, object size=None"
_WITH_LAYOUT = _OPTIONS.replace("device?", "object layout=None, device?")
_BLOCKS = "object blocksize, int? dense_dim=None"


def _maker(name: str, first: str, second: str) -> str:
    return f"function {name}(object {first}, object {second}, object values, object size=None, *, {_OPTIONS})"


SPARSE = {
    "sparse.construct": f"""
        function sparse_coo_tensor({_COO}, *, {_OPTIONS}, bool? is_coalesced=None)
        function sparse_compressed_tensor({_COMPRESSED}, *, {_WITH_LAYOUT})
        {_maker("sparse_csr_tensor", "crow_indices", "col_indices")}
        {_maker("sparse_csc_tensor", "ccol_indices", "row_indices")}
        {_maker("sparse_bsr_tensor", "crow_indices", "col_indices")}
        {_maker("sparse_bsc_tensor", "ccol_indices", "row_indices")}
    """,
    "sparse.conversions": f"""
        method   to_sparse(Tensor input, *, object layout=None, object blocksize=None, int? dense_dim=None)
        method   to_sparse.dim(Tensor input, int sparse_dim)
        method   to_sparse_coo(Tensor input)
        method   to_sparse_csr(Tensor input, int? dense_dim=None)
        method   to_sparse_csc(Tensor input, int? dense_dim=None)
        method   to_sparse_bsr(Tensor input, {_BLOCKS})
        method   to_sparse_bsc(Tensor input, {_BLOCKS})
        method   to_dense(Tensor input, dtype? dtype=None, *, bool? masked_grad=None)
        method   sparse_mask(Tensor input, Tensor mask)
    """,
    "sparse.methods": """
        method   coalesce(Tensor input)
        method   is_coalesced(Tensor input) -> bool
        method   indices(Tensor input)
        method   values(Tensor input)
        method   _indices(Tensor input)
        method   _values(Tensor input)
        method   _nnz(Tensor input) -> int
        method   _coalesced_(Tensor input, bool coalesced)
        method   crow_indices(Tensor input)
        method   col_indices(Tensor input)
        method   ccol_indices(Tensor input)
        method   row_indices(Tensor input)
        method   sparse_dim(Tensor input) -> int
        method   dense_dim(Tensor input) -> int
        method   sparse_resize_(Tensor input, int[] size, int sparse_dim, int dense_dim)
        method   sparse_resize_and_clear_(Tensor input, int[] size, int sparse_dim, int dense_dim)
    """,
    "sparse.copies": """
        both     resize_as_sparse_(Tensor input, Tensor the_template)
    """,
    "sparse.former_names": """
        both     smm(Tensor input, Tensor mat2)
        both     sspaddmm(Tensor input, Tensor mat1, Tensor mat2, *, Number beta=1, Number alpha=1)
    """,
}
