"""Records of the operations that neural networks stand on."""

from .record import INNER_NAME, B, Draw, N, X, op

# PyTorch has no kernel for them.
NO_HALVES = "float16 bfloat16"
# In PyTorch halves round the positions, and a position may fall on another element.
HALF_PLACES = "float16 bfloat16"


def P(*shape: int) -> Draw:  # noqa: N802
    """Probabilities, neither sure nor impossible."""
    return X(*shape, low=0.1, high=0.9)


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
    *(op("mse_loss", X(3, 4), X(3, 4), reduction) for reduction in (0, 1, 2)),
    op("mse_loss", X(0, 4), X(0, 4), 2),
    *(op("smooth_l1_loss", X(3, 4), X(3, 4), reduction, 0.7) for reduction in (0, 1, 2)),
    op("smooth_l1_loss", X(4), X(4), 1, 0.0, skip=INNER_NAME),  # the absolute difference, as nn.functional has it
    *(op("huber_loss", X(3, 4), X(3, 4), reduction, 0.7) for reduction in (0, 1, 2)),
    *(op("binary_cross_entropy", P(3, 4), P(3, 4), None, reduction) for reduction in (0, 1, 2)),
    op("binary_cross_entropy", P(3, 4), P(3, 4), X(4, low=0.5, grad=False), 1),
    *(op("binary_cross_entropy_with_logits", X(3, 4), P(3, 4), None, None, reduction) for reduction in (0, 1, 2)),
    op("binary_cross_entropy_with_logits", X(3, 4), P(3, 4), X(4, low=0.5, grad=False), X(4, low=0.5, grad=False), 1),
]

GATES = [op("glu", X(3, 4)), op("glu", X(2, 6, 3), 1), op("glu", X(0, 2))]

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

POOLS = [
    op("max_pool1d", X(2, 3, 8), 2),
    op("max_pool1d", X(3, 9), 3, 2, 1, 2, True),
    op("max_pool1d_with_indices", X(2, 3, 8), 3, 2),
    op("max_pool2d", X(2, 3, 6, 7), 2),
    op("max_pool2d", X(2, 3, 6, 7), (3, 2), (2, 1), (1, 0), (1, 2), True),
    op("max_pool2d_with_indices", X(3, 6, 7), 3, 2, 1),
    op("max_pool2d_with_indices", X(0, 3, 6, 7), 3, 2, 1),
    op("max_pool3d", X(2, 2, 4, 5, 6), 2),
    op("max_pool3d_with_indices", X(2, 4, 5, 6), (2, 3, 2), 2, 1, 1, True),
    op("avg_pool1d", X(2, 3, 8), 3, 2, 1),
    op("avg_pool1d", X(3, 9), 2, ceil_mode=True, count_include_pad=False),
    op("avg_pool2d", X(2, 3, 6, 7), 2),
    op("avg_pool2d", X(2, 3, 6, 7), (3, 2), (2, 1), (1, 0), True, False),
    op("avg_pool2d", X(2, 3, 6, 7), 3, 2, 1, True),
    op("avg_pool2d", X(3, 6, 7), 2, divisor_override=3),
    op("avg_pool3d", X(1, 2, 4, 5, 6), 2, skip=NO_HALVES),
    op("avg_pool3d", X(2, 4, 5, 6), (2, 3, 2), 2, 1, True, False, 5, skip=NO_HALVES),
    op("adaptive_avg_pool1d", X(2, 3, 8), 3),
    op("adaptive_avg_pool2d", X(2, 3, 6, 7), (4, 3)),
    op("adaptive_avg_pool2d", X(2, 3, 6, 7), (1, 1)),
    op("adaptive_avg_pool3d", X(2, 3, 4, 3, 5), (2, 2, 3)),
    op("adaptive_max_pool1d", X(2, 3, 8), 3),
    op("adaptive_max_pool2d_with_indices", X(2, 3, 6, 7), (4, 3)),
    op("adaptive_max_pool3d_with_indices", X(2, 4, 3, 5), (2, 2, 3)),
]

# PyTorch composes some of these; it has no second gradient of the others.
ATTENTION = [
    op("scaled_dot_product_attention", X(2, 3, 5, 4), X(2, 3, 6, 4), X(2, 3, 6, 4), skip="second"),
    op("scaled_dot_product_attention", X(1, 2, 70, 4), X(1, 2, 140, 4), X(1, 2, 140, 4), skip="second"),
    op("scaled_dot_product_attention", X(2, 3, 5, 4), X(2, 3, 5, 4), X(2, 3, 5, 4), None, 0.0, True, skip="second"),
    op("scaled_dot_product_attention", X(2, 3, 5, 4), X(2, 3, 6, 4), X(2, 3, 6, 4), B(5, 6), skip="second"),
    op(
        "scaled_dot_product_attention",
        X(2, 3, 5, 4),
        X(2, 3, 6, 4),
        X(2, 3, 6, 4),
        X(2, 1, 5, 6, grad=False),
        skip="second",
    ),
    op(
        "scaled_dot_product_attention",
        X(2, 4, 5, 4),
        X(2, 2, 6, 4),
        X(2, 2, 6, 4),
        scale=0.3,
        enable_gqa=True,
        skip="second",
    ),
    op("scaled_dot_product_attention", X(2, 3, 5, 4), X(2, 3, 6, 4), X(2, 3, 6, 4), X(5, 6), skip=INNER_NAME),
    op("scaled_dot_product_attention", X(2, 3, 5, 4), X(2, 3, 6, 4), X(2, 3, 6, 7), skip=INNER_NAME),
    op("scaled_dot_product_attention", X(3, 5, 4), X(3, 6, 4), X(3, 6, 4), skip=INNER_NAME),
    op("scaled_dot_product_attention", X(5, 4), X(6, 4), X(6, 4), None, 0.0, True, skip=INNER_NAME),
]

IMAGES = [
    op("upsample_nearest1d", X(2, 3, 4), (7,), None),
    op("upsample_nearest2d", X(2, 3, 4, 5), (7, 3), None),
    op("upsample_nearest2d", X(2, 3, 4, 5), None, [2.0, 1.7]),
    op("upsample_nearest3d", X(1, 2, 2, 3, 4), (4, 5, 3), None),
    op("upsample_linear1d", X(2, 3, 4), (7,), False, None, skip="uint8"),
    op("upsample_linear1d", X(2, 3, 4), (7,), True, None, skip="uint8"),
    op("upsample_bilinear2d", X(2, 3, 4, 5), (7, 3), False, None, skip="uint8"),
    op("upsample_bilinear2d", X(2, 3, 4, 5), (8, 9), True, None, skip="uint8"),
    op("upsample_bilinear2d", X(2, 3, 4, 5), None, False, [2.3, 1.4], skip="uint8"),
    op("upsample_trilinear3d", X(1, 2, 3, 4, 3), (5, 4, 2), False, None, skip="uint8"),
    op("upsample_trilinear3d", X(1, 2, 3, 4, 3), (5, 4, 2), True, None, skip="uint8"),
    op("upsample_bicubic2d", X(2, 3, 4, 5), (7, 9), False, None, skip="uint8"),  # bytes are rounded at each step
    op("upsample_bicubic2d", X(2, 3, 6, 5), (3, 7), True, None, skip="uint8"),
    op("_upsample_nearest_exact1d", X(2, 3, 5), (7,), None),
    op("_upsample_nearest_exact2d", X(2, 3, 4, 5), (7, 3), None),
    op("_upsample_nearest_exact3d", X(1, 2, 2, 3, 4), (4, 5, 3), None),
    op("_upsample_bilinear2d_aa", X(2, 3, 8, 9), (3, 4), False, None, skip="uint8 " + NO_HALVES),
    op("_upsample_bilinear2d_aa", X(2, 3, 4, 5), (6, 3), True, None, skip="uint8 " + NO_HALVES),
    op("_upsample_bicubic2d_aa", X(2, 3, 9, 8), (4, 11), False, None, skip="uint8 " + NO_HALVES),
    op("_upsample_lanczos2d_aa", X(2, 3, 9, 8), (4, 11), False, None, skip="uint8 " + NO_HALVES),
    op("_upsample_lanczos2d_aa", X(2, 3, 9, 8), None, False, [0.4, 1.6], skip="uint8 " + NO_HALVES),
    op("im2col", X(2, 3, 5, 6), (2, 3), (1, 1), (0, 0), (1, 1)),
    op("im2col", X(3, 6, 6), (2, 2), (2, 1), (1, 2), (2, 1)),
    op("col2im", X(2, 12, 20), (5, 6), (2, 2), (1, 1), (0, 0), (1, 1)),
    op("col2im", X(8, 9), (4, 5), (2, 2), (1, 2), (1, 0), (2, 1)),
    op("pixel_shuffle", X(2, 8, 3, 2), 2),
    op("pixel_shuffle", X(9, 2, 2), 3),
    op("pixel_unshuffle", X(2, 2, 4, 6), 2),
    op("channel_shuffle", X(2, 6, 3, 2), 3, skip=INNER_NAME),
    op("channel_shuffle", X(1, 4, 3), 2, skip=INNER_NAME),
    # Positions of integers wrap around in PyTorch; affine_grid refuses them there too.
    op("affine_grid_generator", X(2, 2, 3), (2, 1, 3, 4), False, skip=INNER_NAME + " dtypes"),
    op("affine_grid_generator", X(2, 3, 4), (2, 1, 3, 1, 2), True, skip=INNER_NAME + " dtypes"),
    op("grid_sampler", X(2, 3, 4, 5), X(2, 3, 4, 2, low=-1.5, high=1.5), 0, 0, False, skip=HALF_PLACES),
    op("grid_sampler_2d", X(2, 3, 4, 5), X(2, 3, 4, 2, low=-1.5, high=1.5), 1, 1, True, skip=HALF_PLACES),
    *(
        op("grid_sampler_2d", X(2, 3, 4, 5), X(2, 3, 4, 2, low=-1.7, high=1.7), mode, padding, align, skip=HALF_PLACES)
        for mode in (0, 2)
        for padding in (0, 1, 2)
        for align in (False, True)
    ),
    op("grid_sampler_3d", X(1, 2, 3, 4, 3), X(1, 2, 3, 2, 3, low=-1.5, high=1.5), 0, 2, False, skip=HALF_PLACES),
    op("grid_sampler_3d", X(1, 2, 3, 4, 3), X(1, 2, 3, 2, 3, low=-1.5, high=1.5), 1, 0, True, skip=HALF_PLACES),
]


def S(*shape: int) -> Draw:  # noqa: N802
    """Small numbers: the gates' functions have poles in the complex plane, and near them rounding is all there is."""
    return X(*shape, low=-0.2, high=0.2)


def _weights(features: int, hidden: int, gates: int) -> list:
    return [S(gates * hidden, features), S(gates * hidden, hidden), S(gates * hidden), S(gates * hidden)]


# PyTorch's names are those of the steps that a cell is composed of there.
RECURRENT = [
    op("lstm_cell", S(2, 3), (S(2, 4), S(2, 4)), *_weights(3, 4, 4), skip=INNER_NAME),
    op("lstm_cell", S(2, 3), (S(2, 20), S(2, 20)), S(80, 3), S(80, 20), skip=INNER_NAME),
    op("gru_cell", S(2, 3), S(2, 4), *_weights(3, 4, 3), skip=INNER_NAME),
    op("gru_cell", S(2, 3), S(2, 20), S(60, 3), S(60, 20), skip=INNER_NAME),
    op("rnn_tanh_cell", S(2, 3), S(2, 4), *_weights(3, 4, 1), skip=INNER_NAME),
    op("rnn_relu_cell", S(2, 3), S(2, 4), *_weights(3, 4, 1), skip=INNER_NAME),
    op(
        "lstm",
        S(5, 2, 3),
        (S(1, 2, 4), S(1, 2, 4)),
        _weights(3, 4, 4),
        True,
        1,
        0.0,
        True,
        False,
        False,
        skip=INNER_NAME,
    ),
    op(
        "lstm",
        S(2, 3, 3),
        (S(4, 2, 2), S(4, 2, 2)),
        [w for size in (3, 3, 4, 4) for w in _weights(size, 2, 4)],
        True,
        2,
        0.0,
        True,
        True,
        True,
        skip=INNER_NAME,
    ),
    op(
        "lstm",
        S(3, 2, 3),
        (S(1, 2, 2), S(1, 2, 4)),
        [S(16, 3), S(16, 2), S(2, 4)],
        False,
        1,
        0.0,
        True,
        False,
        False,
        skip=INNER_NAME,
    ),
    op(
        "gru",
        S(3, 2, 3),
        S(2, 2, 2),
        [*_weights(3, 2, 3), *_weights(2, 2, 3)],
        True,
        2,
        0.0,
        True,
        False,
        False,
        skip=INNER_NAME,
    ),
    op(
        "rnn_tanh",
        S(3, 2, 3),
        S(2, 2, 2),
        [*_weights(3, 2, 1), *_weights(3, 2, 1)],
        True,
        1,
        0.0,
        True,
        True,
        False,
        skip=INNER_NAME,
    ),
    op("rnn_relu", S(3, 2, 3), S(1, 2, 2), [S(2, 3), S(2, 2)], False, 1, 0.0, True, False, False, skip=INNER_NAME),
]

NETWORKS = [*LOOKUPS, *GATES, *LOSSES, *NORMS, *CONVOLUTIONS, *POOLS, *ATTENTION, *IMAGES, *RECURRENT]
