"""What a process runs that multiprocessing has started anew for a script under `chainrule run`.

Such a process imports the main module again, by the name in its spec. `chainrule run` put this module's name there, and
the script's path in the environment: this gives torch its meaning first and then runs the script.
"""

import os
import sys

from chainrule.torch_alias import install

install()
__file__ = sys.argv[0] = os.environ["CHAINRULE_SCRIPT"]
with open(__file__, "rb") as _file:
    _code = compile(_file.read(), __file__, "exec", dont_inherit=True)
exec(_code, globals())
