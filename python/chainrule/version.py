"""torch.version: of the PyTorch that chainrule stands for. chainrule.__version__ is the package's own."""

from .torch_version import __version__ as __version__

debug = False
cuda = None
hip = None
xpu = None
rocm = None
git_version = "chainrule"
