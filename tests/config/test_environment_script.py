"""script/environment.sh: what it installs, and when; in a small project of local wheels, without a network."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.prefix) / "bin" / "uv"
# A uv that is installed like any other and doesn't work, for instance because the machine's libc is too old.
BROKEN = "#!/bin/sh\nif [ $1 = --version ]; then echo uv 0.13.9; exit; fi\necho uv is broken >&2\nexit 1\n"


def wheel(folder: Path, name: str, version: str, script: str | None = None) -> None:
    """Write a wheel with one empty module and, if given, one program of that name."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if script is not None:
        files[f"{name}-{version}.data/scripts/{name}"] = script
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            archive.writestr(entry, text)


class Project:
    """A checkout with the real script, and lists of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels = folder / "wheels"
        self.wheels.mkdir(parents=True)
        (folder / "index").mkdir()
        (folder / "script").mkdir()
        shutil.copy(ROOT / "script" / "environment.sh", folder / "script")
        self.write("requirements.txt", "-c requirements-cuda.txt\nproduct==1.0")
        self.write("requirements-dev.txt", "-r requirements.txt\ntesting==1.0")
        self.write("requirements-cuda.txt", "cuda==1.0")
        for name, version in [("product", "1.0"), ("product", "2.0"), ("testing", "1.0"), ("cuda", "1.0")]:
            wheel(self.wheels, name, version)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text + "\n")

    def uv(self, script: str) -> None:
        wheel(self.wheels, "uv", "0.13.9", script)

    def start(self, requirements: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """What script/server (or, with a list, script/test) does first; its output."""
        outside = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_", "QREELS_"))}
        outside |= {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": (self.folder / "index").as_uri(),
            "PIP_FIND_LINKS": str(self.wheels),
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "QREELS_PYTHON": sys.executable,
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nobody listens there: PyTorch's index can't be reached
        }
        line = f'{requirements and f"requirements={requirements}; "}. script/environment.sh; echo "$python"'
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line],
            cwd=self.folder,
            env=outside | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def packages(self) -> set[str]:
        infos = (self.folder / ".venv").glob("lib/python*/site-packages/*.dist-info")
        return {path.name.removesuffix(".dist-info") for path in infos if not path.name.startswith(("pip", "setup"))}


def test_each_list_is_installed_when_it_is_asked_for_and_when_it_changed(tmp_path: Path) -> None:
    project = Project(tmp_path)
    first = project.start()
    assert first.returncode == 0, first.stderr
    assert project.packages() == {"product-1.0"}, "neither the tests' list nor the constraints are installed"
    assert "can't be installed: pip does it all" in first.stderr

    again = project.start()
    assert (again.returncode, again.stderr) == (0, ""), "nothing to do, nothing said"

    testing = project.start("requirements-dev.txt")
    assert testing.returncode == 0, testing.stderr
    assert project.packages() == {"product-1.0", "testing-1.0"}
    assert project.start().stderr == "", "the tests' list includes the product's"

    project.write("requirements.txt", "-c requirements-cuda.txt\nproduct==2.0")
    project.uv(BROKEN)
    changed = project.start()
    assert changed.returncode == 0, changed.stderr
    assert project.packages() == {"product-2.0", "testing-1.0", "uv-0.13.9"}
    assert "uv is broken" in changed.stderr and "trying with pip" in changed.stderr

    project.write("requirements.txt", "-c requirements-cuda.txt\nproduct==3.0")
    missing = project.start()
    assert missing.returncode == 1
    assert "is there a network, and space on the disk" in missing.stderr
    assert "is kept: run this again" in missing.stderr
    assert project.packages() == {"product-2.0", "testing-1.0", "uv-0.13.9"}

    project.write("requirements.txt", "-c requirements-cuda.txt\nproduct==2.0")
    (site,) = (project.folder / ".venv").glob("lib/python*/site-packages")
    (site / "testing.py").unlink()
    mended = project.start("requirements-dev.txt")
    assert mended.returncode == 0, mended.stderr
    assert (site / "testing.py").exists(), "what an interrupted installer left incomplete is installed again"

    (site / f"{next(site.glob('pip-*.dist-info')).name}/RECORD").unlink()
    remade = project.start()
    assert remade.returncode == 0, remade.stderr
    assert "Making .venv" in remade.stderr
    assert project.packages() == {"product-2.0", "uv-0.13.9"}


@pytest.mark.skipif(not UV.exists(), reason="uv could not be installed here: pip made this .venv")
def test_uv_installs_from_the_sources_of_pip_and_torch_s_build_follows_the_card(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.uv(f'#!/bin/sh\nexec {UV} "$@"\n')
    project.write("requirements.txt", "-c requirements-cuda.txt\nproduct==1.0\ntorch==0.0.1")
    wheel(project.wheels, "torch", "0.0.1")
    programs = tmp_path / "programs"
    programs.mkdir()
    smi = programs / "nvidia-smi"
    path = f"{programs}:{os.environ['PATH']}"

    # No card, and no way to PyTorch's index.
    smi.write_text("#!/bin/sh\necho no devices were found\nexit 6\n")
    smi.chmod(0o755)
    unreachable = project.start(PATH=path)
    assert unreachable.returncode == 0, unreachable.stderr
    assert "the CPU build, because nvidia-smi finds no NVIDIA card" in unreachable.stderr
    assert "the default build instead" in unreachable.stderr
    assert project.packages() == {"product-1.0", "torch-0.0.1", "uv-0.13.9"}
    (installer,) = (project.folder / ".venv").glob("lib/python*/site-packages/product-1.0.dist-info/INSTALLER")
    assert installer.read_text().strip() == "uv"

    # The other builds are chosen where torch isn't installed yet.
    (site,) = (project.folder / ".venv").glob("lib/python*/site-packages")
    for driver, sentence in [
        ("580.65.06", "the default build, with CUDA, because there is an NVIDIA card (driver 580.65.06)"),
        ("535.18", "the build for the NVIDIA card's driver 535.18"),
    ]:
        shutil.rmtree(site / "torch-0.0.1.dist-info")
        (project.folder / ".venv/installed-requirements.txt").unlink()
        smi.write_text(f"#!/bin/sh\necho {driver}\n")
        card = project.start(PATH=path)
        assert card.returncode == 0, card.stderr
        assert sentence in card.stderr

    shutil.rmtree(site / "torch-0.0.1.dist-info")
    (project.folder / ".venv/installed-requirements.txt").unlink()
    smi.write_text("#!/bin/sh\nexit 9\n")
    wheel(project.wheels, "torch", "0.0.1+cpu")
    offered = project.start(PATH=path)
    assert offered.returncode == 0, offered.stderr
    assert "the package sources set up here have it" in offered.stderr
    assert "torch-0.0.1+cpu" in project.packages()


@pytest.mark.parametrize(
    ("version", "lacks", "sentence"),
    [
        ("3.10", "", "Qreels needs Python 3.11, 3.12 or 3.13"),
        ("3.14", "", "Qreels needs Python 3.11, 3.12 or 3.13"),
        ("3.12", "ensurepip", "On Debian: apt-get install python3.12-venv"),
    ],
)
def test_a_python_that_cannot_do_it_is_refused_with_a_sentence(tmp_path, version, lacks, sentence) -> None:
    # A Python of another version is not on every machine: this program answers like one.
    python = tmp_path / "python"
    major, minor = version.split(".")
    python.write_text(
        f"""#!{sys.executable}
import sys
if sys.argv[1] == "--version":
    print("Python {version}.0")
    sys.exit()
code = sys.argv[sys.argv.index("-c") + 1]
if {lacks!r} and {lacks!r} in code:
    sys.exit("No module named {lacks}")
sys.version_info = ({major}, {minor}, 0, "final", 0)
exec(code)
"""
    )
    python.chmod(0o755)
    project = Project(tmp_path / "project")
    done = project.start(QREELS_PYTHON=str(python))
    assert done.returncode == 1
    assert sentence in done.stderr
    assert str(python) in done.stderr
    assert not (project.folder / ".venv").exists()


def test_of_all_pythons_on_the_path_the_first_that_is_optimised_makes_it(tmp_path: Path) -> None:
    # Of three that answer like the real one, only the last two say that they were compiled with optimisations.
    programs = [tmp_path / number / "python3.11" for number in ("one", "two", "three")]
    for program, options in zip(
        programs, ("--enable-shared", "--enable-optimizations", "--enable-optimizations"), strict=True
    ):
        program.parent.mkdir()
        program.write_text(
            f"""#!{sys.executable}
import sys, sysconfig
if "venv" in sys.argv:
    sys.exit("it makes none")
sys.version_info = (3, 11, 9, "final", 0)
sys.base_prefix = "/of/its/own"
sysconfig.get_config_var = {{"CONFIG_ARGS": "{options}"}}.get
exec(sys.argv[sys.argv.index("-c") + 1])
"""
        )
        program.chmod(0o755)
    project = Project(tmp_path / "project")
    one, two, three = programs
    path = ":".join([str(one.parent), str(two.parent), str(three.parent), os.environ["PATH"]])
    assert f"Making .venv with {two} ..." in project.start(QREELS_PYTHON="", PATH=path).stderr
    assert f"Making .venv with {one} ..." in project.start(QREELS_PYTHON="python3.11", PATH=path).stderr, "it was named"
