"""Trains a small classifier on scikit-learn's 1,797 handwritten digits: plain tensor ops, a loss and Adam by hand."""

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import chainrule as torch  # `import torch` runs the same

EPOCHS, BATCH, HIDDEN, CLASSES = 40, 32, 128, 10


def load():
    """Training and test images (brightness 0 to 1) with their labels."""
    images, labels = load_digits(return_X_y=True)
    parts = train_test_split(images.tolist(), labels.tolist(), test_size=0.25, random_state=0, stratify=labels)
    train_x, test_x, train_y, test_y = (torch.tensor(part) for part in parts)
    return train_x / 16, train_y, test_x / 16, test_y


def make_parameters(inputs):
    """Two layers; random weights scaled so that signals keep their size, biases at zero."""
    w1 = torch.randn(inputs, HIDDEN) * (2 / inputs) ** 0.5
    w2 = torch.randn(HIDDEN, CLASSES) * (2 / HIDDEN) ** 0.5
    return [p.requires_grad_() for p in (w1, torch.zeros(HIDDEN), w2, torch.zeros(CLASSES))]


def forward(parameters, x):
    w1, b1, w2, b2 = parameters
    return torch.relu(x @ w1 + b1) @ w2 + b2


def cross_entropy(logits, labels):
    """Minus the logarithm of the probability given to the right class, averaged."""
    shifted = logits - logits.amax(dim=1, keepdim=True).detach()  # exp cannot overflow
    log_probability = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    right = labels.unsqueeze(1) == torch.arange(CLASSES)
    return -torch.where(right, log_probability, 0.0).sum() / len(labels)


class Adam:
    """Steps along the running mean of the gradient, divided by the root of its running square."""

    def __init__(self, parameters, rate=2e-3, decay=(0.9, 0.999), epsilon=1e-8):
        self.parameters, self.rate, self.decay, self.epsilon = parameters, rate, decay, epsilon
        self.means = [torch.zeros_like(p) for p in parameters]
        self.squares = [torch.zeros_like(p) for p in parameters]
        self.steps = 0

    def step(self):
        self.steps += 1
        d1, d2 = self.decay
        rate = self.rate * (1 - d2**self.steps) ** 0.5 / (1 - d1**self.steps)
        with torch.no_grad():
            for parameter, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
                gradient = parameter.grad
                mean.mul_(d1).add_(gradient, alpha=1 - d1)
                square.mul_(d2).addcmul_(gradient, gradient, value=1 - d2)
                parameter.addcdiv_(mean, square.sqrt().add_(self.epsilon), value=-rate)
                parameter.grad = None


def accuracy(parameters, x, labels):
    with torch.no_grad():
        guesses = forward(parameters, x).max(dim=1).indices
        return (guesses == labels).float().mean().item()


def main():
    torch.manual_seed(0)
    train_x, train_y, test_x, test_y = load()
    parameters = make_parameters(train_x.shape[1])
    optimizer = Adam(parameters)
    progress = tqdm(range(EPOCHS), desc="training", unit="epoch")
    for _ in progress:
        total = 0.0
        for start in range(0, len(train_x), BATCH):
            x, labels = train_x[start : start + BATCH], train_y[start : start + BATCH]
            loss = cross_entropy(forward(parameters, x), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        progress.set_postfix(loss=f"{total / len(train_x):.4f}")
    print(f"accuracy on {len(test_x)} unseen digits: {accuracy(parameters, test_x, test_y):.1%}")


if __name__ == "__main__":
    main()
