"""`import_judgments`: files of judgments made elsewhere become judgments under the collection's rule."""

import doctest
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Batch, Judgment, Pair
from annotation.replay import replay_collection
from annotation.states import rule_of, settle_batch
from corpus.models import Account, Collection, Description, Membership, Moment, Video
from corpus.services import add_member
from datasets import judgment_staging
from datasets.formats.tvr_ranking import RAW_COLUMNS
from datasets.judgments_from_elsewhere import import_judgments
from queries.models import Candidate, Caption, Query
from queries.selection import SelectionError, select_queries
from tests.datasets.judgment_files import JUDGED, QUERIES, choice, row, stars, task, write_raw

pytestmark = pytest.mark.django_db


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("import_judgments", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    return write_raw(tmp_path / "raw_annotations.csv", JUDGED)


def refusal(name: str, path: Path, *options: str) -> str:
    """What the command says of a file that it refuses; nothing may be there afterwards."""
    before = tuple(model.objects.count() for model in (Collection, Video, Membership, Judgment, Pair))
    with pytest.raises(CommandError) as refused:
        run(name, path, *options)
    assert before == tuple(model.objects.count() for model in (Collection, Video, Membership, Judgment, Pair))
    return str(refused.value)


def pair(query: str, video: str, start: float) -> Pair:
    return Pair.objects.get(
        candidate__query__text=QUERIES[query], candidate__moment__video__name=video, candidate__moment__start=start
    )


def test_a_new_collection_gets_all_that_the_judgments_need(raw: Path) -> None:
    said = run("fresh", raw, "--title", "Fresh")
    assert "11 judgments added, 0 unchanged; 2 new queries, 4 new pairs, 4 new workers." in said
    assert "Of the pairs that got judgments 2 graded, 1 discarded, 0 in the second round, 1 in the first round." in said
    collection = Collection.objects.get(name="fresh")
    assert (collection.title, collection.has_clips) == ("Fresh", False)
    assert {(member.worker, member.role, member.account) for member in collection.memberships.all()} == {
        (worker, "annotator", None) for worker in ("w1", "w2", "w3", "w4")
    }
    assert set(Video.objects.values_list("name", "duration")) == {("alpha", 60.5), ("beta", None)}
    assert Moment.objects.count() == 3
    assert list(Query.objects.order_by("position").values_list("description__source_id", "split", "text")) == [
        ("11", "test", QUERIES["11"]),
        ("12", "test", QUERIES["12"]),
    ]
    assert {caption.status for caption in Caption.objects.all()} == {"accepted"}
    ranked = Candidate.objects.filter(query__text=QUERIES["11"]).order_by("rank")
    assert [(found.rank, found.similarity, found.caption.text) for found in ranked] == [
        (1, 1.0, "A woman opens the door."),
        (2, 0.7, "A man pours coffee."),
    ]


def test_the_collections_rule_decides_and_rounds_follow_the_order_of_the_file(raw: Path) -> None:
    run("fresh", raw)
    assert [(p.status, p.grade, p.version) for p in Pair.objects.order_by("pk")] == [
        ("consensus", 4, 2),
        ("consensus", 1, 4),
        ("discarded", None, 4),
        ("open", None, 1),
    ]
    rounds = Judgment.objects.filter(pair=pair("12", "alpha", 5.0)).order_by("pk")
    assert [(one.annotator.worker, one.grade, one.round) for one in rounds] == [
        ("w1", 0, 1),
        ("w2", 4, 1),
        ("w4", 1, 2),
        ("w3", 3, 2),
    ]
    collection = Collection.objects.get()
    assert replay_collection(collection=collection, rule=rule_of(collection)).changed == 0


def test_importing_again_changes_nothing_and_says_so(raw: Path) -> None:
    run("fresh", raw)
    before = list(Pair.objects.order_by("pk").values())
    assert run("fresh", raw) == ("0 judgments added, 11 unchanged; 0 new queries, 0 new pairs, 0 new workers.\n")
    assert before == list(Pair.objects.order_by("pk").values())
    assert Judgment.objects.count() == 11


def test_a_longer_file_adds_what_is_new_and_ends_the_round(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    longer = write_raw(tmp_path / "longer.csv", [*JUDGED, row("w3", 2, query="12", moment=2)])
    assert "1 judgments added, 11 unchanged; 0 new queries" in run("fresh", longer)
    assert (pair("12", "beta", 0.0).status, pair("12", "beta", 0.0).grade) == ("consensus", 2)
    assert Batch.objects.get(query__text=QUERIES["12"]).status == "finished"


@pytest.mark.parametrize(
    ("size", "deep", "statuses"),
    [
        (1, 2, ["extended", "extended", "first"]),
        (2, 2, ["extended", "first"]),
        (3, 2, ["first"]),
    ],
)
def test_batches_have_the_collections_size_and_their_status_is_what_settling_each_gives(
    tmp_path: Path, size: int, deep: int, statuses: list[str]
) -> None:
    collection = Collection.objects.create(name="sized", title="Sized", has_clips=False, batch_size=size)
    rows = [row(worker, 3, moment=moment) for moment in range(deep) for worker in ("w1", "w2")]
    import_judgments(collection=collection, path=write_raw(tmp_path / "a.csv", [*rows, row("w1", 1, moment=2)]))
    batches = list(Batch.objects.order_by("number"))
    assert [batch.status for batch in batches] == statuses
    assert all(batch.begun_at is not None for batch in batches)
    assert [settle_batch(batch.pk) for batch in batches] == statuses


@pytest.mark.parametrize("max_batches", [1, 2])
@pytest.mark.parametrize("grades", [(3, 4), (0, 4), (0, 4, 0, 1), (2,)], ids=str)
def test_a_single_batch_is_as_settling_it_leaves_it(tmp_path: Path, grades: tuple[int, ...], max_batches: int) -> None:
    collection = Collection.objects.create(name="one", title="One", batch_size=3, max_batches=max_batches)
    rows = [row(f"w{number}", grade) for number, grade in enumerate(grades)]
    rows += [row(worker, 1, moment=1) for worker in ("w1", "w2")]
    import_judgments(collection=collection, path=write_raw(tmp_path / "a.csv", rows))
    imported = Batch.objects.get().status
    Batch.objects.update(status="decided" if imported == "first" else "first")
    assert settle_batch(Batch.objects.get().pk) == imported


def test_the_split_is_asked_for_and_the_queries_can_not_be_drawn_again(raw: Path) -> None:
    run("fresh", raw, "--split", "val")
    assert set(Query.objects.values_list("split", "position")) == {("val", 1), ("val", 2)}
    with pytest.raises(SelectionError, match="came with imported judgments"):
        select_queries(collection=Collection.objects.get(), val=1, test=0, seed=1)


def test_a_query_whose_own_moment_is_not_in_the_file_keeps_its_id_and_accepts_no_caption(tmp_path: Path) -> None:
    path = write_raw(tmp_path / "a.csv", [row("w1", 1, moment=2), row("w2", 1, moment=2)])
    run("fresh", path)
    query = Query.objects.get()
    assert query.description.source_id == "11"
    assert query.description.caption.status == "refused"
    assert list(Caption.objects.filter(status="accepted").values_list("text", flat=True)) == ["Two people dance."]


def test_a_source_id_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    collection = Collection.objects.create(name="taken", title="Taken")
    moment = Moment.objects.create(video=Video.objects.create(collection=collection, name="other"), start=1, end=2)
    Description.objects.create(collection=collection, moment=moment, source_id="11", text="Else", normalised="else")
    run("taken", write_raw(tmp_path / "a.csv", JUDGED))
    query = Query.objects.get(text=QUERIES["11"])
    assert query.description.source_id.startswith("query-")
    assert query.description.caption.status == "accepted"


def test_a_second_file_with_other_queries_shares_the_moments_and_keeps_its_ids(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    dance = {"query": "Two people dance.", "query_id": "13", "pair_id": "x"}
    run("fresh", write_raw(tmp_path / "b.csv", [row("w1", 4, moment=2, similarity=1.0) | dance]), "--split", "val")
    assert Query.objects.get(text="Two people dance.").description.source_id == "13"
    assert Moment.objects.count() == 3


def test_it_shows_its_progress(raw: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("fresh", raw)
    assert "Importing: 11 judgments" in capsys.readouterr().err


FAULTS = {
    "a worker twice on a pair": (
        [row("w1", 3), row("w1", 3)],
        "line 3, worker: found 'w1' a second time, expected one judgment a worker and pair; the first is in line 2",
    ),
    "a grade outside the scale": ([row("w1", 5)], "line 2, relevance: found '5', expected a whole number from 0 to 4"),
    "a grade that is no whole number": ([row("w1", "3.0")], "line 2, relevance: found '3.0', expected a whole"),
    "a third judgment of a decided pair": (
        [row("w1", 3), row("w2", 3), row("w3", 3)],
        "line 4, relevance: found judgment 3 of its pair, expected no third judgment: the first 2 decide it",
    ),
    "more than four": (
        [row(f"w{number}", grade) for number, grade in enumerate((0, 4, 1, 3, 2))],
        "line 6, relevance: found judgment 5 of its pair, expected at most 4 judgments a pair",
    ),
    "an unknown similarity": ([row("w1", 3, similarity="")], "line 2, similarity: found '', expected a number"),
    "a similarity that is none": ([row("w1", 3, similarity="nan")], "line 2, similarity: found 'nan', expected"),
    "a similarity outside": (
        [row("w1", 3, similarity=1.5)],
        "line 2, similarity: found 1.5, expected a number from -1",
    ),
    "a timestamp that is no JSON": (
        [row("w1", 3, timestamp="[1, 2")],
        "line 2, timestamp: found '[1, 2', expected a JSON list [start, end] in seconds",
    ),
    "a timestamp that ends too soon": (
        [row("w1", 3, timestamp="[4, 4]")],
        "line 2, timestamp: found [4, 4], expected a start before the end",
    ),
    "a timestamp without end": ([row("w1", 3, timestamp="[1, NaN]")], "line 2, timestamp: found [1, nan], expected"),
    "a moment past its video": (
        [row("w1", 3, duration=2)],
        "line 2, timestamp: found [0.5, 4.25], expected an end within the video's 2 s (slack 1 s)",
    ),
    "a moment past the duration that another row states": (
        [row("w1", 3, duration=5), row("w1", 3, moment=1, duration="")],
        "line 3, timestamp: found [5, 9], expected an end within the video's 5 s (slack 1 s)",
    ),
    "an empty query": ([row("w1", 3, query_id="11") | {"query": " "}], "line 2, query: found ' ', expected a sentence"),
    "a query that is a book": ([row("w1", 3) | {"query": "word " * 900}], "expected a sentence of at most 2,000 bytes"),
    "a caption that is a book": ([row("w1", 3, caption="é" * 1_001)], "expected a sentence of at most 2,000 bytes"),
    "a number past all numbers": ([row("w1", 3, duration="1e999")], "line 2, duration: found inf, expected seconds"),
    "a number with an underscore": ([row("w1", 3, similarity="0_1")], "line 2, similarity: found '0_1', expected a"),
    "a NUL in a text": ([row("w1", 3) | {"caption": "a\x00b"}], "expected"),
    "other texts for one query_id": (
        [row("w1", 3), row("w1", 3, moment=1) | {"query": "Something else."}],
        "line 3, query: found 'Something else.', expected the text that this query_id has in line 2",
    ),
    "other ids for one query": (
        [row("w1", 3), row("w1", 3, moment=1, query_id="99")],
        "line 3, query_id: found '99', expected the query_id that this query has in line 2",
    ),
    "one pair_id for two pairs": (
        [row("w1", 3), row("w1", 3, moment=1, pair_id="110")],
        "line 3, pair_id: found '110', expected the query and moment that this pair_id has in line 2",
    ),
    "two pair_ids for one pair": (
        [row("w1", 3), row("w2", 3, pair_id="7")],
        "line 3, pair_id: found '7', expected the pair_id that this pair has in line 2",
    ),
    "two similarities for one pair": (
        [row("w1", 3), row("w2", 3, similarity=0.5)],
        "line 3, similarity: found '0.5', expected the similarity of this pair in line 2",
    ),
    "two captions for one pair": (
        [row("w1", 3), row("w2", 3, caption="Else.")],
        "line 3, caption: found 'else.', expected the caption of this pair in line 2",
    ),
    "two durations for one video": (
        [row("w1", 3), row("w1", 3, moment=1, duration=70)],
        "line 3, duration: found '70', expected within 0.5 s of what this video has in line 2",
    ),
    "a mail address": ([row("ada@example.org", 3)], "line 2, worker: found 'a mail address', expected a pseudonym"),
    "no worker": ([row("", 3)], "line 2, worker: found '', expected a pseudonym of 1 to 40 characters"),
    "nothing": ([], "line 1, file: found no judgment, expected one or more"),
}


@pytest.mark.parametrize(("rows", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_reported_with_its_line_and_nothing_is_kept(
    tmp_path: Path, rows: list[dict[str, object]], sentence: str
) -> None:
    said = refusal("fresh", write_raw(tmp_path / "a.csv", rows))
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert sentence in said


RAW_BYTES = {
    "another header": (
        b"pair_id,worker,relevance\n0,4,4\n",
        "line 1, header: found 'pair_id,worker,relevance', expected",
    ),
    "Latin-1": (None, "line 2, encoding: found b'\\xe9', expected UTF-8 (byte "),
    "an open quotation mark": (b'"open', "CSV: found"),
    "no bytes at all": (b"", "line 1, header: found ''"),
    "too few columns": (b"short,row\n", "line 2, columns: found 2, expected 10"),
    "a line without end": (b"x" * 1_000_001, "line 2, line: found a longer one, expected lines of at most"),
}


@pytest.mark.parametrize(("content", "sentence"), RAW_BYTES.values(), ids=RAW_BYTES)
def test_a_file_that_can_not_be_read_is_reported(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    header = write_raw(tmp_path / "header.csv", []).read_bytes()
    if content is None:
        whole = write_raw(tmp_path / "a.csv", [row("w1", 3, caption="In a café.")]).read_bytes()
        content = whole.decode().encode("latin-1")
    elif sentence.startswith("line 2") or content.startswith(b'"'):
        content = header + content
    (tmp_path / "bad.csv").write_bytes(content)
    said = refusal("fresh", tmp_path / "bad.csv")
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert sentence in said


def test_a_byte_order_mark_windows_line_ends_other_columns_and_another_order_do_no_harm(tmp_path: Path) -> None:
    columns = ("", *reversed(RAW_COLUMNS), "note")
    path = write_raw(tmp_path / "a.csv", [{**one, "": "7", "note": "x"} for one in JUDGED], columns)
    assert b"\r\n" in path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert "11 judgments added" in run("fresh", path)


def test_twenty_problems_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    rows = [row(f"w{number}", 9) for number in range(30)] + [row("w1", 3), row("w1", 3)]
    said = refusal("fresh", write_raw(tmp_path / "a.csv", rows))
    assert said.startswith("Nothing was imported: 31 problems.\n")
    assert said.endswith("... and 11 more")
    assert len(said.splitlines()) == 22


def test_another_grade_than_is_stored_is_a_conflict(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w1", 2)]))
    assert "line 2, relevance: found 2, expected 3, which 'w1' has given this pair already" in said


def test_a_new_moment_of_a_query_that_has_its_candidates_is_refused(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w1", 2, moment=2)]))
    assert "line 2, timestamp: found a moment that is no candidate of the query, expected one of the" in said


def test_a_worker_with_an_account_gets_no_judgment_from_a_file(raw: Path) -> None:
    collection = Collection.objects.create(name="fresh", title="Fresh")
    account = Account.objects.create_user("bo")
    add_member(collection=collection, account=account, role="annotator", worker="w3")
    said = refusal("fresh", raw)
    assert said.startswith("Nothing was imported: 2 problems.")
    assert "line 6, worker: found 'w3', who has an account here and hasn't given this judgment, expected" in said


def test_a_withdrawn_pair_takes_no_judgment(raw: Path, tmp_path: Path) -> None:
    run("fresh", raw)
    Pair.objects.filter(pk=pair("12", "beta", 0.0).pk).update(status="withdrawn")
    assert "0 judgments added" in run("fresh", raw)
    said = refusal("fresh", write_raw(tmp_path / "a.csv", [row("w9", 2, query="12", moment=2)]))
    assert "line 2, pair: found a pair that the lead has withdrawn" in said


LABELLED = {
    "stars by number": ([stars(3, 4), stars(4, 5)], [], [("ls-3", 3), ("ls-4", 4)]),
    "a person's record": ([stars({"id": 3, "email": "bo@example.org"}, 1)], [], [("ls-3", 0)]),
    "ratings from 0": ([stars(3, 0), stars(4, 4)], ["--ratings", "0-4"], [("ls-3", 0), ("ls-4", 4)]),
    "choices": ([choice(3, "0"), choice(4, "1")], [], [("ls-3", 0), ("ls-4", 1)]),
    "cancelled ones": ([stars(3, 4), {"completed_by": 4, "was_cancelled": True, "result": []}], [], [("ls-3", 3)]),
}


@pytest.mark.parametrize(("annotations", "options", "expected"), LABELLED.values(), ids=LABELLED)
def test_label_studios_export_is_told_by_its_content(
    tmp_path: Path, annotations: list[dict[str, object]], options: list[str], expected: list[tuple[str, int]]
) -> None:
    (tmp_path / "export.json").write_text(json.dumps([task(*annotations)]))
    run("studio", tmp_path / "export.json", *options)
    assert list(Judgment.objects.order_by("pk").values_list("annotator__worker", "grade")) == expected
    assert Query.objects.get().description.source_id == "11"
    assert not Membership.objects.filter(worker__contains="@").exists()


def test_a_label_studio_export_without_ids_and_captions_meets_the_pairs_that_are_there(
    raw: Path, tmp_path: Path
) -> None:
    run("fresh", raw)
    video = {"query": " a MAN pours coffee.", "video_name": "beta", "timestamp": None, "start": 0, "end": 3.5}
    bare = task(stars(5, 3), query_id=None, caption=None, similarity=None, **video)
    (tmp_path / "export.json").write_text(json.dumps([bare], indent=1))
    assert "1 judgments added, 0 unchanged; 0 new queries, 0 new pairs, 1 new workers" in run(
        "fresh", tmp_path / "export.json"
    )
    said = refusal("other", tmp_path / "export.json")
    assert "line 2, similarity: found nothing, expected a pair that is new to the collection with both" in said


STUDIO_FAULTS = {
    "a rating outside": (task(stars(3, 6)), "rating: found 6, expected a whole number from 1 to 5"),
    "no star": (task(stars(3, 0)), "rating: found 0, expected a whole number from 1 to 5 (see --ratings)"),
    "an id that is no id": (task(stars(10**60, 3)), "worker: found 'ls-1000000000"),
    "half a surrogate pair": (task(stars(3, 3), caption="\ud83d"), "caption: found '\\ud83d', expected a sentence"),
    "start and end as words": (
        task(stars(3, 3), timestamp=None, start="a", end="b"),
        "timestamp: found ['a', 'b'], expected [start, end] in seconds",
    ),
    "no rating": (task({"completed_by": 3, "result": []}), "result: found '0 ratings and choices', expected one"),
    "two choices": (task(choice(3, "1", "2")), "choices: found ['1', '2'], expected one of"),
    "a mail address as person": (task(stars("bo@example.org", 3)), "completed_by: found 'str', expected a person's id"),
    "nobody": (task({"result": []}), "completed_by: found nothing, expected a person's id"),
    "no data": ({"annotations": []}, "data: found {'annotations': []}, expected a task with its data"),
    "no annotations": ({"data": {}}, "annotations: found nothing, expected a list"),
    "no query": (task(stars(3, 3), query=""), "query: found '', expected a sentence"),
    "a person twice": (task(stars(3, 3), stars(3, 3)), "worker: found 'ls-3' a second time"),
}


@pytest.mark.parametrize(("bad", "sentence"), STUDIO_FAULTS.values(), ids=STUDIO_FAULTS)
def test_a_fault_of_a_task_is_reported_with_the_line_where_it_begins(
    tmp_path: Path, bad: dict[str, object], sentence: str
) -> None:
    (tmp_path / "export.json").write_text(
        "[\n" + json.dumps(task(stars(9, 3), query_id=None)) + ",\n" + json.dumps(bad) + "]"
    )
    said = refusal("studio", tmp_path / "export.json")
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert f"line 3, {sentence}" in said
    assert "bo@" not in said


@pytest.mark.parametrize("text", ["[{", '{"data": {}}', "[1, 2] 3", "[" * 5000, "[\udcff"], ids=lambda text: text[:9])
def test_malformed_json_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "export.json").write_bytes(text.encode("utf-8", errors="surrogateescape"))
    assert "Nothing was imported: " in refusal("studio", tmp_path / "export.json")


def test_a_name_that_names_no_collection_and_a_missing_file_are_refused(raw: Path, tmp_path: Path) -> None:
    assert "can't name a collection" in refusal("No Name", raw)
    assert "is not a file." in refusal("fresh", tmp_path / "nowhere.csv")


def test_the_examples_of_how_many_judgments_a_pair_takes_hold() -> None:
    assert doctest.testmod(judgment_staging) == (0, 3)
