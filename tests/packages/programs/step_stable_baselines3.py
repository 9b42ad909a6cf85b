"""One step with stable-baselines3, on random weights."""

from stable_baselines3 import DQN, PPO

for algorithm, options in ((PPO, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}), (DQN, {"learning_starts": 20})):
    model = algorithm("MlpPolicy", "CartPole-v1", seed=0, device="cpu", **options).learn(64)
    print(sum(p.detach().abs().sum().item() for p in model.policy.parameters()))
