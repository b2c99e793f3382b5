"""`verify`: each claim of a release holds, or a line says what does not, in which file; no changed byte goes unseen."""

import csv
import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from datasets.releases.make_release import create_release, write_release
from evaluation.__main__ import main
from evaluation.commands.outputs import StageLine
from evaluation.releases.check_files import check_files, check_listed
from evaluation.releases.check_release import verify_release
from evaluation.releases.claims import CLAIMS, Claims
from evaluation.releases.manifest import MANIFEST, digest_of, to_bytes
from evaluation.releases.untrusted_files import sha256_of
from tests.datasets.conftest import World, judged, media, unjudged  # noqa: F401 - fixtures
from tests.datasets.corruptions import edit
from tests.datasets.releases.everything_different import different
from tests.paths import ROOT

pytestmark = pytest.mark.django_db(transaction=True)

SOME_BYTES = 211
"""Of larger releases each so many-th byte is changed."""
WHOLE_EACH = 17
"""Of so many changed bytes one is looked for by the check of all files; the others by that of their own file."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the releases lie once a test has made them."""
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def default(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """A release with default options, for the test alone; its archive lies beside the one that is copied."""
    if not (made / "default").exists():
        world: World = request.getfixturevalue("judged")
        release = create_release(collection=world.collection, name="v1")
        write_release(release=release, folder=made / "default")
        with default_storage.open(release.archive) as file:
            (made / "default.tar.gz").write_bytes(file.read())
    return Path(shutil.copytree(made / "default", tmp_path / "default"))


@pytest.fixture
def whole(request: pytest.FixtureRequest, made: Path, tmp_path: Path) -> Path:
    """A release with every format and file, of a collection that differs in every setting, for the test alone."""
    if not (made / "whole").exists():
        different(request.getfixturevalue("unjudged"), made / "whole")
    return Path(shutil.copytree(made / "whole", tmp_path / "whole"))


def verified(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    capsys.readouterr()
    code = main(["verify", *map(str, arguments)])
    return code, capsys.readouterr().out


def restate(folder: Path) -> None:
    """Write size, SHA-256 and digest of everything anew, as somebody would who covers a change up."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for path in manifest["files"]:
        file = folder / path
        manifest["files"][path] = {"sha256": sha256_of(file), "size": file.stat().st_size}
    manifest["digest"] = digest_of(manifest)
    (folder / "manifest.json").write_bytes(to_bytes(manifest))


def test_every_claim_of_the_fullest_release_holds(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = verified(capsys, whole)
    assert code == 0, said
    held = {line.partition(":")[0] for line in said.splitlines() if ": holds: " in line}
    assert set(CLAIMS) - held == {"leakage", "table 3", "pool", "history", "signature", "certificate"}
    assert all(": holds: " in line or ": not recomputable: " in line for line in said.splitlines())
    code, said = verified(capsys, whole, "--json")
    facts = json.loads(said)
    assert (code, facts["holds"]) == (0, True)
    assert {one["claim"] for one in facts["claims"] if one["holds"]} == held
    assert {one["claim"] for one in facts["claims"] if one["holds"] is None} == {"table 3", "history"}


def test_an_archive_is_verified_as_its_folder(default: Path, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(capsys, default) == verified(capsys, made / "default.tar.gz")
    assert verified(capsys, default)[0] == 0


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def found_changed(folder: Path, path: Path, content: bytes, at: int) -> bool:
    """Whether the digests find the file with another byte there, and name it; that byte is put back."""
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), bytes([content[at] ^ 1]), at)
        found = names_it(folder, path, at)
        os.pwrite(file.fileno(), content[at : at + 1], at)
    return found


def names_it(folder: Path, path: Path, at: int) -> bool:
    claims, name = Claims(), path.relative_to(folder).as_posix()
    if path.name == MANIFEST or at % WHOLE_EACH == 0:
        check_files(folder, claims)
    else:
        # The other files are as they were: each file is checked by itself.
        check_listed(path, name, json.loads((folder / MANIFEST).read_bytes())["files"][name], claims)
    return name in {problem.file for claim in claims for problem in claim.problems}


@pytest.mark.long
def test_each_changed_byte_of_each_file_is_found_and_named(default: Path) -> None:
    for path in files_of(default):
        content = path.read_bytes()
        unseen = [at for at in range(len(content)) if not found_changed(default, path, content, at)]
        assert unseen == [], path.name


@pytest.mark.long
def test_changed_bytes_of_every_format_are_found_and_named(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in files_of(whole):
        content = path.read_bytes()
        changed = range(0, len(content), SOME_BYTES if path.suffix != ".whl" else 40 * SOME_BYTES)
        unseen = [at for at in changed if not found_changed(whole, path, content, at)]
        assert unseen == [], path.name
        path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        code, said = verified(capsys, whole)
        assert code == 1 and path.relative_to(whole).as_posix() in said
        path.write_bytes(content)


@pytest.mark.parametrize("bit", [0, 1, 2, 3, 4, 5, 6, 7])
def test_no_bit_of_a_manifest_s_own_digest_or_version_changes_unseen(default: Path, bit: int) -> None:
    path = default / "manifest.json"
    content = path.read_bytes()
    for name in (b'"digest"', b'"manifest_version"'):
        start = content.index(name)
        for at in range(start, content.index(b"\n", start) + 1):
            path.write_bytes(content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :])
            claims = Claims()
            check_files(default, claims)
            assert not claims.hold, (at, bit)


def test_the_same_content_in_other_bytes_is_another_manifest(default: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((default / "manifest.json").read_text())
    (default / "manifest.json").write_text(json.dumps(manifest))
    code, said = verified(capsys, default)
    assert code == 1 and "digest: manifest.json has the content of its digest in other bytes" in said
    del manifest["digest"]
    (default / "manifest.json").write_bytes(to_bytes(manifest))
    code, said = verified(capsys, default)
    assert code == 1 and "but it says None" in said


def in_manifest(*names: str, value: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        def put(manifest: Any) -> None:
            for name in names[:-1]:
                manifest = manifest[name]
            assert manifest[names[-1]] != value
            manifest[names[-1]] = value

        edit(folder, "manifest.json", put)

    return change


def in_text(file: str, pattern: str, other: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        text, count = re.subn(pattern, other, (folder / file).read_text(), count=1)
        assert count == 1
        (folder / file).write_text(text)

    return change


def swap_models(folder: Path) -> None:
    """Each pair's posterior by one model is said to be the other's."""
    path = folder / "posteriors.csv"
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        one[-1], other[-1] = other[-1], one[-1]
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


STATISTICS = ("statistics", "splits")
COVERED_UP: list[tuple[Callable[[Path], None], str]] = [
    (in_manifest("counts", "workers", value=9), "counts: manifest.json: counts.workers is 9, but"),
    (in_manifest("counts", "val", "pairs_graded_in_round_two", value=7), "counts: manifest.json: counts.val."),
    (in_manifest("statistics", "judging", "both", "share_discarded", value=0.5), "consensus: manifest.json: "),
    (in_manifest(*STATISTICS, "train", "extent", "moment_hours", value=1.5), "table 1: manifest.json: "),
    (in_manifest(*STATISTICS, "val", "vocabulary", value=1), "table 1: manifest.json: statistics.splits.val.voc"),
    (in_manifest(*STATISTICS, "test", "words", "mean", value=1.5), "table 4: manifest.json: statistics.splits.test"),
    (in_manifest(*STATISTICS, "val", "relevant_per_query", "1", value=9.5), "table 4: manifest.json: "),
    (in_manifest(*STATISTICS, "all", "queries", value=1), "statistics: manifest.json: statistics.splits.all.queries"),
    (in_manifest("posteriors", "changed_by_another", value=99.0), "posteriors: posteriors.csv: found"),
    (swap_models, "posteriors: posteriors.csv, line 2: found the probabilities"),
    (in_text("README.md", r"(?<=\| NDCG@20,IoU>=0\.5 \| )\S+", "0.1234"), "sample run: README.md: found 0.1234"),
    (in_text("sample_run.jsonl", r"\], \"score\": 1\.0", '], "score": 0.0'), "sample run: README.md: found"),
    (in_text("tables/size-of-the-splits.csv", r"(?m)^(Validation,\d+,\d+,\d+),\d+", r"\1,1"), "tables: tables/size-of"),
    (in_text("tables/queries-moments-videos.csv", r"(?m)^(Max Query Length),\d+", r"\1,1"), "tables: tables/queries"),
    (in_text("tables/judging.csv", r"(?m)^(Discarded),\S+ %", r"\1,9.00 %"), "tables: tables/judging.csv: Discarded"),
    (in_text("tables/material.md", r"(?m)^\| Videos \| \d+", "| Videos | 99"), "tables: tables/material.md: row 2"),
    (in_text("tables/queries.tex", r"(?m)^    Queries & \d+", "    Queries & 99"), "tables: tables/queries.tex: row 2"),
    (
        lambda folder: edit(folder, "manifest.json", lambda manifest: manifest["formats"].remove("trec")),
        "files: trec/moments.tsv is there, but the manifest says nothing of the format trec",
    ),
    (in_text("sampling.csv", r"0\.\d+", "0.01"), "sampling: sampling.csv, line"),
    (in_text("moment_ids.csv", r"(?m)^.*\n\Z", ""), "moment ids: moment_ids.csv: found"),
    (in_text("trec/qrels.val.txt", r"(?m)\d$", "1"), "trec: trec/: trec, val: grade 1 is"),
    (in_text("capsule/requirements.txt", r"numpy==\S+", "numpy"), "capsule: capsule/requirements.txt: found 'numpy"),
    (in_text("croissant/croissant.json", r"\"sha256\": \"\w", '"sha256": "x'), "croissant: croissant/croissant.json"),
]


@pytest.mark.parametrize(("change", "line"), COVERED_UP, ids=[line for _, line in COVERED_UP])
def test_what_contradicts_the_rest_is_found_with_every_digest_written_anew(
    change: Callable[[Path], None], line: str, whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(whole)
    restate(whole)
    code, said = verified(capsys, whole)
    assert code == 1
    assert any(one.startswith(line) for one in said.splitlines()), said
    assert line.startswith("files") or "files: holds: " in said
    assert "digest: holds: " in said


def test_an_older_release_is_verified_as_far_as_it_states(default: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def make_older(manifest: Any) -> None:
        del manifest["digest"], manifest["statistics"]["splits"]["all"], manifest["statistics"]["judging"]
        del manifest["statistics"]["splits"]["val"]["extent"]
        manifest["manifest_version"] = 2

    edit(default, "manifest.json", make_older)
    code, said = verified(capsys, default)
    assert code == 0, said
    assert "digest: not stated: manifests have one from version 3 on, this is version 2" in said
    assert "digest: holds" not in said and "consensus: " not in said
    edit(default, "manifest.json", lambda manifest: manifest.pop("statistics"))
    code, said = verified(capsys, default)
    assert code == 0 and "table 1: not stated: manifest.json has no statistics" in said


def test_a_query_whose_pairs_are_all_discarded_is_in_no_split_and_still_counted(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world: World = request.getfixturevalue("unjudged")
    for rank in (1, 2, 3):
        world.judge(world.pair("102", rank), ("bo", 0), ("cy", 4), ("di", 1), ("ed", 3))
    world.judge_all()
    release = create_release(collection=world.collection, name="v1", formats=["tvr-ranking", "tables"], depths=[1])
    write_release(release=release, folder=tmp_path / "out")
    code, said = verified(capsys, tmp_path / "out")
    assert code == 0, said
    assert "consensus: holds" in said and "consensus: not recomputable: the shares of val and of test, since" in said
    assert "table 4: not recomputable: moments of training, which needs the top 40 of each query" in said
    edit(
        tmp_path / "out",
        "manifest.json",
        lambda manifest: manifest["statistics"]["judging"]["both"].update(judgments=1),
    )
    restate(tmp_path / "out")
    code, said = verified(capsys, tmp_path / "out")
    assert code == 1 and "consensus: manifest.json: statistics.judging.both.judgments is 1, but" in said


def test_what_is_no_release_is_refused(tmp_path: Path, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text.tar.gz").write_text("no archive")
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("x")
    with tarfile.open(tmp_path / "outside.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "file", "../manifest.json")
    with tarfile.open(tmp_path / "link.tar.gz", "w:gz") as tar:
        entry = tarfile.TarInfo("v1/manifest.json")
        entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/hostname"
        tar.addfile(entry)
    for name in ("text.tar.gz", "empty", "nowhere", "outside.tar.gz", "link.tar.gz"):
        assert main(["verify", str(tmp_path / name)]) == 2
        said = capsys.readouterr()
        assert said.out == "" and str(tmp_path / name) in said.err
    assert not (tmp_path.parent / "manifest.json").exists()


def test_a_damaged_manifest_is_named_not_refused(default: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in (b"{", b"[]", b"\xff", b'{"files": 3, "formats": 7, "training_depths": [true], "settings": 1}'):
        (default / "manifest.json").write_bytes(content)
        code, said = verified(capsys, default)
        assert code == 1 and said.splitlines()[0].startswith("files: manifest.json lists no files")
        assert "digest: manifest.json" in said


def test_without_pyarrow_its_formats_are_said_to_be_unread(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    lines = verify_release(whole).lines()
    assert "parquet: not recomputable: its tables are read by pyarrow, which isn't installed" in lines
    assert any(line.startswith("beir: holds") for line in lines)


def test_a_certificate_is_computed_anew(default: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queries = json.loads((default / "test.json").read_text())
    runs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, step in zip(runs, (1, -1), strict=True):
        answers = [
            {"query_id": query["query_id"], "predictions": [
                {"video_name": moment["video_name"], "timestamp": moment["timestamp"], "score": -step * place}
                for place, moment in enumerate(query["relevant_moment"])
            ][:3][::step]}
            for query in queries
        ]  # fmt: skip
        path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert main(["certificate", str(default / "test.json"), *map(str, runs), "--json"]) == 0
    certificate = tmp_path / "certificate.json"
    certificate.write_text(capsys.readouterr().out)
    asked: list[str | Path] = ["--certificate", certificate, "--runs", *runs]
    code, said = verified(capsys, default, *asked)
    assert code == 0 and "certificate: holds: the certificate is what these runs give on this release" in said
    edit(tmp_path, "certificate.json", lambda figures: figures["runs"][1].update(unique=99))
    code, said = verified(capsys, default, *asked)
    assert code == 1
    assert "certificate: certificate.json, test.runs[2].unique: found 99, but these runs give 0" in said
    assert main(["verify", str(default), *map(str, asked[:-1])]) == 2
    assert "test: found the run 'two', expected one of --runs" in capsys.readouterr().err
    for key, value in (("iou", "wide"), ("runs", 7), ("next_judgments", None), ("ground_truth", "mine.json")):
        broken = tmp_path / "broken.json"
        broken.write_text(json.dumps(json.loads(certificate.read_text()) | {key: value}))
        assert main(["verify", str(default), "--certificate", str(broken), "--runs", *map(str, runs)]) == 2
        assert "expected a certificate of val or test" in capsys.readouterr().err


def test_a_terminal_is_told_how_far_it_is(default: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    class Terminal:
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> None:
            told.append(text)

        def flush(self) -> None:
            pass

    monkeypatch.setattr("sys.stderr", Terminal())
    with StageLine() as stage:
        assert verify_release(default, stage).hold
    assert any("Hashing: " in text for text in told) and any("Judgments: " in text for text in told)
    assert told[-2].startswith("\r")


def test_every_claim_is_in_the_manual() -> None:
    section = (ROOT / "docs" / "evaluation.md").read_text().split("\n## verify\n")[1].split("\n## ")[0]
    told = set(re.findall(r"`([a-z0-9 -]+)`", section))
    assert set(CLAIMS) - told == {"table 3", "history"}
    assert "Table 3" in section and "work" in section
