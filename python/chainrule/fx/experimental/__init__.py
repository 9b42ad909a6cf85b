"""torch.fx.experimental: what records programs in other ways."""
