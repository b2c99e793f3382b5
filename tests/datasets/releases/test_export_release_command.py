"""`manage.py export_release COLLECTION DIR [--release NAME] [--format FMT]...`."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from datasets.models import Release
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World


def export(*arguments: object) -> str:
    out = StringIO()
    call_command("export_release", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_it_writes_the_release_and_says_what_is_in_it(judged: World, tmp_path: Path) -> None:
    said = export("tiny", tmp_path / "out", "--release", "v1", "--format", "tvr-ranking")
    assert check_release(tmp_path / "out") == []
    assert f"Release v1 of tiny (made now) written to {tmp_path / 'out'}:" in said
    assert "val: 2 of 2 queries, 5 pairs with a grade, 1 discarded, 18 judgments.\n" in said
    assert "test: 2 of 2 queries, 9 pairs with a grade, 0 discarded, 24 judgments.\n" in said
    assert "training: 7 queries; 3 videos; 4 workers." in said
    size = (tmp_path / "out" / "raw_annotations.csv").stat().st_size
    assert f"raw_annotations.csv                      {size:,} bytes" in said


def test_an_existing_name_gives_the_same_bytes_again(unjudged: World, tmp_path: Path) -> None:
    unjudged.judge(unjudged.pair("101", 1), ("bo", 3), ("cy", 4))
    said = export("tiny", tmp_path / "one", "--release", "v1")
    assert said.index("pairs are not decided yet and left out of this release.\n") < said.index("made now")
    assert "val: 1 of 2 queries, 1 pair with a grade, 0 discarded, 2 judgments; 5 pairs are not decided yet" in said
    unjudged.judge_all()
    assert "unchanged) written to" in export("tiny", tmp_path / "two", "--release", "v1")
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_repeating_it_changes_nothing(judged: World, tmp_path: Path) -> None:
    export("tiny", tmp_path / "out")
    said = export("tiny", tmp_path / "out")
    name = Release.objects.get().name
    assert f"Release {name} of tiny (made " in said
    assert f"unchanged) was already in {tmp_path / 'out'}:" in said


def test_it_shows_its_progress(judged: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export("tiny", tmp_path / "out")
    said = capsys.readouterr().err
    shown = [f"{stage}: 100%" for stage in ("Reading texts", "Releasing", "Hashing", "Packing", "Unpacking")]
    # One after the other: no stage is silent, however large the collection.
    assert [stage for stage in shown if stage in said] == shown == sorted(shown, key=said.index)
    call_command("check_release", tmp_path / "out", stdout=StringIO())
    said = capsys.readouterr().err
    for stage in ("Hashing", "Judgments", "val", "test", "Training"):
        assert f"{stage}: " in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere", "out"], "There is no collection 'nowhere'. Collections: tiny."),
        (["tiny", "out", "--release", "a/b"], "'a/b' can't name a release: letters, digits, dots"),
        (["tiny", "out", "--format", "xml"], "There is no format 'xml'; formats: beir, capsule, croissant, datasheet"),
        (["tiny", "out", "--train-top", "0"], "Found 0 moments a training query, expected at least 1."),
        (["tiny", "out"], "No pair has a grade yet: open judging, and have pairs judged first."),
    ],
)
def test_what_cannot_be_exported_is_a_clear_sentence(
    unjudged: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError) as error:
        export(*arguments)
    assert str(error.value).startswith(sentence)
    assert error.value.returncode == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_else_is_refused(judged: World, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match=r"exists and isn't release .* name a folder that doesn't exist\."):
        export("tiny", tmp_path)


def test_what_was_written_can_be_checked_by_a_command_and_a_change_is_told(judged: World, tmp_path: Path) -> None:
    export("tiny", tmp_path / "out", "--format", "tvr-ranking", "--format", "trec")
    out, err = StringIO(), StringIO()
    call_command("check_release", str(tmp_path / "out"), stdout=out, stderr=err)
    assert out.getvalue() == f"{tmp_path / 'out'} is consistent: all files, grades, splits and formats.\n"
    train = tmp_path / "out" / "train_top40.json"
    train.write_text(train.read_text().replace("A girl jumps.", "A man READS a letter."))
    with pytest.raises(CommandError, match=r"out is not consistent: \d+ problems\."):
        call_command("check_release", str(tmp_path / "out"), stdout=out, stderr=err)
    assert "has the same caption as query 104 of test.json" in err.getvalue()
    with pytest.raises(CommandError, match="is not consistent: 1 problem"):
        call_command("check_release", str(tmp_path / "nowhere"), stdout=out, stderr=err)
