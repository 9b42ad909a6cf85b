"""Formulas of the table in mathematical type: MathML, which browsers draw without any script."""

from __future__ import annotations

import ast
from html import escape

_MINUS = "\N{MINUS SIGN}"
_PRECEDENCE = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.MatMult: 2, ast.Div: 2, ast.Mod: 2, ast.Pow: 4}
_SIGNS = {ast.Add: "+", ast.Sub: _MINUS, ast.MatMult: "@", ast.Mod: "mod"}
_COMPARED = {ast.Lt: "<", ast.Gt: ">", ast.LtE: "≤", ast.GtE: "≥", ast.Eq: "=", ast.NotEq: "≠"}
_UNARY, _ATOM = 3, 9


def _op(sign: str) -> str:
    return f"<mo>{escape(sign)}</mo>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _bracketed(markup: str) -> str:
    high = "<mfrac>" in markup or "<mtable" in markup
    left, right = (f'<mo stretchy="{str(high).lower()}">{sign}</mo>' for sign in "()")
    return _row(left, markup, right)


class _UnknownError(Exception):
    """Something that has no place in a formula."""


def _draw(node: ast.expr) -> tuple[str, int]:
    """The markup, and how tightly it holds together."""
    match node:
        case ast.Name(id=name):
            return (
                f"<mi>{escape(name)}</mi>" if len(name) == 1 else f'<mi mathvariant="normal">{escape(name)}</mi>'
            ), _ATOM
        case ast.Constant(value=bool() | str() | None):
            raise _UnknownError
        case ast.Constant(value=value):
            return f"<mn>{value:.6g}</mn>", _ATOM
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _row(_op(_MINUS), _at_least(operand, _UNARY)), _UNARY
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            return _row(_op("¬"), _at_least(operand, _UNARY)), _UNARY
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return f"<mfrac>{_draw(left)[0]}{_draw(right)[0]}</mfrac>", _ATOM - 1
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            return f"<msup>{_at_least(left, _ATOM)}{_draw(right)[0]}</msup>", _ATOM - 1
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            return _row(_at_least(left, 2), _op("·"), _at_least(right, 2)), 2
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _SIGNS:
            level = _PRECEDENCE[type(op)]
            tighter = level + isinstance(op, ast.Sub | ast.Mod)
            return _row(_at_least(left, level), _op(_SIGNS[type(op)]), _at_least(right, tighter)), level
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARED:
            return _row(_at_least(left, 1), _op(_COMPARED[type(op)]), _at_least(right, 1)), 0
        case ast.BoolOp(op=op, values=values):
            sign = _op("and" if isinstance(op, ast.And) else "or")
            return _row(sign.join(_at_least(value, 0) for value in values)), -1
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _cases(test, body, orelse), _ATOM
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _call(name, args)
    raise _UnknownError


def _at_least(node: ast.expr, level: int) -> str:
    markup, own = _draw(node)
    return markup if own >= level else _bracketed(markup)


def _cases(test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
    def line(value: ast.expr, *words: str) -> str:
        shown = "".join(f"<mtd>{word}</mtd>" for word in words)
        return f"<mtr><mtd>{_draw(value)[0]}</mtd>{shown}</mtr>"

    lines = [line(body, _row("<mtext>if </mtext>", _draw(test)[0]))]
    while isinstance(orelse, ast.IfExp):
        lines.append(line(orelse.body, _row("<mtext>if </mtext>", _draw(orelse.test)[0])))
        orelse = orelse.orelse
    lines.append(line(orelse, "<mtext>else</mtext>"))
    return _row(_op("{"), f'<mtable columnalign="left">{"".join(lines)}</mtable>')


def _call(name: str, args: list[ast.expr]) -> tuple[str, int]:
    match name, args:
        case "sqrt", [x]:
            return f"<msqrt>{_draw(x)[0]}</msqrt>", _ATOM
        case "exp", [x]:
            return f"<msup><mi>e</mi>{_draw(x)[0]}</msup>", _ATOM - 1
        case "abs", [x]:
            return _row(_op("|"), _draw(x)[0], _op("|")), _ATOM
        case "pow", [x, y]:
            return f"<msup>{_at_least(x, _ATOM)}{_draw(y)[0]}</msup>", _ATOM - 1
        case "square", [x]:
            return f"<msup>{_at_least(x, _ATOM)}<mn>2</mn></msup>", _ATOM - 1
    inner = _op(",").join(_draw(arg)[0] for arg in args)
    return _row(f'<mi mathvariant="normal">{escape(name)}</mi>', _op("⁡"), _bracketed(inner)), _ATOM


def as_mathml(formula: str) -> str | None:
    """The formula as an element `math`; None if it is words or has something that cannot be drawn."""
    try:
        markup = _draw(ast.parse(formula, mode="eval").body)[0]
    except (SyntaxError, _UnknownError):
        return None
    return f"<math>{markup}</math>"
