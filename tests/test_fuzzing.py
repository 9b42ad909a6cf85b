"""The fuzzer: a few thousand of its calls, and that it finds what it looks for. `make fuzz` makes many more."""

import pytest

from fuzzing import child, differential, watching
from fuzzing.__main__ import fuzz
from fuzzing.arguments import Call
from fuzzing.calls import call_of
from fuzzing.cutting import program


@pytest.mark.parametrize("seed", range(4))
def test_no_call_ends_the_interpreter(seed):
    """Exceptions are right, signals are not; nor are calls without an end, or all memory for small arguments."""
    assert fuzz(seed, seconds=600, first=0, calls=2500, without="") == 0


def planted(target: str, *args: str) -> list[Call]:
    return [Call("len", ["[]"], {}, {}, "read"), Call(target, list(args), {}, {}, "read")]


@pytest.mark.parametrize(
    ("kind", "target", "argument"),
    [
        ("SIGABRT", "__import__('os').abort", ""),
        ("SIGSEGV", "__import__('ctypes').string_at", "0"),
        ("hang", "__import__('time').sleep", "60"),
        ("memory", "b'x'.__mul__", f"{child.WASTE} + (100 << 20)"),
        ("done", "torch.ones", "2**40"),
    ],
)
def test_what_a_call_does_to_its_process(kind, target, argument, monkeypatch):
    monkeypatch.setattr(watching, "HANGS_AFTER", 3.0 if kind == "hang" else 60.0)  # however busy the machine is
    end = watching.watch_calls(planted(target, *filter(None, [argument])))
    assert end.kind == kind
    assert end.number == 1


def test_a_call_is_drawn_from_its_number_alone():
    texts = [call_of(3, number).source for number in range(300)]
    assert [call_of(3, number).source for number in reversed(range(300))] == texts[::-1]
    assert len(set(texts)) > 290
    for number in range(300):
        compile(program([call_of(3, number)]), "a finding", "exec")


def test_calls_that_both_libraries_accept():
    """The same values and gradients as PyTorch's."""
    calls = [call for number in range(600) if (call := differential.call_of(0, number)) is not None]
    words = {differential.call_text(call): differential.difference(call) for call in calls}
    assert sum(text is not None for text in words.values()) > 300
    assert not [f"{call}\n{text}" for call, text in words.items() if text]
