"""A corrected file changes what differs, and nothing that judgments rest on; rejected rows are written down."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from corpus.description_formats import BadFile, FileChoices
from corpus.description_import.import_descriptions import ImportReport, import_descriptions, import_stream
from corpus.models import Clip, Description, Moment, Video
from foundation.models import Collection
from queries.models import Attempt, Caption
from queries.pooling.candidates import training_file
from tests.conftest import World
from tests.corpus.conftest import row

Write = Callable[..., Path]


def take(collection: Collection, path: Path, **options: Any) -> ImportReport:
    return import_descriptions(collection=collection, path=path, **options)


def did(report: ImportReport) -> tuple[int, int, int]:
    return report.added, report.changed, report.unchanged


def lines(collection: Collection, *rows: tuple[str, float, float, str]) -> ImportReport:
    """Import rows that have no ids."""
    content = "".join(f"{video} {start} {end}##{text}\n" for video, start, end, text in rows)
    return import_stream(
        collection=collection, file=io.BytesIO(content.encode()), name="rows.txt", choices=FileChoices("charades-sta")
    )


CORRECTIONS: dict[str, dict[str, Any]] = {
    "the text": {"desc": "Ada shuts door 1."},
    "the spelling alone": {"desc": "ADA opens  door 1."},
    "the kind": {"type": "vt"},
    "the start": {"ts": [0.5, 3.5]},
    "the end": {"ts": [1, 9]},
    "the video": {"vid_name": "other"},
    "everything": {"desc": "Bo sings.", "type": "t", "ts": [4, 5], "vid_name": "other"},
}


@pytest.mark.parametrize("change", CORRECTIONS.values(), ids=CORRECTIONS)
def test_a_corrected_row_changes_its_description(collection: Collection, tvr: Write, change: dict[str, Any]) -> None:
    take(collection, tvr(row(1), row(2)))
    before = Description.objects.get(source_id="1").pk
    corrected = row(1, **change)
    path = tvr(corrected, row(2), row(3))
    assert did(take(collection, path)) == (1, 1, 1)
    now = Description.objects.select_related("moment__video").get(source_id="1")
    assert now.pk == before
    assert (now.text, now.kind, now.moment.video.name) == (corrected["desc"], corrected["type"], corrected["vid_name"])
    assert [now.moment.start, now.moment.end] == corrected["ts"]
    assert now.normalised == corrected["desc"].lower().replace("  ", " ")
    assert did(take(collection, path)) == (0, 0, 3)


def test_a_moment_that_nothing_speaks_of_any_more_goes_with_its_clip(
    collection: Collection, tvr: Write, media: Path, django_capture_on_commit_callbacks: Any
) -> None:
    take(collection, tvr(row(1), row(2)))
    left = Moment.objects.get(start=1)
    (media / "clips").mkdir(parents=True)
    for name in ("a.mp4", "a.jpg"):
        (media / "clips" / name).write_bytes(b"x")
    Clip.objects.create(moment=left, video_file="clips/a.mp4", poster_file="clips/a.jpg")
    with django_capture_on_commit_callbacks(execute=True):
        report = take(collection, tvr(row(1, ts=[7, 8]), row(2)))
    assert (report.changed, report.moments, report.moments_removed) == (1, 1, 1)
    assert "1 moment without description removed" in report.in_words()
    assert sorted(Moment.objects.values_list("start", "end")) == [(2.0, 4.5), (7.0, 8.0)]
    assert not list((media / "clips").iterdir())


def test_a_moment_that_another_description_speaks_of_stays(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1), row(2, ts=row(1)["ts"])))
    report = take(collection, tvr(row(1, ts=[7, 8])))
    assert (report.changed, report.moments_removed, Moment.objects.count()) == (1, 0, 2)


def test_two_descriptions_can_change_places(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1), row(2)))
    report = take(collection, tvr(row(1, ts=row(2)["ts"]), row(2, ts=row(1)["ts"])))
    assert (report.changed, report.moments, report.moments_removed) == (2, 0, 0)


def test_a_corrected_duration_is_taken_over(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1), row(2)))
    path = tvr(row(1, duration=70.0), row(2, duration=70.0))
    report = take(collection, path)
    assert (did(report), report.retimed) == ((0, 0, 2), 1)
    assert Video.objects.get().duration == 70.0
    assert take(collection, path).retimed == 0


def test_a_duration_that_cuts_off_what_is_there_is_refused(collection: Collection, tvr: Write) -> None:
    take(collection, tvr(row(1), row(2, ts=[50, 59])))
    with pytest.raises(BadFile) as refusal:
        take(collection, tvr(row(1, duration=40.0)))
    assert "line 1, duration: found 40 s, expected a duration that reaches the moment of film that ends at 59 s" in str(
        refusal.value
    )
    # With the late moment corrected in the same file all is well.
    assert did(take(collection, tvr(row(1, duration=40.0), row(2, ts=[30, 39], duration=40.0)))) == (0, 1, 1)


def test_a_language_stated_later_is_a_change_and_one_left_out_is_none(collection: Collection, tvr: Write) -> None:
    made = {"id": 1, "video": "film", "start": 1, "end": 2, "text": "Ada waits."}
    take(collection, tvr(made), format_name="jsonl")
    assert did(take(collection, tvr({**made, "language": "en"}), format_name="jsonl")) == (0, 1, 0)
    assert did(take(collection, tvr(made), format_name="jsonl")) == (0, 0, 1)
    assert Description.objects.get().language == "en"


# --- files without ids ---

FILM = [("film", 1, 2, "Ada waits."), ("film", 3, 4, "Bo sings."), ("film", 5, 6, "Cy sleeps.")]


@pytest.mark.parametrize(
    "corrected",
    [("film", 3, 4, "Bo is singing."), ("film", 3.5, 4.5, "Bo sings.")],
    ids=["another text", "other times"],
)
def test_a_corrected_row_without_id_is_found_again(collection: Collection, corrected: tuple[Any, ...]) -> None:
    lines(collection, *FILM)
    before = set(Description.objects.values_list("pk", flat=True))
    assert did(lines(collection, FILM[2], corrected, FILM[0])) == (0, 1, 2)
    assert set(Description.objects.values_list("pk", flat=True)) == before
    assert did(lines(collection, FILM[2], corrected, FILM[0])) == (0, 0, 3)
    assert Moment.objects.count() == 3


def test_a_row_without_id_that_has_nothing_in_common_is_another(collection: Collection) -> None:
    lines(collection, *FILM)
    assert did(lines(collection, *FILM[:2], ("film", 7, 8, "Di laughs."))) == (1, 0, 2)


def test_more_rows_without_ids_about_the_same_moments_are_no_correction(collection: Collection) -> None:
    # As the two validation files of ActivityNet Captions: two people described the same videos.
    lines(collection, *FILM)
    others = [(video, start, end, f"Another says: {text}") for video, start, end, text in FILM]
    assert did(lines(collection, *others)) == (3, 0, 0)
    assert did(lines(collection, *FILM, *others)) == (0, 0, 6)


def test_an_addition_beside_a_known_description_of_the_moment_is_no_correction(collection: Collection) -> None:
    lines(collection, *FILM)
    assert did(lines(collection, *FILM, ("film", 3, 4, "Bo opens his mouth."))) == (1, 0, 3)


def test_where_two_could_be_meant_nothing_is_replaced(collection: Collection) -> None:
    double = [*FILM, ("film", 3, 4, "Bo opens his mouth.")]
    lines(collection, *double)
    report = lines(collection, FILM[0], FILM[2], ("film", 3, 4, "Bo yawns."))
    assert did(report) == (1, 0, 2)
    assert Description.objects.count() == 5


# --- what the rooms to the right hold ---


def rewrite_row(world: World, number: int, **changes: Any) -> dict[str, Any]:
    made = {"id": str(number), "video": "secret_video_name", "start": number, "end": number + 1}
    return {**made, "text": f"Rosa does secret thing {number}.", **changes}


def more_descriptions(world: World) -> Description:
    """A description with a caption that no candidate shows."""
    video = Video.objects.get()
    moment = Moment.objects.create(video=video, start=500, end=501)
    text = "Rosa does secret thing 500."
    made = Description.objects.create(
        collection=world.collection, moment=moment, source_id="500", text=text, normalised=text.lower()
    )
    attempt = Attempt.objects.create(
        description=made, number=1, text="x", rewriter="rules", similarity_passed=True, names_passed=True
    )
    Caption.objects.create(description=made, attempt=attempt, text="x", normalised="x", status="accepted")
    return made


@pytest.mark.parametrize(
    "change",
    [{"text": "Rosa does it."}, {"kind": "vt"}, {"end": 1.5}, {"language": "en"}],
    ids=["the text", "the kind", "the times", "the language"],
)
def test_what_queries_and_candidates_rest_on_does_not_change(world: World, tvr: Write, change: dict[str, Any]) -> None:
    free = more_descriptions(world)
    path = tvr(
        rewrite_row(world, 0, **{**change, **({"end": 0.5} if "end" in change else {})}),
        rewrite_row(world, 1, **change),
        rewrite_row(world, 500, text="Rosa is changed."),
    )
    with pytest.raises(BadFile) as refusal:
        take(world.collection, path, format_name="jsonl")
    assert str(refusal.value) == (
        "Nothing was imported: 2 problems.\n"
        "rows.jsonl, line 1, id: found '0' with other content, expected the content that is there: it is test query 1\n"
        "rows.jsonl, line 2, id: found '1' with other content, expected the content that is there: "
        "it is a candidate of a drawn query"
    )
    free.refresh_from_db()
    assert free.text == "Rosa does secret thing 500."
    assert Caption.objects.count() == 4


def test_the_same_content_of_what_is_held_is_no_change(world: World, tvr: Write) -> None:
    path = tvr(*(rewrite_row(world, number) for number in range(3)))
    assert did(take(world.collection, path, format_name="jsonl")) == (0, 0, 3)


def test_a_reworded_description_loses_its_caption_and_is_rewritten_again(
    world: World, tvr: Write, media: Path, django_capture_on_commit_callbacks: Any
) -> None:
    free = more_descriptions(world)
    stale = media / training_file(world.collection)
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"arrays of before")
    with django_capture_on_commit_callbacks(execute=True):
        report = take(world.collection, tvr(rewrite_row(world, 500, text="Rosa is changed.")), format_name="jsonl")
    assert did(report) == (0, 1, 0)
    assert not Caption.objects.filter(description=free).exists()
    assert not Attempt.objects.filter(description=free).exists()
    assert Caption.objects.count() == 3
    assert list(world.collection.descriptions.filter(caption__isnull=True)) == [free]
    assert not stale.exists()


def test_another_kind_keeps_the_caption(world: World, tvr: Write) -> None:
    free = more_descriptions(world)
    assert did(take(world.collection, tvr(rewrite_row(world, 500, kind="t")), format_name="jsonl")) == (0, 1, 0)
    assert Caption.objects.filter(description=free).exists()


def test_a_moment_that_a_candidate_needs_stays_without_description(world: World, tvr: Write) -> None:
    # A second description of a candidate's moment moves away; then the moment stands for the candidate alone.
    moved = more_descriptions(world)
    held = Moment.objects.get(start=2)
    lonely = moved.moment
    world.queries[0].candidates.filter(moment=held).update(moment=lonely)
    report = take(world.collection, tvr(rewrite_row(world, 500, start=600, end=601)), format_name="jsonl")
    assert (report.changed, report.moments_removed) == (1, 0)
    assert Moment.objects.filter(pk=lonely.pk).exists()


# --- leaving out bad rows ---


def test_good_rows_are_imported_and_the_others_written_down(collection: Collection, tvr: Write, tmp_path: Path) -> None:
    take(collection, tvr(row(9), name="earlier.jsonl"))
    path = tvr(
        row(1),
        b"{half",
        row(2, ts=[3, 2]),
        row(3),
        row(1, desc="Another."),
        b'{"desc": "caf\xe9"}',
        row(4, duration=99.0),
        row(5, vid_name="two", duration=...),
    )
    rejected = tmp_path / "rejected.jsonl"
    report = take(collection, path, format_name="tvr", rejected=rejected)
    assert (did(report), report.rejected) == ((3, 0, 0), 5)
    assert sorted(Description.objects.values_list("source_id", flat=True)) == ["1", "3", "5", "9"]
    assert [problem.line for problem in report.problems] == [2, 3, 5, 6, 7]
    written = [json.loads(line) for line in rejected.read_text().splitlines()]
    assert sorted(facts["line"] for facts in written) == [2, 3, 5, 6, 7]
    by_line = {facts.pop("line"): facts for facts in written}
    assert by_line[3] == {
        "field": "ts",
        "found": "[3, 2]",
        "expected": "a start before the end",
        "row": row(2, ts=[3, 2]),
    }
    assert by_line[5]["row"] == row(1, desc="Another.")
    assert by_line[2]["row"] == "{half"
    assert by_line[6]["row"] == '{"desc": "caf\\xe9"}'
    assert by_line[7]["found"] == "99 s"
    assert Video.objects.get(name="film").duration == 60.0


def test_rejected_rows_that_are_mended_can_be_imported(collection: Collection, tvr: Write, tmp_path: Path) -> None:
    rejected = tmp_path / "rejected.jsonl"
    take(collection, tvr(row(1), row(2, type="x")), format_name="tvr", rejected=rejected)
    mended = [json.loads(line)["row"] | {"type": "v"} for line in rejected.read_text().splitlines()]
    assert did(take(collection, tvr(*mended, name="mended.jsonl"))) == (1, 0, 0)


def test_rows_that_are_held_are_left_out(world: World, tvr: Write, tmp_path: Path) -> None:
    path = tvr(rewrite_row(world, 0, text="Rosa does it."), rewrite_row(world, 7))
    report = take(world.collection, path, format_name="jsonl", rejected=tmp_path / "rejected.jsonl")
    assert (did(report), report.rejected) == ((1, 0, 0), 1)


def test_a_row_left_out_has_no_say_in_a_duration(world: World, tvr: Write, tmp_path: Path) -> None:
    path = tvr(rewrite_row(world, 0, text="Rosa does it.", duration=1200), rewrite_row(world, 7))
    take(world.collection, path, format_name="jsonl", rejected=tmp_path / "rejected.jsonl")
    assert Video.objects.get().duration == 1000.0


def test_without_a_good_row_nothing_is_imported(collection: Collection, tvr: Write, tmp_path: Path) -> None:
    rejected = tmp_path / "rejected.jsonl"
    with pytest.raises(BadFile, match="Nothing was imported: 2 problems"):
        take(collection, tvr(row(1, type="x"), row(2, type="x")), format_name="tvr", rejected=rejected)
    assert list(tmp_path.glob("rejected*")) == []


def test_a_file_that_breaks_off_is_refused_though_bad_rows_may_be_left_out(
    collection: Collection, tmp_path: Path
) -> None:
    path = tmp_path / "net.json"
    path.write_text('{"v_a": {"duration": 60, "timestamps": [[0, 5]], "sentences": ["Ada waits."]}, "v_b": {"dur')
    with pytest.raises(BadFile, match="the string ends"):
        take(collection, path, rejected=tmp_path / "rejected.jsonl")
    assert Description.objects.count() == 0


def test_the_command_leaves_out_bad_rows_and_says_where_they_are(
    db: None, tvr: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call_command("import_descriptions", "paper", str(tvr(row(1), row(2, type="x"))), "--skip-bad")
    printed = capsys.readouterr().out.splitlines()
    assert printed == [
        "Detected format: tvr (--format overrides it).",
        "1 description added, 0 changed, 0 unchanged; 1 new moment in 1 new video; 1 row rejected.",
        f"The rejected rows with their reasons are in {tmp_path}/rows.jsonl.rejected.jsonl:",
        "  rows.jsonl, line 2, type: found 'x', expected one of v, t, vt",
    ]
    assert len((tmp_path / "rows.jsonl.rejected.jsonl").read_text().splitlines()) == 1
