"""One step with webdataset, on random weights."""

import io
import tarfile
import tempfile

import torch
import webdataset

torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
with tempfile.TemporaryDirectory() as folder:
    with webdataset.TarWriter(f"{folder}/rows.tar") as writer:
        for i in range(4):
            writer.write({"__key__": f"row{i}", "x.pth": torch.full((3,), float(i)), "y.cls": i % 2})
    data = (
        webdataset.WebDataset(f"{folder}/rows.tar", shardshuffle=False).decode().to_tuple("x.pth", "y.cls").batched(2)
    )
    for x, y in webdataset.WebLoader(data, batch_size=None):
        print(torch.nn.functional.cross_entropy(model(torch.as_tensor(x)), torch.as_tensor(y)).item())
print(io.__name__, tarfile.__name__)
