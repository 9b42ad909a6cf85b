"""The steps of random programs. Each takes the state and four numbers to choose by, and does one thing.

A step may raise, as a user's line may: the class of the exception is part of the record."""

from __future__ import annotations

import threading
import weakref

from . import functions
from .state import record

UNARY = ["sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg", "erf", "atan", "square", "sqrt", "exp", "round"]


def unary(s, a, b, c, d):
    x = s.pick(a)
    name = UNARY[b % len(UNARY)]
    if name == "sqrt":
        x = x * x + 0.5
    if name == "exp":
        x = x.clamp(-2, 2)
    s.put(getattr(s.torch, name)(x))


def binary(s, a, b, c, d):
    x = s.pick(a)
    y = s.partner(x, b)
    s.put(
        [lambda: x + y, lambda: x * y, lambda: x - y, lambda: x / (y * y + 1), lambda: s.torch.maximum(x, y)][c % 5]()
    )


def with_number(s, a, b, c, d):
    x, k = s.pick(a), 0.25 * (b % 7) - 0.75
    s.put([lambda: x * k, lambda: x + k, lambda: k - x, lambda: k / (x * x + 1), lambda: x**2, lambda: -x][c % 6]())


def chain(s, a, b, c, d):
    """An expression whose temporaries nobody sees."""
    x = s.pick(a)
    y = s.partner(x, b)
    s.put(s.torch.sin(x * 1.5 + y) * y - (x - 2.0) * 0.25)


def broadcast(s, a, b, c, d):
    s.put(s.pick(a) * 0.5 + s.pick(b))  # may raise


def three(s, a, b, c, d):
    x = s.pick(a)
    y = s.partner(x, b)
    s.put(s.torch.where(x > y, x, y * 2) if c % 2 else s.torch.lerp(x, y, 0.3))


def product(s, a, b, c, d):
    x = s.pick(a).reshape(-1)
    rows = x[: len(x) // 3 * 3].reshape(-1, 3)
    w = s.torch.linspace(-1, 1, 12, dtype=x.dtype).reshape(4, 3)
    bias = s.torch.linspace(0, 1, 4, dtype=x.dtype)
    if c % 3 == 0:
        s.put(s.torch.relu(s.torch.nn.functional.linear(rows, w, bias)))
    elif c % 3 == 1:
        s.put((rows @ w.T + bias).tanh() * 0.5)
    else:
        s.put(s.torch.mm(rows, w.T).sin())


def convolution(s, a, b, c, d):
    x = s.pick(a).reshape(-1)
    n = len(x) // 16
    image = x[: n * 16].reshape(n, 1, 4, 4)
    w = s.torch.linspace(-1, 1, 27, dtype=x.dtype).reshape(3, 1, 3, 3)
    s.put(s.torch.relu(s.torch.nn.functional.conv2d(image, w, padding=1) + 0.1))


def reduction(s, a, b, c, d):
    x = s.pick(a)
    s.put(
        [lambda: x.sum(), lambda: x.mean(), lambda: (x * 2).sum(-1), lambda: x.softmax(-1), lambda: x.cumsum(-1)][
            c % 5
        ]()
    )


def view(s, a, b, c, d):
    x = s.pick(a)
    s.put(
        [
            lambda: x.reshape(-1),
            lambda: x.T if x.ndim == 2 else x[None],
            lambda: x[..., ::2],
            lambda: x[0],
            lambda: x.detach(),
            lambda: x.data,
            lambda: x.unsqueeze(0).expand(2, *x.shape),
            lambda: x.view(x.shape),
        ][b % 8]()
    )


def write(s, a, b, c, d):
    x = s.pick(a)
    y = s.partner(x, b).detach().clone() if d % 2 else s.partner(x, b).clone()
    if c % 8 == 4 and x.requires_grad and 0 in x.stride():
        return  # refused here, while PyTorch refuses the pass
    [
        lambda: x.mul_(0.5),
        lambda: x.add_(y),
        lambda: x.copy_(y),
        lambda: x.tanh_(),
        lambda: x.zero_(),
        lambda: x.__setitem__(0, 0.5),
        lambda: x.clamp_(-0.9, 0.9),
        lambda: x.sub_(y, alpha=0.5),
    ][c % 8]()


def unrecorded(s, a, b, c, d):
    with s.torch.no_grad():
        x = s.pick(a)
        y = x * 0.5 + 1
        if c % 2:
            x.add_(0.125)
        s.put(y - s.partner(x, b))


def custom(s, a, b, c, d):
    x, kind = s.pick(a), c % 4
    if kind == 0:
        s.put(functions.scaled(s.torch).apply(x * 2, 1.5) * 3)
    elif kind == 1:
        for t in functions.product(s.torch).apply(x, s.partner(x, b)):
            s.put(t)
    elif kind == 2:
        s.put(functions.written(s.torch).apply(x * 1.0))
    else:
        s.put(functions.kept_output(s.torch).apply(x) + 1)


def hook(s, a, b, c, d):
    """Replaces, keeps or overwrites the gradient that arrives at a tensor of its own."""
    x = s.pick(a) * 1.5
    if not x.requires_grad:
        return
    if c % 4 == 0:
        x.register_hook(lambda g: g * 5 + 1)
    elif c % 4 == 1:
        x.register_hook(lambda g: s.write_down("hook", g * 2))
    elif c % 4 == 2:
        x.register_hook(lambda g: g.mul_(0.5) and None if g.numel() == 1 else g.mul_(0.5))
    else:
        x.register_hook(lambda g: s.held.append(g))
        x.retain_grad()
        s.held.append(x)
    s.put(x * 0.5)


def leaf_hook(s, a, b, c, d):
    leaf = s.leaves[a % 3]
    if c % 3 == 0:
        s.held.append(leaf.register_hook(lambda g: g * 0.5))
    elif c % 3 == 1:
        s.held.append(leaf.register_post_accumulate_grad_hook(functions.shrink_gradient))
    else:
        s.held.append(leaf.register_hook(lambda g: g.clamp(-1, 1) + 0))


def node_hook(s, a, b, c, d):
    x = s.pick(a) * 0.75
    if not x.requires_grad:
        return
    if c % 2:
        x.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g * 3 for g in gi))
    else:
        x.grad_fn.register_prehook(lambda go: tuple(g * 2 + 1 for g in go))
    s.put(x)


def onlooker(s, a, b, c, d):
    """A hook that looks at the leaves' gradients in the middle of a pass, and changes one."""
    x = s.pick(a) * 1.25
    if not x.requires_grad:
        return
    leaf = s.leaves[b % 3]

    def look(g):
        if s.threaded:
            return
        for t in s.leaves[:3]:
            s.write_down("gradient", t.grad)
        if leaf.grad is not None and c % 3 == 0:
            leaf.grad = None
        elif leaf.grad is not None and c % 3 == 1:
            leaf.grad = leaf.grad.detach() * 0.5

    x.register_hook(look)
    s.put(x + 0.5)


def raising_hook(s, a, b, c, d):
    """An exception in the middle of a pass, out of a hook or a Function, or in the middle of a scope."""
    x = s.pick(a) * 1.0
    if c % 3 == 0:
        interrupted_scope(s, x, d)
    if not x.requires_grad:
        return
    at = len(s.raising)
    s.raising.append(True)

    def maybe_raise(g):
        if s.raising[at]:
            raise ValueError("a hook that raises")
        return g * 2

    if c % 3 == 1:
        s.put(functions.called_back(s.torch).apply(x, maybe_raise))
    else:
        x.register_hook(maybe_raise)
        s.put(x)


def interrupted_scope(s, x, d):
    """What was calculated and written before the exception stays."""
    scopes = [s.torch.no_grad, s.torch.enable_grad, s.torch.inference_mode, lambda: twice_saved(s.torch)]
    try:
        with scopes[d % 4]():
            y = x.sin() + 0.25
            if d % 4 < 2:
                s.put(y)
            x.detach().mul_(0.5)
            functions.failing(s.torch).apply(y)
    except ZeroDivisionError:
        s.put(x * 0.5)


def twice_saved(torch):
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t * 0.5)


def saved_hooks(s, a, b, c, d):
    x = s.pick(a)
    with twice_saved(s.torch):
        s.put(x * s.partner(x, b) + x.sin())


def array(s, a, b, c, d):
    """NumPy looks on, and writes."""
    x = s.pick(a)
    t = x.data if c % 2 else x.detach()
    seen = t.numpy()
    y = x.detach() * 2
    if c % 3 == 0:
        seen *= 0.5
    s.put(y)
    s.held.append(seen)
    s.write_down("array", s.torch.from_numpy(seen).clone())


def dlpack(s, a, b, c, d):
    x = s.pick(a).detach()
    other = s.torch.from_dlpack(x)
    y = x + 1
    other.mul_(0.5)
    s.put(y * 1)
    s.put(other)


def on_a_thread(s, a, b, c, d):
    x = s.pick(a)

    def work():
        y = x * 2 - 1
        s.put(y)
        if c % 2 and y.requires_grad:
            s.write_down("thread", s.torch.autograd.grad(y.sum(), x, retain_graph=True)[0] * 2)

    def attempt():
        try:
            work()
        except (RuntimeError, ValueError) as error:
            s.diary.append(("thread", type(error).__name__))

    thread = threading.Thread(target=attempt)
    z = x * 3
    s.threaded = True
    thread.start()
    thread.join()
    s.put(z)


def fork(s, a, b, c, d):
    """A copy of the process goes on with the graph and with what waits: forward, backward, writes of its own."""
    x = s.pick(a)
    y = (x * 1.5).sin() + 0.5
    z = s.partner(x, b).detach() * 2

    def work(z):
        s.torch.manual_seed(a)
        total = (y * z + s.torch.rand(y.shape, dtype=y.dtype)).tanh().sum()
        seen = [record(y * 2), record(total)]
        if total.requires_grad:
            leaves = s.leaves[:3]
            gradients = s.torch.autograd.grad(total * 3, leaves, retain_graph=True, allow_unused=True)
            seen += [record(g if g is None else g + 1) for g in gradients]
        z.mul_(0.5)
        return [*seen, record(z * 1)]

    s.diary.append(("fork", functions.in_a_child(s, work, z)))
    s.put(y * 2)
    s.put(z * 1)


def checkpoint(s, a, b, c, d):
    x = s.pick(a)
    y = s.partner(x, b)
    s.put(s.torch.utils.checkpoint.checkpoint(lambda p, q: (p * q + 1).sin() * p, x, y, use_reentrant=bool(c % 2)))


def second_order(s, a, b, c, d):
    x = s.pick(a)
    y = (x * x.sin() + 1) * x
    (g,) = s.torch.autograd.grad(y.sum(), x, create_graph=True)
    s.put(g * 2 - 1)


def partial(s, a, b, c, d):
    x = s.pick(a)
    y = (x * 2 + 1) * x
    s.put(s.torch.autograd.grad(y, x, s.torch.ones_like(y) * 3)[0] * 1)


def accumulate(s, a, b, c, d):
    """A pass in the middle of the program."""
    x = s.pick(a)
    (x * 2).sum().backward(retain_graph=True)
    if c % 4 == 0:
        for leaf in s.leaves:
            leaf.grad = None
    elif c % 4 == 1:
        grads = [leaf.grad for leaf in s.leaves if leaf.grad is not None]
        s.put(grads[b % len(grads)] * 2)


def forward_mode(s, a, b, c, d):
    x = s.pick(a).detach()
    if 0 in x.stride():
        x = x.clone()  # PyTorch refuses an expanded tensor
    value, tangent = s.torch.func.jvp(lambda t: (t * t + 1).tanh() * 2, (x,), (x * 0.5,))
    s.put(value)
    s.put(tangent * 1)


def transform(s, a, b, c, d):
    x = s.pick(a).detach()
    if c % 2:
        s.put(s.torch.func.grad(lambda t: (t * t * 0.5).sum())(x) + 1)
    else:
        s.put(s.torch.func.vmap(lambda t: t * 2 + 1)(x))


def subclass(s, a, b, c, d):
    x = s.pick(a).detach().as_subclass(functions.subclass(s.torch))
    y = s.torch.Tensor.mul(x, 1.5)
    s.put(y.as_subclass(s.torch.Tensor) - 1)


def finalizer(s, a, b, c, d):
    """The end of a tensor calculates something."""
    x, short_lived = s.pick(a).detach(), s.pick(b) * 2
    weakref.finalize(short_lived, lambda: s.held.append(x * 3 + 1)).atexit = False
    y = short_lived + 1
    del short_lived
    s.put(y)
    x.mul_(0.5) if c % 2 else None
    s.write_down("finalizer", s.held[-1] if isinstance(s.held[-1], s.torch.Tensor) else None)


def look(s, a, b, c, d):
    x = s.pick(a)
    s.diary.append(("look", x.detach().sum().item() if c % 2 else x.tolist()))


def optimiser(s, a, b, c, d):
    leaf = s.leaves[a % 3]
    if leaf.grad is None:
        return
    make = [
        lambda p: s.torch.optim.SGD(p, lr=0.1, momentum=0.9),
        lambda p: s.torch.optim.Adam(p, lr=0.01),
    ][c % 2]
    make([leaf]).step()


def module_hook(s, a, b, c, d):
    x = s.pick(a).reshape(-1)
    layer = s.torch.nn.Linear(1, 2, dtype=x.dtype)
    with s.torch.no_grad():
        layer.weight.fill_(0.5)
        layer.bias.fill_(0.25)
    layer.register_full_backward_hook(lambda m, gi, go: tuple(None if g is None else g * 2 for g in gi))
    layer.register_forward_hook(lambda m, i, o: o * 3)
    y = layer(x[:, None]) + 0  # PyTorch refuses the history of what a backward hook gives out after any write
    s.held.append(layer)
    s.put(y)


def forget(s, a, b, c, d):
    """Lets go of a tensor that nobody else may hold."""
    if len(s.tensors) > 3:
        del s.tensors[a % len(s.tensors)]


# Plain arithmetic makes up half of a program.
STEPS = {
    unary: 8, binary: 8, with_number: 10, chain: 6, broadcast: 3, three: 2, product: 4, convolution: 2, reduction: 3,
    view: 6, write: 6, unrecorded: 3, custom: 5, hook: 5, leaf_hook: 2, node_hook: 3, onlooker: 1, raising_hook: 1,
    saved_hooks: 2, array: 2, dlpack: 1, on_a_thread: 1, fork: 1, checkpoint: 2, second_order: 2, partial: 2,
    accumulate: 3, forward_mode: 1, transform: 1, subclass: 1, finalizer: 1, look: 2, optimiser: 1, module_hook: 1,
    forget: 3,
}  # fmt: skip
