"""What TensorBoard's plugins draw from tensors: curves of precision and recall, meshes, charts of several scalars."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import chainrule

from ..._core import Tensor
from .summaries import belongs_to, library, tensor_message, values_of

_MOST_THRESHOLDS = 127  # TensorBoard's pages show no more
_LEAST_COUNT = 1e-7  # below a fraction's line, so that 0 / 0 is 0


def tensor(tag: str, value: Tensor) -> Any:
    """A tensor as it is."""
    return _of_plugin(tag, "tensor", tensor_message(tag, value))


def _of_plugin(tag: str, plugin: str, message: Any, content: bytes = b"") -> Any:
    pb = library()
    return pb.Summary(value=[pb.Summary.Value(tag=tag, tensor=message, metadata=belongs_to(plugin, content))])


# ---- precision and recall


def pr_curve(tag: str, labels: Any, predictions: Any, thresholds: int, weights: Any) -> Any:
    """Precision and recall of predictions from 0 to 1, at evenly spaced thresholds."""
    thresholds = min(thresholds, _MOST_THRESHOLDS)
    guesses, truths = values_of(predictions), values_of(labels).double().flatten()
    places = (guesses * (thresholds - 1)).floor().long().flatten()
    inside = (places >= 0) & (places < thresholds)
    weight = chainrule.as_tensor(1.0 if weights is None else weights, dtype=chainrule.float64).flatten()

    def from_each_threshold_on(amounts: Tensor) -> Tensor:
        counts = chainrule.bincount(places[inside], (amounts * weight)[inside], thresholds)
        return counts.flip(0).cumsum(0).flip(0)

    tp, fp = from_each_threshold_on(truths), from_each_threshold_on(1 - truths)
    tn, fn = fp[0] - fp, tp[0] - tp
    precision = tp / (tp + fp).clamp(min=_LEAST_COUNT)
    recall = tp / (tp + fn).clamp(min=_LEAST_COUNT)
    return pr_curve_raw(tag, (tp, fp, tn, fn, precision, recall), thresholds)


def pr_curve_raw(tag: str, rows: Sequence[Any], thresholds: int) -> Any:
    """The same from its six rows: true and false positives, true and false negatives, precision, recall."""
    from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData  # type: ignore[attr-defined]

    table = chainrule.stack([values_of(row).float() for row in rows])
    content = PrCurvePluginData(version=0, num_thresholds=min(thresholds, _MOST_THRESHOLDS)).SerializeToString()
    return _of_plugin(tag, "pr_curves", tensor_message(tag, table), content)


# ---- charts of several scalars


def _chart(title: str, kind: str, tags: Sequence[str]) -> Any:
    from tensorboard.plugins.custom_scalar.layout_pb2 import (
        Chart,  # type: ignore[attr-defined]
        MarginChartContent,  # type: ignore[attr-defined]
        MultilineChartContent,  # type: ignore[attr-defined]
    )

    if kind != "Margin":
        return Chart(title=title, multiline=MultilineChartContent(tag=tags))
    if len(tags) != 3:
        raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
    value, lower, upper = tags
    series = MarginChartContent.Series(value=value, lower=lower, upper=upper)
    return Chart(title=title, margin=MarginChartContent(series=[series]))


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Any:
    """Which scalars share a chart: {category: {title: ["Multiline" or "Margin", tags]}}."""
    from tensorboard.compat.proto.tensor_pb2 import TensorProto  # type: ignore[attr-defined]
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto  # type: ignore[attr-defined]
    from tensorboard.plugins.custom_scalar.layout_pb2 import Category, Layout  # type: ignore[attr-defined]

    categories = [
        Category(title=name, chart=[_chart(title, *content) for title, content in charts.items()])
        for name, charts in layout.items()
    ]
    words = Layout(category=categories).SerializeToString()
    message = TensorProto(dtype="DT_STRING", string_val=[words], tensor_shape=TensorShapeProto())
    return _of_plugin("custom_scalars__config__", "custom_scalars", message)


# ---- meshes


def mesh(tag: str, vertices: Any, colors: Any, faces: Any, config: Mapping[str, Any] | None) -> Any:
    """Points of (N, points, 3), with colours of each and triangles between them, if given."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData  # type: ignore[attr-defined]

    pb = library()
    kinds = (MeshPluginData.VERTEX, MeshPluginData.FACE, MeshPluginData.COLOR)
    parts = [
        (values_of(part), kind) for part, kind in zip((vertices, faces, colors), kinds, strict=True) if part is not None
    ]
    present = metadata.get_components_bitmask([kind for _, kind in parts])
    words = json.dumps(config, sort_keys=True) if config is not None else "{}"
    return pb.Summary(
        value=[
            pb.Summary.Value(
                tag=metadata.get_instance_name(tag, kind),
                tensor=tensor_message(tag, part.float()),
                metadata=metadata.create_summary_metadata(
                    tag, None, kind, present, part.shape, None, json_config=words
                ),
            )
            for part, kind in parts
        ]
    )
