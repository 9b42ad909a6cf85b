"""Formulas in mathematical type: MathML, which browsers set themselves."""

from __future__ import annotations

import ast
import html
from functools import cache

__all__ = ["in_math_type"]

_SUM, _PRODUCT, _SIGN, _POWER, _WHOLE = 1, 2, 3, 4, 5  # how tightly the parts of an expression hold together
_LETTERS = {
    "alpha": "&#945;",
    "beta": "&#946;",
    "gamma": "&#947;",
    "delta": "&#948;",
    "eps": "&#949;",
    "lambd": "&#955;",
}
_SIGNS = {ast.Lt: "&lt;", ast.LtE: "≤", ast.Gt: "&gt;", ast.GtE: "≥", ast.Eq: "=", ast.NotEq: "≠"}


@cache
def in_math_type(formula: str) -> str | None:
    """A formula as a <math> element; None of one that is in words."""
    main, *meanings = formula.split(", where ")
    parts = [main, *(part for text in meanings for part in text.split(" and "))]
    try:
        texts = [_statement(part) for part in parts]
    except (SyntaxError, InWordsError):
        return None
    return '<math displaystyle="true">' + "<mtext>,&#160;&#160;</mtext>".join(texts) + "</math>"


class InWordsError(Exception):
    """Something that has no mathematical sign."""


def _statement(text: str) -> str:
    name, is_meaning, value = text.partition(" = ")
    if is_meaning and name.isidentifier():
        return _name(name) + "<mo>=</mo>" + _set(ast.parse(value, mode="eval").body)[0]
    return _set(ast.parse(text, mode="eval").body)[0]


def _set(e: ast.expr) -> tuple[str, int]:
    """An expression, and how tightly it holds together."""
    if isinstance(e, ast.BinOp):
        return _operation(e)
    if isinstance(e, ast.UnaryOp) and isinstance(e.op, ast.USub):
        return f"<mo>&#8722;</mo>{_within(e.operand, _SIGN)}", _SIGN
    if isinstance(e, ast.Constant) and isinstance(e.value, int | float):
        return f"<mn>{e.value:.6g}</mn>", _WHOLE
    if isinstance(e, ast.Name):
        return _name(e.id), _WHOLE
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and not e.keywords:
        return _call(e.func.id, e.args)
    if isinstance(e, ast.Attribute) and e.attr in ("T", "mT"):
        return f"<msup><mrow>{_within(e.value, _WHOLE)}</mrow><mi>&#8868;</mi></msup>", _POWER
    if isinstance(e, ast.IfExp):
        return _cases(e), _SUM
    if isinstance(e, ast.Compare) and len(e.ops) == 1 and type(e.ops[0]) in _SIGNS:
        sign = _SIGNS[type(e.ops[0])]
        return f"{_set(e.left)[0]}<mo>{sign}</mo>{_set(e.comparators[0])[0]}", 0
    raise InWordsError


def _operation(e: ast.BinOp) -> tuple[str, int]:
    if isinstance(e.op, ast.Div):
        return f"<mfrac><mrow>{_set(e.left)[0]}</mrow><mrow>{_set(e.right)[0]}</mrow></mfrac>", _SIGN
    if isinstance(e.op, ast.Pow):
        return f"<msup><mrow>{_within(e.left, _WHOLE)}</mrow><mrow>{_set(e.right)[0]}</mrow></msup>", _POWER
    if isinstance(e.op, ast.BitAnd | ast.BitOr):
        word = "and" if isinstance(e.op, ast.BitAnd) else "or"
        return f"{_set(e.left)[0]}<mtext>&#160;{word}&#160;</mtext>{_set(e.right)[0]}", 0
    signs = {
        ast.Add: ("+", _SUM),
        ast.Sub: ("&#8722;", _SUM),
        ast.Mult: ("⋅", _PRODUCT),
        ast.MatMult: ("&#8290;", _PRODUCT),
    }
    if type(e.op) not in signs:
        raise InWordsError
    sign, holds = signs[type(e.op)]
    after = holds + 1 if isinstance(e.op, ast.Sub) else holds
    return f"{_within(e.left, holds)}<mo>{sign}</mo>{_within(e.right, after)}", holds


def _call(name: str, args: list[ast.expr]) -> tuple[str, int]:
    inside = "<mo>,</mo>".join(_set(a)[0] for a in args)
    if name == "zero":
        return "<mn>0</mn>", _WHOLE
    if name == "sqrt":
        return f"<msqrt>{inside}</msqrt>", _WHOLE
    if name == "exp":
        return f"<msup><mi>e</mi><mrow>{inside}</mrow></msup>", _POWER
    if name == "abs":
        return f"<mrow><mo>|</mo>{inside}<mo>|</mo></mrow>", _WHOLE
    if name == "conj":
        return f"<mover><mrow>{inside}</mrow><mo>¯</mo></mover>", _WHOLE
    if name == "sum":
        return f"<mo>∑</mo>{_within(args[0], _PRODUCT)}", _PRODUCT
    if name == "inv":
        return f"<msup><mrow>{_within(args[0], _WHOLE)}</mrow><mrow><mo>&#8722;</mo><mn>1</mn></mrow></msup>", _POWER
    shown = "ln" if name == "log" else name
    return f"<mi>{html.escape(shown)}</mi><mo>&#8289;</mo><mrow><mo>(</mo>{inside}<mo>)</mo></mrow>", _WHOLE


def _cases(e: ast.IfExp) -> str:
    """Each value with its condition, below one another."""
    rows = []
    at: ast.expr = e
    while isinstance(at, ast.IfExp):
        rows.append((_set(at.body)[0], f"<mtext>if&#160;</mtext>{_set(at.test)[0]}"))
        at = at.orelse
    rows.append((_set(at)[0], "<mtext>else</mtext>"))
    cells = "".join(f"<mtr><mtd><mrow>{value}</mrow></mtd><mtd><mrow>{when}</mrow></mtd></mtr>" for value, when in rows)
    return f'<mrow><mo>{{</mo><mtable columnalign="left left">{cells}</mtable></mrow>'


def _within(e: ast.expr, holds: int) -> str:
    """In brackets, if it holds together less tightly than what it stands in."""
    text, own = _set(e)
    return text if own >= holds else f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"


def _name(name: str) -> str:
    head, _, index = name.partition("_")
    if head and index:
        return f"<msub>{_letter(head)}{_letter(index)}</msub>"
    return _letter(name)


def _letter(name: str) -> str:
    return f"<mi>{_LETTERS.get(name) or html.escape(name)}</mi>"
