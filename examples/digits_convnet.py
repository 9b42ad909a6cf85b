"""A convolutional network on scikit-learn's 1,797 handwritten digits: DataLoader, schedule, checkpoint."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_digits
from tqdm import tqdm

import chainrule as torch  # `import torch` runs the same
from chainrule import nn
from chainrule.utils.data import DataLoader, TensorDataset, random_split

EPOCHS = 12


class ConvNet(nn.Module):
    """Two convolutions that halve the image each, then a linear layer: 8 x 8 pixels to ten classes."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            *(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2)),
        )
        self.classify = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * 2 * 2, 10))

    def forward(self, images):
        return self.classify(self.features(images))


def accuracy(model, loader):
    model.eval()
    with torch.no_grad():
        right = sum(int((model(images).argmax(dim=1) == labels).sum()) for images, labels in loader)
    model.train()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(0)
    pixels, labels = load_digits(return_X_y=True)
    images = torch.tensor(pixels.tolist()).reshape(-1, 1, 8, 8) / 16
    train, test = random_split(TensorDataset(images, torch.tensor(labels.tolist())), [0.75, 0.25])
    train_loader = DataLoader(train, batch_size=64, shuffle=True)
    test_loader = DataLoader(test, batch_size=256)

    model = ConvNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=EPOCHS * len(train_loader))
    progress = tqdm(range(EPOCHS), desc="training", unit="epoch")
    for _ in progress:
        total = 0.0
        for images, labels in train_loader:
            loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(labels)
        progress.set_postfix(loss=f"{total / len(train):.4f}")
    print(f"accuracy on {len(test)} unseen digits: {accuracy(model, test_loader):.1%}")

    with tempfile.TemporaryDirectory() as folder:  # a checkpoint is PyTorch's file format
        path = Path(folder) / "convnet.pt"
        torch.save(model.state_dict(), path)
        again = ConvNet()
        again.load_state_dict(torch.load(path))
        print(f"the same after saving ({path.stat().st_size:,} bytes) and loading: {accuracy(again, test_loader):.1%}")


if __name__ == "__main__":
    main()
