"""gradcheck, gradgradcheck and anomaly detection."""

import contextlib
import doctest
import io
import sys
import warnings

import pytest
import torch

import chainrule
import chainrule.func  # what it keeps is no leak of a test
from both import agree, no_leaks  # noqa: F401
from chainrule.autograd.gradcheck import GradcheckError

pytestmark = pytest.mark.usefixtures("no_leaks")


def verdict(check):
    """What check() returns, or the name and the first words of its error: the libraries' classes are not the same."""
    try:
        return check()
    except (RuntimeError, AssertionError, ValueError) as error:
        return type(error).__name__, str(error).split()[:6]


def double(library, *values):
    return library.tensor(values or (0.5, 2.0), dtype=library.float64, requires_grad=True)


def wrong(library, factor=1.0):
    """The square, with a gradient that is half of it."""

    class Wrong(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0] * factor

    return Wrong.apply


CASES = {
    "right": lambda library, check: check(lambda x: x.exp() * x, double(library)),
    "forward mode": lambda library, check: check(lambda x: x.sin(), double(library), check_forward_ad=True),
    "fast": lambda library, check: check(lambda x: x.exp() * x, double(library), fast_mode=True),
    "two inputs": lambda library, check: check(lambda x, y: (x * y, x / y), (double(library), double(library))),
    "a number": lambda library, check: check(lambda x, n: x**n, (double(library), 3)),
    "one has none": lambda library, check: check(lambda x, y: x * y, (double(library), double(library).detach())),
    "wrong": lambda library, check: check(wrong(library), double(library)),
    "wrong, fast": lambda library, check: check(wrong(library), double(library), fast_mode=True),
    "wrong, quietly": lambda library, check: check(wrong(library), double(library), raise_exception=False),
    "nothing to check": lambda library, check: check(lambda x: x, library.ones(2)),
    "neither": lambda library, check: check(lambda x: x, double(library), check_backward_ad=False),
    "integer output": lambda library, check: check(lambda x: (x * 2, x.int()), double(library)),
    "strided": lambda library, check: check(
        lambda x: x.t() * 2, library.rand(2, 3, dtype=library.float64).t().requires_grad_()
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_gradcheck(case):
    agree(lambda library: verdict(lambda: CASES[case](library, library.autograd.gradcheck)))


COMPLEX = {
    "to complex": lambda z: z * z.conj().exp(),
    "to real": lambda z: z.abs(),
    "from real": lambda z: z.real * z.conj(),
}


@pytest.mark.parametrize("case", COMPLEX)
@pytest.mark.parametrize("fast", [False, True])
def test_complex(case, fast):
    def program(library):
        z = library.tensor([0.5 + 1j, 2 - 1j], dtype=library.complex128, requires_grad=True)
        return library.autograd.gradcheck(COMPLEX[case], z, fast_mode=fast)

    agree(program)


SECOND = {
    "right": lambda library, check: check(lambda x: x.exp() * x, double(library)),
    "forward over reverse": lambda library, check: check(
        lambda x: x.exp() * x, double(library), check_fwd_over_rev=True
    ),
    "two": lambda library, check: check(lambda x, y: (x * y).sin(), (double(library), double(library))),
    "with gradients": lambda library, check: check(lambda x: x**3, double(library), double(library)),
    "strided": lambda library, check: check(lambda x: x**3, double(library), gen_non_contig_grad_outputs=True),
    "neither": lambda library, check: check(lambda x: x, double(library), check_rev_over_rev=False),
}


@pytest.mark.parametrize("case", SECOND)
def test_gradgradcheck(case):
    agree(lambda library: verdict(lambda: SECOND[case](library, library.autograd.gradgradcheck)))


def test_a_gradient_that_is_not_differentiable():
    def detached(library):
        class Once(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x**3

            @staticmethod
            def backward(ctx, g):
                return 3 * g * ctx.saved_tensors[0].detach() ** 2

        return Once.apply

    agree(lambda library: verdict(lambda: library.autograd.gradgradcheck(detached(library), double(library))))


def test_message_names_entry_numbers_and_kink():
    with pytest.raises(GradcheckError) as caught:
        chainrule.autograd.gradcheck(wrong(chainrule), double(chainrule))
    text = str(caught.value)
    assert "d output[1] / d input[1]: finite differences give 4, the gradient is 2" in text
    assert "The point is no kink" in text

    def hinge(x):
        return wrong(chainrule, 0.0)(x) * 0 + x.relu()

    with pytest.raises(GradcheckError, match="The point is a kink: the slope is 0 to the left"):
        chainrule.autograd.gradcheck(hinge, double(chainrule, 1.0, 0.0))


def test_single_precision():
    x = chainrule.tensor([0.5, 1.0], requires_grad=True)
    with pytest.warns(UserWarning, match="not a double precision"):
        assert chainrule.autograd.gradcheck(lambda x: x.exp(), x, eps=1e-2, atol=1e-2, rtol=1e-2)


def test_a_backward_that_is_not_the_same_twice():
    class Noise(chainrule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * (2 + 1e-7 * chainrule.rand(2, dtype=chainrule.float64))

    with pytest.raises(RuntimeError, match="Backward is not reentrant"):
        chainrule.autograd.gradcheck(Noise.apply, double(chainrule))
    assert chainrule.autograd.gradcheck(Noise.apply, double(chainrule), nondet_tol=1e-3)


def constant(library):
    class Constant(library.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2 + 1e-9

    return library.autograd.gradcheck(Constant.apply, double(library))


@pytest.mark.parametrize("library", [chainrule, torch], ids=["chainrule", "torch"])
def test_a_backward_that_is_not_linear(library):
    with pytest.raises(RuntimeError, match="backward not multiplied by grad_output"):
        constant(library)


def test_forward_mode_in_fast_mode():
    class Wrong(chainrule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def jvp(ctx, t):
            return t * 3

    x = double(chainrule)
    assert chainrule.autograd.gradcheck(Wrong.apply, x, fast_mode=True)
    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"):
        chainrule.autograd.gradcheck(Wrong.apply, x, fast_mode=True, check_forward_ad=True)


def test_forward_mode_under_vmap():
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    assert chainrule.autograd.gradcheck(chainrule.sin, double(chainrule), **options)
    calls = []

    def unlike(x):
        calls.append(type(x).__name__)
        return x * (2 if "Batched" not in calls[-1] else 3)

    with pytest.raises(
        RuntimeError, match="gradcheck failed while testing batched gradient computation with forward-mode"
    ):
        chainrule.autograd.gradcheck(unlike, double(chainrule), **options)


def test_docstring():
    assert doctest.testmod(sys.modules["chainrule.autograd.gradcheck"], extraglobs={"torch": chainrule}).failed == 0


# ---- anomalies


def nan_program(library):
    x = library.tensor([0.0], requires_grad=True)
    (library.sqrt(x * x) * 0).sum().backward()
    return x.grad


@pytest.mark.filterwarnings("ignore:Anomaly Detection", "ignore:Error detected")
def test_anomaly_detection():
    def on(library):
        with library.autograd.detect_anomaly():
            return nan_program(library)

    def off(library):
        with library.autograd.detect_anomaly(check_nan=False):
            return nan_program(library)

    def switched(library):
        with library.autograd.set_detect_anomaly(True):
            return nan_program(library)

    for program in (on, off, switched, nan_program):
        agree(program, words=8)


def test_anomaly_warns_of_a_value_that_was_changed():
    """A filter that makes errors of warnings does not hide the error itself."""

    def program(library, strict):
        x = library.tensor([2.0], requires_grad=True)
        y = x + 1
        z = y**2
        y += 1
        with warnings.catch_warnings(record=True) as heard, contextlib.redirect_stderr(io.StringIO()) as printed:
            warnings.simplefilter("always")
            with library.autograd.detect_anomaly():
                if strict:
                    warnings.simplefilter("error")
                with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                    z.backward()
        words = [str(w.message).split(" ")[:4] for w in heard]
        return words, "Error detected in PowBackward0" in printed.getvalue()

    agree(lambda library: program(library, False))
    agree(lambda library: program(library, True))


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_names_the_forward_line():
    where = r"The forward call of SqrtBackward0 was here: .*library.sqrt\(x \* x\)"
    with pytest.raises(RuntimeError, match=where), chainrule.autograd.detect_anomaly():
        nan_program(chainrule)


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_errors_in_python_get_the_line_as_a_note():
    class Broken(chainrule.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("mine")

    y = Broken.apply(double(chainrule))
    with pytest.raises(KeyError) as caught, chainrule.autograd.detect_anomaly():
        y.sum().backward()
    assert any("y = Broken.apply" in note for note in caught.value.__notes__)


def test_detect_anomaly_warns():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        chainrule.autograd.detect_anomaly()
    assert "Anomaly Detection has been enabled" in str(seen[0].message)


def test_random_numbers_after_a_check():
    """The checks draw as many as PyTorch's, so a program goes on with the same numbers."""

    def program(torch):
        x = torch.randn(3, dtype=torch.float64, requires_grad=True)
        checked = torch.autograd.gradcheck(torch.sin, x), torch.autograd.gradgradcheck(torch.sin, x)
        return checked, torch.rand(2)

    agree(program)


def test_expanded_inputs_are_refused():
    def program(library):
        x = library.ones(1, dtype=library.float64).expand(3).requires_grad_()
        return library.autograd.gradcheck(lambda x: x * 2, (x,))

    agree(program, words=10)


def test_the_callers_tensors_are_moved():
    """A function may have them from elsewhere."""

    def program(library):
        x = double(library)
        y = (x * 1).exp()
        found = [library.autograd.gradcheck(lambda _: x * x, (x,)), library.autograd.gradcheck(lambda y: y * y, (y,))]
        y.sum().backward()  # nothing was overwritten
        return found, x, x.grad

    agree(program)


def test_outputs_that_change():
    def program(library, change):
        x = double(library, 1.0)
        return verdict(lambda: library.autograd.gradcheck(lambda x: change(library, x) if (x >= 1).all() else x, (x,)))

    agree(lambda library: program(library, lambda t, x: t.cat([x, x])))
    agree(lambda library: program(library, lambda t, x: x.float()))


def test_a_gradient_that_does_not_arrive():
    def program(library):
        def f(x):
            y = x.clone()
            y.register_hook(lambda g: 1 / 0 if g is None else None)
            return y

        x = double(library)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return verdict(lambda: library.autograd.gradcheck(f, (x,)))

    with pytest.raises(ZeroDivisionError):
        program(chainrule)


def test_parts_of_complex_functions():
    def program(library, f, x):
        return verdict(lambda: library.autograd.gradcheck(f(library), (x,)))

    def bent(library):
        def f(x):
            y = x.clone()
            y.register_hook(lambda g: g + 1e-2)
            return y

        return f

    agree(lambda library: program(library, bent, library.ones(2, dtype=library.complex128, requires_grad=True)))
    agree(lambda library: program(library, bent, library.ones(2, dtype=library.float64, requires_grad=True)))
