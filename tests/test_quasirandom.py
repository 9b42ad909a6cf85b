"""Sobol's sequences are PyTorch's bit for bit, scrambled ones too."""

import pytest
import torch as reference

import chainrule


def both(*args, **kwargs):
    for library in (chainrule, reference):
        library.manual_seed(7)
        yield library.quasirandom.SobolEngine(*args, **kwargs)


@pytest.mark.parametrize("dimension", [1, 2, 40, 1111])
@pytest.mark.parametrize("options", [{}, {"scramble": True, "seed": 3}, {"scramble": True}], ids=str)
def test_points(dimension, options):
    ours, theirs = both(dimension, **options)
    assert repr(ours) == repr(theirs)
    for n in (1, 3, 20):
        assert ours.draw(n).tolist() == theirs.draw(n).tolist()
    assert ours.fast_forward(5).quasi.tolist() == theirs.fast_forward(5).quasi.tolist()
    wide = ours.draw(3, dtype=chainrule.float64), theirs.draw(3, dtype=reference.float64)
    assert wide[0].tolist() == wide[1].tolist()
    assert ours.reset().draw_base2(3).tolist() == theirs.reset().draw_base2(3).tolist()
    assert chainrule.get_rng_state().tolist() == reference.get_rng_state().tolist()


def test_refusals():
    for engine in both(2):
        engine.draw(3)
        with pytest.raises(ValueError, match="The balance properties of Sobol' points require n to be a power of 2"):
            engine.draw_base2(2)
    with pytest.raises(ValueError, match="Supported range of dimensionality for SobolEngine is"):
        chainrule.quasirandom.SobolEngine(0)
