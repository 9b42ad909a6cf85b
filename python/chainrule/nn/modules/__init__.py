"""The layers and losses of nn, one subject a file."""

from .activation import *
from .adaptive import *
from .attention import *
from .batchnorm import *
from .container import *
from .conv import *
from .distance import *
from .dropout import *
from .flatten import *
from .fold import *
from .instancenorm import *
from .linear import *
from .linear_cross_entropy_options import *
from .loss import *
from .margin_loss import *
from .module import Module
from .normalization import *
from .padding import *
from .parameter_container import *
from .pixelshuffle import *
from .pooling import *
from .rnn import *
from .rnn_cells import *
from .sparse import *
from .transformer import *
from .upsampling import *
