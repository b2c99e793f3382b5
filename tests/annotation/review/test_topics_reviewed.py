"""The lead's pages where a query is a topic and its moments have neither caption nor similarity: "none", in words."""

from typing import Any

import pytest
from django.test import Client

from annotation.agreement.paper_figure_counts import appendix_of
from annotation.models import Pair
from annotation.review.chart import review_chart
from annotation.review.decisions import review_batch
from annotation.review.selectors import decision_rows, review_sheet
from desk.figures.catalogue import figures
from desk.figures.examples import example_figure
from desk.figures.inks import PAPER
from queries.models import Candidate
from tests.annotation.reviewed_worlds import DISCARDED, decided_world, grade_batch
from tests.api.callers import read
from tests.conftest import World, build_world
from tests.queries.topics.worlds import turn_into_topics

pytestmark = pytest.mark.django_db


@pytest.fixture
def topics(db: None) -> World:
    """A topic with its first batch decided, rank 2 discarded."""
    world = build_world(candidates=25)
    grade_batch(world, world.queries[0].batches.get(number=1), lambda rank: DISCARDED if rank == 2 else (3, 3))
    turn_into_topics(world.collection)
    return world


@pytest.fixture
def ada(topics: World, client_of: Any) -> Client:
    client: Client = client_of(topics["ada"].account)
    return client


def test_the_sheet_says_that_there_is_no_caption_and_no_similarity(topics: World, ada: Client) -> None:
    page = ada.get(f"/c/paper/review/{topics.batch.pk}/").content.decode()
    assert "20. no caption" in page and "no similarity" in page
    assert "None" not in page and "<polyline" not in page and ">similarity<" not in page
    pair = read(ada, f"collections/paper/batches/{topics.batch.pk}")["pairs"][0]
    assert (pair["caption"], pair["similarity"]) == (None, None)


def test_the_chart_breaks_its_line_where_a_candidate_has_no_similarity(topics: World) -> None:
    Candidate.objects.filter(rank__in=[1, 2, 5]).update(similarity=0.5)
    chart = review_chart(review_sheet(topics.batch).pairs)
    assert [len(line.split()) for line in chart.lines] == [2, 2], "two joined, and one alone as a dash"
    assert len(chart.similarities) == 3


def test_discarded_pairs_say_none(topics: World, ada: Client) -> None:
    page = ada.get("/c/paper/discarded/").content.decode()
    assert "rank 2, no similarity" in page and "no caption" in page and "None" not in page


def test_the_figures_leave_out_what_has_no_similarity_and_say_so(topics: World) -> None:
    appendix = appendix_of(topics.collection)
    assert appendix.by_similarity == [] and len(appendix.by_rank) == 19
    by_similarity = next(figure for figure in figures(appendix) if figure.key == "relevance-by-similarity")
    assert by_similarity.says.endswith("19 graded pairs have no similarity, and aren't in it.")
    example = example_figure(topics.collection)
    assert example.rows[0] == ["T1", "A woman does thing 0.", 1, None, 3, None]
    assert "so there is no similarity" in example.says
    drawing = example.draw(PAPER)
    assert "no caption" in drawing and "similarity" not in drawing


def test_decisions_are_listed_by_the_topics_id() -> None:
    world = decided_world(3)
    turn_into_topics(world.collection)
    review_batch(member=world["ada"], batch_id=world.batch.pk, decision="finish")
    (row,) = decision_rows(world.collection, kind="")
    assert row[1] == "T1"
    assert Pair.objects.filter(batch__query__topic_id="T1").exists()
