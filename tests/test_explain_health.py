"""health(), doctor() and alive(): what the corpus of faulty programs does not ask."""

import gc
import xml.etree.ElementTree as ElementTree

import pytest

import chainrule
from both import no_leaks  # noqa: F401
from chainrule import nn
from chainrule.explain import HealthLog, alive, doctor, health

pytestmark = pytest.mark.usefixtures("no_leaks")


def network():
    chainrule.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))


def test_a_healthy_network():
    net = network()
    x = chainrule.randn(16, 4)
    net(x).square().mean().backward()
    found = health(net, lr=0.1)
    assert [layer.name for layer in found] == ["net.0", "net.2"]
    assert [layer.parameters for layer in found] == [40, 9]
    assert found.sick == []
    weight, bias = net[0].weight, net[0].bias
    norm = (weight.grad.square().sum() + bias.grad.square().sum()).sqrt().item()
    assert found[0].gradient_norm == pytest.approx(norm, rel=1e-5)
    size = (weight.detach().square().sum() + bias.detach().square().sum()).sqrt().item()
    assert found[0].update_ratio == pytest.approx(0.1 * norm / size, rel=1e-5)
    assert str(found).splitlines()[2].startswith("net.0  40")


def test_verdicts():
    net = network()
    assert [layer.verdict for layer in health(net)] == ["no gradient", "no gradient"]
    net(chainrule.randn(16, 4)).square().mean().backward()
    net[0].weight.grad[0, 0] = float("nan")
    net[2].weight.grad.mul_(1e6)
    assert [layer.verdict for layer in health(net)] == ["NaN", "exploding"]
    assert health(net)[0].nan == 1
    for p in net.parameters():
        p.grad.zero_()
    assert [layer.verdict for layer in health(net)] == ["zero", "zero"]


def test_dead_units():
    net = network()
    with chainrule.no_grad():
        net[0].bias[:6] = -100.0
    net(chainrule.randn(16, 4)).square().mean().backward()
    assert (health(net)[0].dead, health(net)[0].units, health(net)[0].verdict) == (6, 8, "dead units")


def test_over_training_and_as_pictures():
    net = network()
    log = HealthLog(net)
    x = chainrule.randn(16, 4)
    for _ in range(3):
        net.zero_grad()
        net(x).square().mean().backward()
        log.step()
    assert str(log).startswith("3 steps\n  net.0: gradient norm ") or "gradient norm" in str(log)
    lines = ElementTree.fromstring(log.to_svg()).findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.get("points").split()) for line in lines] == [3, 3]
    bars = ElementTree.fromstring(log.steps[0].to_svg()).findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 2


def test_the_doctor_finds_nothing_wrong_where_nothing_is():
    net = network()
    x, y = chainrule.randn(16, 4), chainrule.randn(16, 1)
    loss = nn.functional.mse_loss(net(x), y)
    assert str(doctor(net, loss)) == "Nothing found."
    loss = nn.functional.mse_loss(net(x), y) / 4
    assert doctor(net, loss, accumulate=4) == []
    classes = nn.Linear(4, 3)
    loss = nn.functional.cross_entropy(classes(x), chainrule.zeros(16, dtype=chainrule.int64))
    assert doctor(classes, loss) == []


def test_the_doctor_and_a_vector_of_losses():
    net = network()
    loss = net(chainrule.randn(16, 4))
    assert [f.mistake for f in doctor(net, loss)] == ["loss is no scalar"]


def test_alive():
    gc.collect()
    assert str(alive()) == "No graph is alive."
    w = chainrule.ones(1000, requires_grad=True)
    y = w.exp()
    z = (y * 2).sum()
    (found,) = alive()
    assert (found.nodes, found.bytes) == (3, 4000)
    assert found.line.text == "z = (y * 2).sum()"
    assert found.holders == ["the variable z"]
    assert [(line.text, size) for line, size in found.by_line] == [("y = w.exp()", 4000)]
    z.backward()
    assert alive().bytes == 0
    del y, z
    assert alive() == []


def test_what_two_graphs_share_counts_once():
    w = chainrule.ones(1000, requires_grad=True)
    shared = w.exp()
    a, b = shared * 2, shared * 3
    found = alive()
    assert len(found) == 2
    assert sum(g.nodes for g in found) == 3
    assert found.bytes == 4000
    del a, b


def test_who_holds_a_graph():
    class Keeper:
        pass

    def hold():
        keeper = Keeper()
        keeper.kept = [chainrule.ones(3, requires_grad=True).exp()]
        return keeper

    keeper = hold()
    (found,) = alive()
    assert found.holders == ["the variable keeper.kept[0]"]
    del keeper


def test_a_layer_that_gets_zeros_only():
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    with chainrule.no_grad():
        net[0].bias.fill_(-100)
    loss = net(chainrule.ones(3, 4)).sum()
    causes = {c.name: c.text for c in chainrule.explain.missing(net, loss)}
    assert causes["net.0.weight"].startswith("its gradient is exactly zero: relu is flat")
    assert "what it is multiplied with" in causes["net.2.weight"]
    loss.backward()
    found = health(net)
    assert [layer.verdict for layer in found] == ["zero", "input is zero"]
    assert found[1].dead == 0
    head, *_, meaning = str(found).splitlines()
    assert "gradient/weight" in head
    assert meaning.startswith("input is zero: only the bias learns")
    assert "update/weight" in str(health(net, lr=0.1))
    after = {c.name: c.text for c in chainrule.explain.missing(net)}
    assert "relu" in after["net.0.weight"] or "before backward()" in after["net.0.weight"]
    assert "cross_entropy" not in str(after)


@pytest.mark.parametrize("loss", ["mse_loss", "smooth_l1_loss", "huber_loss"])
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_the_doctor_sees_a_broadcast_inside_a_loss(loss):
    model = chainrule.nn.Linear(3, 1)
    compare = getattr(chainrule.nn.functional, loss)
    (found,) = doctor(model, compare(model(chainrule.ones(8, 3)), chainrule.zeros(8)))
    assert "compares (8, 1) with (8,)" in str(found)
    assert list(doctor(model, compare(model(chainrule.ones(8, 3)), chainrule.zeros(8, 1)))) == []


# ---- healthy programs are not accused


def pairwise_distances():
    net = nn.Linear(3, 1)
    z = net(chainrule.randn(6, 3)).squeeze(1)
    return net, ((z[:, None] - z[None, :]) ** 2).mean()


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.offset = nn.Parameter(chainrule.ones(4)), nn.Parameter(chainrule.zeros(4))

    def forward(self, x):
        return (x * self.scale + self.offset).sum(1)


def as_many_samples_as_features():
    net = Scaled()
    return net, ((net(chainrule.randn(4, 4)) - chainrule.randn(4)) ** 2).mean()


def log_softmax_by_hand():
    net = nn.Linear(3, 5)
    scores = net(chainrule.randn(8, 3))
    logs = scores - scores.logsumexp(1, keepdim=True)
    return net, nn.functional.nll_loss(logs, chainrule.zeros(8, dtype=chainrule.int64))


def rank_one_matrix():
    net = nn.ParameterList([nn.Parameter(chainrule.randn(5, 1)), nn.Parameter(chainrule.randn(1, 5))])
    return net, ((net[0] * net[1] - chainrule.randn(5, 5)) ** 2).sum()


def shared_weights():
    embedding, head = nn.Embedding(50, 4), nn.Linear(4, 50, bias=False)
    head.weight = embedding.weight
    net = nn.ModuleList([embedding, head])
    return net, nn.functional.cross_entropy(head(embedding(chainrule.arange(5))), chainrule.arange(5))


@pytest.mark.parametrize(
    "program",
    [pairwise_distances, as_many_samples_as_features, log_softmax_by_hand, rank_one_matrix, shared_weights],
)
def test_healthy_programs_are_not_accused(program):
    chainrule.manual_seed(0)
    net, loss = program()
    optimizer = chainrule.optim.Adam(net.parameters())
    assert chainrule.explain.doctor(net, loss, optimizer) == []
    assert chainrule.explain.missing(net, loss) == []
    loss.backward()
    assert chainrule.explain.health(net, optimizer=optimizer).sick == []
    assert chainrule.explain.missing(net, loss) == []


def test_rows_of_an_embedding_that_no_sample_asked_for_are_not_dead():
    embedding = nn.Embedding(100, 4)
    embedding(chainrule.tensor([1, 2])).sum().backward()
    (layer,) = chainrule.explain.health(embedding)
    assert (layer.units, layer.verdict) == (0, "healthy")


def test_the_update_is_the_optimisers():
    chainrule.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = chainrule.optim.Adam(net.parameters(), lr=0.01)
    net(chainrule.randn(4, 3)).square().sum().backward()
    (layer,) = chainrule.explain.health(net, optimizer=optimizer)
    before = [p.detach().clone() for p in net.parameters()]
    assert len(optimizer.state) == 0  # nothing was touched
    optimizer.step()
    moved = sum(float((p - b).square().sum().item()) for p, b in zip(net.parameters(), before, strict=True)) ** 0.5
    assert layer.update_ratio == pytest.approx(moved / layer.weight_norm, rel=1e-5)


def test_of_a_model_that_the_loss_does_not_use_there_is_one_finding():
    net, other = nn.Linear(2, 1), nn.Linear(2, 1)
    other(chainrule.ones(1, 2)).sum().backward()
    loss = net(chainrule.ones(1, 2)).sum()
    (found,) = [f for f in chainrule.explain.doctor(other, loss) if f.mistake == "no path to the loss"]
    assert found.text.startswith("all parameters of the model: ")
    assert found.cure


def test_gradients_that_shrink_from_layer_to_layer_vanish():
    chainrule.manual_seed(0)
    layers = [part for _ in range(7) for part in (nn.Linear(16, 16), nn.Sigmoid())]
    net = nn.Sequential(*layers, nn.Linear(16, 4))
    net[6].requires_grad_(False)
    nn.functional.cross_entropy(net(chainrule.randn(8, 16)), chainrule.arange(8) % 4).backward()
    verdicts = {layer.name: layer.verdict for layer in health(net)}
    assert verdicts["net.0"] == verdicts["net.2"] == "vanishing"
    assert (verdicts["net.6"], verdicts["net.14"]) == ("frozen", "healthy")


def test_a_plot_has_a_scale_and_breaks_where_numbers_are_not_finite():
    net = nn.Linear(2, 1)
    log = HealthLog(net)
    for scale in (1.0, 10.0, float("nan"), 0.1, 1.0):
        net.zero_grad()
        (net(chainrule.ones(1, 2)) * scale).sum().backward()
        log.step()
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(log.to_svg())
    assert [len(line.attrib["points"].split()) for line in root.findall(f"{svg}polyline")] == [2, 2]
    words = [text.text for text in root.findall(f"{svg}text")]
    assert {"0.1", "10", "net: NaN from step 2"} <= set(words)
    assert "nan  NaN" in [text.text for text in ElementTree.fromstring(log.steps[2].to_svg()).iter(f"{svg}text")]


def test_gradients_that_are_zeroed_further_down_are_not_accused():
    net = nn.Linear(3, 1)
    optimizer = chainrule.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        loss = net(chainrule.randn(4, 3)).square().mean()
        assert not chainrule.explain.doctor(net, loss, optimizer)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def test_of_two_passes_that_may_be_meant_none_is_blamed():
    net = nn.Linear(3, 1)
    net(chainrule.randn(4, 3)).sum().backward()
    net(chainrule.randn(4, 3)).mean().backward()
    (found,) = chainrule.explain.doctor(net, net(chainrule.randn(4, 3)).square().mean())
    assert (found.mistake, found.line) == ("not zeroed", None)
