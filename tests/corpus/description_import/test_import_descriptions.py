"""Importing descriptions: a file is taken whole or not at all, and says what is wrong with it."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.description_formats import BadFile
from corpus.description_import.import_descriptions import ImportReport, import_descriptions
from corpus.models import Description, Moment, Video
from foundation.models import Collection, Kind
from tests.corpus.conftest import row
from tests.paths import DATA, NO_DATA

Write = Callable[..., Path]

SHARED = DATA
REAL_TVR = Path(os.environ.get("QREELS_DATA") or SHARED) / "tvr" / "tvr_val_part.jsonl"


def take(collection: Collection, path: Path) -> ImportReport:
    report = import_descriptions(collection=collection, path=path, format_name="tvr")
    return replace(report, format="")


def counts() -> tuple[int, int, int]:
    return Description.objects.count(), Moment.objects.count(), Video.objects.count()


def test_a_good_file_is_imported_as_it_stands(collection: Collection, tvr: Write) -> None:
    odd = row(2, vid_name=" other ", desc="  ADA  waits.", type="vt", desc_id=" s-2 ", duration=...)
    path = tvr(row(1), b"", odd, row(3, ts=[0, 61], type="t"))
    assert take(collection, path) == ImportReport(added=3, unchanged=0, moments=3, videos=2)
    waits = Description.objects.get(source_id="s-2")
    assert (waits.text, waits.normalised, waits.kind) == ("  ADA  waits.", "ada waits.", "vt")
    assert (waits.moment.video.name, waits.moment.video.duration) == ("other", None)
    assert (waits.moment.start, waits.moment.end) == (2.0, 4.5)
    assert Video.objects.get(name="film").duration == 60.0


def test_the_same_file_again_changes_nothing(collection: Collection, tvr: Write) -> None:
    path = tvr(row(1), row(2), row(3, vid_name="other"))
    take(collection, path)
    before = list(Description.objects.order_by("pk").values())
    assert take(collection, path) == ImportReport(added=0, unchanged=3, moments=0, videos=0)
    assert list(Description.objects.order_by("pk").values()) == before
    assert counts() == (3, 3, 2)


def test_a_longer_file_adds_only_what_is_new(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1)))
    assert take(collection, tvr(row(1), row(2))) == ImportReport(added=1, unchanged=1, moments=1, videos=0)


def test_two_descriptions_of_one_moment_share_it(collection: Collection, tvr: Write) -> None:
    report = take(collection, tvr(row(1), row(2, ts=row(1)["ts"])))
    assert report == ImportReport(added=2, unchanged=0, moments=1, videos=1)
    assert Moment.objects.get().descriptions.count() == 2


def test_a_row_repeated_in_the_file_counts_as_unchanged(collection: Collection, tvr: Write) -> None:
    assert take(collection, tvr(row(1), row(1))) == ImportReport(added=1, unchanged=1, moments=1, videos=1)


OTHER_CONTENT = {
    "another text": {"desc": "Ada shuts the door."},
    "another kind": {"type": "t"},
    "another stretch": {"ts": [1, 3.25]},
    "another video": {"vid_name": "other"},
}


@pytest.mark.parametrize("change", OTHER_CONTENT.values(), ids=OTHER_CONTENT)
def test_an_id_with_other_content_in_the_file_is_refused(
    collection: Collection, tvr: Write, change: dict[str, Any]
) -> None:
    with pytest.raises(BadFile) as refusal:
        take(collection, tvr(row(1), row(2), row(1, **change)))
    expected = "line 3, id: found '1' with other content, expected an id of its own (line 1 has it too)"
    assert expected in str(refusal.value)
    assert counts() == (0, 0, 0)


def test_collections_do_not_share_ids(collection: Collection, tvr: Write) -> None:
    other = Collection.objects.create(name="second", title="Second")
    take(collection, tvr(row(1)))
    assert take(other, tvr(row(1, desc="Something else."))).added == 1


def test_one_bad_row_and_nothing_is_imported(collection: Collection, tvr: Write) -> None:
    with pytest.raises(BadFile, match="Nothing was imported: 1 problem"):
        take(collection, tvr(row(1), row(2), row(3), row(4, type="x"), row(5)))
    assert counts() == (0, 0, 0)


@pytest.mark.parametrize("content", [b"", b"\n \n\n"], ids=["nothing at all", "empty lines only"])
def test_a_file_without_a_description_is_refused(collection: Collection, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(BadFile, match=r"rows\.jsonl, line 1, file: found no description, expected at least one"):
        take(collection, path)


def test_a_byte_order_mark_at_the_beginning_is_passed_over(collection: Collection, tvr: Write) -> None:
    assert take(collection, tvr(b"\xef\xbb\xbf" + json.dumps(row(1)).encode(), row(2))).added == 2


def test_a_collection_can_allow_a_later_end(collection: Collection, tvr: Write) -> None:
    collection.end_slack = 5
    assert take(collection, tvr(row(ts=[50, 65]))).added == 1
    with pytest.raises(BadFile, match="slack 5 s"):
        take(collection, tvr(row(2, ts=[50, 65.1])))


def test_the_first_ten_problems_are_shown_and_all_counted(collection: Collection, tvr: Write) -> None:
    with pytest.raises(BadFile) as refusal:
        take(collection, tvr(row(30), *(row(number, type="x") for number in range(1, 26)), row(31)))
    lines = str(refusal.value).splitlines()
    assert lines[0] == "Nothing was imported: 25 problems."
    assert [line.split(",")[1] for line in lines[1:-1]] == [f" line {number}" for number in range(2, 12)]
    assert lines[-1] == "... and 15 more"
    assert (refusal.value.total, len(refusal.value.problems)) == (25, 10)


def test_rows_must_agree_on_a_video_s_duration(collection: Collection, tvr: Write) -> None:
    with pytest.raises(BadFile, match=r"line 2, duration: found 61 s, expected 60 s, as another row says of film"):
        take(collection, tvr(row(1), row(2, duration=61)))


def test_a_duration_stated_later_is_kept(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1, duration=...), row(2)))
    assert Video.objects.get().duration == 60.0


@pytest.mark.parametrize("late_first", [True, False], ids=["before the duration is stated", "after it"])
def test_a_row_without_duration_may_not_end_past_its_video(
    collection: Collection, tvr: Write, late_first: bool
) -> None:
    late, stated = row(1, ts=[50, 90], duration=...), row(2)
    with pytest.raises(BadFile, match=r"within the video's 60 s \(slack 1 s\)|a duration that reaches"):
        take(collection, tvr(*((late, stated) if late_first else (stated, late))))
    assert counts() == (0, 0, 0)


@pytest.mark.skipif(not REAL_TVR.is_file(), reason=NO_DATA)
def test_the_real_tvr_file_is_imported_whole(collection: Collection) -> None:
    report = take(collection, REAL_TVR)
    assert report == ImportReport(added=7_485, unchanged=0, moments=7_447, videos=1_497)
    assert counts() == (7_485, 7_447, 1_497)
    kinds = {kind: Description.objects.filter(kind=kind).count() for kind in Kind.values}
    assert kinds == {"v": 5_551, "vt": 1_270, "t": 664}
    assert take(collection, REAL_TVR) == ImportReport(added=0, unchanged=7_485, moments=0, videos=0)


def test_the_command_creates_the_collection_and_says_what_it_did(
    db: None, tvr: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("import_descriptions", "new-one", str(tvr(row(1), row(2))), "--format=tvr", "--title=A new one")
    collection = Collection.objects.get()
    assert (collection.name, collection.title, collection.has_clips) == ("new-one", "A new one", True)
    assert "2 descriptions added, 0 changed, 0 unchanged; 2 new moments in 1 new video." in capsys.readouterr().out


def test_the_command_creates_a_collection_without_clips(db: None, tvr: Write) -> None:
    call_command("import_descriptions", "sheets", str(tvr(row(1))), "--format=tvr", "--without-clips")
    assert Collection.objects.get().has_clips is False


def test_the_command_refuses_a_bad_file_and_leaves_no_collection(db: None, tvr: Write) -> None:
    with pytest.raises(CommandError, match=r"^Nothing was imported: 1 problem\.\nrows\.jsonl, line 1, type: "):
        call_command("import_descriptions", "paper", str(tvr(row(type="x"))), "--format=tvr")
    assert not Collection.objects.exists()


@pytest.mark.parametrize("name", ["Paper", "paper-é", "pa per", "", "p" * 61, "papier-mâché", "paper\n"])
def test_the_command_refuses_a_bad_collection_name(db: None, tvr: Write, name: str) -> None:
    with pytest.raises(CommandError, match=r"can't name a collection: "):
        call_command("import_descriptions", name, str(tvr(row(1))), "--format=tvr")
    assert not Collection.objects.exists()


def test_the_command_refuses_what_is_no_file(db: None, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "gone.jsonl"):
        with pytest.raises(CommandError, match=r"is not a file\.$"):
            call_command("import_descriptions", "paper", str(path), "--format=tvr")


def test_the_command_refuses_a_format_it_does_not_know(db: None, tvr: Write) -> None:
    with pytest.raises(CommandError, match="invalid choice: 'srt'"):
        call_command("import_descriptions", "paper", str(tvr(row(1))), "--format=srt")
