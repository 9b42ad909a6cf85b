"""One step with pytorch-kinematics, on random weights."""

import pytorch_kinematics
import torch

robot = """<robot name="arm">
<link name="base"/><link name="upper"/><link name="hand"/>
<joint name="a" type="revolute"><parent link="base"/>
<child link="upper"/><axis xyz="0 0 1"/><origin xyz="0 0 1"/></joint>
<joint name="b" type="revolute"><parent link="upper"/>
<child link="hand"/><axis xyz="0 1 0"/><origin xyz="1 0 0"/></joint>
</robot>"""
chain = pytorch_kinematics.build_serial_chain_from_urdf(robot, "hand")
angles = torch.tensor([[0.3, 0.5], [1.0, -0.2]], requires_grad=True)
places = chain.forward_kinematics(angles).get_matrix()
places[:, :3, :].sum().backward()
print(places.sum().item(), angles.grad.tolist(), chain.jacobian(angles.detach()).tolist())
