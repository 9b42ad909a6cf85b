"""torch._dynamo.eval_frame: the class that packages compare modules with."""

from . import OptimizedModule as OptimizedModule
