"""Help. Convolutions, pooling, normalisation, dropout, embeddings, recurrent cells: what the layers stand on."""

TEXT = """
conv1d
    Slides the kernels in `weight` over the last dimension of the input and adds up the products: cross-correlation.
    Shape and dtype: (N, out, L') of input (N, in, L) and weight (out, in / groups, k), with
    L' = (L + 2 * padding - dilation * (k - 1) - 1) / stride + 1; all have one dtype.
    Derivative: input: g convolved with the flipped weight, weight: the input correlated with g, bias: g summed
    >>> torch.conv1d(torch.tensor([[[1., 2., 3., 4.]]]), torch.tensor([[[1., 1.]]]))
    tensor([[[3., 5., 7.]]])
conv2d
    Slides the kernels in `weight` over the last two dimensions and adds up the products: cross-correlation.
    Shape and dtype: (N, out, H', W') of input (N, in, H, W) and weight (out, in / groups, kh, kw), with
    H' = (H + 2 * padding - dilation * (kh - 1) - 1) / stride + 1 and W' likewise; all have one dtype.
    Derivative: input: g convolved with the flipped weight, weight: the input correlated with g, bias: g summed
    >>> torch.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]])
conv3d
    Slides the kernels in `weight` over the last three dimensions and adds up the products: cross-correlation.
    Shape and dtype: (N, out, D', H', W') of input (N, in, D, H, W) and weight (out, in / groups, kd, kh, kw); sizes as
    in conv2d; all have one dtype.
    Derivative: input: g convolved with the flipped weight, weight: the input correlated with g, bias: g summed
    >>> torch.conv3d(torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2))
    tensor([[[[[8.]]]]])
conv_transpose1d
    The transpose of conv1d: each element puts the kernel, times itself, into the output.
    Shape and dtype: (N, out, L') of input (N, in, L) and weight (in, out / groups, k), with
    L' = (L - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding + 1; all have one dtype.
    Derivative: input: conv1d of g, weight: g correlated with the input, bias: g summed
    >>> torch.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.tensor([[[1., 1.]]]))
    tensor([[[1., 3., 2.]]])
conv_transpose2d
    The transpose of conv2d: each element puts the kernel, times itself, into the output.
    Shape and dtype: (N, out, H', W') of input (N, in, H, W) and weight (in, out / groups, kh, kw); sizes as in
    conv_transpose1d; all have one dtype.
    Derivative: input: conv2d of g, weight: g correlated with the input, bias: g summed
    >>> torch.conv_transpose2d(torch.ones(1, 1, 1, 1), torch.ones(1, 1, 2, 2))
    tensor([[[[1., 1.],
              [1., 1.]]]])
conv_transpose3d
    The transpose of conv3d: each element puts the kernel, times itself, into the output.
    Shape and dtype: (N, out, D', H', W') of input (N, in, D, H, W) and weight (in, out / groups, kd, kh, kw); sizes as
    in conv_transpose1d; all have one dtype.
    Derivative: input: conv3d of g, weight: g correlated with the input, bias: g summed
    >>> torch.conv_transpose3d(torch.ones(1, 1, 1, 1, 1), torch.ones(1, 1, 1, 1, 2))
    tensor([[[[[1., 1.]]]]])
conv_tbc
    conv1d of a sequence whose dimensions are time, batch and channels.
    Shape and dtype: (T', N, out) of input (T, N, in), weight (k, in, out) and bias (out,), with
    T' = T + 2 * pad - k + 1; all have one dtype.
    Derivative: input: g convolved with the flipped weight, weight: the input correlated with g, bias: g summed
    >>> torch.conv_tbc(torch.ones(3, 1, 1), torch.ones(2, 1, 1), torch.zeros(1))
    tensor([[[2.]],
    <BLANKLINE>
            [[2.]]])
convolution
    What conv1d to conv_transpose3d share: the number of dimensions follows from the input, `transposed` chooses.
    Shape and dtype: As conv1d to conv_transpose3d.
    >>> torch.convolution(torch.ones(1, 1, 3), torch.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1)
    tensor([[[2., 2.]]])
max_pool1d
    The largest element of each window of (N, C, L) or (C, L).
    Shape and dtype: L' = (L + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1; the dtype of the input.
    Derivative: g added where the largest element was
    >>> torch.max_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
    tensor([[3., 4.]])
max_pool1d_with_indices
    The largest element of each window of (N, C, L) or (C, L), and where it is.
    Shape and dtype: As max_pool1d; the indices are int64.
    Derivative: g added where the largest element was
    >>> torch.max_pool1d_with_indices(torch.tensor([[1., 3., 2., 4.]]), 2)
    (tensor([[3., 4.]]), tensor([[1, 3]]))
max_pool2d
    The largest element of each window of (N, C, H, W) or (C, H, W).
    Shape and dtype: H' = (H + 2 * padding - dilation * (kernel_size - 1) - 1) / stride + 1, W' likewise; the dtype of
    the input.
    Derivative: g added where the largest element was
    >>> torch.max_pool2d(torch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
max_pool3d
    The largest element of each window of (N, C, D, H, W) or (C, D, H, W).
    Shape and dtype: Sizes as in max_pool2d; the dtype of the input.
    Derivative: g added where the largest element was
    >>> torch.max_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
avg_pool1d
    The mean of each window of (N, C, L) or (C, L).
    Shape and dtype: L' = (L + 2 * padding - kernel_size) / stride + 1; the dtype of the input.
    Derivative: g shared among the elements of the window
    >>> torch.avg_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
    tensor([[2., 3.]])
avg_pool2d
    The mean of each window of (N, C, H, W) or (C, H, W).
    Shape and dtype: H' = (H + 2 * padding - kernel_size) / stride + 1, W' likewise; the dtype of the input.
    >>> torch.nn.functional.avg_pool2d(torch.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
avg_pool3d
    The mean of each window of (N, C, D, H, W) or (C, D, H, W).
    Shape and dtype: Sizes as in avg_pool2d; the dtype of the input.
    >>> torch.nn.functional.avg_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
adaptive_avg_pool1d
    The means of windows that are chosen to give `output_size` results.
    Shape and dtype: (N, C, output_size) of (N, C, L), or without N; the dtype of the input.
    Derivative: g shared among the elements of the window
    >>> torch.adaptive_avg_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
    tensor([[2., 3.]])
adaptive_max_pool1d
    The largest elements of windows that are chosen to give `output_size` results, and where they are.
    Shape and dtype: (N, C, output_size) of (N, C, L), or without N; the dtype of the input, and int64.
    Derivative: g added where the largest element was
    >>> torch.adaptive_max_pool1d(torch.tensor([[1., 3., 2., 4.]]), 2)
    (tensor([[3., 4.]]), tensor([[1, 3]]))
batch_norm
    Each channel less its mean, divided by its standard deviation over the batch (`training`) or by the running ones,
    then times `weight` plus `bias`.
    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: weight / std * (g - mean(g) - x_hat * mean(g * x_hat)), weight: sum of g * x_hat, bias: sum of g
    >>> torch.batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 0., False)
    tensor([[-1.],
            [ 1.]])
instance_norm
    Each channel of each example less its mean, divided by its standard deviation, then times `weight` plus `bias`.
    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: weight / std * (g - mean(g) - x_hat * mean(g * x_hat)), weight: sum of g * x_hat, bias: sum of g
    >>> torch.instance_norm(torch.tensor([[[1., 3.]]]), None, None, None, None, True, 0.1, 0., False)
    tensor([[[-1.,  1.]]])
layer_norm
    The last dimensions, of shape `normalized_shape`, less their mean, divided by their standard deviation, then times
    `weight` plus `bias`.
    Shape and dtype: Those of the input; weight and bias have the normalised shape.
    Derivative: input: (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)) / std, weight: sum of g * x_hat, bias: sum of g
    >>> torch.layer_norm(torch.tensor([1., 3.]), (2,), eps=0.)
    tensor([-1.,  1.])
group_norm
    Groups of channels less their mean, divided by their standard deviation, each example for itself, then times
    `weight` plus `bias`.
    Shape and dtype: Those of the input, (N, C, *); weight and bias (C,).
    Derivative: input: (g*w - mean(g*w) - x_hat * mean(g*w*x_hat)) / std, weight: sum of g * x_hat, bias: sum of g
    >>> torch.group_norm(torch.tensor([[1., 3., 4., 8.]]), 2, eps=0.)
    tensor([[-1.,  1., -1.,  1.]])
rms_norm
    The last dimensions, of shape `normalized_shape`, divided by the root of the mean of their squares, times `weight`.
    Shape and dtype: Those of the input; the weight has the normalised shape.
    >>> torch.rms_norm(torch.tensor([3., 3.]), (2,), eps=0.)
    tensor([1., 1.])
native_batch_norm
    batch_norm, with the mean and one over the standard deviation that it used.
    Shape and dtype: The shape of the input (N, C, *), (C,) and (C,); its dtype.
    >>> torch.native_batch_norm(torch.tensor([[1.], [3.]]), None, None, None, None, True, 0.1, 0.)[1:]
    (tensor([2.]), tensor([1.]))
native_layer_norm
    layer_norm, with the mean and one over the standard deviation that it used.
    Shape and dtype: The shape of the input, and twice its shape with size 1 for what is normalised; its dtype.
    >>> torch.native_layer_norm(torch.tensor([1., 3.]), (2,), None, None, 0.)
    (tensor([-1.,  1.]), tensor([2.]), tensor([1.]))
native_group_norm
    group_norm of (N, C, HxW), with the mean and one over the standard deviation that it used.
    Shape and dtype: The shape of the input, (N, group) and (N, group); its dtype.
    >>> torch.native_group_norm(torch.tensor([[[1.], [3.]]]), None, None, 1, 2, 1, 1, 0.)[1:]
    (tensor([[2.]]), tensor([[1.]]))
native_dropout
    dropout, with the mask of the elements that are kept.
    Shape and dtype: The shape of the input twice; its dtype and bool.
    >>> torch.native_dropout(torch.ones(2), 0., True)
    (tensor([1., 1.]), tensor([True, True]))
dropout
    In training each element is zero with probability `p`, and the others are divided by 1 - p.
    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the element was kept, 0 elsewhere
    >>> _ = torch.manual_seed(0)
    >>> torch.dropout(torch.ones(4), 0.5, train=True)
    tensor([0., 0., 2., 0.])
alpha_dropout
    dropout that keeps the mean and the variance of what selu gives.
    Shape and dtype: Those of the input.
    Derivative: g times a factor where the element was kept, 0 elsewhere
    >>> torch.alpha_dropout(torch.ones(2), 0.5, train=False)
    tensor([1., 1.])
feature_dropout
    dropout of whole channels of (N, C, *).
    Shape and dtype: Those of the input.
    Derivative: g / (1 - p) where the channel was kept, 0 elsewhere
    >>> _ = torch.manual_seed(0)
    >>> torch.feature_dropout(torch.ones(1, 3, 2), 0.5, train=True)
    tensor([[[0., 0.],
             [0., 0.],
             [2., 2.]]])
feature_alpha_dropout
    alpha_dropout of whole channels of (N, C, *).
    Shape and dtype: Those of the input.
    Derivative: g times a factor where the channel was kept, 0 elsewhere
    >>> torch.feature_alpha_dropout(torch.ones(1, 2), 0.5, train=False)
    tensor([[1., 1.]])
embedding
    The rows of `weight` that the indices name; the row `padding_idx` gets no gradient.
    Shape and dtype: (*, d) of weight (n, d) and indices (*), which are int32 or int64; the dtype of the weight.
    >>> torch.embedding(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([1, 0]))
    tensor([[3., 4.],
            [1., 2.]])
embedding_renorm_
    Scales the rows that the indices name so that their norm is at most `max_norm`, in place, and returns the tensor.
    Shape and dtype: Those of the input, (n, d).
    Derivative: none
    >>> torch.embedding_renorm_(torch.tensor([[3., 4.], [3., 4.]]), torch.tensor([0]), 5., 2.)
    tensor([[3., 4.],
            [3., 4.]])
lstm
    Long short-term memory over a sequence; `hx` is (h, c), the states before the first step.
    Shape and dtype: Outputs (T, N, D * H) and the last h and c (layers * D, N, H), of input (T, N, in), where D is 2 if
    bidirectional; `batch_first` swaps T and N; all have one dtype.
    Derivative: each gate's share of g through its activation, from the last step to the first
    >>> w = [torch.zeros(4, 1), torch.zeros(4, 1)]
    >>> h = torch.zeros(1, 1, 1)
    >>> torch.lstm(torch.ones(2, 1, 1), (h, h + 1), w, False, 1, 0., False, False, False)[0]
    tensor([[[0.2311]],
    <BLANKLINE>
            [[0.1225]]])
gru
    Gated recurrent units over a sequence; `hx` is the state before the first step.
    Shape and dtype: Outputs (T, N, D * H) and the last state (layers * D, N, H), of input (T, N, in), where D is 2 if
    bidirectional; `batch_first` swaps T and N; all have one dtype.
    Derivative: each gate's share of g through its activation, from the last step to the first
    >>> w = [torch.zeros(3, 1), torch.zeros(3, 1)]
    >>> torch.gru(torch.ones(2, 1, 1), torch.ones(1, 1, 1), w, False, 1, 0., False, False, False)[0]
    tensor([[[0.5000]],
    <BLANKLINE>
            [[0.2500]]])
rnn_tanh
    h = tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh) over a sequence; `hx` is the state before the first step.
    Shape and dtype: Outputs (T, N, D * H) and the last state (layers * D, N, H), of input (T, N, in), where D is 2 if
    bidirectional; `batch_first` swaps T and N; all have one dtype.
    Derivative: g * (1 - h * h) through both products, from the last step to the first
    >>> w = [torch.ones(1, 1), torch.zeros(1, 1)]
    >>> torch.rnn_tanh(torch.ones(2, 1, 1), torch.zeros(1, 1, 1), w, False, 1, 0., False, False, False)[0]
    tensor([[[0.7616]],
    <BLANKLINE>
            [[0.7616]]])
rnn_relu
    h = relu(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh) over a sequence; `hx` is the state before the first step.
    Shape and dtype: Outputs (T, N, D * H) and the last state (layers * D, N, H), of input (T, N, in), where D is 2 if
    bidirectional; `batch_first` swaps T and N; all have one dtype.
    Derivative: g where h is positive, through both products, from the last step to the first
    >>> w = [torch.ones(1, 1), torch.ones(1, 1)]
    >>> torch.rnn_relu(torch.ones(2, 1, 1), torch.zeros(1, 1, 1), w, False, 1, 0., False, False, False)[0]
    tensor([[[1.]],
    <BLANKLINE>
            [[2.]]])
lstm_cell
    One step of an lstm; `hx` is (h, c), and so is the result.
    Shape and dtype: (N, H) and (N, H) of input (N, in) and weights (4 * H, in) and (4 * H, H); all have one dtype.
    >>> w, h = torch.zeros(4, 1), torch.zeros(1, 1)
    >>> torch.lstm_cell(torch.ones(1, 1), (h, h + 1), w, w)
    (tensor([[0.2311]]), tensor([[0.5000]]))
gru_cell
    One step of a gru.
    Shape and dtype: (N, H) of input (N, in) and weights (3 * H, in) and (3 * H, H); all have one dtype.
    >>> w = torch.zeros(3, 1)
    >>> torch.gru_cell(torch.ones(1, 1), torch.ones(1, 1), w, w)
    tensor([[0.5000]])
rnn_tanh_cell
    One step: tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).
    Shape and dtype: (N, H) of input (N, in) and weights (H, in) and (H, H); all have one dtype.
    Derivative: g * (1 - y * y) through both products
    >>> w = torch.ones(1, 1)
    >>> torch.rnn_tanh_cell(torch.ones(1, 1), torch.zeros(1, 1), w, w)
    tensor([[0.7616]])
rnn_relu_cell
    One step: relu(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh).
    Shape and dtype: (N, H) of input (N, in) and weights (H, in) and (H, H); all have one dtype.
    Derivative: g where y is positive, through both products
    >>> w = torch.ones(1, 1)
    >>> torch.rnn_relu_cell(torch.ones(1, 1), torch.ones(1, 1), w, w)
    tensor([[2.]])
"""
