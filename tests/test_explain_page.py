"""The page of an explanation: what is in the file, and what it does in a real browser."""

import json
import re
import time

import pytest

import chainrule
from chainrule import nn


@pytest.fixture
def show(browser, tmp_path):
    """Opens an explanation's page; fails if its script does, or if it asks the network for anything."""
    problems, opened = [], []

    def opening(explanation, **options):
        path = tmp_path / "page.html"
        explanation.to_html(path)
        page = browser.new_page(viewport={"width": 1300, "height": 800}, **options)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: problems.append(request.url) if request.url.startswith("http") else None)
        page.goto(path.as_uri(), timeout=120_000)  # a limit against standing still, for a busy machine
        page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        opened.append(page)
        return page

    yield opening
    for page in opened:
        page.close()
    assert problems == []


def scalars():
    x = chainrule.tensor(2.0, requires_grad=True)
    y = x**2
    z = 2 * y + 1 + x
    return chainrule.explain(z)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        return x + self.b(chainrule.tanh(self.a(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def network():
    chainrule.manual_seed(0)
    net = Net()
    loss = net(chainrule.ones(2, 4)).square().mean()
    return chainrule.explain(loss)


# ---- the file


def test_the_file_needs_nothing_else():
    text = scalars().to_html()
    frame = re.sub(r'(id="data">).*?(</script>)', r"\1\2", text, flags=re.DOTALL)  # without the source that is shown
    assert not re.search(r"(src|href)=|@import|url\(", frame)
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert [n["label"] for n in data["nodes"]][1:] == ["y", "2 * y", "2 * y + 1", "z"]
    assert data["forward"] == [0, 1, 2, 3, 4]
    assert data["backward"] == [4, 3, 2, 1, 0]
    assert all(n["microseconds"] > 0 for n in data["nodes"][1:])


def test_a_script_in_the_source_does_not_end_the_page():
    x = chainrule.tensor(2.0, requires_grad=True)
    z = x * len("</script><b>")
    assert chainrule.explain(z).to_html().count("</script>") == 2


# ---- the browser


def test_stepping(show):
    page = show(scalars())
    assert page.locator(".item").count() == 5
    assert page.locator(".item.later").count() == 0  # it opens on the whole graph with its gradients
    assert page.locator(".sent.there").count() > 0
    page.keyboard.press("Home")
    assert page.locator(".item.later").count() == 4
    page.keyboard.press("ArrowRight")
    assert "y = x**2" in page.locator("#source .now").inner_text()
    assert "y = 4" in page.locator(".item.now").text_content()
    assert page.locator(".sent.there").count() == 0
    page.keyboard.press("End")
    assert "x gradient 9" in page.locator("#where").inner_text()
    assert page.locator(".sent.there").count() == 10
    page.locator("#slider").fill("8")
    assert page.locator(".edge.flowing").count() == 1
    page.locator("#back").click()
    assert "8/10" in page.locator("#where").inner_text()
    page.locator("#source .used").nth(1).click()
    assert "2/10" in page.locator("#where").inner_text()


def test_playing(show):
    page = show(scalars())
    page.keyboard.press("Space")
    page.wait_for_function("document.getElementById('slider').value > 1")
    page.keyboard.press("Space")
    assert page.locator("#play").inner_text() == "Play"


def test_the_card_tells_all(show):
    page = show(scalars())
    page.locator('.item[data-id="n1"]').hover()
    card = page.locator("#card").inner_text()
    for words in (
        "PowBackward0",
        "value",
        "4",
        "gradient",
        "2",
        "g * exponent * a ** (exponent - 1)",
        "saved",
        "backward took",
    ):
        assert words in card
    page.locator('.item[data-id="n0"]').hover()
    assert "the sum over 2 uses: 8 + 1" in page.locator("#card").inner_text()


def test_the_local_derivative_is_set_as_a_formula(show):
    page = show(scalars())
    page.locator('.item[data-id="n1"]').hover()
    assert page.locator("#card math msup").count() == 1
    box = page.locator("#card math").bounding_box()
    assert 0 < box["width"] < 250  # as wide as it is, not as the card
    assert (
        page.evaluate(
            "[...document.querySelectorAll('#card math *')].filter((e) => e.namespaceURI.endsWith('MathML')).length"
        )
        > 5
    )


def test_numbers_have_three_digits_in_the_graph_and_more_in_the_card(show):
    page = show(chainrule.explain(chainrule.tensor([1.0, 2.0], requires_grad=True).sin().sum()))
    shown = page.locator('.item[data-id="n1"]').text_content()
    assert "[0.841, 0.909]" in shown
    page.locator('.item[data-id="n1"]').hover()
    assert "[0.841471, 0.909297]" in page.locator("#card").inner_text()


def test_the_card_tells_the_forward_time_if_it_was_measured(show):
    page = show(scalars())
    page.locator('.item[data-id="n1"]').hover()
    assert "not measured" in page.locator("#card").inner_text()
    with chainrule.explain.recording():
        e = scalars()
    page = show(e)
    page.locator('.item[data-id="n1"]').hover()
    assert re.search(r"forward took\s+[\d.]+ µs", page.locator("#card").inner_text())


def test_a_large_tensor_shows_its_range_in_the_graph_and_all_in_the_card(show):
    x = chainrule.linspace(-1, 3, 50, requires_grad=True)
    page = show(chainrule.explain((x * 2).sum()))
    assert "-2 … 6" in page.locator('.item[data-id="n1"]').text_content()
    page.locator('.item[data-id="n1"]').hover()
    assert "[50] mean 2, from -2 to 6" in page.locator("#card").inner_text()


def test_repeated_blocks_are_folded_and_open_on_a_click(show):
    page = show(network())
    assert page.locator(".item.fold").count() == 3
    before = page.locator(".item").count()
    page.locator(".item.fold").first.click()
    assert page.locator(".item.fold").count() == 2
    assert page.locator(".item").count() > before
    page.keyboard.press("]")
    assert page.locator(".item.fold").count() == 0
    page.keyboard.press("[")
    assert page.locator(".item.fold").count() > 0


def test_a_step_inside_a_folded_module_lights_the_module_up(show):
    page = show(network())
    page.keyboard.press("ArrowRight")
    assert "blocks.0" in page.locator(".item.now").text_content()


def test_searching(show):
    page = show(network())
    page.keyboard.press("/")
    page.keyboard.type("tanhbackward")
    assert page.locator("#hits").inner_text() == "1 of 3"
    assert page.locator(".item.found").count() >= 1
    page.keyboard.press("Enter")
    assert page.locator("#hits").inner_text() == "2 of 3"
    page.keyboard.type("x")
    assert page.locator("#hits").inner_text() == "0 found"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") != "search"


def test_what_a_search_unfolds_is_folded_again(show):
    page = show(network())
    folded = page.locator(".item.fold").count()
    page.keyboard.press("/")
    page.keyboard.type("blocks.2.")  # every prefix of it finds something in another block first
    assert page.locator(".item.fold").count() == folded - 1
    page.locator("#search").fill("")
    assert page.locator(".item.fold").count() == folded


def test_what_is_whole_in_sight_does_not_move(show):
    page = show(scalars())
    before = page.locator("#canvas").get_attribute("transform")
    page.keyboard.press("End")
    assert page.locator("#canvas").get_attribute("transform") == before


def test_uses_of_one_tensor_by_one_step_are_summed_on_the_edge(show):
    x = chainrule.tensor(3.0, requires_grad=True)
    y = x * x
    page = show(chainrule.explain(y))
    page.keyboard.press("End")
    assert page.locator("text.along.there").all_text_contents() == ["3 + 3"]
    assert ">3 + 3</text>" in chainrule.explain(y).to_svg()


def test_zoom_pan_and_theme(show):
    page = show(scalars())
    transform = page.locator("#canvas").get_attribute("transform")
    page.mouse.move(900, 400)
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"document.getElementById('canvas').getAttribute('transform') !== {transform!r}")
    zoomed = page.locator("#canvas").get_attribute("transform")
    page.mouse.down()
    page.mouse.move(1000, 450)
    page.mouse.up()
    assert page.locator("#canvas").get_attribute("transform") != zoomed
    page.keyboard.press("f")
    assert page.locator("#canvas").get_attribute("transform") == transform
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.classList.contains('dark')")
    dark = show(scalars(), color_scheme="dark")
    assert dark.evaluate("document.documentElement.classList.contains('dark')")


def test_a_frame_that_gets_its_size_later(browser, tmp_path):
    """As in a notebook: the frame is laid out after its script has run."""
    path = tmp_path / "notebook.html"
    shown = scalars()._repr_html_()
    path.write_text(f'<div id="output" style="display:none">{shown.replace("loading=", "data-loading=")}</div>')
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.goto(path.as_uri())
    frame = page.frames[1]
    frame.wait_for_selector("html[data-ready=yes]", state="attached")
    page.evaluate("document.getElementById('output').style.display = 'block'")
    middle = """() => {
      const all = document.getElementById("canvas").getBoundingClientRect();
      const graph = document.getElementById("graph").getBoundingClientRect();
      return Math.abs(all.left + all.width / 2 - graph.left - graph.width / 2) / graph.width;
    }"""
    page.wait_for_timeout(300)
    assert frame.evaluate(middle) < 0.1
    page.close()


OVERLAPS = """() => {
  const rows = new Map();
  for (const item of items.values()) (rows.get(item.y) ?? rows.set(item.y, []).get(item.y)).push(item);
  let found = 0;
  for (const row of rows.values()) {
    row.sort((a, b) => a.x - b.x);
    for (let i = 1; i < row.length; i++) {
      const [a, b] = [row[i - 1], row[i]];
      if (a.x + a.width / 2 > b.x - b.width / 2 + 1e-6) found++;
    }
  }
  return found;
}"""


def test_nothing_overlaps(show):
    page = show(network())
    page.keyboard.press("]")
    assert page.evaluate(OVERLAPS) == 0


def test_five_thousand_nodes(show):
    x = chainrule.ones(3, requires_grad=True)
    parts = [x * k for k in range(50)]
    for _ in range(49):
        parts = [chainrule.sin(a) + b for a, b in zip(parts, parts[1:] + parts[:1], strict=True)]
    loss = sum(parts).sum()
    e = chainrule.explain(loss)
    assert len(e.graph) > 5000 - 60
    page = show(e)
    start = time.perf_counter()
    page.evaluate("draw()")
    assert time.perf_counter() - start < 10  # about one second where nothing else runs
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "4/" in page.locator("#where").inner_text()
    assert page.evaluate(OVERLAPS) == 0


def test_a_quiz_hides_what_is_calculated_until_it_is_clicked(show):
    page = show(scalars())
    blurred = "document.querySelectorAll('.item .value, .item .gradient').values()"
    hidden = f"[...{blurred}].filter((e) => getComputedStyle(e).filter !== 'none').length"
    assert page.evaluate(hidden) == 0
    page.click("#quiz")
    assert page.evaluate(hidden) == 9  # four values that were calculated, five gradients
    page.locator(".item").nth(1).click()
    assert page.evaluate(hidden) == 7
    page.keyboard.press("q")
    assert page.evaluate(hidden) == 0


@pytest.mark.parametrize("dark", ["light", "dark"])
def test_a_narrow_screen(show, dark):
    page = show(scalars(), color_scheme=dark)
    page.set_viewport_size({"width": 400, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    box = page.locator("#graph").bounding_box()
    assert box["width"] > 380
    assert box["height"] > 300


def test_a_narrow_screen_begins_at_the_top(browser, tmp_path):
    """The source scrolls to the current line, the page around it does not move."""
    with chainrule.no_grad():
        x = chainrule.ones(2)
    path = tmp_path / "page.html"
    chainrule.explain((x.requires_grad_() * 2).sum()).to_html(path)
    page = browser.new_page(viewport={"width": 400, "height": 300})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    line = page.locator("#source .now").bounding_box()
    assert line["y"] > 300  # below what is seen
    assert page.evaluate("scrollY") == 0
    page.close()
