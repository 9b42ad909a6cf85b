"""Functions of functions: derivatives, Jacobians, and many samples at once."""

from .batched import debug_unwrap
from .directional import jvp, linearize
from .functional_form import functionalize
from .gradients import grad, grad_and_value, vjp
from .jacobians import hessian, jacfwd, jacrev
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .vmap import vmap

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]
