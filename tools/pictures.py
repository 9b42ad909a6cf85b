"""Takes the README's pictures of the page: its example, explained, in a real browser, light and dark.

Needs chromium, and playwright and pillow from PyPI: `python tools/pictures.py`.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "images"
SIZE, SCALE, COLOURS = {"width": 1200, "height": 760}, 1.5, 256  # few colours: a large file makes a slow README
ASKED = "print(torch.explain(loss))"


def example() -> str:
    """The README's first program."""
    found = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert found is not None
    assert ASKED in found[1]
    return found[1]


def write_page(folder: Path) -> Path:
    """Runs the example as train.py and writes the page of what it asks; the page shows the program as it is read."""
    script, page = folder / "train.py", folder / "page.html"
    script.write_text(example())
    code = (
        "import sys, chainrule\n"
        "text = open('train.py').read()\n"
        "names = {}\n"
        f"exec(compile(text.replace({ASKED!r}, ''), sys.argv[1], 'exec'), names)\n"
        "chainrule.explain(names['loss']).to_html('page.html')\n"
    )
    subprocess.run([sys.executable, "-c", code, script], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return page


def photograph(page_file: Path, scheme: str) -> bytes:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme=scheme)  # type: ignore[arg-type]
        page.goto(page_file.as_uri())
        page.wait_for_selector("html[data-ready=yes]")
        page.locator(".item", has_text="tanh").first.hover()
        taken = page.screenshot()
        browser.close()
    return taken


def small(picture: bytes) -> bytes:
    """The same picture in few colours, with the program that it shows."""
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    reduced = (
        Image.open(io.BytesIO(picture))
        .convert("RGB")
        .quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    file = io.BytesIO()
    program = PngInfo()
    program.add_text("Program", example())  # a test compares it with the README
    reduced.save(file, "PNG", optimize=True, pnginfo=program)
    return file.getvalue()


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        page = write_page(Path(name))
        for scheme in ("light", "dark"):
            path = FOLDER / f"explain_readme_{scheme}.png"
            path.write_bytes(small(photograph(page, scheme)))
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
