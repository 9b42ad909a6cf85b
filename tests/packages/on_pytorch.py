"""Runs a program on PyTorch, in an environment that borrows it: python on_pytorch.py FOLDER PROGRAM.

torchvision and torchaudio come from PyPI, compiled for a PyTorch with CUDA, so their operations do not load beside one
without. torchaudio does without. torchvision names two of its operations while it is imported, and its detection
models run one, `nms`: here that is written out.
"""

import runpy
import sys
from pathlib import Path
from types import ModuleType

sys.path.append(sys.argv[1])

import torch

torch.backends.mkldnn.enabled = False  # its bfloat16 products are illegal instructions on some machines


def _nms(boxes: torch.Tensor, scores: torch.Tensor, iou_threshold: float) -> torch.Tensor:
    from torchvision.ops import box_iou

    overlap = box_iou(boxes, boxes)
    kept: list[int] = []
    for i in scores.sort(descending=True, stable=True).indices.tolist():
        if all(overlap[i, j] <= iou_threshold for j in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


_torchvision = torch.library.Library("torchvision", "DEF")
for _name in ("nms", "qnms"):
    _torchvision.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
_torchvision.impl("nms", _nms, "CPU")
_extension = ModuleType("torchaudio._extension", "torchaudio without its libraries.")
_extension.__dict__.update(_IS_TORCHAUDIO_EXT_AVAILABLE=False, fail_if_no_align=lambda function: function)
sys.modules["torchaudio._extension"] = _extension

sys.argv[:] = sys.argv[2:]
if "torchvision" in Path(sys.argv[0]).read_text():
    import torchvision.ops.boxes

    torchvision.ops.boxes._assert_has_ops = lambda: None
runpy.run_path(sys.argv[0], run_name="__main__")
