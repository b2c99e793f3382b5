"""`verify --key`: what minisign's tools sign holds, and nothing else does; a signature is no stranger in a release."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from tests.datasets.conftest import World, judged, media  # noqa: F401 - fixtures
from tests.evaluation.releases.test_verify import default, made, verified  # noqa: F401 - fixtures

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
SIGN = """
import sys, minisign
for number, prehash in enumerate((True, False)):
    pair = minisign.KeyPair.generate()
    open(f"{sys.argv[2]}/{number}.pub", "wb").write(bytes(pair.public_key))
    with open(f"{sys.argv[2]}/{number}.minisig", "wb") as file:
        file.write(bytes(pair.secret_key.sign_file(sys.argv[1], prehash=prehash, trusted_comment="castle v1")))
"""


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with another implementation of minisign."""
    folder = tmp_path_factory.mktemp("signer")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "--retries",
        "1",
        "install",
        "-q",
        "py-minisign==0.21.1",
    ]
    done = subprocess.run(list(map(str, install)), capture_output=True, text=True, check=False)
    if done.returncode and "connection broken" in done.stderr:
        pytest.skip("the package index can't be reached")
    assert done.returncode == 0, done.stderr
    return python


def test_what_a_tool_of_minisign_signed_holds_and_nothing_else(
    default: Path,  # noqa: F811
    signer: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    subprocess.run([str(signer), "-c", SIGN, str(default / "manifest.json"), str(tmp_path)], check=True)
    beside = default / "manifest.json.minisig"
    for number in (0, 1):
        beside.write_bytes((tmp_path / f"{number}.minisig").read_bytes())
        code, said = verified(capsys, default, "--key", tmp_path / f"{number}.pub")
        assert code == 0, said
        assert "signature: holds: manifest.json is what the owner of the key signed" in said
    line = (tmp_path / "1.pub").read_text().splitlines()[-1]
    assert verified(capsys, default, "--key", line)[0] == 0
    assert verified(capsys, default)[0] == 0, "beside the manifest it is no stranger"
    assert verified(capsys, default, "--key", tmp_path / "0.pub", "--signature", tmp_path / "0.minisig")[0] == 0

    def wrong(text: str) -> str:
        beside.write_text(text)
        code, said = verified(capsys, default, "--key", line)
        assert code == 1 and "manifest.json.minisig" in said
        return said

    signed = beside.read_text()
    assert "is of the key" in wrong((tmp_path / "0.minisig").read_text())
    assert "has another trusted comment" in wrong(signed.replace("castle v1", "castle v2"))
    assert "found no signature" in wrong("signed: me")
    assert "found no signature" in wrong("\n".join(signed.splitlines()[:2]))
    beside.unlink()
    assert "no such file" in verified(capsys, default, "--key", line)[1]
    beside.write_text(signed)
    manifest = (default / "manifest.json").read_bytes()
    (default / "manifest.json").write_bytes(manifest.replace(b'"v1"', b'"v2"'))
    assert "isn't the signature of this manifest.json" in verified(capsys, default, "--key", line)[1]
    for arguments in (("--key", "no-key"), ("--signature", str(beside))):
        assert main(["verify", str(default), *arguments]) == 2
        assert "expected" in capsys.readouterr().err


def test_an_export_leaves_a_signature_beside_the_manifest_alone(
    judged: World,  # noqa: F811
    tmp_path: Path,
) -> None:
    release: Release = create_release(collection=judged.collection, name="v1")
    write_release(release=release, folder=tmp_path / "out")
    (tmp_path / "out" / "manifest.json.minisig").write_text("signed")
    assert write_release(release=release, folder=tmp_path / "out") is False


def test_without_cryptography_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    assert main(["verify", str(tmp_path), "--key", "x"]) == 2
    assert "pip install 'qreels-eval[signed]'" in capsys.readouterr().err
