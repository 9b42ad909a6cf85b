"""Every node, write and cut knows the user's own line: file, number, function, text."""

import inspect
import sys
import sysconfig
import textwrap

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import _core

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf():
    return chainrule.tensor([1.0, 2.0, 3.0], requires_grad=True)


def here(below: int = 0) -> int:
    """The number of the calling line."""
    return inspect.currentframe().f_back.f_lineno + below


def test_file_line_function_and_text():
    x = leaf()
    y = x * 2  # a comment belongs to the text
    file, line, function, text = y.grad_fn.source
    assert file == __file__
    assert line == here(-3)
    assert function == "test_file_line_function_and_text"
    assert text == "y = x * 2  # a comment belongs to the text"


def test_each_operation_of_one_line():
    x = leaf()
    y, line = (x * 2 + x.sin()).sum(), here()
    stack, seen = [y.grad_fn], []
    while stack:
        node = stack.pop()
        if node is None or node.name() == "torch::autograd::AccumulateGrad":
            continue
        seen.append(node.source[1])
        stack += [child for child, _ in node.next_functions]
    assert seen == [line] * 4


def test_a_call_over_several_lines():
    x, start = leaf(), here()
    y = chainrule.cat(
        [
            x * 2,
            x * 3,
        ],
    )
    lines = [node.source[1] - start for node, _ in y.grad_fn.next_functions]
    assert lines == [3, 4]
    assert y.grad_fn.source[1] - start == 1


SPELLINGS = {
    "operator": lambda x: x + 1,
    "reversed operator": lambda x: 1 - x,
    "function": lambda x: chainrule.exp(x),
    "method": lambda x: x.exp(),
    "reduction": lambda x: x.sum(),
    "matmul": lambda x: x @ x,
    "view": lambda x: x.view(3, 1),
    "index": lambda x: x[0],
    "array index": lambda x: x[[0, 1]],
    "property": lambda x: x[None].T,
    "conversion": lambda x: x.to(chainrule.float64),
    "written in Python: iteration": lambda x: next(iter(x)),
    "written in Python: reversed": lambda x: reversed(x),
    "in place": lambda x: x.clone().mul_(2),
    "grad": lambda x: chainrule.autograd.grad(x.exp().sum(), x, create_graph=True)[0],
    "decorated": chainrule.enable_grad()(lambda x: x * 2),
    "materialised": lambda x: chainrule.autograd.grad((x * x).sum(), x, create_graph=True, materialize_grads=True)[0],
}


@pytest.mark.parametrize("make", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling_leads_to_the_users_line(make):
    function = inspect.unwrap(make)
    y = make(leaf())
    file, line, name, _ = y.grad_fn.source
    assert (file, line, name) == (__file__, function.__code__.co_firstlineno, "<lambda>")


def test_inside_a_comprehension():
    x = leaf()
    ys = [x * k for k in range(3)]
    line = here(-1)
    assert [y.grad_fn.source[1] for y in ys] == [line] * 3


def test_inside_a_generator():
    def produce(x):
        for k in range(3):
            yield x * k

    ys = list(produce(leaf()))
    for y in ys:
        assert y.grad_fn.source[1:] == (
            produce.__code__.co_firstlineno + 2,
            "test_inside_a_generator.<locals>.produce",
            "yield x * k",
        )


def test_inside_a_method():
    class Model:
        def forward(self, x):
            return x * 2

    assert Model().forward(leaf()).grad_fn.source[2] == "test_inside_a_method.<locals>.Model.forward"


def test_called_back_from_c_code():
    ys = list(map(lambda x: x * 2, [leaf()]))  # noqa: C417
    assert ys[0].grad_fn.source[1:3] == (here(-1), "test_called_back_from_c_code.<locals>.<lambda>")
    ordered = sorted([leaf(), leaf()], key=lambda x: (x * 2).sum().item())
    assert len(ordered) == 2


def test_operators_called_by_c_code_belong_to_the_calling_line():
    import functools
    import operator

    x = leaf()
    y = functools.reduce(operator.mul, [x, x, x])
    assert y.grad_fn.source[1] == here(-1)
    z = sum([x, x])
    assert z.grad_fn.source[1] == here(-1)


def test_executed_text():
    names = {"x": leaf()}
    program = "\n\ny = x * 2\n"
    exec(compile(program, "<my program>", "exec"), names)
    assert names["y"].grad_fn.source == ("<my program>", 3, "<module>", "")


def test_executed_text_with_a_known_source():
    import linecache

    program = textwrap.dedent("""\
        def double(x):
            return x * 2
    """)
    linecache.cache["<cell 1>"] = (len(program), None, program.splitlines(True), "<cell 1>")
    names = {}
    exec(compile(program, "<cell 1>", "exec"), names)
    assert names["double"](leaf()).grad_fn.source == ("<cell 1>", 2, "double", "return x * 2")
    del linecache.cache["<cell 1>"]


def test_text_that_is_executed_again_and_again_is_not_confused():
    # Code objects die and their addresses are used again.
    for k in range(200):
        names = {"x": leaf()}
        exec(compile("\n" * k + "y = x * 2", f"<program {k}>", "exec"), names)
        assert names["y"].grad_fn.source[:2] == (f"<program {k}>", k + 1)


def test_inside_a_thread():
    import threading

    seen = []

    def work():
        seen.append((leaf() * 2).grad_fn.source[1:3])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(work.__code__.co_firstlineno + 1, "test_inside_a_thread.<locals>.work")]


def test_what_backward_makes_belongs_to_the_forward_line():
    x = leaf()
    y = x.exp()
    forward = here(-1)
    (g,) = chainrule.autograd.grad(y.sum(), x, create_graph=True)
    assert g.grad_fn.source[1] == forward


def test_what_a_hook_calculates_belongs_to_the_hook():
    x, kept = leaf(), []
    y = x * 2

    def hook(g):
        with chainrule.enable_grad():
            kept.append(x * 3)

    y.register_hook(hook)
    x.register_post_accumulate_grad_hook(lambda t: hook(None))
    y.sum().backward()
    assert [t.grad_fn.source[1] for t in kept] == [hook.__code__.co_firstlineno + 2] * 2


def test_accumulators_have_no_line():
    assert (leaf() * 2).grad_fn.next_functions[0][0].source is None


def test_an_error_in_a_library_function_names_the_users_line():
    with pytest.raises(RuntimeError, match=rf"\n  at .*test_source_lines.py:{here(1)}, in test_an_error"):
        chainrule.ones(3) + chainrule.ones(4)


def test_the_current_line():
    assert _core.current_line()[:3] == (__file__, here(), "test_the_current_line")


def test_a_line_costs_little():
    best = min(_core.time_source_line(200_000) for _ in range(5)) / 200_000
    assert best < 60e-9  # the budget is 15 ns; a busy machine may take a few times that


# ---- writes

WRITES = {
    "add_": lambda x: x.add_(1),
    "setitem": lambda x: x.__setitem__(0, 1.0),
    "array setitem": lambda x: x.__setitem__([0], 1.0),
    "mask": lambda x: x.__setitem__(x > 1, 1.0),
    "copy_": lambda x: x.copy_(chainrule.zeros(3)),
    "fill_": lambda x: x.fill_(1),
    "zero_": lambda x: x.zero_(),
    "view": lambda x: x[1:].mul_(2),
    "out": lambda x: chainrule.sin(chainrule.ones(3), out=x),
    "random": lambda x: x.normal_() if hasattr(x, "normal_") else x.zero_(),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_write_is_remembered(write):
    x = chainrule.ones(3)
    assert x._written is None
    write(x)
    file, line, name, _ = x._written
    assert (file, line, name) == (__file__, write.__code__.co_firstlineno, "<lambda>")


def test_an_augmented_assignment_is_remembered():
    x = chainrule.ones(3)
    x += 1
    assert x._written[1] == here(-1)
    x[1:] *= 2
    assert x._written[1] == here(-1)


# ---- cuts

CUTS_OF_THE_RESULT = {
    "detach()": lambda y: y.detach(),
    "detach_()": lambda y: y.detach_(),
}
CUTS_OF_THE_SOURCE = {
    "tolist()": lambda y: y.tolist(),
    "numpy()": lambda y: y.numpy(force=True),
}


@pytest.mark.parametrize(("name", "cut"), CUTS_OF_THE_RESULT.items(), ids=CUTS_OF_THE_RESULT.keys())
def test_a_cut_result_remembers_where(name, cut):
    y = leaf() * 2
    how, (file, line, function, _) = cut(y)._cut
    assert (how, file, line, function) == (name, __file__, cut.__code__.co_firstlineno, "<lambda>")


@pytest.mark.parametrize("name", ["tolist()", "numpy()"])
def test_a_value_that_was_read_remembers_where(name):
    y, cut = leaf() * 2, CUTS_OF_THE_SOURCE[name]
    assert y._cut is None
    cut(y)
    how, (file, line, _, _) = y._cut
    assert (how, file, line) == (name, __file__, cut.__code__.co_firstlineno)


def test_item_remembers_where():
    y = leaf().sum()
    for read in (lambda: y.item(), lambda: float(y), lambda: int(y)):
        read()
        how, (_, line, _, _) = y._cut
        assert (how, line) == ("item()", read.__code__.co_firstlineno)


def test_constants_are_not_cut():
    x = chainrule.ones(3)
    x.tolist()
    assert (x._cut, x.detach()._cut) == (None, None)


def test_results_of_no_grad_remember_where():
    x = leaf()
    with chainrule.no_grad():
        y = x * 2
        z = x.sum()
    assert (y._cut[0], y._cut[1][1]) == ("no_grad()", here(-2))
    assert (z._cut[0], z._cut[1][1]) == ("no_grad()", here(-2))


def test_backward_without_a_graph_names_the_cut():
    y = (leaf() * 2).sum().detach()
    line = here(-1)
    with pytest.raises(
        RuntimeError, match=rf"left the graph through detach\(\).\n  here: .*test_source_lines.py:{line}"
    ):
        y.backward()


# ---- Note [Frames read directly] -------------------------------------------------------------------------------------


@pytest.fixture
def through_frame_objects():
    """As in a Python whose frames are not as expected."""
    assert not _core.read_frames_directly(False)
    yield
    assert _core.read_frames_directly(True), "this interpreter's frames are not as core/autograd/frame.hpp says"


@pytest.mark.usefixtures("through_frame_objects")
@pytest.mark.parametrize("make", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_frame_objects_lead_to_the_same_line(make):
    test_every_spelling_leads_to_the_users_line(make)


@pytest.mark.usefixtures("through_frame_objects")
def test_frame_objects_lead_through_generators_methods_and_calls_from_c():
    test_inside_a_generator()
    test_inside_a_method()
    test_called_back_from_c_code()
    test_a_call_over_several_lines()


def test_frames_are_read_directly_where_python_is_known():
    assert _core.read_frames_directly(True) == (
        sys.version_info < (3, 15) and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )
