"""torch.hub: chainrule downloads nothing. Every function says how to go on."""

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
get_dir = refused("hub.get_dir", "chainrule keeps no downloads")
set_dir = refused("hub.set_dir", "chainrule keeps no downloads")
