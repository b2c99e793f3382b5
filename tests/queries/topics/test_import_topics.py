"""Topics are imported whole or not at all, and fixed once their judging is open."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.batches.opening import open_annotation
from corpus.description_formats import BadFile
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Query
from queries.pooling.candidates import fetch_candidates
from queries.pooling.query_selection import select_queries, training_descriptions
from queries.topics.import_topics import TopicReport, import_topics
from queries.topics.readers import TopicFileChoices
from tests.conftest import build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def paper(db: None) -> Collection:
    """Five captions, "A woman does thing 0." to 4, with ids 0 to 4; no query."""
    return build_world(queries=0, candidates=5).collection


def bring(collection: Collection, tmp_path: Path, text: str, **choices: Any) -> TopicReport:
    path = tmp_path / "topics.csv"
    path.write_text(text)
    return import_topics(collection=collection, path=path, choices=TopicFileChoices(**choices))


def stored(collection: Collection) -> list[tuple[str, ...]]:
    rows = collection.queries.filter(description=None).order_by("split", "position")
    return list(rows.values_list("split", "position", "topic_id", "text", "narrative", "language", "written_by"))


FIRST = "id,text,narrative,language,split\n7,A man sings.,Loudly.,en,val\n8,A dog runs.,,,\n9,A cat sits.,,,\n"


def test_topics_are_stored_in_the_order_of_the_file_and_the_same_file_again_changes_nothing(
    paper: Collection, tmp_path: Path
) -> None:
    assert bring(paper, tmp_path, FIRST).in_words() == "3 topics added."
    assert stored(paper) == [
        ("test", 1, "8", "A dog runs.", "", "", ""),
        ("test", 2, "9", "A cat sits.", "", "", ""),
        ("val", 1, "7", "A man sings.", "Loudly.", "en", ""),
    ]
    again = bring(paper, tmp_path, FIRST, split="val")
    assert again.in_words() == "All 3 topics of the file are in the collection already: nothing changed."
    assert stored(paper)[0][0] == "test", "the choice of a split is for topics that are new"


def test_a_corrected_file_changes_what_it_states_and_nothing_else(paper: Collection, tmp_path: Path) -> None:
    bring(paper, tmp_path, FIRST)
    report = bring(paper, tmp_path, "id,text,written_by,split\n7,A man sings.,NIST,test\n8,A dog runs.,,\n9,A bat.,,\n")
    assert (report.added, report.changed, report.unchanged) == (0, 2, 1)
    assert stored(paper) == [
        ("test", 1, "8", "A dog runs.", "", "", ""),
        ("test", 2, "9", "A bat.", "", "", ""),
        ("test", 3, "7", "A man sings.", "Loudly.", "en", "NIST"),
    ]


def test_two_topics_may_swap_their_texts(paper: Collection, tmp_path: Path) -> None:
    bring(paper, tmp_path, "id,text\n1x,A man sings.\n2x,A dog runs.\n")
    assert bring(paper, tmp_path, "id,text\n2x,A man sings.\n1x,A dog runs.\n").changed == 2
    assert dict(paper.queries.values_list("topic_id", "normalised")) == {"1x": "a dog runs.", "2x": "a man sings."}


def test_a_file_with_a_bad_row_stores_nothing_and_names_every_bad_one(paper: Collection, tmp_path: Path) -> None:
    bring(paper, tmp_path, "id,text\n1x,A man sings.\n")
    with pytest.raises(BadFile) as refused:
        bring(
            paper,
            tmp_path,
            "id,text\n2x,Fine.\n2x,Twice.\n3x,a man  SINGS.\n4x,fine.\n5x,\n",
        )
    assert [str(problem) for problem in refused.value.problems] == [
        "topics.csv, line 3, id: found '2x' a second time, expected each id once; the first is in line 2",
        "topics.csv, line 4, text: found 'a man  SINGS.', expected a text that no other query has; this is that of 1x",
        "topics.csv, line 5, text: found 'fine.', expected a text that no other query has; this is that of 2x",
        "topics.csv, line 6, text: found nothing, expected a sentence",
    ]
    assert [topic[2] for topic in stored(paper)] == ["1x"]


def test_a_topic_whose_judging_is_open_is_fixed(paper: Collection, tmp_path: Path) -> None:
    bring(paper, tmp_path, FIRST)
    fetch_candidates(collection=paper)
    open_annotation(collection=paper)
    assert bring(paper, tmp_path, FIRST).unchanged == 3
    with pytest.raises(
        BadFile, match=r"line 2, text: found 'A cow\.', expected 'A man sings\.': judging of this topic"
    ):
        bring(paper, tmp_path, "id,text\n7,A cow.\n10,New.\n")
    assert not paper.queries.filter(topic_id="10").exists()
    assert bring(paper, tmp_path, "id,text\n10,New.\n").added == 1, "others may still come"


def test_topics_are_ranked_as_queries_are_and_lose_the_ranking_of_a_former_text(
    paper: Collection, tmp_path: Path
) -> None:
    bring(paper, tmp_path, "id,text\na,A woman does thing 3.\nb,Somebody dances.\n")
    assert fetch_candidates(collection=paper).queries == 2
    first = paper.queries.get(topic_id="a").candidates.get(rank=1)
    assert (first.similarity, first.caption_text) == (1.0, "A woman does thing 3.")
    bring(paper, tmp_path, "id,text,narrative\na,A woman does thing 4.,\nb,Somebody dances.,Or hops.\n")
    counts = {query.topic_id: (query.candidates.count(), query.ranked_by != "") for query in paper.queries.all()}
    assert counts == {"a": (0, False), "b": (5, True)}
    fetch_candidates(collection=paper)
    assert paper.queries.get(topic_id="a").candidates.get(rank=1).caption_text == "A woman does thing 4."


def test_drawn_queries_and_topics_stand_beside_each_other(paper: Collection, tmp_path: Path) -> None:
    """A drawn query has neither the text nor the id of a topic; drawing again leaves topics where they are."""
    bring(paper, tmp_path, "id,text\n0,Somebody dances.\nt2,A woman does thing 1.\n")
    assert training_descriptions(paper).count() == 3, "0 has the id of a topic, 1 the text of one"
    with pytest.raises(Refused, match="asked for 4 queries, but there are 3"):
        select_queries(collection=paper, val=0, test=4, seed=1)
    select_queries(collection=paper, val=0, test=2, seed=1)
    drawn = list(paper.queries.exclude(description=None).values_list("position", "description__source_id"))
    assert [place for place, _ in drawn] == [3, 4] and {"0", "1"}.isdisjoint(name for _, name in drawn)
    bring(paper, tmp_path, "id,text\nt3,A third one.\n")
    select_queries(collection=paper, val=1, test=1, seed=2, redraw=True)
    assert [topic[1:3] for topic in stored(paper)] == [(1, "0"), (2, "t2"), (5, "t3")]
    name = drawn_id(paper)
    with pytest.raises(BadFile, match=f"line 2, id: found '{name}', expected an id that no drawn query has"):
        bring(paper, tmp_path, f"id,text\n{name},Another.\n")


def drawn_id(collection: Collection) -> str:
    drawn = Query.objects.select_related("description").filter(collection=collection, description__isnull=False).first()
    assert drawn is not None and drawn.description is not None
    return drawn.description.source_id


def test_the_command_makes_the_collection_and_a_refused_file_leaves_none(
    db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "topics.txt"
    path.write_text("<top>\n<num> Number: 1\n<title> A\n")
    with pytest.raises(CommandError, match=r"topics\.txt, line 1, topic: found a <top> without its end"):
        call_command("import_topics", "news", str(path))
    assert not Collection.objects.exists()
    path.write_text("<top>\n<num> Number: 1\n<title> A\n<narr> Narrative:\nAll of it.\n</top>\n")
    call_command("import_topics", "news", str(path), "--split", "val", "--without-clips", "--title", "News")
    output = capsys.readouterr().out
    assert "Detected format: trec." in output and "1 topic added." in output
    news = Collection.objects.get()
    assert (news.title, news.has_clips) == ("News", False)
    assert stored(news) == [("val", 1, "1", "A", "All of it.", "", "")]


def test_thousands_of_topics_come_in_few_statements(
    paper: Collection, tmp_path: Path, django_assert_max_num_queries: Any
) -> None:
    text = "id,text\n" + "".join(f"n{number},Query number {number}.\n" for number in range(5000))
    with django_assert_max_num_queries(20):
        assert bring(paper, tmp_path, text).added == 5000
    with django_assert_max_num_queries(20):
        assert bring(paper, tmp_path, text).unchanged == 5000
