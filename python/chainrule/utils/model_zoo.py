"""torch.utils.model_zoo: torch.hub's download of weights under its older name."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlparse as urlparse

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]


def tqdm(*args: Any, **kwargs: Any) -> Any:
    """A progress bar of the package tqdm."""
    from tqdm import tqdm as bar

    return bar(*args, **kwargs)
