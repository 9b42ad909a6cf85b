"""Gradient formulas in mathematical type: what they say as text is what they say as MathML."""

from xml.etree import ElementTree

import pytest

from chainrule import _core
from chainrule.explain.formulas import readable
from chainrule.explain.math_type import in_math_type

TABLE = sorted({readable(text) for row in _core.op_table() for text in row["gradients"]})


def read(text: str) -> str:
    """What a reader sees, with the signs that lie in the layout."""
    return "".join(_parts(ElementTree.fromstring(text)))


def _parts(e: ElementTree.Element) -> list[str]:
    inside = ["".join(_parts(child)) for child in e]
    if e.tag == "mfrac":
        return [f"{{{inside[0]}}}/{{{inside[1]}}}"]
    if e.tag == "msup":
        return [f"{inside[0]}^{{{inside[1]}}}"]
    if e.tag == "msub":
        return [f"{inside[0]}_{inside[1]}"]
    return [e.text.strip("\u2061\u2062\u00a0") if e.text else "", *inside]


@pytest.mark.parametrize("formula", TABLE)
def test_every_line_of_the_table_can_be_set(formula):
    text = in_math_type(formula)
    assert text is not None
    ElementTree.fromstring(text)


@pytest.mark.parametrize(
    ("formula", "seen"),
    [
        ("g * cos(x)", "g⋅cos(x)"),
        ("g * exponent * a ** (exponent - 1)", "g⋅exponent⋅a^{exponent\u22121}"),
        ("(a + b) * c", "(a+b)⋅c"),
        ("a - (b - c)", "a\u2212(b\u2212c)"),
        ("(a / b) ** 2", "({a}/{b})^{2}"),
        ("-g / (b * b)", "{\u2212g}/{b⋅b}"),
        ("(-a) ** 2", "(\u2212a)^{2}"),
        ("a.T @ g", "a^{\u22a4}g"),
        ("g if x > 0 else 0", "{gifx>00else"),
        ("sum(g * x_hat)", "∑g⋅x_hat"),
        ("dc * f, where dc = g_c + o and f = h", "dc⋅f,dc=g_c+o,f=h"),
    ],
)
def test_signs_and_brackets(formula, seen):
    assert read(in_math_type(formula)) == seen


@pytest.mark.parametrize("words", ["g expanded to the shape of x", "g spread over the pixels that were read", "x[0]"])
def test_words_stay_words(words):
    assert in_math_type(words) is None
