"""SummaryWriter writes what PyTorch's writes; without the tensorboard package it says what to install."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
import torch as reference

import chainrule

INSTALLED = importlib.util.find_spec("tensorboard") is not None
needs_tensorboard = pytest.mark.skipif(not INSTALLED, reason="pip install tensorboard")


def test_import_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['tensorboard'] = None\n"
        "from chainrule.utils.tensorboard import SummaryWriter\n"
        "SummaryWriter('nowhere')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: chainrule.utils.tensorboard needs" in result.stderr
    assert "pip install tensorboard" in result.stderr


def written(library, folder: Path) -> dict[str, list]:
    """What one program leaves in the event files: tag by tag, the steps and values."""
    writer_class = importlib.import_module(f"{library.__name__}.utils.tensorboard").SummaryWriter
    library.manual_seed(0)
    values = library.randn(500)
    with writer_class(str(folder)) as writer:
        for step in range(3):
            writer.add_scalar("loss", values[step], step)
        writer.add_scalar("new", 1.5, 7, new_style=True)
        writer.add_scalars("both", {"train": 1.0, "test": 2.0}, 4)
        writer.add_histogram("weights", values, 1)
        writer.add_histogram("few", values, 1, bins=8)
        writer.add_histogram("edges", values, 1, bins=[-1.0, 0.0, 0.5, 1.0])
        writer.add_text("note", "*words*", 2)
        writer.add_image("picture", library.linspace(0, 1, 48).reshape(3, 4, 4), 3)
        writer.add_audio("sound", library.sin(library.arange(100.0)) * 1.1, 1, sample_rate=8000)
        points = values[:12].reshape(4, 3)
        writer.add_embedding(points, ["a", "b", "c", "d"], library.rand(4, 3, 5, 5), 1, tag="a/b")
        writer.add_embedding(points, [[1, "x"]] * 4, metadata_header=["number", "name"])
        for dtype in ("float16", "bfloat16", "float32", "float64", "int64", "uint8", "bool", "complex64"):
            writer.add_tensor(dtype, values[:4].reshape(2, 2).to(getattr(library, dtype)), 1)
        writer.add_histogram_raw("raw", 0.0, 1.0, 3, 1.5, 1.25, [0.5, 1.0], [1, 2], 1)
        boxes = library.tensor([[1.0, 1.0, 8.0, 8.0], [3.0, 2.0, 15.0, 12.0]])
        writer.add_image_with_boxes("boxes", library.rand(3, 16, 16), boxes, 1, rescale=2, labels=["a", "b"])
        labels, guesses = (values[:50] > 0).long(), values[100:150].sigmoid()
        writer.add_pr_curve("pr", labels, guesses, 1)
        writer.add_pr_curve("pr of few", labels, guesses, 1, num_thresholds=9)
        row = library.linspace(0, 1, 5)
        writer.add_pr_curve_raw("pr raw", row, row, row, row, row, row, 1, num_thresholds=5)
        writer.add_custom_scalars({"losses": {"all": ["Multiline", ["a", "b"]], "range": ["Margin", ["a", "b", "c"]]}})
        writer.add_custom_scalars_multilinechart(["a", "b"])
        writer.add_custom_scalars_marginchart(["a", "b", "c"], category="m")
        triangles = library.tensor([[[0, 1, 2], [1, 2, 3]]])
        writer.add_mesh("mesh", values[:12].view(1, 4, 3), faces=triangles, config_dict={"b": 1, "a": 2}, global_step=1)
        writer.add_mesh("cloud", values[:12].view(1, 4, 3), colors=library.full((1, 4, 3), 9))
        assert writer.get_logdir() == str(folder)

    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    found: dict[str, list] = {}
    for path in sorted(folder.rglob("events.out.*")):
        for event in EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                place = f"{path.parent.relative_to(folder)}:{value.tag}"
                found.setdefault(place, []).append((event.step, value))
    return found


@needs_tensorboard
@pytest.mark.filterwarnings("ignore")
def test_files_are_pytorchs(tmp_path: Path) -> None:
    ours, theirs = written(chainrule, tmp_path / "ours"), written(reference, tmp_path / "theirs")
    assert ours.keys() == theirs.keys()
    assert ours == theirs
    files = [
        p.relative_to(tmp_path / "theirs") for p in (tmp_path / "theirs").rglob("*.*") if p.suffix in (".tsv", ".pbtxt")
    ]
    assert len(files) == 5
    for path in files:
        assert (tmp_path / "ours" / path).read_text() == (tmp_path / "theirs" / path).read_text()
    sprite = "00001/a%2fb/sprite.png"
    assert (tmp_path / "ours" / sprite).read_bytes() == (tmp_path / "theirs" / sprite).read_bytes()


@needs_tensorboard
@pytest.mark.filterwarnings("ignore")
def test_hparams_and_missing_parts(tmp_path: Path) -> None:
    from chainrule.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams({"lr": 0.1, "layers": 2}, {"accuracy": 0.9}, run_name="first")
        with pytest.raises(NotImplementedError, match="add_graph"):
            writer.add_onnx_graph("model.onnx")
        with pytest.raises(ValueError, match="no element"):
            writer.add_histogram("empty", chainrule.zeros(0))
        with pytest.raises(ValueError, match="dataformats"):
            writer.add_image("i", chainrule.zeros(2, 2))
    assert list((tmp_path / "first").glob("events.out.*"))


@needs_tensorboard
def test_graph_of_a_model(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from chainrule.utils.tensorboard import SummaryWriter

    model = chainrule.nn.Sequential(chainrule.nn.Linear(3, 4), chainrule.nn.ReLU(), chainrule.nn.Linear(4, 2))
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_graph(model, chainrule.ones(2, 3))
        with pytest.raises(ValueError, match="no output of the model"):
            writer.add_graph(chainrule.nn.Identity(), chainrule.ones(2, dtype=chainrule.int64))
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    nodes = list(events.Graph().node)
    assert [node.op for node in nodes if node.op not in ("Parameter", "Output")] == ["linear", "relu", "linear"]
    assert {"input/0", "parameter/0/weight", "parameter/2/bias", "output/0"} <= {node.name for node in nodes}
    by_name = {node.name: node for node in nodes}
    assert by_name[by_name["output/0"].input[0]].op == "linear"
    assert all(name in by_name for node in nodes for name in node.input)


@needs_tensorboard
def test_video(tmp_path: Path) -> None:
    import io

    from PIL import Image
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    from chainrule.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_video("two", chainrule.linspace(0, 1, 2 * 5 * 3 * 8 * 8).view(2, 5, 3, 8, 8), 3, fps=10)
        with pytest.raises(ValueError, match="N, T, C, H and W"):
            writer.add_video("bad", chainrule.zeros(5, 3, 8, 8))
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    (event,) = events.Images("two")
    picture = Image.open(io.BytesIO(event.encoded_image_string))
    assert (event.step, picture.size, picture.info["duration"]) == (3, (16, 8), 100)
    assert getattr(picture, "n_frames", 1) == 5
