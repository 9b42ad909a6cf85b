"""The operations that are written in Python: one line each, by the module that holds the body.

A line is a form and a signature: `function`, `method`, `both`, or `functional` (nn.functional only); `+inplace` adds
the method name_, which copies the result into its first argument. The signature is that of Note [Signatures] in the
core; the body has the operation's name, or for an overload `median.dim(...)` the name median_dim, and is given the
arguments by position in that order, `int[]` as a tuple, without `out`, which is filled from the result. A name that
begins with linalg_, fft_ or special_ is a function of that submodule.

The core reads this table when it is loaded; a body's module is imported by its first call.
"""

OPERATIONS = {
    "products": """
        both      kron(Tensor input, Tensor other, *, Tensor? out=None)
        function  tensordot(Tensor a, Tensor b, object dims=2, Tensor? out=None)
    """,
}
