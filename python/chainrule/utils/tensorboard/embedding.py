"""Points for TensorBoard's projector: text files beside the event file, which it finds by a configuration."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import chainrule

from ..._core import Tensor
from .summaries import encoded, tiled, values_of


def folder_of(tag: str, step: Any) -> str:
    """Where the files of a tag and step are, below the writer's folder."""
    safe = tag.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")
    return f"{str(step).zfill(5)}/{safe}"


def write_points(folder: Path, points: Any, metadata: Any, pictures: Any, header: Any) -> None:
    """The files: coordinates, what points are called, and small pictures of them."""
    points = values_of(points)
    if metadata is not None and len(metadata) != len(points):
        raise AssertionError("#labels should equal with #data points")
    if pictures is not None and len(pictures) != len(points):
        raise AssertionError("#images should equal with #data points")
    if points.ndim != 2:
        raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
    folder.mkdir(parents=True, exist_ok=True)
    if metadata is not None:
        (folder / "metadata.tsv").write_text("\n".join(_rows(metadata, header)) + "\n")
    if pictures is not None:
        (folder / "sprite.png").write_bytes(_sprite(values_of(pictures)))
    lines = ("\t".join(map(str, row)) for row in points.tolist())
    (folder / "tensors.tsv").write_text("".join(f"{line}\n" for line in lines))


def _rows(metadata: Any, header: Any) -> list[str]:
    if not header:
        return [str(label) for label in metadata]
    if len(header) != len(metadata[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    return ["\t".join(map(str, row)) for row in [header, *metadata]]


def _sprite(pictures: Tensor) -> bytes:
    """All pictures in one square image."""
    picture = tiled(pictures, "NCHW")
    square = chainrule.zeros(picture.shape[1], picture.shape[1], 3)
    square[: picture.shape[0]] = picture
    return encoded((square * 255).clamp(0, 255).to(chainrule.uint8))


def describe(folder: str, tag: str, step: Any, metadata: Any, pictures: Any) -> Any:
    """The entry of the projector's configuration."""
    from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo  # type: ignore[attr-defined]

    entry = EmbeddingInfo(tensor_name=f"{tag}:{str(step).zfill(5)}", tensor_path=os.path.join(folder, "tensors.tsv"))
    if metadata is not None:
        entry.metadata_path = os.path.join(folder, "metadata.tsv")
    if pictures is not None:
        entry.sprite.image_path = os.path.join(folder, "sprite.png")
        entry.sprite.single_image_dim.extend([pictures.shape[3], pictures.shape[2]])
    return entry
