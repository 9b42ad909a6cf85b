"""torch.hub: chainrule downloads nothing. Every function says how to go on."""

from __future__ import annotations

import os
import re
from urllib.parse import urlparse  # noqa: F401  (packages import it from here)

from .refusal import refused

_CODE = (
    "chainrule does not download and run code from the net; install the package that has the model, or copy the "
    "model's source"
)
_WEIGHTS = (
    "chainrule downloads nothing; fetch the file yourself and read it with torch.load(path), which runs no code from it"
)

load, list, help = (refused(f"hub.{_name}", _CODE) for _name in ("load", "list", "help"))
load_state_dict_from_url = refused("hub.load_state_dict_from_url", _WEIGHTS)
download_url_to_file = refused("hub.download_url_to_file", _WEIGHTS)
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # of a file's name: the beginning of its SHA256
_folder: str | None = None


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of PyTorch's downloads: `hub` in $TORCH_HOME or ~/.cache/torch, or what set_dir() said.

    >>> isinstance(torch.hub.get_dir(), str)
    True
    """
    return _folder or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Says which folder get_dir() gives."""
    global _folder
    _folder = os.path.expanduser(d)
