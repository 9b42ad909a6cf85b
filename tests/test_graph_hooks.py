"""Hooks on nodes and several tensors, their order, edges of the graph, and what happens to saved tensors."""

import pytest

import chainrule
from both import agree, no_leaks  # noqa: F401

pytestmark = pytest.mark.usefixtures("no_leaks")


def leaf(library, *values):
    return library.tensor(values or (1.0, 2.0), requires_grad=True)


# ---- order


def test_order_of_all_hooks():
    """Leaves are finished as soon as their gradient is complete."""

    def program(library):
        log: list = []
        x, w = leaf(library), leaf(library)
        a = x * w
        b = a.exp()
        c = b * w
        s = c.sum()
        names = {"x": x, "w": w, "a": a, "b": b, "c": c, "s": s}
        for name, t in names.items():
            t.register_hook(lambda g, name=name: log.append(name))
        for name in "xw":
            names[name].register_post_accumulate_grad_hook(lambda p, name=name: log.append(f"{name} accumulated"))
        for name in "abcs":
            node = names[name].grad_fn
            node.register_prehook(lambda g, name=name: log.append(f"before {name}"))
            node.register_hook(lambda i, o, name=name: log.append(f"after {name}"))
        accumulate = a.grad_fn.next_functions[0][0]
        accumulate.register_hook(lambda i, o: log.append(("after x", len(i), o)))
        accumulate.register_prehook(lambda o: log.append("before x"))
        s.backward()
        return log

    agree(program)


def test_leaves_are_finished_while_the_pass_goes_on():
    def program(library):
        def finish(t):
            log.append("last")
            t.grad = None

        log: list = []
        first, last = leaf(library), leaf(library)
        y = first * 3
        z = (y.exp() * last).sum()
        y.register_hook(lambda g: log.append(("y", last.grad is not None)))
        last.register_post_accumulate_grad_hook(finish)
        z.backward()
        return log, last.grad

    agree(program)


def test_prehooks_change_neither_what_is_retained_nor_what_is_captured():
    def program(library):
        x = leaf(library)
        a = x * 2
        a.retain_grad()
        a.grad_fn.register_prehook(lambda g: (g[0] * 10,))
        a.register_hook(lambda g: g * 3)
        a.sum().backward(retain_graph=True)
        return (
            a.grad,
            x.grad,
            library.autograd.grad(a.sum(), [a], retain_graph=True),
            library.autograd.grad(a.sum(), [a, x]),
        )

    agree(program)


def test_node_hooks_replace_gradients_and_are_removed():
    def program(library):
        x = leaf(library)
        y = x * 2
        handle = y.grad_fn.register_hook(lambda i, o: (i[0] * 100, *i[1:]))
        y.sum().backward(retain_graph=True)
        handle.remove()
        y.sum().backward()
        return x.grad

    agree(program)


# ---- several tensors


def test_multi_grad_hook_for_all():
    def program(library):
        seen: list = []
        a, b = leaf(library), leaf(library)
        c, d = a * b, b * 2
        handle = library.autograd.graph.register_multi_grad_hook((a, b, c), seen.append)
        c.sum().backward()
        d.sum().backward()
        handle.remove()
        (a * b).sum().backward()
        return [list(gradients) for gradients in seen]

    agree(program)


def test_multi_grad_hook_for_any():
    def program(library):
        seen: list = []
        a, b = leaf(library), leaf(library)
        library.autograd.graph.register_multi_grad_hook((a, b), seen.append, mode="any")
        (a * b).sum().backward()
        (b * 2).sum().backward()
        return seen

    agree(program)
    agree(lambda library: library.autograd.graph.register_multi_grad_hook((), print, mode="one"), words=6)


def test_multi_grad_hook_with_selected_inputs():
    def program(library):
        seen: list = []
        a, b = leaf(library), leaf(library)
        c = a * 2
        d = c * b
        library.autograd.graph.register_multi_grad_hook((c, d), lambda g: seen.append(list(g)))
        library.autograd.grad(d.sum(), [b])
        return seen

    agree(program)


# ---- edges


def test_gradient_edges_stand_for_tensors():
    def program(library):
        edge = library.autograd.graph.get_gradient_edge
        x = leaf(library)
        y = x.exp()
        z = y * 2
        places = edge(x), edge(y)
        kinds = [type(place.node).__name__ for place in places], [place.output_nr for place in places]
        inner = library.autograd.grad(z.sum(), places, retain_graph=True)
        outer = library.autograd.grad(edge(z), x, library.ones(2), retain_graph=True)
        library.autograd.backward(edge(z), library.ones(2))
        return kinds, inner, outer, x.grad

    agree(program)


def test_edges_of_several_outputs_and_of_nothing():
    def program(library):
        x = leaf(library)
        second = x.unbind()[1]
        del second  # the edge outlives the tensor
        place = library.autograd.graph.get_gradient_edge(x.unbind()[1])
        return place.output_nr, library.autograd.grad(place, x, library.tensor(3.0))

    agree(program)
    agree(lambda library: library.autograd.graph.get_gradient_edge(library.ones(1)), words=8)


def test_nodes_are_instances_of_node():
    x = leaf(chainrule)
    assert isinstance((x * 2).grad_fn, chainrule.autograd.graph.Node)
    assert (x * 2).grad_fn.metadata == {}


# ---- saved tensors


SAVING = {
    "unary": lambda library, x: x.sin(),
    "result": lambda library, x: x.exp(),
    "product": lambda library, x: x * x.detach(),
    "matmul": lambda library, x: x @ x,
    "several": lambda library, x: (x * x).exp().tanh(),
    "index": lambda library, x: x[library.tensor([0, 0, 1])] * x[0],
}


@pytest.mark.parametrize("case", SAVING)
def test_saved_tensors_hooks(case):
    def program(library):
        x, packed = leaf(library), []

        def pack(t):
            packed.append(tuple(t.shape))
            return t.detach().numpy().copy()

        with library.autograd.graph.saved_tensors_hooks(pack, library.from_numpy):
            y = SAVING[case](library, x)
        (g,) = library.autograd.grad(y.sum(), x, create_graph=True)
        second = library.autograd.grad(g.sum(), x, allow_unused=True, retain_graph=True)
        y.sum().backward()
        return sorted(packed), g, second, x.grad

    agree(program)


def test_saved_tensors_hooks_nest_and_end():
    def program(library):
        x, log = leaf(library), []
        hooks = library.autograd.graph.saved_tensors_hooks
        with hooks(lambda t: log.append("outer") or t, lambda t: t):
            with hooks(lambda t: log.append("inner") or t, lambda t: t):
                x.sin()
            x.cos()
        x.tan()
        return log

    agree(program)


BAD_HOOKS = {
    "unpacks no tensor": (lambda t: t, lambda t: 3),
    "raises while packing": (lambda t: 1 / 0, lambda t: t),
    "raises while unpacking": (lambda t: t, lambda t: 1 / 0),
    "writes": (lambda t: t.detach().add_(1), lambda t: t),
}


@pytest.mark.parametrize("case", BAD_HOOKS)
def test_bad_saved_tensors_hooks(case):
    def program(library):
        with library.autograd.graph.saved_tensors_hooks(*BAD_HOOKS[case]):
            y = leaf(library).exp().sin()
        y.sum().backward()

    agree(program, words=10 if case in ("unpacks no tensor", "writes") else 1)


def test_saved_tensors_hooks_and_functions():
    def program(library):
        class Square(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x, None)
                return x * x

            @staticmethod
            def backward(ctx, g):
                x, nothing = ctx.saved_tensors
                return 2 * g * x, nothing

        x = leaf(library)
        with library.autograd.graph.saved_tensors_hooks(lambda t: [t.detach() * 10], lambda box: box[0]):
            y = Square.apply(x)
        return library.autograd.grad(y.sum(), x)

    agree(program)


def test_disabled_saved_tensors_hooks():
    def program(library):
        graph = library.autograd.graph
        with graph.disable_saved_tensors_hooks("not here, please"), graph.saved_tensors_hooks(print, print):
            pass

    agree(program, words=3)


def test_save_on_cpu_and_mutation():
    def program(library):
        graph = library.autograd.graph
        x = leaf(library)
        with graph.save_on_cpu():
            y = x.exp()
        with graph.allow_mutation_on_saved_tensors():
            z = x.clone()
            w = (z**2).sum()
            z.sin_()
            found = library.autograd.grad(w, x)
        return library.autograd.grad(y.sum(), x), found

    agree(program)


def test_names_of_saved_tensors():
    def program(library):
        x, y = leaf(library), leaf(library)
        product, plain = (x * y).grad_fn, (x * y.detach()).grad_fn
        matrix = (x[None] @ y[:, None]).grad_fn
        return (
            [product._saved_self is x, product._saved_other is y, x.exp().grad_fn._saved_result],
            [hasattr(plain, name) for name in ("_saved_other", "_saved_result")],
            sorted(
                name for name in dir(matrix) if name.startswith("_saved_") and "sym" not in name and "dim" not in name
            ),
        )

    agree(program)


def test_increment_version():
    def program(library):
        x = leaf(library)
        y = x * 1
        z = y.exp()
        library.autograd.graph.increment_version(z)
        z.sum().backward()

    agree(program, words=10)


# ---- passes within passes


def test_backward_inside_a_hook_and_inside_a_function():
    def program(library):
        class Inner(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.x = x.detach()
                return x * x

            @staticmethod
            def backward(ctx, g):
                with library.enable_grad():
                    x = ctx.x.requires_grad_()
                    (found,) = library.autograd.grad((x * x).sum(), x)
                return g * found

        x, w = leaf(library), leaf(library)
        y = Inner.apply(x)
        y.register_hook(lambda g: (w * w).sum().backward())
        y.sum().backward()
        return x.grad, w.grad

    agree(program)


# ---- saved tensors before they are unpacked


def test_raw_saved_tensors():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * x.exp()
        raw, result = y.grad_fn._raw_saved_self, y.grad_fn._saved_other.grad_fn._raw_saved_result
        seen = [type(raw).__name__, raw.data, raw.unpack_hook is None]
        raw.register_hooks(lambda t: seen.append("pack") or t * 5, lambda t: seen.append("unpack") or t / 5)
        result.register_hooks(lambda t: "kept", lambda t: seen.append(t) or torch.tensor([10.0, 20.0]))
        seen += [raw.data, y.grad_fn._saved_self, result.data]
        y.sum().backward()
        return seen, x.grad

    agree(program)


RAW = {
    "twice": lambda raw, y: [raw.register_hooks(lambda t: t, lambda t: t) for _ in range(2)],
    "freed": lambda raw, y: (y.sum().backward(), raw.register_hooks(lambda t: t, lambda t: t)),
    "freed data": lambda raw, y: (y.sum().backward(), raw.data),
    "not callable": lambda raw, y: raw.register_hooks(3, lambda t: t),
    "made by hand": lambda raw, y: type(raw)(),
    "packed in place": lambda raw, y: raw.register_hooks(lambda t: t.detach().mul_(2), lambda t: t),
    "unpacked to nonsense": lambda raw, y: (raw.register_hooks(lambda t: 3, lambda t: t), y.sum().backward()),
}


@pytest.mark.parametrize("case", RAW)
def test_wrong_use_of_raw_saved_tensors(case):
    def program(torch):
        y = torch.tensor([1.0, 2.0], requires_grad=True).square()
        return RAW[case](y.grad_fn._raw_saved_self, y)

    agree(program, words=2)


def test_raw_saved_tensors_take_part_in_second_derivatives():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x**3
        y.grad_fn._raw_saved_self.register_hooks(lambda t: [t], lambda kept: kept[0])
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return torch.autograd.grad(g.sum(), x)

    agree(program)


# ---- hooks that return something else

USES = {
    "product": lambda torch, x: x * x.detach(),
    "exp": lambda torch, x: x.exp(),
    "softmax": lambda torch, x: x.softmax(0),
    "cumprod": lambda torch, x: x.cumprod(0),
    "layer norm": lambda torch, x: torch.nn.functional.layer_norm(x, (5,)),
    "sort": lambda torch, x: x.sort()[0],
    "matmul": lambda torch, x: x @ x,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
@pytest.mark.parametrize("shape", [(1,), (3,), (2, 5), (), (6,)], ids=str)
def test_an_unpack_hook_has_to_return_the_shape_that_was_packed(use, shape):
    x = chainrule.arange(1.0, 6.0).requires_grad_()
    with chainrule.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: chainrule.ones(shape)):
        y = use(chainrule, x)
    with pytest.raises(RuntimeError, match="must match the size of the one that was packed"):
        y.sum().backward()


def test_an_unpack_hook_may_return_another_precision():
    def program(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t):
            y = x * x.detach() * 3
        y.sum().backward()
        return x.grad

    agree(program)


RETURNED = {
    "a number": lambda torch: 3,
    "too few": lambda torch: (torch.ones(2),),
    "too many": lambda torch: (torch.ones(2),) * 3,
    "numbers": lambda torch: (1, 2),
    "another shape": lambda torch: (torch.ones(3), None),
    "no tuple": lambda torch: torch.ones(2),
}


@pytest.mark.parametrize("returned", RETURNED.values(), ids=RETURNED.keys())
@pytest.mark.parametrize("kind", ["register_hook", "register_prehook"])
def test_hooks_of_nodes_that_return_something_else(returned, kind):
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        y = x * x.detach()
        getattr(y.grad_fn, kind)(lambda *gradients: returned(torch))
        y.sum().backward()

    agree(program, words=4)


@pytest.mark.parametrize("kind", ["register_hook", "register_post_accumulate_grad_hook"])
@pytest.mark.parametrize("value", ["number", "shape", "dtype"])
def test_hooks_of_tensors_that_return_something_else(kind, value):
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        made = {"number": 3, "shape": torch.ones(3), "dtype": torch.ones(2, dtype=torch.float64)}[value]
        getattr(x, kind)(lambda t: made)
        (x * 2).sum().backward()

    agree(program, words=5 if kind == "register_hook" else 0)


def test_hooks_of_saved_tensors_cannot_be_disabled_while_in_use():
    def program(torch):
        graph = torch.autograd.graph
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t), graph.disable_saved_tensors_hooks("not here"):
            pass

    agree(program, words=2)


def test_mutation_is_allowed_once():
    def program(torch):
        allow = torch.autograd.graph.allow_mutation_on_saved_tensors
        with allow(), allow():
            pass

    agree(program, words=5)


def test_backward_takes_edges_as_inputs():
    def program(torch):
        x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        edge = torch.autograd.graph.get_gradient_edge(x)
        (x * w * 3).sum().backward(inputs=[edge])
        (x * w * 3).sum().backward(inputs=edge)
        return x.grad, w.grad

    agree(program)


def test_what_a_node_knows_of_its_gradients():
    def program(torch):
        made = (torch.ones(2, 3, requires_grad=True) * 2).grad_fn._input_metadata[0]
        return tuple(made.shape), str(made.dtype), str(made.device), made.is_nested_tensor

    agree(program)


def test_saved_tensors_of_a_freed_graph():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        y = x * x
        y.sum().backward()
        return y.grad_fn._saved_self

    agree(program, words=6)


# ---- gradients of another kind


def test_complex_gradients_of_real_results():
    def program(torch):
        x = torch.ones(2, requires_grad=True)
        (x * 2).backward(torch.ones(2, dtype=torch.complex64))

    agree(program, words=8)

    def of_a_function(torch):
        class Turn(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g.to(torch.complex64)

        Turn.apply(torch.ones(2, requires_grad=True)).sum().backward()

    agree(of_a_function)


# ---- the end of a pass


def test_callbacks_run_at_the_end_of_their_pass():
    """Also of a pass inside another one; and one may queue the next."""

    def program(torch):
        queue = torch.autograd.Variable._execution_engine.queue_callback
        log: list = []
        x, w = leaf(torch), leaf(torch)

        def nested(gradient):
            with torch.enable_grad():
                z = w * 3
                z.register_hook(lambda g: queue(lambda: log.append(("inner", w.grad.clone()))))
                z.sum().backward()
            log.append("after inner")
            queue(lambda: (log.append(("outer", x.grad.clone())), queue(lambda: log.append("next")))[0])

        y = x * 2
        y.register_hook(nested)
        y.sum().backward()
        return log

    agree(program)


def test_callbacks_that_raise_and_callbacks_outside_of_a_pass():
    def raising(torch):
        y = leaf(torch) * 2
        y.register_hook(lambda g: torch.autograd.Variable._execution_engine.queue_callback(lambda: {}["missing"]))
        y.sum().backward()

    agree(raising, words=1)
    agree(lambda torch: torch.autograd.Variable._execution_engine.queue_callback(print), words=9)


@pytest.mark.parametrize("when", ["after the block", "after clear()"])
def test_copies_of_mutated_tensors_end_with_their_block(when):
    def program(torch):
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        with torch.autograd.graph.allow_mutation_on_saved_tensors() as copies:
            y = x * 1
            z = (y * y).sum()
            y.add_(5)
            if when == "after clear()":
                copies.clear()
                z.backward()
        z.backward()

    agree(program, words=6)


# ---- only what was asked for


@pytest.mark.parametrize("asked", [(0,), (1,), (2,), (0, 2), (2, 2, 0)])
def test_nodes_calculate_only_the_gradients_that_were_asked_for(asked):
    """What a node's hook sees of the others is None."""

    def program(library):
        functional, log = library.nn.functional, []
        made = [library.ones(sizes, dtype=library.float64, requires_grad=True) for sizes in ((2, 3), (4, 3), (4,))]
        product = functional.linear(*made)
        outputs = [product, made[0] * made[1].sum(), functional.layer_norm(made[0], (3,), made[1][0], made[2][:3])]
        for y in outputs:
            y.grad_fn.register_hook(lambda given, _: log.append([g is None for g in given]))
            wanted = [made[i] for i in asked]
            log.append(library.autograd.grad(y.sum(), wanted, retain_graph=True, allow_unused=True))
        product.sum().backward(inputs=[made[i] for i in asked])
        return log, [t.grad for t in made]

    agree(program)
