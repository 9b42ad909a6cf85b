"""What TensorBoard keeps of one value: scalars, histograms, images, sounds and texts, as messages of its files."""

from __future__ import annotations

import array
import io
import math
import sys
import wave
from collections.abc import Sequence
from typing import Any

import chainrule

from ..._core import Tensor


def library() -> Any:
    """The messages of the tensorboard package; an ImportError says what to install."""
    try:
        from tensorboard.compat.proto import summary_pb2
    except ImportError as error:
        raise ImportError(
            "chainrule.utils.tensorboard needs the package `tensorboard`: `pip install tensorboard`. Without it, plain "
            "lists and `examples/training_demo.py --plot curves.svg` show a loss curve."
        ) from error
    return summary_pb2


def values_of(data: Any) -> Tensor:
    """Any tensor, NumPy array or (nested list of) numbers as a tensor without history."""
    return data.detach() if isinstance(data, Tensor) else chainrule.as_tensor(data)


def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Any:
    """One number, as the plain field or, new_style, as the tensor that TensorBoard 2 writes."""
    pb = library()
    number = float(values_of(value))
    if not new_style:
        return pb.Summary(value=[pb.Summary.Value(tag=tag, simple_value=number)])
    from tensorboard.compat.proto.tensor_pb2 import TensorProto  # type: ignore[attr-defined]

    kept = (
        TensorProto(double_val=[number], dtype="DT_DOUBLE")
        if double_precision
        else TensorProto(float_val=[number], dtype="DT_FLOAT")
    )
    return pb.Summary(value=[pb.Summary.Value(tag=tag, tensor=kept, metadata=belongs_to("scalars"))])


def belongs_to(plugin: str, content: bytes = b"") -> Any:
    """The note by which one of TensorBoard's plugins finds a value."""
    data = library().SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return library().SummaryMetadata(plugin_data=data)


_FIELDS = {  # PyTorch's choice of fields; halves are the bits of floats there
    chainrule.float16: ("DT_HALF", "half_val"),
    chainrule.bfloat16: ("DT_BFLOAT16", "half_val"),
    chainrule.float32: ("DT_FLOAT", "float_val"),
    chainrule.float64: ("DT_DOUBLE", "double_val"),
    chainrule.int8: ("DT_INT8", "int_val"),
    chainrule.uint8: ("DT_UINT8", "uint32_val"),
    chainrule.int16: ("DT_INT16", "int_val"),
    chainrule.int32: ("DT_INT32", "int_val"),
    chainrule.int64: ("DT_INT64", "int64_val"),
    chainrule.bool: ("DT_BOOL", "bool_val"),
    chainrule.complex64: ("DT_COMPLEX64", "scomplex_val"),
    chainrule.complex128: ("DT_COMPLEX128", "dcomplex_val"),
}


def tensor_message(tag: str, value: Tensor) -> Any:
    """A tensor in TensorBoard's form: its dtype, shape and numbers."""
    from tensorboard.compat.proto.tensor_pb2 import TensorProto  # type: ignore[attr-defined]
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto  # type: ignore[attr-defined]

    if value.dtype not in _FIELDS:
        raise ValueError(f"{tag} has unsupported tensor dtype {value.dtype}")
    if value.numel() * value.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    dtype, field = _FIELDS[value.dtype]
    numbers = chainrule.view_as_real(value) if value.is_complex() else value
    if field == "half_val":
        numbers = value.float().view(chainrule.int32)
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in value.shape])
    return TensorProto(dtype=dtype, tensor_shape=shape, **{field: numbers.flatten().tolist()})


def _edges(data: Tensor, bins: int | str | Sequence[float]) -> Tensor:
    """The edges of a histogram's bins, as PyTorch's writer chooses them."""
    if bins == "tensorflow":  # each a tenth further from zero than the last
        steps = 1e-12 * 1.1 ** chainrule.arange(774, dtype=chainrule.float64)
        return chainrule.cat([-steps.flip(0), steps.new_zeros(1), steps])
    if isinstance(bins, str):
        import numpy

        return chainrule.tensor(numpy.histogram_bin_edges(data.tolist(), bins).tolist(), dtype=chainrule.float64)
    if not isinstance(bins, int):
        return chainrule.tensor([float(edge) for edge in bins], dtype=chainrule.float64)
    least, most = float(data.min()), float(data.max())
    low, high = (least, most) if least < most else (least - 0.5, most + 0.5)
    return chainrule.linspace(low, high, bins + 1, dtype=chainrule.float64)


def _counts(data: Tensor, edges: Tensor) -> list[int]:
    """How many values each bin holds: those from its lower edge on; the last bin has its upper edge, too."""
    places = chainrule.bucketize(data, edges, right=True) - 1
    places = chainrule.where(data == edges[-1], len(edges) - 2, places)
    inside = places[(places >= 0) & (places < len(edges) - 1)]
    return chainrule.bincount(inside, minlength=len(edges) - 1).tolist()


def histogram(tag: str, values: Any, bins: int | str | Sequence[float], max_bins: int | None = None) -> Any:
    """Counts of the values between edges, without the empty bins at both ends."""
    data = values_of(values).flatten().double()
    if data.numel() == 0:
        raise ValueError("The input has no element.")
    if not bool(chainrule.isfinite(data).all()):
        raise ValueError(f"The histogram {tag!r} has values that are infinite or NaN.")
    edges = _edges(data, bins)
    if max_bins and len(edges) - 1 > max_bins:
        every = (len(edges) - 1) // max_bins
        rest = edges[::every]
        edges = rest if float(rest[-1]) == float(edges[-1]) else chainrule.cat([rest, edges[-1:]])
    counts, limits = _counts(data, edges), edges.tolist()
    filled = [i for i, count in enumerate(counts) if count]
    if not filled:
        raise ValueError("No value lies between the edges of the bins.")
    first, last = filled[0], filled[-1]
    # A bucket is what lies below its limit, so the first edge has an empty one.
    return histogram_raw(
        tag,
        min=float(data.min()),
        max=float(data.max()),
        num=data.numel(),
        sum=float(data.sum()),
        sum_squares=float((data * data).sum()),
        bucket_limit=limits[first : last + 2],
        bucket=[0, *counts[first : last + 1]],
    )


def histogram_raw(tag: str, **counted: Any) -> Any:
    """A histogram of values that were counted elsewhere."""
    pb = library()
    return pb.Summary(value=[pb.Summary.Value(tag=tag, histo=pb.HistogramProto(**counted))])


def tiled(pixels: Tensor, dataformats: str) -> Tensor:
    """Pixels of any order of dimensions as height, width, channels; several images side by side in a square grid."""
    letters = dataformats.upper()
    if len(letters) != pixels.ndim or len(set(letters)) != len(letters) or not set(letters) <= set("NCHW"):
        raise ValueError(f"dataformats={dataformats!r} does not name the {pixels.ndim} dimensions of the image")
    for missing in (letter for letter in "NCHW" if letter not in letters):
        pixels, letters = pixels.unsqueeze(0), missing + letters
    batch = pixels.permute(*(letters.index(letter) for letter in "NHWC"))
    columns = 1
    while columns * columns < len(batch):
        columns += 1
    rows = -(-len(batch) // columns)
    blank = batch.new_zeros((rows * columns - len(batch), *batch.shape[1:]))
    grid = chainrule.cat([batch, blank]).unflatten(0, (rows, columns))
    picture = grid.transpose(1, 2).flatten(2, 3).flatten(0, 1)
    return picture.expand(-1, -1, 3) if picture.shape[2] == 1 else picture


def _as_bytes(picture: Tensor) -> Tensor:
    """Brightness from 0 to 1 as bytes; bytes as they are."""
    if picture.dtype == chainrule.uint8:
        return picture
    return (picture.float() * 255).clamp(0, 255).to(chainrule.uint8)


def image(tag: str, pixels: Any, dataformats: str) -> Any:
    """An image as PNG: bytes from 0 to 255, or brightness from 0 to 1."""
    picture = _as_bytes(tiled(values_of(pixels), dataformats))
    return _picture(tag, picture, encoded(picture))


def video(tag: str, frames: Any, fps: float) -> Any:
    """Videos of (N, T, C, H, W), side by side, as a GIF."""
    frames = values_of(frames)
    if frames.ndim != 5:
        raise ValueError(f"A video has the dimensions N, T, C, H and W, and this tensor has {frames.ndim}.")
    pictures = [_as_bytes(tiled(frames[:, t], "NCHW")) for t in range(frames.shape[1])]
    return _picture(tag, pictures[0], encoded(*pictures, seconds=1 / fps))


def image_with_boxes(
    tag: str, pixels: Any, boxes: Any, labels: Sequence[str] | None, rescale: float, order: str
) -> Any:
    """An image with red frames: a row of left, top, right and bottom each, in pixels, perhaps with a label."""
    picture = _as_bytes(tiled(values_of(pixels), order))
    height, width, _ = picture.shape
    drawn = _opened(picture)
    for i, box in enumerate(values_of(boxes).tolist()):
        _frame(drawn, box, labels[i] if labels else "")
    file = io.BytesIO()
    drawn.resize((int(width * rescale), int(height * rescale)), _pillow().Resampling.LANCZOS).save(file, format="PNG")
    return _picture(tag, picture, file.getvalue())


def _frame(picture: Any, box: Sequence[float], label: str) -> None:
    from PIL import ImageDraw, ImageFont

    draw, (left, top, right, bottom) = ImageDraw.Draw(picture), box
    draw.line([(left, top), (left, bottom), (right, bottom), (right, top), (left, top)], width=2, fill="Red")
    if not label:
        return
    font = ImageFont.load_default()
    x0, y0, x1, y1 = font.getbbox(label)
    height, margin = y1 - y0, math.ceil(0.05 * (y1 - y0))
    draw.rectangle([(left, bottom - height - 2 * margin), (left + x1 - x0, bottom)], fill="Red")
    draw.text((left + margin, bottom - height - margin), label, fill="black", font=font)


def _picture(tag: str, first: Tensor, encoded: bytes) -> Any:
    pb = library()
    height, width, channels = first.shape
    kept = pb.Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=encoded)
    return pb.Summary(value=[pb.Summary.Value(tag=tag, image=kept)])


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("add_image needs the package `pillow`: `pip install pillow`.") from error
    return Image


def _opened(picture: Tensor) -> Any:
    """Bytes of height, width, channels as an image of Pillow's."""
    height, width, channels = picture.shape
    modes = {3: "RGB", 4: "RGBA"}
    if channels not in modes:
        raise ValueError(f"An image has 1, 3 or 4 channels, and this one has {channels}.")
    return _pillow().frombytes(modes[channels], (width, height), bytes(picture.flatten().tolist()))


def encoded(*pictures: Tensor, seconds: float = 0.0) -> bytes:
    """Bytes of height, width, channels as a PNG file; several pictures, each for some seconds, as a GIF file."""
    first, *others = map(_opened, pictures)
    file = io.BytesIO()
    if seconds:
        first.save(file, format="GIF", save_all=True, append_images=others, duration=round(1000 * seconds), loop=0)
    else:
        first.save(file, format="PNG")
    return file.getvalue()


def audio(tag: str, sound: Any, sample_rate: int) -> Any:
    """A sound of one channel, its amplitudes from -1 to 1, as a WAV file of 16 bits."""
    pb = library()
    samples = values_of(sound).squeeze()
    if float(samples.abs().max()) > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        samples = samples.clamp(-1, 1)
    if samples.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    frames = array.array("h", (samples * 32767).to(chainrule.int16).tolist())
    if sys.byteorder == "big":
        frames.byteswap()
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(sample_rate)
        writer.writeframes(frames.tobytes())
    kept = pb.Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=len(frames),
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return pb.Summary(value=[pb.Summary.Value(tag=tag, audio=kept)])


def text(tag: str, words: str) -> Any:
    """A text, which TensorBoard shows as Markdown."""
    from tensorboard.compat.proto.tensor_pb2 import TensorProto  # type: ignore[attr-defined]
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto  # type: ignore[attr-defined]

    pb = library()
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
    kept = TensorProto(dtype="DT_STRING", string_val=[words.encode()], tensor_shape=shape)
    return pb.Summary(value=[pb.Summary.Value(tag=f"{tag}/text_summary", tensor=kept, metadata=belongs_to("text"))])
