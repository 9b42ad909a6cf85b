"""Sample records: what each op is tried with. An op without a record here fails the suite (test_coverage.py)."""

from .creation import CREATION
from .elementwise import ELEMENTWISE
from .ordering import ORDERING
from .products import PRODUCTS
from .reductions import REDUCTIONS
from .shapes import SHAPES

RECORDS = [*ELEMENTWISE, *REDUCTIONS, *SHAPES, *PRODUCTS, *ORDERING]

__all__ = ["CREATION", "ELEMENTWISE", "ORDERING", "PRODUCTS", "RECORDS", "REDUCTIONS", "SHAPES"]
