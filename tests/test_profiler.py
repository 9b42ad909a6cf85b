"""torch.profiler: what is timed, under which names, in which steps."""

import json
import time

import pytest
import torch as reference

import chainrule
from chainrule.profiler import ProfilerAction, profile, record_function, schedule


def step(torch, model):
    with torch.profiler.record_function("step"):
        model(torch.ones(4, 3)).relu().sum().backward()


def test_forward_and_backward_are_counted():
    model = chainrule.nn.Linear(3, 2)
    with profile(record_shapes=True, with_stack=True, profile_memory=True) as prof:
        step(chainrule, model)
        step(chainrule, model)
    averages = {event.key: event for event in prof.key_averages()}
    for name in ("aten::linear", "aten::relu", "aten::sum", "AddmmBackward0", "ReluBackward0", "step"):
        assert averages[name].count == 2
    assert averages["step"].self_cpu_time_total < averages["step"].cpu_time_total
    relu = next(event for event in prof.events() if event.key == "aten::relu")
    assert relu.input_shapes == [[4, 2]]
    assert relu.cpu_memory_usage == 32
    assert "test_profiler.py" in relu.stack[0]
    total = sum(event.self_cpu_time_total for event in prof.events())
    assert total == pytest.approx(averages["step"].cpu_time_total)


def test_nothing_is_timed_afterwards():
    with profile() as prof:
        y = chainrule.ones(3, requires_grad=True) * 2
    count = len(prof.events())
    y.sum().backward()
    (y + 1).sum()
    assert len(prof.events()) == count


@pytest.mark.parametrize("numbers", [(1, 1, 2, 2, 0), (0, 1, 1, 0, 3), (2, 1, 3, 1, 1)])
def test_schedule(numbers):
    options = dict(zip(("wait", "warmup", "active", "repeat", "skip_first"), numbers, strict=True))
    ours, theirs = schedule(**options), reference.profiler.schedule(**options)
    assert [ours(i).name for i in range(20)] == [theirs(i).name for i in range(20)]
    assert ours(0) in ProfilerAction


def test_steps_are_handed_over_when_a_cycle_ends():
    model, seen = chainrule.nn.Linear(3, 2), []

    def ready(prof):
        names = [event.key for event in prof.events() if event.key.startswith("ProfilerStep")]
        seen.append((prof.step_num, sorted(names)))

    with profile(schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready) as prof:
        for _ in range(9):
            step(chainrule, model)
            prof.step()
    # PyTorch 2.13 gives the same; its tracer is not run here, since it takes the process down on some machines.
    assert seen == [(4, ["ProfilerStep#2", "ProfilerStep#3"]), (8, ["ProfilerStep#6", "ProfilerStep#7"])]


def test_table_and_trace(tmp_path):
    with profile() as prof, record_function("outer"):
        chainrule.ones(3) + 1
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1)
    assert "outer" in table
    assert "aten::add" not in table
    assert "Self CPU time total" in table
    path = str(tmp_path / "trace.json")
    prof.add_metadata("run", "first")
    prof.export_chrome_trace(path)
    with open(path) as file:
        trace = json.load(file)
    assert trace["run"] == "first"
    assert [event["name"] for event in trace["traceEvents"]] == ["outer", "aten::ones", "aten::add"]


def test_older_name():
    with chainrule.autograd.profiler.profile() as prof:
        time.sleep(0.001)
        chainrule.ones(3)
    assert [event.key for event in prof.function_events] == ["aten::ones"]
    with chainrule.autograd.profiler.profile(enabled=False) as prof:
        chainrule.ones(3)
    assert not prof.function_events


def test_a_profile_within_a_recording():
    """Two watchers: each sees the call."""
    x = chainrule.ones(3, requires_grad=True)
    with chainrule.explain.recording() as kept, profile() as prof:
        x.exp().sum()
    assert len(kept) == 2
    assert len(prof.events()) == 2


def test_what_is_not_there_says_so():
    with pytest.raises(NotImplementedError, match="with_flops"):
        profile(with_flops=True)
    with profile(), pytest.raises(RuntimeError, match="already enabled"):
        profile().start()


def test_devices_that_are_not_there():
    activity = chainrule.profiler.ProfilerActivity
    with pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        assert chainrule.profiler.profile(activities=[activity.CPU, activity.CUDA]).activities == {activity.CPU}
    with pytest.warns(UserWarning, match="CUDA is not"), pytest.raises(AssertionError, match="No activities specified"):
        chainrule.profiler.profile(activities=[activity.CUDA])
    with pytest.warns(UserWarning, match="CUDA is not available"):
        chainrule.autograd.profiler.profile(use_cuda=True)
    with pytest.raises(AssertionError, match="Device-only events"):
        chainrule.autograd.profiler.profile(use_cpu=False)


def test_large_operations_do_not_wait_while_they_are_timed():
    x = chainrule.linspace(0, 1, 2_000_000)
    with profile() as prof:
        chainrule.lgamma(x).sum()
    times = {event.key: event.self_cpu_time_total for event in prof.key_averages()}
    assert times["aten::lgamma"] > times["aten::sum"]
