"""Programs without a fault, with much that looks like one: none of them may be accused."""

import re

import pytest

import asking
from program_forms import SOUND, after_the_end, as_script, load, through_a_helper

PROGRAMS = sorted(path.stem for path in SOUND.glob("*.py"))
CLEAN = re.compile(r"(Nothing found\.|Every parameter has a gradient\.|\S+: it has a gradient\.)\n?")
FORMS = {"script": as_script, "helper": lambda program: through_a_helper(program, asking), "ended": after_the_end}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nobody_is_accused(name, form):
    answer = FORMS[form](load(SOUND / f"{name}.py"))
    assert CLEAN.fullmatch(answer), answer


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 60
