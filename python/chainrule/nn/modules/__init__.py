"""The layers and losses of nn, one subject a file. A file loads when one of its names is used."""

from ...lazy import load

_FILES = {
    "activation": (
        "CELU ELU GELU GLU SELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax "
        "Mish PReLU RReLU ReLU ReLU6 SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh "
        "Tanhshrink Threshold"
    ),
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "attention": "MultiheadAttention",
    "batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d SyncBatchNorm",
    "channelshuffle": "ChannelShuffle",
    "container": "Container ModuleDict ModuleList Sequential",
    "conv": (
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d "
        "LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"
    ),
    "distance": "CosineSimilarity PairwiseDistance",
    "dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": (
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d"
    ),
    "linear": "Bilinear Identity LazyLinear Linear",
    "linear_cross_entropy_options": "LinearCrossEntropyOptions",
    "loss": (
        "BCELoss BCEWithLogitsLoss CTCLoss CrossEntropyLoss GaussianNLLLoss HuberLoss KLDivLoss L1Loss "
        "LinearCrossEntropyLoss MSELoss NLLLoss NLLLoss2d PoissonNLLLoss SmoothL1Loss"
    ),
    "margin_loss": (
        "CosineEmbeddingLoss HingeEmbeddingLoss MarginRankingLoss MultiLabelMarginLoss "
        "MultiLabelSoftMarginLoss MultiMarginLoss SoftMarginLoss TripletMarginLoss "
        "TripletMarginWithDistanceLoss"
    ),
    "module": "Module",
    "normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "padding": (
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
        "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d "
        "ZeroPad2d ZeroPad3d"
    ),
    "parameter_container": "ParameterDict ParameterList",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
        "AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d FractionalMaxPool3d LPPool1d "
        "LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d"
    ),
    "rnn": "GRU LSTM RNN RNNBase",
    "rnn_cells": "GRUCell LSTMCell RNNCell RNNCellBase",
    "sparse": "Embedding EmbeddingBag",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    "upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
}

__getattr__, __dir__, __all__ = load(__name__, _FILES, submodules=("lazy", "utils"))
