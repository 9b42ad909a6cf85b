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

CONVOLUTIONS = [
    op("conv1d", X(2, 3, 8), X(4, 3, 3), X(4)),
    op("conv1d", X(2, 4, 9), X(6, 2, 3), None, 2, 1, 2, 2),
    op("conv1d", X(2, 3, 8), X(4, 3, 4), X(4), padding="same", dilation=2),
    op("conv1d", X(2, 3, 8), X(4, 3, 4), padding="same"),
    op("conv1d", X(3, 8), X(4, 3, 3), padding="valid"),
    op("conv2d", X(2, 3, 6, 7), X(4, 3, 3, 2), X(4)),
    op("conv2d", X(2, 4, 6, 7), X(4, 2, 3, 3), X(4), (2, 1), (1, 2), (1, 2), 2),
    op("conv2d", X(2, 3, 5, 5), X(3, 1, 3, 3), X(3), padding=1, groups=3),
    op("conv2d", X(2, 20, 4, 4), X(9, 20, 1, 1)),
    op("conv2d", X(3, 5, 5), X(2, 3, 3, 3), X(2), padding="same"),
    op("conv2d", X(1, 2, 9, 20), X(10, 2, 3, 3), padding=1),
    op("conv2d", X(0, 2, 5, 5), X(3, 2, 3, 3), X(3), skip="bool"),  # PyTorch's dtype check is not reached
    op("conv3d", X(2, 2, 4, 5, 4), X(3, 2, 2, 3, 2), X(3), padding=1),
    op("conv3d", X(1, 2, 4, 4, 4), X(4, 1, 2, 2, 2), None, 2, groups=2),
    op("conv_transpose1d", X(2, 3, 5), X(3, 4, 3), X(4)),
    op("conv_transpose1d", X(2, 4, 5), X(4, 3, 3), X(6), 2, 1, 1, 2, 2),
    op("conv_transpose2d", X(2, 3, 4, 5), X(3, 2, 3, 3), X(2), 2, 1, 1),
    op("conv_transpose2d", X(3, 4, 4), X(3, 2, 3, 3)),
    op("conv_transpose2d", X(2, 3, 4, 4), X(3, 2, 2, 2), padding=1),
    op("conv_transpose3d", X(1, 2, 3, 3, 2), X(2, 3, 2, 2, 2), X(3), (1, 2, 1)),
    op("convolution", X(2, 3, 5, 5), X(4, 3, 3, 3), None, [1], [1], [1], False, [0], 1, skip="complex64 complex128"),
    op(
        "convolution",
        X(2, 4, 4, 4),
        X(4, 3, 3, 3),
        X(3),
        [2, 2],
        [1, 1],
        [1, 1],
        True,
        [1, 1],
        1,
        skip="complex64 complex128",
    ),
    op("conv_tbc", X(5, 2, 3), X(3, 3, 4), X(4), 1, skip="name strides"),  # PyTorch reads an expanded input wrongly
]

NETWORKS = [*LOOKUPS, *LOSSES, *NORMS, *CONVOLUTIONS]
