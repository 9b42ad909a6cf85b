"""Where a model's mode was set and an optimiser made is remembered as long as these live."""

import gc

import chainrule as torch
from chainrule import nn
from chainrule.explain.source import line_at
from chainrule.happenings import _places, happened_at


class Unhashable(nn.Linear):
    def __eq__(self, other):
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]


def test_the_last_call_counts():
    net = Unhashable(2, 1)
    assert happened_at(net) is None
    net.train()
    net.eval()  # HERE
    line = line_at(happened_at(net))
    assert line.text == "net.eval()  # HERE"
    assert line.function == "test_the_last_call_counts"


def test_only_what_was_asked_is_remembered():
    net = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
    before = len(_places)
    net.eval()
    assert len(_places) == before + 1
    assert happened_at(net[1]) is None


def test_what_is_gone_is_forgotten():
    optimizer = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)
    net = nn.Linear(2, 1).eval()
    before = len(_places)
    del optimizer, net
    gc.collect()
    assert len(_places) == before - 2


def test_the_doctor_finds_eval_of_a_model_around_the_one_that_is_asked_about():
    both = nn.ModuleDict({"body": nn.Sequential(nn.Linear(3, 4), nn.Dropout()), "head": nn.Linear(4, 1)})

    def validate(model):
        model.eval()
        return model["body"](torch.ones(2, 3)).detach()

    validate(both)
    loss = both["body"](torch.ones(2, 3)).square().mean()
    (found,) = (f for f in torch.explain.doctor(both["body"], loss) if f.mistake == "evaluation mode")
    assert found.line.text == "model.eval()"
