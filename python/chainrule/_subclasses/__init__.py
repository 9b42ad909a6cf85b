"""Tensors that PyTorch's compiler works on, which there are none of: packages ask whether theirs are such."""

from . import fake_tensor as fake_tensor
from .fake_tensor import FakeTensor as FakeTensor
from .fake_tensor import FakeTensorMode as FakeTensorMode
