"""utils.data: datasets, samplers, collation, and loaders whose workers are real processes."""

import collections
import contextlib
import importlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import torch.utils.data  # noqa: F401  (for the reference)

import chainrule
from both import agree
from chainrule.utils.data import DataLoader, Dataset, IterableDataset, channel, get_worker_info
from chainrule.utils.data.worker import Task

PYTHON = str(Path(chainrule.__file__).parents[1])
START = pytest.mark.parametrize("start", ["fork", "spawn"])


def data(library):
    return library.utils.data


class Squares(Dataset):
    """Sample i is (i * ones, i**2)."""

    def __init__(self, length=10, size=3):
        self.length, self.size = length, size

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return chainrule.full((self.size,), float(index)), index**2


class Count(IterableDataset):
    def __init__(self, end=17):
        self.end = end

    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, self.end, step))


# ---- datasets


def test_datasets():
    def program(library):
        d = data(library)
        x, y = library.arange(6.0).reshape(3, 2), library.arange(3)
        pairs = d.TensorDataset(x, y)
        both = d.ConcatDataset([pairs, pairs])
        stacked = d.StackDataset(pairs, both_by_name := d.Subset(both, [5, 0, 1]))
        named = d.StackDataset(a=pairs, b=both_by_name)
        return [
            *(len(pairs), pairs[1], len(both), both[4], both[-6], len(stacked), stacked[2], named[0]),
            *(stacked.__getitems__([0, 2]), named.__getitems__([1]), (pairs + pairs).cumulative_sizes),
            both_by_name.__getitems__([2, 0]),
        ]

    agree(program)


@pytest.mark.parametrize(
    "make",
    [
        lambda d, lib: d.TensorDataset(lib.ones(2), lib.ones(3)),
        lambda d, lib: d.StackDataset(),
        lambda d, lib: d.StackDataset([1], a=[2]),
        lambda d, lib: d.StackDataset([1], [1, 2]),
        lambda d, lib: d.ConcatDataset([]),
        lambda d, lib: d.ConcatDataset([[1, 2], [3]])[-4],
        lambda d, lib: d.Dataset()[0],
        lambda d, lib: list(d.ChainDataset([[1]])),
        lambda d, lib: d.random_split([1, 2, 3], [1, 1]),
        lambda d, lib: d.random_split([1, 2, 3], [1.5, -0.5]),
        lambda d, lib: d.RandomSampler([1], replacement=1),
        lambda d, lib: d.RandomSampler([]),
        lambda d, lib: d.WeightedRandomSampler([1.0], True),
        lambda d, lib: d.WeightedRandomSampler([[1.0]], 1),
        lambda d, lib: d.BatchSampler([1], 0, False),
        lambda d, lib: d.BatchSampler([1], 1, 0),
        lambda d, lib: d.DataLoader([1], num_workers=-1),
        lambda d, lib: d.DataLoader([1], timeout=-1),
        lambda d, lib: d.DataLoader([1], prefetch_factor=2),
        lambda d, lib: d.DataLoader([1], num_workers=1, prefetch_factor=-2),
        lambda d, lib: d.DataLoader([1], persistent_workers=True),
        lambda d, lib: d.DataLoader([1], sampler=[0], shuffle=True),
        lambda d, lib: d.DataLoader([1], batch_sampler=[[0]], batch_size=2),
        lambda d, lib: d.DataLoader([1], batch_size=None, drop_last=True),
        lambda d, lib: d.DataLoader([1], multiprocessing_context="fork"),
        lambda d, lib: d.DataLoader([1], num_workers=1, multiprocessing_context="thread"),
        lambda d, lib: d.DataLoader([1], num_workers=1, multiprocessing_context=3),
        lambda d, lib: d.DataLoader(d.IterableDataset(), shuffle=True),
        lambda d, lib: d.DataLoader(d.IterableDataset(), sampler=[0]),
        lambda d, lib: d.DataLoader(d.IterableDataset(), batch_sampler=[[0]]),
        lambda d, lib: setattr(d.DataLoader([1]), "batch_size", 3),
        lambda d, lib: d.distributed.DistributedSampler([1], 2, 2),
        lambda d, lib: d.default_collate([[1, 2], [3]]),
        lambda d, lib: d.default_collate([{1, 2}]),
        lambda d, lib: d.default_collate([np.array(["a"])]),
    ],
)
def test_errors(make):
    agree(lambda library: make(data(library), library) and None, words=3)


def test_chain_of_iterables():
    def program(library):
        d = data(library)

        class Letters(d.IterableDataset):
            def __init__(self, text):
                self.text = text

            def __iter__(self):
                return iter(self.text)

            def __len__(self):
                return len(self.text)

        both = Letters("ab") + Letters("cd")
        return list(both), len(both), list(d.DataLoader(both, batch_size=3)), len(d.DataLoader(both, batch_size=3))

    agree(program)


def test_a_subset_whose_getitem_is_overridden():
    def program(library):
        class Half(data(library).Subset):
            def __getitem__(self, index):
                return 1

        return Half([1, 2], [0])

    agree(program, words=5)


# ---- samplers


@pytest.mark.parametrize("own", [False, True])
def test_samplers_draw_pytorchs_numbers(own):
    def program(library):
        d = data(library)
        generator = library.Generator().manual_seed(7) if own else None
        draws = [
            d.SequentialSampler(range(4)),
            d.RandomSampler(range(50), generator=generator),
            d.RandomSampler(range(5), num_samples=13, generator=generator),
            d.RandomSampler(range(50), replacement=True, num_samples=70, generator=generator),
            d.SubsetRandomSampler([3, 5, 8, 13], generator=generator),
            d.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 9, generator=generator),
            d.WeightedRandomSampler([0.1, 0.9, 0.4, 3.0], 3, replacement=False, generator=generator),
            d.BatchSampler(d.RandomSampler(range(7), generator=generator), 3, False),
            d.BatchSampler(d.RandomSampler(range(7), generator=generator), 3, True),
        ]
        return [(list(sampler), len(sampler)) for sampler in draws for _ in range(2)]

    agree(program)


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("length", [2, 10, 12])
def test_distributed_sampler(shuffle, drop_last, length):
    def program(library):
        parts = []
        for rank in range(3):
            sampler = data(library).distributed.DistributedSampler(
                range(length), 3, rank, shuffle=shuffle, drop_last=drop_last, seed=3
            )
            sampler.set_epoch(2)
            parts.append((list(sampler), len(sampler)))
        return parts

    agree(program)


def test_random_split():
    def program(library):
        d = data(library)
        own = library.Generator().manual_seed(42)
        splits = [
            d.random_split(range(10), [3, 7], generator=own),
            d.random_split(range(30), [0.3, 0.3, 0.4], generator=own),
            d.random_split(range(11), [0.5, 0.5]),
        ]
        return [list(part) for parts in splits for part in parts]

    agree(program)


# ---- collation

Point = collections.namedtuple("Point", ["x", "y"])


def samples(library):
    t = library.tensor
    return [
        [t([1.0, 2.0]), t([3.0, 4.0])],
        [1, 2],
        [True, False],
        [1.5, 2.5],
        ["a", "b"],
        [b"a", b"b"],
        [(1, "x", t(1)), (2, "y", t(2))],
        [[1, 2.0], [3, 4.0]],
        [{"a": 1, "b": {"c": [1, 2]}}, {"a": 3, "b": {"c": [4, 5]}}],
        [Point(1, t([1])), Point(2, t([2]))],
        [np.arange(3), np.arange(3)],
        [np.float32(1.5), np.float32(2.5)],
        [np.float64(1.5), np.float64(2.5)],
        [np.int16(1), np.int16(2)],
        [np.bool_(True), np.bool_(False)],
        [collections.OrderedDict(a=1), collections.OrderedDict(a=2)],
        [range(2), range(2, 4)],
    ]


@pytest.mark.parametrize("which", range(len(samples(chainrule))))
def test_default_collate_and_convert(which):
    def program(library):
        batch = samples(library)[which]
        together, alone = data(library).default_collate(batch), data(library).default_convert(batch)
        return together, type(together).__name__, alone, type(alone[0]).__name__

    agree(program)


def test_a_rule_for_another_type():
    class Odd:
        pass

    from chainrule.utils.data.collate import default_collate, default_collate_fn_map

    default_collate_fn_map[Odd] = lambda batch, *, collate_fn_map=None: len(batch)
    try:
        assert default_collate([(Odd(), 1), (Odd(), 2)])[0] == 2
    finally:
        del default_collate_fn_map[Odd]


# ---- loaders without workers


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 4},
        {"batch_size": 4, "drop_last": True},
        {"batch_size": None},
        {"batch_size": 3, "shuffle": True},
        {"batch_sampler": [[0, 1], [5], [2, 2, 2]]},
        {"sampler": [3, 1, 2], "batch_size": 2},
        {"batch_size": 2, "collate_fn": lambda batch: [y for _, y in batch]},
    ],
    ids=lambda options: " ".join(options) or "defaults",
)
def test_loader(options):
    def program(library):
        d = data(library)
        loader = d.DataLoader(d.TensorDataset(library.arange(14.0).reshape(7, 2), library.arange(7)), **options)
        return list(loader), list(loader), len(loader), library.rand(2)  # the default generator moved on equally

    agree(program)


def test_the_generator_decides_the_order():
    def program(library):
        own = library.Generator().manual_seed(5)
        loader = data(library).DataLoader(range(20), 6, shuffle=True, generator=own)
        return [list(loader) for _ in range(3)]

    agree(program)


def test_pinned_memory_warns():
    with pytest.warns(UserWarning, match="^'pin_memory' argument is set as true but no accelerator is found"):
        assert len(list(DataLoader(range(3), pin_memory=True))) == 3


def test_an_iterable_that_is_longer_than_it_says():
    class Liar(Count):
        def __len__(self):
            return 1

    loader = DataLoader(Liar(3), batch_size=None)
    assert len(loader) == 1
    with pytest.warns(UserWarning, match="Length of IterableDataset .* was reported to be 1"):
        assert list(loader) == [0, 1, 2]


def test_more_workers_than_processors_warn():
    with pytest.warns(UserWarning, match="This DataLoader will create 1000 worker processes in total"):
        DataLoader(range(3), num_workers=1000)


# ---- workers


def test_workers_give_the_same_batches_in_order():
    alone = list(DataLoader(Squares(), batch_size=4))
    loader = DataLoader(Squares(), batch_size=4, num_workers=2)
    for batch, expected in zip(loader, alone, strict=True):
        assert batch[0].equal(expected[0])
        assert batch[1].equal(expected[1])


def test_large_batches_and_many_parts():
    loader = DataLoader(Squares(6, 50_000), batch_size=3, num_workers=2)
    kept = list(loader)  # the memory outlives the workers
    assert [batch[0][:, -1].tolist() for batch in kept] == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    kept[0][0].add_(1)  # and is ours to change
    assert kept[0][0].sum() == 50_000 * 6
    parts = next(iter(DataLoader(range(2000), 2000, num_workers=1, collate_fn=many_tensors)))
    assert [part.item() for part in parts] == list(range(2000))


def many_tensors(batch):
    return [chainrule.tensor(i) for i in batch]


def test_a_packet_that_the_machine_refuses(monkeypatch):
    monkeypatch.setattr(channel, "_LARGEST_PACKET", 2**30)
    ours, theirs = channel.open_channel()
    ours.send(chainrule.arange(1_000_000))
    assert theirs.receive()[-1] == 999_999
    ours.close()
    theirs.close()


class Window(Dataset):
    """Small views of one large tensor."""

    def __init__(self):
        self.whole = chainrule.arange(1_000_000)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.whole[index : index + 2]


def test_a_view_travels_without_what_it_does_not_show():
    for item in DataLoader(Window(), batch_size=None, num_workers=1):
        assert item.untyped_storage().nbytes() == 16


class Odd(Dataset):
    """Things that are no plain data."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 0:
            return chainrule.tensor([1.0, 2.0], requires_grad=True)
        if index == 1:
            return chainrule.nn.Parameter(chainrule.ones(2, dtype=chainrule.bfloat16))
        if index == 2:
            return {"array": np.arange(3), "text": "x" * 100_000, "empty": chainrule.empty(0, 3)}
        return chainrule.arange(6).reshape(2, 3).t()


def test_what_travels():
    leaf, parameter, mixed, transposed = DataLoader(Odd(), batch_size=None, num_workers=1)
    assert leaf.requires_grad
    assert leaf.is_leaf
    assert isinstance(parameter, chainrule.nn.Parameter)
    assert parameter.dtype is chainrule.bfloat16
    assert mixed["array"].tolist() == [0, 1, 2]
    assert len(mixed["text"]) == 100_000
    assert tuple(mixed["empty"].shape) == (0, 3)
    assert transposed.stride() == (1, 3)


@pytest.mark.parametrize("batch_size", [3, None])
@pytest.mark.parametrize("persistent", [False, True])
def test_iterable_datasets_as_pytorch_gives_them(batch_size, persistent):
    def program(library):
        d = data(library)

        class Part(d.IterableDataset):
            def __iter__(self):
                info = d.get_worker_info()
                return iter(range(3 * info.id, 10 + 3 * info.id))  # worker 0 ends first

        loader = d.DataLoader(Part(), batch_size, num_workers=2, persistent_workers=persistent)
        return [list(loader) for _ in range(2)]

    agree(program)


def numbers_of_worker(library):
    class Draws(data(library).Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            info = data(library).get_worker_info()
            drawn = (random.random(), np.random.rand(), library.rand(2), library.initial_seed())
            return info.id, info.num_workers, info.seed, library.get_num_threads(), *drawn

    return Draws()


@pytest.mark.parametrize("persistent", [False, True])
def test_seeds_and_order_are_pytorchs(persistent):
    def program(library):
        loader = data(library).DataLoader(
            numbers_of_worker(library), 2, shuffle=True, num_workers=2, persistent_workers=persistent
        )
        return list(loader), list(loader)

    agree(program)


def test_a_sampler_that_draws_early():
    def program(library):
        d = data(library)

        class Eager(d.Sampler):
            def __iter__(self):
                return iter(library.randperm(6).tolist())

        return [list(d.DataLoader(range(6), None, sampler=Eager(), num_workers=n)) for n in (0, 1)]

    agree(program)


def init_worker(number):
    get_worker_info().dataset.size = 10 + number


def test_worker_init_fn():
    loader = DataLoader(Squares(4), num_workers=2, worker_init_fn=init_worker)
    assert [x.shape[1] for x, _ in loader] == [10, 11, 10, 11]
    assert get_worker_info() is None


def test_persistent_workers_stay():
    loader = DataLoader(Where(), batch_size=None, num_workers=2, persistent_workers=True)
    first = set(loader)
    assert len(first) == 2
    next(iter(loader))  # a pass that is given up
    assert [set(loader), len(list(loader))] == [first, 4]


class Where(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return os.getpid()


class Slow(Dataset):
    """The first sample takes longer than the others."""

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index == 0:
            time.sleep(0.5)
        return index


def test_without_order_the_slow_one_comes_last():
    loader = DataLoader(Slow(), batch_size=None, num_workers=2, in_order=False, prefetch_factor=1)
    assert sorted(got := list(loader)) == [0, 1, 2, 3]
    assert got[0] == 1


def test_messages_that_fill_the_channel():
    # Both ends could wait for each other here if one waited to send.
    sampler = [list(range(2000)) for _ in range(80)]
    loader = DataLoader(range(2000), batch_sampler=sampler, num_workers=1, prefetch_factor=80, collate_fn=list)
    assert all(len(batch) == 2000 for batch in loader)


def test_the_loader_inside_a_thread_and_twice_at_once():
    loader = DataLoader(Squares(6), num_workers=1)
    assert [a[1].item() == b[1].item() for a, b in zip(loader, loader, strict=True)] == [True] * 6


# ---- errors of workers


class SpecialError(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def complain(index):
    if index == 1:
        raise ValueError("this one is broken")
    if index == 2:
        raise KeyError("missing")
    if index == 3:
        raise SpecialError(1, 2)
    if index == 4:
        return lambda: 0  # cannot be pickled
    if index == 5:
        return chainrule.ones(2, requires_grad=True) * 2
    if index == 6:
        raise type("Local", (Exception,), {})("of a class that cannot be pickled")
    return index


class Complaining(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return complain(index)


def test_errors_come_with_the_workers_traceback():
    found = []
    iteration = iter(DataLoader(Complaining(), batch_size=None, num_workers=2))
    while True:
        try:
            found.append(next(iteration))
        except StopIteration:
            break
        except Exception as error:
            found.append(error)
    assert [type(item) for item in found] == [
        *(int, ValueError, KeyError, RuntimeError, RuntimeError, RuntimeError, RuntimeError, int)
    ]
    assert str(found[1]).startswith("Caught ValueError in DataLoader worker process 1.\nOriginal Traceback (most")
    assert 'raise ValueError("this one is broken")' in str(found[1])
    assert "\n" in str(found[2])  # a KeyError's text is readable
    assert "Special" in str(found[3])
    assert "local object 'complain.<locals>" in str(
        found[4]
    )  # "Can't pickle" it, or "Can't get" it from Python 3.12 on
    assert "Cowardly refusing to serialize non-leaf tensor which requires_grad" in str(found[5])
    assert "Caught Local in DataLoader worker process 0" in str(found[6])


def fail_to_start(number):
    raise ValueError("no licence")


def test_an_error_in_worker_init_fn():
    with pytest.raises(ValueError, match=r"(?s)Caught ValueError in DataLoader worker process 0.*no licence"):
        list(DataLoader(Squares(), num_workers=1, worker_init_fn=fail_to_start))


def test_a_killed_worker():
    loader = DataLoader(Dying(), batch_size=None, num_workers=2)
    started = time.monotonic()
    iteration = iter(loader)
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid \d+\) is killed by signal: Killed"):
        list(iteration)
    with pytest.raises(RuntimeError, match="is killed by signal"):
        next(iteration)  # it says so again and does not wait
    assert time.monotonic() - started < 5


class Dying(Dataset):
    def __init__(self, by=signal.SIGKILL):
        self.by = by

    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 5:
            if self.by is None:
                os._exit(3)
            os.kill(os.getpid(), self.by)
        return index


def test_a_worker_that_exits():
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly.*code 3"):
        list(DataLoader(Dying(None), batch_size=None, num_workers=2))


def test_a_new_pass_reaches_a_worker_that_has_ended():
    """Its answers cannot be what lets the rest of its tasks go: it gives none."""
    loader = DataLoader(Count(3), num_workers=1, persistent_workers=True)
    passed = iter(loader)
    assert [int(x) for x in passed] == [0, 1, 2]
    worker = passed._pool.processes[0].pid
    os.kill(worker, signal.SIGSTOP)
    for number in range(1000):  # more than a socket holds
        passed._pool.send(0, Task(10_000 + number))
    assert passed._pool._unsent[0]
    threading.Timer(0.2, os.kill, (worker, signal.SIGCONT)).start()
    assert [int(x) for x in loader] == [0, 1, 2]


def test_persistent_workers_are_replaced_after_a_death():
    loader = DataLoader(Where(), batch_size=None, num_workers=1, persistent_workers=True)
    before = next(iter(loader))
    os.kill(before, signal.SIGKILL)
    assert gone([before])
    with pytest.raises(RuntimeError, match="is killed by signal: Killed"):
        list(loader)
    assert set(loader) != {before}


def test_timeout():
    loader = DataLoader(Slow(), batch_size=None, num_workers=1, timeout=0.1)
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.1 seconds"):
        next(iter(loader))
    with pytest.raises(AssertionError):
        next(iter(DataLoader(Slow(), timeout=1)))


# ---- nothing is left over


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pids, seconds=4.0):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.02)
    return not any(alive(pid) for pid in pids)


def test_workers_end_with_the_iteration():
    loader = DataLoader(Where(), batch_size=None, num_workers=2)
    assert gone(set(loader))
    iteration = iter(loader)
    pids = {next(iteration), next(iteration)}
    del iteration  # given up in the middle
    assert gone(pids, 0.5)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        list(loader)
    assert len(os.listdir("/proc/self/fd")) == before


SCRIPT = """
import os, sys, time
from chainrule.utils.data import DataLoader, Dataset

class Endless(Dataset):
    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        if index == 4:
            os.write(1, b"ready\\n")  # whole, also when another process writes
        if index > 4 and "stuck" in sys.argv:
            time.sleep(1000)
        return os.getpid()

if __name__ == "__main__":
    loader = DataLoader(Endless(), batch_size=None, num_workers=2, multiprocessing_context=sys.argv[1])
    for step, pid in enumerate(loader):
        if step < 4:
            os.write(1, f"{pid}\\n".encode())
        if step == 100 and "exit" in sys.argv:
            sys.exit(0)
"""


@pytest.fixture
def start_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    environment = {**os.environ, "PYTHONPATH": PYTHON}
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        started.append(process)
        lines = []
        while len(lines) < 5:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            lines.append(line.strip())
        return process, {int(line) for line in lines if line != "ready"}

    yield start
    for process in started:  # a test that failed leaves nothing that goes on for ever
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@START
@pytest.mark.parametrize("stuck", [[], ["stuck"]], ids=["busy", "stuck"])
def test_ctrl_c(start_script, start, stuck):
    process, workers = start_script(start, *stuck)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal sends it
    _, errors = process.communicate(timeout=5)
    assert process.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1  # the parent's, nothing from the workers
    assert "KeyboardInterrupt" in errors
    assert gone(workers)


def test_a_killed_parent_takes_its_workers_along(start_script):
    process, workers = start_script("fork")
    process.kill()
    process.communicate(timeout=5)
    assert gone(workers)


def test_leaving_in_the_middle(start_script):
    process, workers = start_script("fork", "exit")
    _, errors = process.communicate(timeout=5)
    assert (process.returncode, errors) == (0, "")
    assert gone(workers)


SPAWNED = """
import os, signal
import chainrule
from chainrule.utils.data import DataLoader, Dataset

class Squares(Dataset):
    def __init__(self, deadly=False):
        self.deadly = deadly
        self.rows = chainrule.arange(30.0).reshape(10, 3)

    def __len__(self):
        return 10

    def __getitem__(self, index):
        if self.deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.rows[index], index**2

if __name__ == "__main__":
    for method in ("spawn", "forkserver"):
        options = {"batch_size": 4, "shuffle": True, "num_workers": 2, "multiprocessing_context": method}
        chainrule.manual_seed(3)
        alone = list(DataLoader(Squares(), batch_size=4, shuffle=True))
        chainrule.manual_seed(3)
        for ours, expected in zip(DataLoader(Squares(), **options), alone, strict=True):
            assert ours[0].equal(expected[0]) and ours[1].equal(expected[1])
    try:
        list(DataLoader(Squares(deadly=True), num_workers=1, multiprocessing_context="spawn"))
    except RuntimeError as error:
        print(str(error).split(")")[1].partition("\\n  at ")[0])
"""


def test_processes_that_start_afresh(tmp_path):
    (tmp_path / "script.py").write_text(SPAWNED)
    environment = {**os.environ, "PYTHONPATH": PYTHON}
    run = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert (run.stdout, run.stderr, run.returncode) == (" is killed by signal: Killed. \n", "", 0)


def test_the_place_that_scripts_import_collate_from():
    collate = importlib.import_module("chainrule.utils.data._utils.collate")
    assert collate.default_collate is chainrule.utils.data.default_collate


class Diagonals(Dataset):
    """Sample i is a sparse matrix with i + 1 on its diagonal."""

    def __init__(self, layout):
        self.layout = layout

    def __len__(self):
        return 3

    def __getitem__(self, index):
        block = (2, 2) if self.layout in (chainrule.sparse_bsr, chainrule.sparse_bsc) else None
        return (chainrule.eye(4) * (index + 1)).to_sparse(layout=self.layout, blocksize=block)


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"])
def test_workers_send_sparse_samples(layout):
    layout = getattr(chainrule, layout)
    found = list(DataLoader(Diagonals(layout), batch_size=None, num_workers=2))
    assert [x.layout for x in found] == [layout] * 3
    assert [x.to_dense().diagonal().tolist() for x in found] == [[i] * 4 for i in (1.0, 2.0, 3.0)]
