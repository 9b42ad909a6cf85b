"""An LSTM gets a batch whose last dimension is the time."""

# cause: input_size|last dimension|Expected 5
import torch

net = torch.nn.LSTM(5, 8, batch_first=True)
net(torch.ones(2, 5, 7))  # HERE
