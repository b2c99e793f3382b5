"""The search for words and names in a collection's videos."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from corpus.browse.search import COUNTED, RANKED, search
from corpus.browse.selectors import VideoFilter, video_page
from corpus.models import Video
from foundation.models import Collection
from tests.corpus.browse.conftest import fill, logged_in, moment

pytestmark = pytest.mark.django_db


def test_words_find_descriptions_by_their_stems_best_first(shelf: Collection) -> None:
    matches = search(shelf, "umbrella")
    assert matches.count == 3
    assert {match.description.moment.video.name for match in matches.best} == {"alpha", "beta", "gamma_1"}
    by_text = {match.description.text: match.pieces for match in matches.best}
    assert by_text["Ada opens a red umbrella."] == [("Ada opens a red ", False), ("umbrella", True), (".", False)]
    both = moment(Video.objects.get(name="alpha"), 50, 60, "An umbrella under an umbrella: umbrellas.")
    assert search(shelf, "umbrella").best[0].description.moment == both


@pytest.mark.parametrize(
    "text, count",
    [
        ("red umbrella", 1),
        ("red or falls", 2),
        ("umbrella -red", 2),
        ('"an umbrella falls"', 1),
        ('"falls umbrella"', 0),
        ("the", 0),
        ("nobody", 0),
        ("&|!():*<->'\\", 0),
        ('"', 0),
        ("umbrella'; -- drop", 0),
        ("%", 0),
    ],
)
def test_what_is_typed_is_read_as_websearch_does_and_never_an_error(shelf: Collection, text: str, count: int) -> None:
    assert search(shelf, text).count == count
    assert logged_in().get("/c/paper/videos/", {"q": text}).status_code == 200


def test_the_list_keeps_videos_with_the_name_or_with_the_words(shelf: Collection) -> None:
    def names(text: str) -> list[str]:
        return [row.video.name for row in video_page(shelf, VideoFilter.read({"q": text}), {})]

    assert names("umbrella") == ["alpha", "beta", "gamma_1"]
    assert names("ALPH") == ["alpha"]
    assert names("a_1") == ["gamma_1"]
    assert names("%") == []


def test_another_collection_s_descriptions_are_not_found(shelf: Collection) -> None:
    other = Collection.objects.create(name="other", title="Other")
    assert search(other, "umbrella").count == 0
    assert video_page(other, VideoFilter.read({"q": "umbrella"}), {}).count == 0


def test_the_search_reads_its_index(collection: Collection) -> None:
    fill(collection, videos=500, moments=20)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE corpus_description, corpus_moment, corpus_video")
    with CaptureQueriesContext(connection) as captured:
        assert search(collection, "lamp77").count == 1
        assert [row.video.name for row in video_page(collection, VideoFilter(text="lamp77"), {})] == ["v00003"]
    searches = [query["sql"] for query in captured if "websearch_to_tsquery" in query["sql"]]
    assert len(searches) == 4
    by_words = 0
    for sql in searches:
        with connection.cursor() as cursor:
            cursor.execute("EXPLAIN " + sql.replace("%", "%%"))
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "description_full_text" in plan or "corpus_description_pkey" in plan, plan
        by_words += "description_full_text" in plan
        assert "Seq Scan on corpus_description" not in plan, plan
    assert by_words == 3, "the fourth ranks what was found, by its ids"


def test_a_word_of_half_the_collection_is_counted_whole_and_ranked_in_part(collection: Collection) -> None:
    fill(collection, videos=150, moments=20)
    matches = search(collection, "takes")
    assert matches.count == 3000 > RANKED
    assert matches.too_many
    assert len(matches.best) == 20
    assert "best of the first 2,000" in logged_in().get("/c/paper/videos/?q=takes").content.decode()


def test_more_matches_than_a_page_counts_are_said_and_the_csv_has_the_videos_of_all(collection: Collection) -> None:
    fill(collection, videos=501, moments=20)
    matches = search(collection, "takes")
    assert (matches.count, matches.more, len(matches.best)) == (COUNTED, True, 20)
    page = logged_in().get("/c/paper/videos/?q=takes").content.decode()
    assert "More than 10,000 descriptions" in page
    assert "the videos of 10,000 of them; the CSV has those of all" in page
    lines = b"".join(logged_in().get("/c/paper/videos.csv?q=takes")).splitlines()
    assert len(lines) == 1 + 501
