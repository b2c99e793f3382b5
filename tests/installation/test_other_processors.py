"""Every pinned package of the product can be had for arm64: as a wheel, or as source where no processor has a wheel."""

import subprocess

import pytest

from tests.places import ROOT

pytestmark = pytest.mark.slow
FROM_SOURCE = {"docopt", "langdetect", "pptree", "sqlitedict"}
"""Pure Python without a wheel for anybody."""
COMPILED_ON_ARM = {"pytrec-eval-terrier"}
"""The Containerfile has a compiler for it."""


@pytest.mark.parametrize(
    ("platform", "without_wheel"),
    [("x86_64-manylinux_2_28", FROM_SOURCE), ("aarch64-manylinux_2_28", FROM_SOURCE | COMPILED_ON_ARM)],
)
def test_the_pins_resolve(platform: str, without_wheel: set[str]) -> None:
    uv = [str(ROOT / ".venv" / "bin" / "uv"), "pip", "compile", "--quiet", "--python-version=3.11"]
    exceptions = [f"--no-binary={name}" for name in sorted(without_wheel)]
    line = [*uv, f"--python-platform={platform}", "--only-binary=:all:", *exceptions, "requirements.txt"]
    found = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
