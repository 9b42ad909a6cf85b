"""Records of the operations that neural networks stand on."""

from .record import INNER_NAME, N, X, op

LOOKUPS = [
    op("embedding", X(5, 3), N(4, high=5)),
    op("embedding", X(5, 3), N(2, 3, high=5), 1, True, skip="differences"),  # its gradient is scaled
    op("embedding", X(5, 3), N(high=5)),
    op("embedding", X(5, 3), N(0, high=5), 2),
    op("embedding", X(5, 0), N(2, high=5)),
]

LOSSES = [
    op("nll_loss_nd", X(4, 5), N(4, high=5)),
    op("nll_loss_nd", X(4, 5), N(4, high=5), X(5, low=0.5, grad=False), 2),
    op("nll_loss_nd", X(4, 5), N(4, high=5), X(5, low=0.5, grad=False), 1, 2),
    op("nll_loss_nd", X(4, 5), N(4, high=5), None, 0, 2),
    op("nll_loss_nd", X(5), N(high=5)),
    op("nll_loss_nd", X(2, 3, 2, 4), N(2, 2, 4), X(3, low=0.5, grad=False), 1),
    op("nll_loss_nd", X(2, 3, 2, 4), N(2, 2, 4), None, 0, 1),
    op("nll_loss_nd", X(2, 3, 4), N(2, 4), skip=INNER_NAME),  # PyTorch reshapes to four dimensions and back
    op("cross_entropy_loss", X(4, 5), N(4, high=5)),
    op("cross_entropy_loss", X(4, 5), N(4, high=5), X(5, low=0.5, grad=False), 1, 2),
    op("cross_entropy_loss", X(4, 5), N(4, high=5), X(5, low=0.5, grad=False), 0, 2),
    op("cross_entropy_loss", X(4, 5), N(4, high=5), None, 2),
    op("cross_entropy_loss", X(5), N(high=5)),
    op("cross_entropy_loss", X(2, 3, 4), N(2, 4), skip=INNER_NAME),
    op("cross_entropy_loss", X(4, 5), N(4, high=5), X(5, low=0.5, grad=False), 1, 2, 0.2),
    op("cross_entropy_loss", X(2, 3, 4), N(2, 4), None, 0, 2, 0.2),
    op(
        "cross_entropy_loss",
        X(4, 5),
        X(4, 5, low=0),
        X(5, low=0.5, grad=False),
        1,
        label_smoothing=0.1,
        skip=INNER_NAME,
    ),
    op("cross_entropy_loss", X(2, 5, 3), X(2, 5, 3, low=0), None, 0),
]

NETWORKS = [*LOOKUPS, *LOSSES]
