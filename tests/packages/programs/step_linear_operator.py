"""One step with linear-operator, on random weights."""

import torch
from linear_operator import to_linear_operator
from linear_operator.operators import (
    DiagLinearOperator,
    KroneckerProductLinearOperator,
    LowRankRootLinearOperator,
    ToeplitzLinearOperator,
)

torch.manual_seed(0)
root = torch.randn(6, 2, dtype=torch.float64, requires_grad=True)
operator = LowRankRootLinearOperator(root) + DiagLinearOperator(torch.linspace(1, 2, 6, dtype=torch.float64))
right = torch.ones(6, dtype=torch.float64)
value = operator.inv_quad_logdet(right[:, None], logdet=True)
sum(value).backward()
print([v.item() for v in value], root.grad.abs().sum().item())
toeplitz = ToeplitzLinearOperator(torch.tensor([2.0, 0.5, 0.1]))
print((KroneckerProductLinearOperator(toeplitz, to_linear_operator(torch.eye(2))) @ torch.arange(6.0)).tolist())
