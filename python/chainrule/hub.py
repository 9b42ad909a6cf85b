"""torch.hub: models from a folder with a hubconf.py. chainrule downloads nothing, and says how to go on."""

from __future__ import annotations

import builtins
import importlib.util
import os
import re
import sys
from types import ModuleType
from typing import Any
from urllib.parse import urlparse  # noqa: F401  (packages import it from here)

from .compat.refusal import refused
from .error_words import at_call

_CODE = (
    "chainrule does not download and run code from the net; install the package that has the model, or copy the "
    "model's source"
)
_WEIGHTS = (
    "chainrule downloads nothing; fetch the file yourself and read it with torch.load(path), which runs no code from it"
)

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


def __getattr__(name: str) -> Any:
    if name == "tqdm":  # packages take it from here; it is another package
        from tqdm import tqdm  # type: ignore[import-not-found]

        return tqdm
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


# ---- models from a folder


def _hubconf(repo_or_dir: str | os.PathLike, source: str) -> ModuleType:
    """The module hubconf.py of a folder, with the folder on the path while it is imported."""
    if source.lower() not in ("github", "local"):
        raise at_call(ValueError, f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source.lower() == "github":
        raise at_call(RuntimeError, f"torch.hub.load: {_CODE}, and load it with source='local'")
    folder = os.path.abspath(os.path.expanduser(repo_or_dir))
    spec = importlib.util.spec_from_file_location("hubconf", os.path.join(folder, "hubconf.py"))
    if spec is None or spec.loader is None or not os.path.exists(os.path.join(folder, "hubconf.py")):
        raise FileNotFoundError(f"No such file or directory: {os.path.join(folder, 'hubconf.py')!r}")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    missing = [m for m in getattr(module, "dependencies", ()) if importlib.util.find_spec(m) is None]
    if missing:
        raise at_call(RuntimeError, f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry(module: ModuleType, model: str) -> Any:
    if not isinstance(model, str):
        raise at_call(ValueError, "Invalid input: model should be a string of function name")
    found = getattr(module, model, None)
    if not callable(found):
        raise at_call(RuntimeError, f"Cannot find callable {model} in hubconf")
    return found


def load(
    repo_or_dir: str | os.PathLike,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = None,
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """The model that a function of a folder's hubconf.py makes: load(folder, "name", source="local").

    Args:
        repo_or_dir: the folder.
        model: the function; all further arguments are its own.
        source: "local"; "github" is refused, since chainrule downloads no code.
        trust_repo, force_reload, verbose, skip_validation: of downloads; in PyTorch too a folder has no use for them.
    """
    return _entry(_hubconf(repo_or_dir, source), model)(*args, **kwargs)


def list(
    github: str | os.PathLike,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = None,
    verbose: bool = True,
    *,
    source: str = "github",
) -> builtins.list[str]:
    """The functions that a folder's hubconf.py offers; `source="local"` as in load()."""
    entries = vars(_hubconf(github, source))
    return [name for name, value in entries.items() if callable(value) and not name.startswith("_")]


def help(
    github: str | os.PathLike,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: bool | str | None = None,
    *,
    source: str = "github",
) -> str | None:
    """What a function of a folder's hubconf.py says about itself; `source="local"` as in load()."""
    return _entry(_hubconf(github, source), model).__doc__
