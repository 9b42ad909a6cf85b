"""Records of functions that make tensors from numbers; test_creation.py tries them."""

from .record import X, op

CREATION = [
    op("zeros", 2, 3),
    op("zeros", (2, 3)),
    op("zeros", 0),
    op("zeros", ()),
    op("ones", 2, 3),
    op("ones", [4]),
    op("full", (2, 3), 7),
    op("full", (2,), 1.5),
    op("full", (), True),
    op("full", (2,), 1 + 2j),
    op("arange", 5),
    op("arange", 1, 7),
    op("arange", 1, 7, 2),
    op("arange", 0.5, 3),
    op("arange", 5, 0, -1),
    op("arange", 0),
    op("arange", 0, 1, 0.1),
    op("linspace", 0, 1, 5),
    op("linspace", 1.5, 2, 1),
    op("linspace", 1.5, 2 + 3j, 4, skip="halves"),  # no dtype of halves is complex
    op("linspace", 0, 10, 0),
    op("linspace", 6, 0, 101, skip="halves"),  # PyTorch rounds the step to the dtype
    op("logspace", 0, 3, 4),
    op("logspace", 0.5, 2, 7, 2),
    op("logspace", 1, 2, 0),
    op("eye", 3),
    op("eye", 3, 5),
    op("eye", 4, 2),
    op("eye", 0),
    *(
        op(name, *args, skip="dtypes")  # int32 and int64 only
        for name in ("tril_indices", "triu_indices")
        for args in [(3, 3), (3, 4, 1), (4, 3, -2), (0, 4), (3, 0), (2, 3, 5), (2, 3, -5)]
    ),
    op("scalar_tensor", 3),
    op("scalar_tensor", 2.5),
    op("tensor", [1, 2]),
    op("tensor", [[1.0, 2.0], [3.0, 4.0]]),
    op("tensor", True),
    op("tensor", 1 + 2j),
    op("tensor", []),
    op("tensor", [1, 2.5, True]),
    op("as_tensor", [1, 2]),
    *(op(name, X(2, 3)) for name in ("zeros_like", "ones_like")),
    op("full_like", X(2, 3), 4),
    *(op(name, X(2), 2, 3) for name in ("new_zeros", "new_ones")),
    op("new_full", X(2), (2, 3), 5),
    op("new_tensor", X(2), [1, 2]),
]
