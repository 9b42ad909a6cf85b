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

NORMS = [
    op("layer_norm", X(3, 4), (4,)),
    op("layer_norm", X(2, 3, 40), (3, 40), X(3, 40), X(3, 40)),
    op("layer_norm", X(2, 3, 4), [4], X(4), None, 1e-3),
    op("layer_norm", X(2, 4), (4,), None, X(4), skip="second"),  # PyTorch's second gradient needs a weight
    op("layer_norm", X(0, 4), (4,), X(4), X(4)),
    # The statistics beside the result count as constants.
    op("native_layer_norm", X(2, 3, 4), (4,), X(4), X(4), 1e-5, skip="differences"),
    # PyTorch composes it, and its last step is a product.
    op("rms_norm", X(3, 4), (4,), skip=INNER_NAME),
    op("rms_norm", X(2, 3, 40), (3, 40), X(3, 40), 1e-3, skip=INNER_NAME),
    op("batch_norm", X(4, 3), X(3), X(3), None, None, True, 0.1, 1e-5, True),
    op("batch_norm", X(4, 3, 5), None, None, None, None, True, 0.1, 1e-5, True),
    op("batch_norm", X(2, 3, 4, 5), X(3), X(3), None, None, True, 0.1, 1e-5, True),
    op("batch_norm", X(4, 3, 2), X(3), X(3), X(3, grad=False), X(3, low=0.5, grad=False), False, 0.1, 1e-5, True),
    op("native_batch_norm", X(4, 3, 2), X(3), X(3), None, None, True, 0.1, 1e-5, skip="differences"),
    op("native_batch_norm", X(4, 3), X(3), X(3), X(3, grad=False), X(3, low=0.5, grad=False), False, 0.1, 1e-5),
    op("group_norm", X(2, 4, 3), 2, X(4), X(4)),
    op("group_norm", X(2, 6), 3),
    op("group_norm", X(2, 4, 5, 8), 2, X(4)),
    # Our statistics have nodes of their own; PyTorch takes contiguous inputs only.
    op("native_group_norm", X(2, 4, 3), X(4), X(4), 2, 4, 3, 2, 1e-5, skip="name strides"),
    op("instance_norm", X(2, 3, 4), X(3), X(3), None, None, True, 0.1, 1e-5, True),
    op("instance_norm", X(2, 3, 20), None, None, None, None, True, 0.1, 1e-5, True),
]

NETWORKS = [*LOOKUPS, *LOSSES, *NORMS]
