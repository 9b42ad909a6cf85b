"""torch._higher_order_ops: branches, loops and scans as functions. Nothing is traced; they are Python's own."""

from .associative_scan import associative_scan as associative_scan
from .cond import cond as cond
from .map import map as map
from .scan import scan as scan
from .while_loop import while_loop as while_loop
