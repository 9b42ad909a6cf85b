"""What a process runs that multiprocessing has started anew for a script under `chainrule run`.

Such a process imports the main module again, by the name in its spec. `chainrule run` put this module's name there, and
the script's path, or the module's name, in the environment: this gives torch its meaning first and then runs it.
"""

import os
import sys

from chainrule.torch_alias import install

install()
if "CHAINRULE_MODULE" in os.environ:
    from chainrule.command_line import main_spec

    _spec = main_spec(os.environ["CHAINRULE_MODULE"])
    __file__ = sys.argv[0] = _spec.origin or _spec.name
    __package__ = _spec.parent
    _code = _spec.loader.get_code(_spec.name)  # type: ignore[union-attr]
else:
    __file__ = sys.argv[0] = os.environ["CHAINRULE_SCRIPT"]
    with open(__file__, "rb") as _file:
        _code = compile(_file.read(), __file__, "exec", dont_inherit=True)
exec(_code, globals())
