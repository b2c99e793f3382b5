"""Agreement and figures: the page, its files for a paper and their data, checked on a collection one can count."""

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client

from annotation.agreement.paper_figures import GradeCount, PairCount, appendix
from annotation.models import Pair
from desk.figures.catalogue import EXAMPLES, KEYS, Figure, figures
from desk.figures.inks import PAGE, PAPER
from queries.models import Candidate
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import read
from tests.conftest import World, build_world

SVG = "{http://www.w3.org/2000/svg}"
PAGES_QUERIES = 8
"""What a page of figures asks at most, however large the collection is: the login, the member, and the figures."""


@pytest.fixture
def judged(db: None) -> World:
    """Five pairs: own moment 3, then 0, 2, discarded, open."""
    world = build_world(queries=1, candidates=5)
    Candidate.objects.filter(rank=1).update(similarity=1.0)
    pairs = {pair.candidate.rank: pair for pair in Pair.objects.select_related("candidate")}
    sit(world["bo"], world["cy"])
    for rank, (first, other) in enumerate([(3, 3), (0, 0), (1, 3), (0, 4)], start=1):
        judge(world["bo"], pairs[rank], first)
        judge(world["cy"], pairs[rank], other)
    judge(world["bo"], pairs[5], 2)
    judge(world["cy"], pairs[5], 1)
    sit(world["di"], world["ed"])
    for rank, (first, other) in {3: (2, 2), 4: (1, 3)}.items():
        judge(world["di"], pairs[rank], first)
        judge(world["ed"], pairs[rank], other)
    return world


def rows_of(client: Client, key: str) -> list[dict[str, str]]:
    response = client.get(f"/c/paper/figures/{key}.csv")
    assert response["Content-Disposition"] == f'attachment; filename="paper-{key}.csv"'
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_data_behind_every_figure_is_what_was_judged(judged: World, client_of: Any) -> None:
    ada = client_of(judged["ada"].account)
    assert [row["pairs"] for row in rows_of(ada, "final-grades")][:5] == ["1", "0", "2", "1", "0"]
    (all_, test) = rows_of(ada, "consensus-by-round")
    assert (all_["first_round"], all_["second_round"], all_["discarded"]) == ("3", "1", "1")
    assert all_["share_in_consensus"] == "0.8"
    assert test["split"] == "test"
    own = rows_of(ada, "own-moments")
    assert [(row["grade"], row["pairs"], row["test_queries"]) for row in own if row["pairs"] != "0"] == [
        ("3", "1", "1")
    ]
    said = {figure["key"]: figure["says"] for figure in read(ada, "collections/paper/figures")["figures"]}
    assert "of 1 test queries graded on the moment that they describe, 1 (100" in said["own-moments"]
    cells = {(row["lowest"], row["highest"]): row["pairs"] for row in rows_of(ada, "lowest-and-highest")}
    assert {place: n for place, n in cells.items() if n != "0"} == {
        ("3", "3"): "1",
        ("0", "0"): "1",
        ("1", "3"): "1",
        ("0", "4"): "1",
        ("1", "2"): "1",
    }
    by_rank = rows_of(ada, "relevance-by-rank")
    assert [(row["rank"], row["mean_grade"]) for row in by_rank] == [
        ("1", "3.0"),
        ("2", "0.0"),
        ("3", "2.0"),
        ("5", "2.0"),
    ]
    assert rows_of(ada, "agreement")[0]["judgments"] == "14"


def content(response: Any) -> str:
    """The page without its menu, which has drawings too."""
    return response.content.decode().partition("<main")[2]


def test_every_figure_is_a_file_for_a_paper_with_colours_of_its_own(judged: World, client_of: Any) -> None:
    ada = client_of(judged["ada"].account)
    for key in KEYS:
        response = ada.get(f"/c/paper/figures/{key}.svg")
        assert response["Content-Type"].startswith("image/svg+xml")
        text = response.content.decode()
        assert ElementTree.fromstring(text).tag == f"{SVG}svg"
        assert "var(--" not in text
        assert "color-mix" not in text


def test_the_page_draws_all_of_them_in_the_page_s_colours_and_says_what_they_show(
    judged: World, client_of: Any
) -> None:
    page = content(client_of(judged["ada"].account).get("/c/paper/figures/"))
    drawn = re.findall(r"<svg.*?</svg>", page, flags=re.S)
    assert len(drawn) == len(KEYS) + 1, "and the examples"
    assert not any(re.search(r'fill="#', svg) for svg in drawn[: len(KEYS)])
    assert "80.00 % of 5 decided pairs reached consensus (60.00 % in the first round); 20.00 % were discarded." in page
    assert "1 of 1 graded pairs of similarity 1.0 of test queries (100 %) are not graded 4" in page


def test_the_api_has_their_data(judged: World, client_of: Any) -> None:
    answer = read(client_of(judged["ada"].account), "collections/paper/figures")
    assert [figure["key"] for figure in answer["figures"]] == [*KEYS, EXAMPLES]
    assert answer["figures"][5]["rows"][0] == ["all", 3, 1, 1, 0.8]
    assert answer["as_of"] is not None


def test_before_anything_is_judged_every_figure_says_so(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    page = content(ada.get("/c/paper/figures/"))
    assert "appear here with the first judgments" in page
    assert "<figure" not in page and 'class="plot"' not in page, "no axes without data"
    words = " ".join(figure["says"] for figure in read(ada, "collections/paper/figures")["figures"])
    assert "No pair is decided yet." in words
    assert "No pair of similarity 1.0 is graded yet." in words
    for key in KEYS:
        assert ada.get(f"/c/paper/figures/{key}.svg").status_code == 200


def test_figures_of_before_the_first_decision_are_not_left_until_they_are_stale(
    world: World, client_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation import precomputed
    from annotation.agreement.paper_figure_counts import NAME, appendix_of

    monkeypatch.setitem(
        precomputed._registered,
        NAME,
        precomputed.Computation(appendix_of, precomputed._registered[NAME].stale_after, 0),
    )
    ada = client_of(world["ada"].account)
    precomputed.refresh_computed(collection=world.collection, name=NAME)
    assert read(ada, "collections/paper/figures")["running"] is False
    sit(world["bo"], world["cy"])
    for person in ("bo", "cy"):
        judge(world[person], world.batch.pairs.order_by("pk")[0], 3)
    assert read(ada, "collections/paper/figures")["running"] is True
    precomputed.refresh_computed(collection=world.collection, name=NAME)
    assert 'class="plot"' in content(ada.get("/c/paper/figures/"))


@pytest.mark.parametrize("address", ["", "final-grades.svg", "final-grades.csv"])
def test_the_number_of_queries_is_bounded(
    judged: World, client_of: Any, django_assert_max_num_queries: Any, address: str
) -> None:
    ada = client_of(judged["ada"].account)
    with django_assert_max_num_queries(PAGES_QUERIES):
        assert ada.get(f"/c/paper/figures/{address}").status_code == 200


def test_a_large_collection_waits_for_the_task_and_says_so(
    judged: World, client_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotation import precomputed
    from annotation.agreement.paper_figure_counts import NAME, appendix_of

    monkeypatch.setattr(precomputed, "ask", lambda *_: None)
    precomputed.register(NAME, appendix_of, at_once_below=3)
    try:
        ada = client_of(judged["ada"].account)
        assert "Being computed" in ada.get("/c/paper/figures/").content.decode()
        assert ada.get("/c/paper/figures/final-grades.svg").status_code == 404
        precomputed.refresh_computed(collection=judged.collection, name=NAME)
        page = content(ada.get("/c/paper/figures/"))
        assert "As of" in page
        assert page.count("<svg") == len(KEYS) + 1
    finally:
        precomputed.register(NAME, appendix_of, at_once_below=2000)


def of_the_paper_s_shape(ranks: int = 40) -> list[Figure]:
    """All ranks, both splits, thirty weeks, also one without agreement."""
    judged = [
        PairCount(
            ("val", "test")[week % 2], f"2026-{week // 4 + 1:02d}-{week % 4 * 7 + 1:02d}", grades, status, 10 + week
        )
        for week in range(30)
        for grades, status in (((0, 0), "consensus"), ((2, 3), "consensus"), ((0, 4, 1, 3), "discarded"))
    ]
    graded = [GradeCount("test", rank, 20 - rank // 3, rank % 5, 7) for rank in range(1, ranks + 1)]
    return figures(appendix(judged, graded, top_grade=4, first_round=2))


@pytest.mark.parametrize("inks", [PAPER, PAGE], ids=["paper", "page"])
def test_nothing_is_drawn_outside_of_its_sheet(inks: Any) -> None:
    for figure in of_the_paper_s_shape():
        root = ElementTree.fromstring(figure.draw(inks))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for box in root.iter(f"{SVG}rect"):
            x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
            assert w >= 0 and h >= 0
            assert x >= 0 and y >= 0 and x + w <= width + 0.1 and y + h <= height + 0.1, figure.key
        for text in root.iter(f"{SVG}text"):
            assert 0 <= float(text.attrib["x"]) <= width and 0 <= float(text.attrib["y"]) <= height, figure.key


def test_a_bar_is_as_long_as_its_share() -> None:
    drawn = next(figure for figure in of_the_paper_s_shape() if figure.key == "relevance-by-rank").draw(PAPER)
    boxes = [box for box in ElementTree.fromstring(drawn).iter(f"{SVG}rect")]
    # One pair a rank has one grade: the whole column, of one height, in the grade's colour.
    heights = {box.attrib["height"] for box in boxes[:40]}
    assert len(heights) == 1
    assert boxes[0].attrib["fill"] == PAPER.grade(1)
    assert PAPER.grade(4) == "#0d5f57"


def test_examples_show_chosen_queries_with_grades_similarities_and_captions(judged: World, client_of: Any) -> None:
    ada = client_of(judged["ada"].account)
    query = judged.collection.queries.get().description.source_id
    rows = list(
        csv.DictReader(
            io.StringIO(ada.get(f"/c/paper/figures/examples.csv?queries={query}&ranks=3,1,4").content.decode())
        )
    )
    assert [(row["query_id"], row["rank"], row["grade"]) for row in rows] == [(query, "1", "3"), (query, "3", "2")]
    drawn = ada.get(f"/c/paper/figures/examples.svg?queries={query}&ranks=1,3").content.decode()
    root = ElementTree.fromstring(drawn)
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    assert rows[0]["query"].split()[0] in words and rows[1]["caption"].split()[0] in words
    assert "rank 3" in words and "1.00" in words
    assert len(list(root.iter(f"{SVG}rect"))) == 2 and len(list(root.iter(f"{SVG}polyline"))) == 1
    page = ada.get(f"/c/paper/figures/?queries={query}&ranks=2").content.decode()
    assert f"examples.svg?queries={query}&amp;ranks=2" in page


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("queries=nobody", "Found the query id nobody, expected the id of a query."),
        ("ranks=1,two", "Found 1,two, expected numbers from 1 on"),
        ("ranks=1,2,3,4,5,6,7,8,9,10,11", "Found 11 ranks, expected at most 10"),
        ("queries=1,2,3,4,5,6,7", "Found 7 queries, expected at most 6"),
    ],
)
def test_examples_that_cannot_be_drawn_are_refused_with_a_reason(
    judged: World, client_of: Any, asked: str, said: str
) -> None:
    ada = client_of(judged["ada"].account)
    assert said in ada.get(f"/c/paper/figures/?{asked}").content.decode()
    assert ada.get(f"/c/paper/figures/examples.svg?{asked}").status_code == 404
