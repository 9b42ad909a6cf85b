"""torch.utils.tensorboard.summary: the summaries that SummaryWriter writes, for who writes them himself."""

from __future__ import annotations

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
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.plugins.hparams import metadata, plugin_data_pb2

    data = plugin_data_pb2.HParamsPluginData(session_end_info=plugin_data_pb2.SessionEndInfo(status="STATUS_SUCCESS"))
    summary = Summary()
    content = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=metadata.PLUGIN_NAME))
    content.plugin_data.content = data.SerializeToString()
    summary.value.add(tag=metadata.SESSION_END_INFO_TAG, metadata=content, tensor=metadata.NULL_TENSOR)
    return summary
