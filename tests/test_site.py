"""The documentation site: its reference is complete, and what `make docs` has built works in a real browser."""

import re
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import chainrule
from chainrule import _core, documentation

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "docs"
sys.path.insert(0, str(ROOT / "tools"))

built = pytest.mark.skipif(not (SITE / "index.html").exists(), reason="needs the site: make docs")
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html") if "_static" not in path.parts)


# ---- The reference ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    from reference import pages

    return pages()


def test_every_function_and_method_has_an_entry(reference: dict[str, str]) -> None:
    text = "\n".join(reference.values())
    described = set(re.findall(r"^:+\{py:\w+\} ([\w.]+)", text, re.MULTILINE))
    functions = {
        f"torch.{name}" for name in dir(chainrule) if isinstance(getattr(chainrule, name), type(chainrule.sin))
    }
    functions = {name for name in functions if not name.startswith("torch._")}
    assert len(functions) > 500
    assert functions - described == set()
    methods = {name for form, name, _ in _core.signatures() if form == "method" and not name.startswith("_")}
    assert {f"torch.Tensor.{name}" for name in methods} - described == set()
    for where in ("nn.functional", "linalg", "fft", "special"):
        module = __import__(f"chainrule.{where}", fromlist=["_"])
        names = [
            n for n in getattr(module, "__all__", dir(module)) if isinstance(getattr(module, n), type(chainrule.sin))
        ]
        assert {f"torch.{where}.{name}" for name in names} - described == set()


def test_an_entry_has_its_derivative_and_its_example(reference: dict[str, str]) -> None:
    entry = reference["torch_functions"].partition("{py:function} torch.tanh(")[2].partition("\n::::::\n")[0]
    assert "gradient of input" in entry
    assert "<math>" in entry
    assert "```pycon\n>>> torch.tanh(" in entry
    assert "**Derivative:** zeros with g at the indices" in reference["torch_ordering"]


def test_every_derivative_is_on_its_page(reference: dict[str, str]) -> None:
    listed = set(re.findall(r"^\| `(\w+)` \|", reference["derivatives"], re.MULTILINE))
    assert {name for name in documentation.formulas() if name} <= listed


@pytest.mark.parametrize(
    ("formula", "markup"),
    [
        ("g * cos(x)", "<mi>g</mi><mo>·</mo>"),
        ("g / (2 * y)", "<mfrac><mi>g</mi><mrow><mn>2</mn><mo>·</mo><mi>y</mi></mrow></mfrac>"),
        ("g * exponent * a ** (exponent - 1)", "<msup><mi>a</mi>"),
        ("(a + b) * c", '<mo stretchy="false">(</mo>'),
        ("a - (b - c)", '<mo stretchy="false">(</mo>'),
        ("g if x > 0 else 0", "<mtext>else</mtext>"),
    ],
)
def test_formulas_are_drawn(formula: str, markup: str) -> None:
    from formula_markup import as_mathml

    drawn = as_mathml(formula)
    assert drawn is not None
    assert markup in drawn


def test_words_are_not_drawn() -> None:
    from formula_markup import as_mathml

    assert as_mathml("g expanded to the shape of x") is None


# ---- The pages -------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The anchors of a page, and where it leads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors |= {given["id"] or ""} if "id" in given else set()
        link = given.get("href" if tag in ("a", "link") else "src")
        if link:
            self.links.append(link)


@built
def test_links_lead_somewhere() -> None:
    pages = {name: Page(SITE / name) for name in PAGES}
    broken = []
    for name, page in pages.items():
        for link in page.links:
            target, anchor = urldefrag(link)
            if re.match(r"\w+:", link):
                continue
            path = ((SITE / name).parent / unquote(target).partition("?")[0]).resolve() if target else SITE / name
            known = pages.get(path.relative_to(SITE).as_posix()) if path.is_relative_to(SITE) else None
            if not path.exists() or (anchor and known and unquote(anchor) not in known.anchors):
                broken.append((name, link))
    assert broken == []


@built
def test_subjects_are_there() -> None:
    subjects = "start pytorch explain distributed performance packages coverage architecture benchmarks reference/index"
    assert {f"{name}.html" for name in subjects.split()} <= set(PAGES)
    assert len([name for name in PAGES if name.startswith("tutorials/")]) == 7


@built
def test_tutorials_show_what_they_gave() -> None:
    assert "tensor(8.)" in (SITE / "tutorials" / "first_gradients.html").read_text()
    assert "<iframe srcdoc=" in (SITE / "tutorials" / "gpt_from_scratch.html").read_text()


@built
def test_no_machine_paths() -> None:
    texts = {name: (SITE / name).read_text() for name in PAGES}
    assert [name for name, text in texts.items() if str(ROOT) in text or "site-packages" in text] == []


# ---- The browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address():
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def show(browser, address):
    """Opens a page; fails if a script does, or if anything is asked of another place than the site."""
    problems, opened = [], []

    def opening(name, width=1300, scheme="light"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.on("pageerror", lambda error: problems.append(f"{name}: {error}"))
        page.on(
            "request", lambda r: problems.append(r.url) if not r.url.startswith((address, "data:", "about:")) else None
        )
        page.goto(address + name, timeout=120_000)
        opened.append(page)
        return page

    yield opening
    for page in opened:
        page.close()
    assert problems == []


@built
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1300])
def test_pages_fit_the_screen(show, width, scheme):
    """The page itself never scrolls sideways: what is wide scrolls in its own box."""
    page = show("index.html", width, scheme)
    base = page.url.removesuffix("index.html")
    for name in PAGES:
        if name != "index.html":
            page.goto(base + name, timeout=120_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@built
def test_pictures_are_seen(show):
    page = show("index.html")
    base = page.url.removesuffix("index.html")
    seen = 0
    for name in PAGES:
        page.goto(base + name)
        for picture in page.locator("article img:visible").all():
            picture.scroll_into_view_if_needed()
            assert picture.evaluate("async (i) => { await i.decode(); return i.naturalWidth; }") > 100, name
            seen += 1
    assert seen >= 6


@built
@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("logsumexp", "torch.logsumexp"),
        ("explain_none", "explain_none"),
        ("DistributedDataParallel", "Several processes"),
    ],
)
def test_searching(show, words, title):
    page = show("index.html")
    page.locator("input[name=q]").first.fill(words)
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a", timeout=60_000)
    page.wait_for_timeout(500)
    results = page.locator("#search-results li a").all_inner_texts()
    assert any(title in result for result in results), results
    page.locator("#search-results li a").first.click()
    assert words.lower() in page.locator("article").inner_text().lower()


BRIGHTNESS = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => +a + +b, 0)"


@built
def test_dark_mode(show):
    assert show("start.html").evaluate(BRIGHTNESS) > 700
    page = show("start.html", scheme="dark")
    assert page.evaluate(BRIGHTNESS) < 150
    page.locator("button.theme-toggle:visible").first.click()  # by the system, then light, then dark
    assert page.evaluate(BRIGHTNESS) > 700
    assert show("index.html", scheme="dark").locator("img.only-dark").is_visible()
    assert not show("index.html", scheme="dark").locator("img.only-light").is_visible()


@built
@pytest.mark.parametrize(("name", "scheme"), [("first_gradients", "light"), ("gpt_from_scratch", "dark")])
def test_explanations_in_tutorials_work(show, name, scheme):
    page = show(f"tutorials/{name}.html", scheme=scheme)
    page.locator("iframe").first.scroll_into_view_if_needed()
    frame = page.locator("iframe").first.element_handle().content_frame()
    frame.wait_for_selector("html[data-ready=yes]", timeout=120_000)
    assert frame.locator(".item").count() > 3
    dark = "document.documentElement.classList.contains('dark')"  # the browser may tell the frame after it has loaded
    frame.wait_for_function(f"{dark} === {str(scheme == 'dark').lower()}", timeout=10_000)
    frame.locator("#back").click()
    assert re.search(r"backward \d+/\d+", frame.locator("#where").inner_text())
