"""Makes what a release consists of, in dist/: the source archive and the wheels. `make release`.

Refuses where the release would not be what it says: the version is written in two files and heads the changelog, and
everything is committed. Publishing is left to .github/workflows/wheels.yml, which runs this for a tag.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def complaints() -> list[str]:
    """What is not ready, in words."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    found = []
    package = (ROOT / "python" / "chainrule" / "__init__.py").read_text()
    if f'__version__ = "{version}"' not in package:
        found.append(f"python/chainrule/__init__.py does not say version {version}, as pyproject.toml does")
    heading = re.search(r"(?m)^## (.*)$", (ROOT / "CHANGELOG.md").read_text())
    if not heading or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", heading[1]):
        found.append(f"CHANGELOG.md does not open with {version} and its date, but with: {heading and heading[1]}")
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, check=True).stdout:
        found.append("not everything is committed")
    return found


def main(targets: list[str]) -> None:
    if found := complaints():
        sys.exit("not ready for a release:\n" + "".join(f"- {complaint}\n" for complaint in found))
    from scikit_build_core.build import build_sdist

    print("dist/" + build_sdist(str(ROOT / "dist")))
    subprocess.run([sys.executable, ROOT / "tools" / "wheels.py", *targets], cwd=ROOT, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
