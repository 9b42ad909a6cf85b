"""Records of matrix products."""

from .record import X, op

PRODUCTS = [
    op("mm", X(3, 4), X(4, 5)),
    op("mm", X(17, 33), X(33, 9)),
    op("mm", X(0, 4), X(4, 5)),
    op("mm", X(3, 0), X(0, 5)),
    op("bmm", X(2, 3, 4), X(2, 4, 5)),
    op("bmm", X(0, 3, 4), X(0, 4, 5)),
    op("mv", X(3, 4), X(4)),
    op("dot", X(5), X(5)),
    op("dot", X(0), X(0), skip="dtypes"),  # with nothing to calculate our dtype check is not reached
    op("vdot", X(5), X(5)),
    op("inner", X(2, 3), X(4, 3)),
    op("inner", X(3), X(3), skip="name"),  # PyTorch builds it from several ops
    op("outer", X(3), X(4)),
    op("ger", X(3), X(4)),
    op("matmul", X(4), X(4)),
    op("matmul", X(3, 4), X(4)),
    op("matmul", X(4), X(4, 3)),
    op("matmul", X(3, 4), X(4, 2)),
    op("matmul", X(2, 3, 4), X(4, 5)),
    op("matmul", X(2, 3, 4), X(2, 4, 5)),
    op("matmul", X(3, 4), X(2, 4, 5), skip="name"),  # PyTorch builds it from several ops
    op("matmul", X(2, 1, 3, 4), X(5, 4, 2)),
    op("matmul", X(4), X(2, 4, 5)),
    op("matmul", X(2, 3, 4), X(4)),
    op("matmul", X(2, 0, 4), X(4, 5)),
    op("matmul", X(2, 3, 0), X(0, 5)),
    op("linear", X(2, 3), X(4, 3)),
    op("linear", X(2, 3), X(4, 3), X(4)),
    op("linear", X(5, 2, 3), X(4, 3), X(4)),
    op("linear", X(3), X(4, 3), X(4)),
    op("addmm", X(3, 5), X(3, 4), X(4, 5)),
    op("addmm", X(5), X(3, 4), X(4, 5), beta=0.5, alpha=2),
    op("addmm", X(3, 5), X(3, 4), X(4, 5), beta=0),
    op("addmv", X(3), X(3, 4), X(4)),
    op("addmv", X(), X(3, 4), X(4), beta=2, alpha=0.5),
    op("addr", X(3, 4), X(3), X(4)),
    op("addr", X(4), X(3), X(4), beta=0.5, alpha=2),
    op("baddbmm", X(2, 3, 5), X(2, 3, 4), X(2, 4, 5)),
    op("baddbmm", X(3, 1), X(2, 3, 4), X(2, 4, 5), beta=0.5, alpha=2),
    op("addbmm", X(3, 5), X(2, 3, 4), X(2, 4, 5)),
    op("addbmm", X(3, 5), X(2, 3, 4), X(2, 4, 5), beta=0.5, alpha=2),
]
