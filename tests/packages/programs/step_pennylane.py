"""One step with pennylane, on random weights."""

import pennylane
import torch

device = pennylane.device("default.qubit", wires=2)


@pennylane.qnode(device, interface="torch", diff_method="backprop")
def circuit(angles):
    pennylane.RX(angles[0], wires=0)
    pennylane.RY(angles[1], wires=1)
    pennylane.CNOT(wires=[0, 1])
    return pennylane.expval(pennylane.PauliZ(1)), pennylane.expval(pennylane.PauliX(0))


angles = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
found = torch.stack(circuit(angles))
found.sum().backward()
print(found.tolist(), angles.grad.tolist())
