"""torch.hub: models from a folder with a hubconf.py."""

import pytest
import torch as reference

import chainrule

BOTH = pytest.mark.parametrize("torch", [chainrule, reference], ids=["chainrule", "pytorch"])

CONF = '''
dependencies = ["math"]
import widths_of_the_hub

def double(factor=2):
    """Multiplies by a factor."""
    return lambda x: x * factor * widths_of_the_hub.ONE

def _hidden():
    pass
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hubconf.py").write_text(CONF)
    (tmp_path / "widths_of_the_hub.py").write_text("ONE = 1\n")
    return str(tmp_path)


@BOTH
def test_models_of_a_folder(torch, folder):
    model = torch.hub.load(folder, "double", source="local", factor=3)
    assert model(torch.ones(2)).tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="Cannot find callable triple in hubconf"):
        torch.hub.load(folder, "triple", source="local")
    with pytest.raises(ValueError, match='Unknown source: "net"'):
        torch.hub.load(folder, "double", source="net")


def test_lists_and_help(folder):
    assert chainrule.hub.list(folder, source="local") == ["double"]
    assert chainrule.hub.help(folder, "double", source="local") == "Multiplies by a factor."
    with pytest.raises(RuntimeError, match=r"does not download and run code from the net.*source='local'"):
        chainrule.hub.load("someone/models", "double")
    with pytest.raises(FileNotFoundError, match=r"hubconf\.py"):
        chainrule.hub.load(folder + "/nowhere", "double", source="local")


def test_missing_dependencies(folder, tmp_path):
    (tmp_path / "hubconf.py").write_text("dependencies = ['no_such_package']\n")
    with pytest.raises(RuntimeError, match="Missing dependencies: no_such_package"):
        chainrule.hub.load(folder, "double", source="local")
