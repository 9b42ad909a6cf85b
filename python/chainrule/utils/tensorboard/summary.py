"""torch.utils.tensorboard.summary: the summaries that SummaryWriter writes, for who writes them himself."""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["hparams"]


def hparams(hparam_dict: dict, metric_dict: dict, hparam_domain_discrete: dict | None = None) -> tuple[Any, Any, Any]:
    """The summaries of an experiment: what was tried, its beginning, its end."""
    from tensorboard.plugins.hparams import summary_v2 as api  # `api` itself imports TensorFlow

    domains = {name: api.Discrete(values) for name, values in (hparam_domain_discrete or {}).items()}
    described = [api.HParam(name, domains.get(name)) for name in hparam_dict]
    config = api.hparams_config_pb(described, [api.Metric(name) for name in metric_dict])
    start = api.hparams_pb(hparam_dict)
    return config, start, _end()


def _end() -> Any:
    """That the experiment succeeded."""
    # The modules make their classes when they are imported, which type checkers do not see.
    pb: Any = importlib.import_module("tensorboard.compat.proto.summary_pb2")
    plugin: Any = importlib.import_module("tensorboard.plugins.hparams.plugin_data_pb2")
    metadata = importlib.import_module("tensorboard.plugins.hparams.metadata")
    data = plugin.HParamsPluginData(session_end_info=plugin.SessionEndInfo(status="STATUS_SUCCESS"))
    content = pb.SummaryMetadata(plugin_data=pb.SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME))
    content.plugin_data.content = data.SerializeToString()
    summary = pb.Summary()
    summary.value.add(tag=metadata.SESSION_END_INFO_TAG, metadata=content, tensor=metadata.NULL_TENSOR)
    return summary
