"""A tour of chainrule that runs: each stop prints what it shows. `python docs/tour.py`; a test keeps it true."""

import warnings

import chainrule as torch

HERE = __file__.rpartition("/")[0] + "/"


def stop(title):
    print(f"\n== {title}")


def show(message):
    print(str(message).replace(HERE, ""))  # lines name the whole path


stop("A tensor that remembers how it was calculated")
x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = (x * torch.sin(x)).sum()
y.backward()
print("y      ", y)
print("dy/dx  ", x.grad)
print("by hand", torch.sin(x.detach()) + x.detach() * torch.cos(x.detach()))

stop("The graph: nodes with PyTorch's names, the formula that runs, and your line")
node = (x * torch.sin(x)).sum().grad_fn
while node is not None:
    file, line, function, text = node.source or ("", 0, "", "the leaf itself")
    print(f"{node.name():32s} {node.formula:32s} {text}")
    node = node.next_functions[-1][0] if node.next_functions else None

stop("Derivatives of derivatives, as often as you like")
t = torch.tensor(1.0, requires_grad=True)
value = t**4
for order in range(1, 5):
    (value,) = torch.autograd.grad(value, t, create_graph=True)
    print(f"derivative {order} of t**4 at 1: {value.item():g}")

stop("Forward mode, from the same formulas")
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    print(torch.autograd.forward_ad.unpack_dual(torch.exp(dual) / dual).tangent)

stop("Broadcasting, and gradients that come back in their own shape")
column, row = torch.ones(3, 1, requires_grad=True), torch.arange(4.0).requires_grad_()
(column * row).sum().backward()
print("column.grad", column.grad.tolist())
print("row.grad   ", row.grad.tolist())

stop("Writing in place: the history follows, also through views")
base = torch.ones(4, requires_grad=True)
copy = base.clone()
copy[1:3].mul_(10)
copy.sum().backward()
print("base.grad", base.grad.tolist(), "after", copy.grad_fn.name())

stop("An error tells you where, why, and what to do")
weight = torch.ones(2, 3, requires_grad=True)
try:
    torch.ones(2, 2) + weight
except RuntimeError as error:
    show(error)

stop("A warning about the .grad of a tensor that is not a leaf says since when it is none")
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    _ = (weight * 2).grad
show(str(caught[0].message).rpartition("\n  ")[2])

stop("PyTorch's random numbers")
torch.manual_seed(0)
print(torch.randn(3))

stop("Documentation is the line of the table that made the operation")
print(torch.mul.__doc__)
