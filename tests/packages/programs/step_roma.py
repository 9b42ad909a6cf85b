"""One step with roma, on random weights."""

import roma
import torch

torch.manual_seed(0)
rotations = roma.random_rotmat(3)
vector = roma.rotmat_to_rotvec(rotations).requires_grad_()
again = roma.rotvec_to_rotmat(vector)
quaternions = roma.rotmat_to_unitquat(rotations)
loss = (again * torch.arange(9.0).reshape(3, 3)).sum() + roma.rotmat_geodesic_distance(again, torch.eye(3)).sum()
loss.backward()
print(
    loss.item(),
    vector.grad.tolist(),
    roma.unitquat_slerp(quaternions[:1], quaternions[1:2], torch.tensor([0.3])).tolist(),
)
print(roma.special_procrustes(torch.randn(2, 3, 3)).sum().item())
