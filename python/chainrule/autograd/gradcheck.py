"""Gradients against finite differences: gradcheck for the first order, gradgradcheck for the second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .. import _core
from .._core import Tensor
from ..error_words import at_call
from ..user_warning import warn_user
from .differentiate import grad
from .gradcheck_behaviour import (
    check_batched,
    check_batched_forward,
    check_multiplied,
    check_undefined,
    check_undefined_forward,
)
from .gradcheck_compared import Case, compare_fast, compare_slow
from .gradcheck_jacobians import GradcheckError as GradcheckError
from .gradcheck_jacobians import (  # the parts of get_analytical_jacobian
    _columns,
    _equal,
    _kinds,
    as_tuple,
    by_differences,
    differentiable,
    units,
    wanted,
)

__all__ = ["GradcheckError", "get_analytical_jacobian", "get_numerical_jacobian", "gradcheck", "gradgradcheck"]


class _Checks(NamedTuple):
    """Which checks to run."""

    undefined: bool
    batched: bool
    batched_forward: bool
    forward: bool
    backward: bool
    fast: bool


def _check_inputs(inputs: tuple) -> None:
    checked = wanted(inputs)
    for i, t in checked:
        if t.dtype not in (_core.float64, _core.complex128):
            warn_user(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. "
            )
        if not all(step > 0 or n <= 1 for n, step in zip(t.shape, t.stride(), strict=True)):
            raise at_call(
                RuntimeError,
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck.",
            )
    if not checked:
        raise at_call(
            ValueError,
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad="
            "True.",
        )


def _with_outputs(func: Callable, part: Callable) -> Callable:
    """The function with the real or imaginary part of its complex outputs."""
    return lambda *inputs: tuple(part(y) if y.is_complex() else y for y in as_tuple(func(*inputs)))


def _with_inputs(func: Callable, places: list[int], whole: Callable[[Tensor, int], Tensor]) -> Callable:
    """The function of the real or imaginary part of its complex inputs; the other part stays as it is."""

    def changed(*inputs: Any) -> tuple:
        return as_tuple(func(*(whole(x, i) if i in places else x for i, x in enumerate(inputs))))

    return changed


def _backward_cases(func: Callable, inputs: tuple, outputs: tuple) -> list[Case]:
    places = [i for i, y in enumerate(differentiable(outputs)) if y.is_complex()]
    if not any(y.is_complex() for y in outputs):
        return [Case(func, inputs, outputs)]
    real, imag = _core.functions["real"], _core.functions["imag"]
    cases = []
    for part, name in ((imag, "imaginary"), (real, "real")):
        changed = _with_outputs(func, part)
        cases.append(Case(changed, inputs, changed(*inputs), places, name))
    return cases


def _forward_cases(func: Callable, inputs: tuple, outputs: tuple) -> list[Case]:
    places = [i for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.is_complex()]
    if not places:
        return [Case(func, inputs, outputs, forward=True)]
    imaginary = _with_inputs(func, places, lambda x, i: inputs[i].real + x * 1j)
    real = _with_inputs(func, places, lambda x, i: x + inputs[i].imag * 1j)
    cases = []
    for changed, name in ((imaginary, "imag"), (real, "real")):
        parts = tuple(getattr(x, name) if i in places else x for i, x in enumerate(inputs))
        words = "imaginary" if name == "imag" else "real"
        cases.append(Case(changed, parts, changed(*parts), places, words, forward=True))
    return cases


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Whether the gradients of func(*inputs) are those of finite differences.

    A GradcheckError shows both Jacobians, names the entry with the largest error and whether the point is a kink. The
    tolerances are those of double precision. With `masked` only the elements that sparse inputs have are moved, and
    gradients of zero are compared with a tolerance.

    >>> import chainrule as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.exp() * x, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    checks = _Checks(
        check_undefined_grad,
        check_batched_grad,
        check_batched_forward_grad,
        check_forward_ad,
        check_backward_ad,
        fast_mode,
    )
    func, inputs = _without_sparse(func, as_tuple(inputs), masked)
    try:
        _check(func, inputs, (eps, atol, rtol, nondet_tol, check_grad_dtypes), checks, bool(masked))
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _without_sparse(func: Callable, inputs: tuple, masked: bool | None) -> tuple[Callable, tuple]:
    if not any(isinstance(x, Tensor) and x.layout is not _core.strided for x in inputs):
        return func, inputs
    from ..sparse.gradchecks import of_dense

    return of_dense(func, inputs, bool(masked))


def _check(func: Callable, inputs: tuple, tolerances: tuple, checks: _Checks, masked: bool) -> None:
    _check_inputs(inputs)
    outputs = as_tuple(func(*inputs))
    compare = compare_fast if checks.fast else compare_slow
    for case in _backward_cases(func, inputs, outputs) if checks.backward else ():
        compare(case, *tolerances)
    cases = _forward_cases(func, inputs, outputs) if checks.forward else []
    for case in cases:
        compare(case, *tolerances)
    for case in cases if checks.undefined else ():
        check_undefined_forward(case.func, case.inputs)
    if checks.batched_forward:
        check_batched_forward(func, inputs)
    if not checks.backward:
        return
    for i, y in enumerate(differentiable(outputs)) if checks.batched else ():
        check_batched(inputs, y, i)
    check_multiplied(differentiable(outputs), inputs, masked)
    if checks.undefined:
        check_undefined(func, inputs)


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Whether the second derivatives of func(*inputs) are those of finite differences of its gradients.

    The gradients are taken for random `grad_outputs` unless some are given, and differentiated by these as well.

    >>> x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(torch.sin, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    for name, asked in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if asked and not check_rev_over_rev:
            raise AssertionError(f"Setting {name}=True requires check_rev_over_rev to be True")
    func, given = _without_sparse(func, as_tuple(inputs), masked)
    if grad_outputs is None:
        starts = tuple(_random_gradient(y, gen_non_contig_grad_outputs) for y in differentiable(func(*given)))
    else:
        starts = as_tuple(grad_outputs)
    return gradcheck(
        _gradients_of(func, given, starts),
        (*given, *starts),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _gradients_of(func: Callable, given: tuple, starts: tuple) -> Callable:
    """The gradients as a function of the inputs and of the outputs' gradients. Forward mode is checked on detached
    tensors, which require a gradient again here.
    """
    inputs, gradients = ({i for i, _ in wanted(several)} for several in (given, starts))

    def again(tensors: Sequence, places: set[int]) -> list:
        return [t.requires_grad_() if i in places else t for i, t in enumerate(tensors)]

    def new_func(*args: Any) -> tuple:
        xs, gs = again(args[: len(given)], inputs), again(args[len(given) :], gradients)
        outputs = differentiable(func(*xs))
        found = grad(outputs, [xs[i] for i in sorted(inputs)], gs, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return new_func


def _random_gradient(y: Tensor, strided: bool) -> Tensor:
    from ..testing import make_tensor

    return make_tensor(y.shape, dtype=y.dtype, device="cpu", low=-1, high=1, requires_grad=True, noncontiguous=strided)


# ---- kept for old programs


def _warn_private(name: str) -> None:
    warn_user(
        f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be "
        "removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
        "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new",
        FutureWarning,
    )


def get_numerical_jacobian(fn: Callable, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0):
    """The Jacobians of fn's first output by finite differences; fn takes all inputs as one tuple."""
    _warn_private("get_numerical_jacobian")
    if grad_out != 1.0:
        raise at_call(
            ValueError,
            "Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != 1.0.",
        )
    given = as_tuple(inputs)
    found = by_differences(lambda *xs: fn(xs), given, eps, None if target is None else as_tuple(target))
    return tuple(of_outputs[0] for of_outputs in found)


def get_analytical_jacobian(inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0) -> tuple:
    """The Jacobians of the output by backward, whether two passes agree, and whether sizes and dtypes are right."""
    _warn_private("get_analytical_jacobian")
    if grad_out != 1.0:
        raise at_call(
            ValueError,
            "Expected grad_out to be 1.0. get_analytical_jacobian no longer supports values of grad_out != 1.0.",
        )
    if output.is_complex():
        raise at_call(
            ValueError,
            "Expected output to be non-complex. get_analytical_jacobian no longer supports functions that return "
            "complex outputs.",
        )
    xs = [x for _, x in wanted(as_tuple(inputs))]
    runs = [[grad(output, xs, g, retain_graph=True, allow_unused=True) for g in units(output)] for _ in range(2)]
    dtypes, sizes = _kinds(runs[0], xs)
    first, second = ([_columns([row[k] for row in run], x) for k, x in enumerate(xs)] for run in runs)
    return tuple(first), _equal(first, second, nondet_tol), sizes, dtypes
