"""The writer itself: files, steps and times."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...compat.refusal import refused
from . import charts, embedding, summaries


def _default_folder(comment: str) -> str:
    return os.path.join("runs", time.strftime("%b%d_%H-%M-%S") + "_" + socket.gethostname() + comment)


class SummaryWriter:
    """Writes values into event files in log_dir, for `tensorboard --logdir` to show; PyTorch's class of that name.

    >>> writer = SummaryWriter("runs/first")  # doctest: +SKIP
    >>> writer.add_scalar("loss", 0.5, global_step=1)  # doctest: +SKIP
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ) -> None:
        summaries.library()
        self.log_dir = os.fspath(log_dir) if log_dir else _default_folder(comment)
        self.purge_step = purge_step
        self._options = {
            "max_queue_size": max_queue,
            "flush_secs": flush_secs,
            "filename_suffix": filename_suffix,
        }
        self._files: dict[str, Any] = {}
        self._projections: list[Any] = []
        self._file(self.log_dir)

    def _file(self, folder: str) -> Any:
        """The event file of a folder, made when it is first written to."""
        if folder not in self._files:
            from tensorboard.compat.proto.event_pb2 import Event, SessionLog  # type: ignore[attr-defined]
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self._files[folder] = EventFileWriter(folder, **self._options)
            if self.purge_step is not None:  # what an earlier run wrote from here on is forgotten
                started = SessionLog(status=SessionLog.START)
                event = Event(step=self.purge_step, session_log=started, wall_time=time.time())
                self._files[folder].add_event(event)
        return self._files[folder]

    def _write(self, summary: Any, step: Any, walltime: float | None, folder: str | None = None) -> None:
        from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[attr-defined]

        event = Event(summary=summary, wall_time=time.time() if walltime is None else walltime)
        if step is not None:
            event.step = int(step)
        self._file(folder or self.log_dir).add_event(event)

    def get_logdir(self) -> str:
        """The folder that the files are in."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """One number of a curve."""
        self._write(summaries.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Numbers of several curves in one diagram; each curve has a folder of its own, as in PyTorch."""
        for tag, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, f"{main_tag.replace('/', '_')}_{tag}")
            self._write(summaries.scalar(main_tag, value), global_step, walltime, folder)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: int | str | Sequence[float] = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """How values are spread. bins: how many, their edges, or the name of a rule of NumPy's."""
        self._write(summaries.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram that was counted elsewhere: each bucket's upper limit, and how many values it has."""
        limits, counts = list(bucket_limits), list(bucket_counts)
        if len(limits) != len(counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        found = {"min": min, "max": max, "num": num, "sum": sum, "sum_squares": sum_squares}
        self._write(summaries.histogram_raw(tag, **found, bucket_limit=limits, bucket=counts), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """A tensor as it is, for programs that read the files."""
        self._write(charts.tensor(tag, tensor), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """An image: bytes, or floats from 0 to 1. Needs the package pillow."""
        self._write(summaries.image(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Several images in one grid."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: str | Sequence[str] | None = None,
    ) -> None:
        """An image with frames: rows of left, top, right and bottom, in pixels, and a label for each."""
        names = [labels] if isinstance(labels, str) else labels
        names = names if names is not None and len(names) == len(box_tensor) else None
        summary = summaries.image_with_boxes(tag, img_tensor, box_tensor, names, rescale, dataformats)
        self._write(summary, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """A figure of matplotlib, or several, as images."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        for one in figure if isinstance(figure, list) else [figure]:
            canvas = FigureCanvasAgg(one)
            canvas.draw()
            width, height = canvas.get_width_height()
            pixels = summaries.values_of(list(bytes(canvas.buffer_rgba()))).byte().reshape(height, width, 4)
            self.add_image(tag, pixels, global_step, walltime, dataformats="HWC")
            if close:
                import matplotlib.pyplot as plt

                plt.close(one)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """A text, shown as Markdown."""
        self._write(summaries.text(tag, text_string), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """A sound of one channel, its amplitudes from -1 to 1."""
        self._write(summaries.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Points for the projector, one a row, with labels and small pictures (N, C, H, W) of them."""
        from google.protobuf import text_format
        from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig  # type: ignore[attr-defined]

        step = 0 if global_step is None else global_step
        folder = embedding.folder_of(tag, step)
        place = Path(self.log_dir)
        if (place / folder).is_dir():
            print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
        embedding.write_points(place / folder, mat, metadata, label_img, metadata_header)
        self._projections.append(embedding.describe(folder, tag, step, metadata, label_img))
        text = text_format.MessageToString(ProjectorConfig(embeddings=self._projections))
        (place / "projector_config.pbtxt").write_text(text)

    def add_hparams(
        self,
        hparam_dict: dict[str, Any],
        metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Settings of a run with what they led to, in a folder below the writer's."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        from tensorboard.plugins.hparams import summary_v2 as api  # `api` itself imports TensorFlow

        domains = hparam_domain_discrete or {}
        described = [api.HParam(n, api.Discrete(domains[n]) if n in domains else None) for n in hparam_dict]
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        self._write(api.hparams_config_pb(described, [api.Metric(n) for n in metric_dict]), None, None, folder)
        self._write(api.hparams_pb(hparam_dict), None, None, folder)
        for name, value in metric_dict.items():
            self._write(summaries.scalar(name, value), global_step, None, folder)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """The operations between a model's inputs and outputs. It runs once; only what gradients reach is shown.

        Args:
            model: a module.
            input_to_model: a tensor, or the arguments as a tuple.
            verbose: prints the graph as text.
            use_strict_trace: concerns PyTorch's tracer; here the model simply runs.
        """
        from tensorboard.compat.proto.event_pb2 import Event  # type: ignore[attr-defined]

        from .model_graph import graph_of

        found = graph_of(model, input_to_model)
        if verbose:
            from tensorboard.compat.proto.graph_pb2 import GraphDef  # type: ignore[attr-defined]

            print(GraphDef.FromString(found))
        self._file(self.log_dir).add_event(Event(graph_def=found, wall_time=time.time()))

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: Any = None, fps: float = 4, walltime: float | None = None
    ) -> None:
        """Videos of (N, T, C, H, W) as a moving picture, side by side: bytes, or brightness from 0 to 1."""
        self._write(summaries.video(tag, vid_tensor, fps), global_step, walltime)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall of predictions from 0 to 1 for labels that are 0 or 1."""
        self._write(charts.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Precision and recall that were calculated elsewhere, for each threshold. The counts have the weights."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        self._write(charts.pr_curve_raw(tag, (*counts, precision, recall), num_thresholds), global_step, walltime)

    def add_custom_scalars(self, layout: dict[str, dict[str, Any]]) -> None:
        """Which scalars share a chart: {category: {title: ["Multiline" or "Margin", tags]}}."""
        self._write(charts.custom_scalars(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Several scalars in one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """A scalar between two others, its lower and its upper limit."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: dict[str, Any] | None = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Points in space, (N, points, 3), with a colour for each and triangles between them."""
        self._write(charts.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    add_onnx_graph = refused(
        "utils.tensorboard.SummaryWriter.add_onnx_graph",
        "chainrule does not read ONNX files; add_graph shows a module",
        NotImplementedError,
    )

    def flush(self) -> None:
        """Writes what is waiting to the disk."""
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        """Writes what is waiting and closes the files; writing again opens new ones."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
