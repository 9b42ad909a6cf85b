"""A training run to watch: a progress bar, loss curves as SVG or PNG, and TensorBoard's files if you ask for them.

python examples/training_demo.py --plot curves.svg --tensorboard runs
"""

import argparse

from sklearn.datasets import load_digits
from tqdm import tqdm

import chainrule as torch  # `import torch` runs the same
from chainrule import nn
from chainrule.utils.data import DataLoader, TensorDataset, random_split


def loaders():
    """Batches of handwritten digits to learn from, and others to judge by."""
    pixels, labels = load_digits(return_X_y=True)
    digits = TensorDataset(torch.tensor(pixels.tolist()) / 16, torch.tensor(labels.tolist()))
    train, test = random_split(digits, [0.75, 0.25])
    return DataLoader(train, batch_size=64, shuffle=True), DataLoader(test, batch_size=len(test))


def evaluate(model, loader):
    """Loss and accuracy on data that the model has not learned from."""
    model.eval()
    with torch.no_grad():
        images, labels = next(iter(loader))
        scores = model(images)
    model.train()
    right = (scores.argmax(dim=1) == labels).float().mean()
    return nn.functional.cross_entropy(scores, labels).item(), right.item()


def plot(path, steps, test_losses):
    """Two curves: the loss of every step, and the test loss after every epoch. The file's ending is its format."""
    from matplotlib.figure import Figure  # a Figure of its own needs no display

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    per_epoch = len(steps) / len(test_losses)
    axes.plot([i / per_epoch for i in range(len(steps))], steps, alpha=0.5, label="each step, training digits")
    axes.plot(range(1, len(test_losses) + 1), test_losses, marker="o", label="after each epoch, unseen digits")
    axes.set(xlabel="epoch", ylabel="cross-entropy", yscale="log", title="Handwritten digits")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--plot", metavar="FILE", help="draws the loss curves into FILE (.svg or .png)")
    parser.add_argument("--tensorboard", metavar="FOLDER", help="writes TensorBoard's event files into FOLDER")
    options = parser.parse_args()

    torch.manual_seed(0)
    train, test = loaders()
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.2), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    writer = None
    if options.tensorboard:
        from chainrule.utils.tensorboard import SummaryWriter

        writer = SummaryWriter(options.tensorboard)

    steps, test_losses, accuracy = [], [], 0.0
    with tqdm(total=options.epochs * len(train), desc="training", unit="step") as progress:
        for epoch in range(options.epochs):
            for images, labels in train:
                loss = nn.functional.cross_entropy(model(images), labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                steps.append(loss.item())
                progress.update()
            test_loss, accuracy = evaluate(model, test)
            test_losses.append(test_loss)
            progress.set_postfix(epoch=epoch + 1, loss=f"{steps[-1]:.3f}", test=f"{test_loss:.3f}")
            if writer:
                writer.add_scalars("loss", {"train": steps[-1], "test": test_loss}, epoch)
                writer.add_scalar("accuracy", accuracy, epoch)
                for name, parameter in model.named_parameters():
                    writer.add_histogram(name, parameter, epoch)
    if writer:
        writer.close()
    if options.plot:
        plot(options.plot, steps, test_losses)
        print("loss curves:", options.plot)
    print(f"accuracy on unseen digits: {accuracy:.1%}")


if __name__ == "__main__":
    main()
