"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from .._core import Tensor
from . import constraints
from .gamma import Gamma


class Chi2(Gamma):
    """The chi-squared distribution.

    Args:
        df: the degrees of freedom.
        validate_args: whether parameters and values are checked.

    >>> torch.distributions.Chi2(torch.tensor(3.)).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}  # noqa: RUF012

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
