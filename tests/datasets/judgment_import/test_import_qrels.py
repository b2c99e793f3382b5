"""`import_judgments`: TREC qrels become grades of pairs that are there, or are refused by line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.models import Judgment, Pair
from annotation.review.adjudication import adjudicate_pair
from corpus.description_formats import BadFile
from corpus.models import Moment, Video
from datasets.judgment_import.import_judgments import import_judgments
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from foundation.models import Collection
from queries.models import Query
from tests.datasets.conftest import World, open_world
from tests.datasets.importing import run


def export(collection: Collection, folder: Path, name: str = "v1", **options: bool) -> Path:
    release = create_release(collection=collection, name=name, formats=["trec"], **options)
    write_release(release=release, folder=folder)
    assert check_release(folder) == []
    return folder / "trec"


def both(folder: Path) -> list[str]:
    return [(folder / f"qrels.{split}.txt").read_text() for split in ("val", "test")]


def test_our_own_qrels_give_the_same_grades_to_a_collection_that_nobody_has_judged(
    judged: World, tmp_path: Path
) -> None:
    folder = export(judged.collection, tmp_path / "out")
    other = open_world("other")
    for split in ("val", "test"):
        run("other", folder / f"qrels.{split}.txt")
    lines = "".join(both(folder)).count("\n")
    graded = Pair.objects.filter(batch__collection=other.collection, status="consensus")
    assert graded.count() == lines
    assert Judgment.objects.filter(pair__in=graded).count() == 2 * lines
    assert both(export(other.collection, tmp_path / "again")) == both(folder)


def test_the_same_file_again_and_the_collections_own_change_nothing(judged: World, tmp_path: Path) -> None:
    adjudicate_pair(member=judged.members["ada"], pair_id=judged.pair("102", 2).pk, grade=3, reason="Seen again.")
    folder = export(judged.collection, tmp_path / "out", adjudicated=True)
    before = list(Judgment.objects.order_by("pk").values())
    for split in ("val", "test"):
        assert ", 0 new workers." in run("tiny", folder / f"qrels.{split}.txt")
    assert list(Judgment.objects.order_by("pk").values()) == before
    other = open_world("other")
    said = [run("other", folder / "qrels.val.txt") for _ in range(2)]
    assert "Each grade is 2 equal judgments, by qrels-1 to qrels-2" in said[0]
    assert said[1].startswith("0 judgments added, ")
    assert other.pair("102", 2).grade == 3 and Release.objects.count() == 1


def line(query: str = "101", moment: str = "beta@2.5-6.75", grade: object = 3, by: str = "0") -> str:
    return f"{query} {by} {moment} {grade}\n"


FAULTS: dict[str, tuple[str, str]] = {
    "an unknown query": (
        line() + line("301") + line("301", grade=9),
        "line 2, query_id: found '301', expected a query of the collection",
    ),
    "an unknown moment": (
        line(moment="beta@2.5-7"),
        "line 1, moment_id: found 'beta@2.5-7', expected a moment of the collection",
    ),
    "an unknown video": (line(moment="delta@2.5-6.75"), "found 'delta@2.5-6.75', expected a moment of the collection"),
    "no moment": (line(moment="LA010189-0001"), "line 1, moment_id: found 'LA010189-0001', expected a moment id"),
    "a moment of the corpus that isn't in the pool": (
        line(moment="gamma@27.5-31.75"),
        "line 1, moment_id: found a moment that is no candidate of the query, expected one of the candidates",
    ),
    "a grade above 4": (
        line(grade=5),
        "line 1, grade: found '5', expected a whole number from 0 to 4, or -1 for not judged",
    ),
    "junk": (line(grade=-2), "line 1, grade: found '-2', expected a whole number from 0 to 4, or -1 for not judged"),
    "a part of a grade": (line() + line("102", grade="2.5"), "line 2, grade: found '2.5', expected"),
    "a run": ("101 Q0 beta@2.5-6.75 1 0.5 tag\n", "line 1, columns: found 6 columns separated by blanks: '101"),
    "a comment": ("# by us\n" + line(), "line 1, columns: found a comment: '# by us', expected query_id 0 moment_id"),
    "a moment twice in other words": (
        line() + line(moment="beta:2.50-6.750"),
        "line 2, moment_id: found 'beta:2.50-6.750', expected each moment once a query; line 1 has the same video,",
    ),
    "three columns": ("101 beta@2.5-6.75 3\n", "line 1, columns: found 3 columns separated by blanks: '101"),
    "a moment twice": (line() + "\n" + line(), "line 3, moment_id: found 'beta@2.5-6.75', expected each moment once"),
    "nothing but what wasn't judged": (line(grade=-1), "line 1, file: found no judgment, expected one or more"),
    "what isn't text": ("101 0 \udcff 3\n", "line 1, encoding: found b'\\xff', expected UTF-8"),
}


@pytest.mark.parametrize(("content", "expected"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_is_said_by_line_and_leaves_nothing(
    unjudged: World, tmp_path: Path, content: str, expected: str
) -> None:
    (tmp_path / "qrels.txt").write_text(content, errors="surrogateescape")
    with pytest.raises(BadFile) as refused:
        import_judgments(collection=unjudged.collection, path=tmp_path / "qrels.txt", format_name="trec")
    assert expected in str(refused.value) and refused.value.total == 1
    assert not Judgment.objects.exists()


JUDGED_BEFORE: dict[str, tuple[Callable[[World, Pair], None], str]] = {
    "another grade": (
        lambda world, pair: world.judge(pair, ("bo", 2), ("cy", 2)),
        "line 1, grade: found 3, expected 2, which this pair has",
    ),
    "somebody's work": (
        lambda world, pair: world.judge(pair, ("bo", 2)),
        "line 1, moment_id: found a pair that people are judging, expected one that nobody has judged",
    ),
    "no agreement": (
        lambda world, pair: world.judge(pair, ("bo", 0), ("cy", 4), ("di", 1), ("ed", 3)),
        "line 1, moment_id: found a pair on which people didn't agree, expected one that nobody has judged",
    ),
}


@pytest.mark.parametrize(("act", "expected"), JUDGED_BEFORE.values(), ids=JUDGED_BEFORE)
def test_what_people_have_said_of_a_pair_stays(
    unjudged: World, tmp_path: Path, act: Callable[[World, Pair], None], expected: str
) -> None:
    pair = unjudged.pair("102", 1)
    act(unjudged, pair)
    before = Judgment.objects.count()
    moment = pair.candidate.moment
    (tmp_path / "q.txt").write_text(line("102", f"{moment.video.name}@{moment.start}-{moment.end}"))
    with pytest.raises(BadFile) as refused:
        import_judgments(collection=unjudged.collection, path=tmp_path / "q.txt")
    assert expected in str(refused.value) and refused.value.total == 1
    assert Judgment.objects.count() == before


def test_lines_that_say_not_judged_are_passed_over_and_any_iteration_and_white_space_is_read(
    unjudged: World, tmp_path: Path
) -> None:
    pairs = [unjudged.pair("103", rank) for rank in (1, 2)]
    moments = [
        f"{one.candidate.moment.video.name}:{one.candidate.moment.start:g}-{one.candidate.moment.end:g}"
        for one in pairs
    ]
    (tmp_path / "q").write_text(f"103\titer-7\t{moments[0]}\t4\r\n\n103   Q0 {moments[1]} -1\n")
    report = import_judgments(collection=unjudged.collection, path=tmp_path / "q")
    assert report.sentences[-1] == "1 line says -1, not judged, and was passed over."
    for pair in pairs:
        pair.refresh_from_db()
    assert [(pair.status, pair.grade) for pair in pairs] == [("consensus", 4), ("open", None)]


def test_a_topic_without_candidates_takes_the_judged_moments_as_its_first(unjudged: World, tmp_path: Path) -> None:
    topic = Query.objects.create(
        collection=unjudged.collection, topic_id="T 1", split="test", text="Tea.", normalised="tea.", position=9
    )
    moments = list(Moment.objects.filter(video__collection=unjudged.collection).select_related("video")[:5])
    written = [line("T%201", f"{one.video.name}@{one.start}-{one.end}", grade) for grade, one in enumerate(moments)]
    (tmp_path / "q").write_text("".join(written))
    run("tiny", tmp_path / "q")
    pairs = Pair.objects.filter(batch__query=topic).order_by("candidate__rank")
    assert list(pairs.values_list("candidate__moment", "grade")) == [
        (one.pk, grade) for grade, one in enumerate(moments)
    ]
    assert set(pairs.values_list("candidate__caption", "candidate__similarity")) == {(None, None)}
    folder = export(unjudged.collection, tmp_path / "out")
    assert sorted((folder / "qrels.test.txt").read_text().splitlines(keepends=True)) == sorted(written)


def test_names_in_another_unicode_form_are_the_collections(unjudged: World, tmp_path: Path) -> None:
    Query.objects.create(
        collection=unjudged.collection, topic_id="thé", split="test", text="Tea.", normalised="tea.", position=9
    )
    moment = Moment.objects.filter(video__collection=unjudged.collection)[0]
    Video.objects.filter(pk=moment.video_id).update(name="café")
    (tmp_path / "q").write_text(line("the%CC%81", f"cafe%CC%81@{moment.start}-{moment.end}", 3))
    run("tiny", tmp_path / "q")
    assert Pair.objects.get(batch__query__topic_id="thé").candidate.moment == moment


def test_several_assessors_of_a_pair_are_its_workers_and_the_rule_decides(unjudged: World, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(
        line(by="ann", grade=3) + line(by="bob", grade=4) + line(by="cleo", grade=-1) + line("102", by="ann")
    )
    said = run("tiny", path)
    assert "3 judgments added" in said and "1 line says -1" in said and "equal judgments" not in said
    workers = Judgment.objects.order_by("pk").values_list("annotator__worker", "grade")
    assert list(workers) == [("ann", 3), ("bob", 4), ("ann", 3)]
    assert Pair.objects.get(status="consensus").grade == 4
    assert "1 pair needs more judgments: beta@2.5-6.75." in said
    assert "0 judgments added, 3 unchanged" in run("tiny", path)
    path.write_text(line(by="ann", grade=3) + line(by="bob", grade=2))
    with pytest.raises(
        BadFile, match="line 2, relevance: found 2, expected 4, which 'bob' has given this pair already"
    ):
        import_judgments(collection=unjudged.collection, path=path)


def test_an_assessor_twice_at_a_pair_is_a_repeated_id(unjudged: World, tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text(line(by="ann") + line(by="bob") + line(by="bob", grade=0))
    with pytest.raises(BadFile, match="line 3, worker: found 'bob' a second time"):
        import_judgments(collection=unjudged.collection, path=path)
    report = import_judgments(collection=unjudged.collection, path=path, repeated_ids="first")
    assert (report.added, report.repeated, report.states) == (2, 1, {"consensus": 1})
