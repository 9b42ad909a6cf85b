"""One step with sb3-contrib, on random weights."""

from sb3_contrib import QRDQN, TRPO

for algorithm, options in ((TRPO, {"n_steps": 64, "batch_size": 32}), (QRDQN, {"learning_starts": 20})):
    model = algorithm("MlpPolicy", "CartPole-v1", seed=0, device="cpu", **options).learn(64)
    print(sum(p.detach().abs().sum().item() for p in model.policy.parameters()))
