"""One step with jaxtyping, on random weights."""

import torch
from beartype import beartype
from jaxtyping import Float, Int, jaxtyped

Table, Ids = Float[torch.Tensor, "words width"], Int[torch.Tensor, "*batch"]
Rows = Float[torch.Tensor, "*batch width"]


@jaxtyped(typechecker=beartype)
def look_up(table: Table, ids: Ids) -> Rows:
    return torch.nn.functional.embedding(ids, table)


torch.manual_seed(0)
table = torch.randn(5, 3, requires_grad=True)
look_up(table, torch.tensor([[0, 1], [4, 4]])).square().sum().backward()
print(table.grad.sum().item(), isinstance(table, Rows), isinstance(table, Ids))
try:
    look_up(table, torch.ones(2))
except Exception as error:
    print(type(error).__name__)
