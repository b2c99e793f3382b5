"""What a depth study shows, on one that can be counted by hand, and on its page."""

import csv
import io
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest

from annotation.models import Pair, Study
from annotation.studies import depth
from annotation.studies.depth import GradedMoment, depth_study
from annotation.studies.selectors import depth_study_of
from desk.figures.depth import DEPTH_KEYS, depth_figures
from desk.figures.drawing import SMALL
from desk.figures.inks import KINDS, PAGE, PAPER
from evaluation.figures.svg import text_width
from foundation.models import Collection
from tests.api.callers import read
from tests.conftest import World, build_world

TEXTS = ["A woman pours tea.", "A man with a very long beard and a very long coat opens a very small door."]
GRADES = [
    # query 1: ranks 1-60, then at random
    (1, 1, 4),
    (1, 2, 3),
    (1, 10, 2),
    (1, 11, 1),
    (1, 40, 2),
    (1, 41, 2),
    (1, 60, 0),
    (1, 61, 0),
    (1, 99, 2),
    # query 2
    (2, 1, 4),
    (2, 20, 2),
    (2, 21, 0),
    (2, 120, 1),
]


@pytest.fixture
def study() -> depth.DepthStudy:
    moments = [GradedMoment(*row) for row in GRADES]
    return depth_study(moments, TEXTS, ranked=60, depth=40, top_grade=4)


def test_the_hand_counted_case(study: depth.DepthStudy) -> None:
    assert (study.found, study.within, study.deeper, study.at_random) == (10, 7, 1, 2)
    assert study.share == 7 / 10
    assert study.queries_deeper == 2
    by_name = {stretch.name: stretch for stretch in study.stretches}
    assert list(by_name) == ["1-10", "11-20", "21-30", "31-40", "41-50", "51-60", "random"]
    assert (by_name["1-10"].counts, by_name["1-10"].mean, by_name["1-10"].relevant) == ([0, 0, 1, 1, 2], 13 / 4, 1.0)
    assert (by_name["11-20"].mean, by_name["11-20"].relevant) == (1.5, 1.0)
    assert (by_name["21-30"].mean, by_name["21-30"].relevant) == (0.0, 0.0)
    assert (by_name["random"].mean, by_name["random"].relevant) == (1.0, 2 / 3)
    assert study.wide == ["1-20", "21-40", "41-60", "random"]
    assert [(query.relevant, query.graded) for query in study.by_query] == [
        ([4, 1, 1, 1], [4, 1, 2, 2]),
        ([2, 0, 0, 1], [2, 1, 0, 1]),
    ]


def test_the_interval_is_of_the_queries_resampled(study: depth.DepthStudy) -> None:
    # Drawn are query 1 twice (5/7 within), both (7/10), or query 2 twice (2/3), each more often than once in forty.
    assert (study.low, study.high) == (2 / 3, 5 / 7)
    alone = depth_study([GradedMoment(1, 1, 4)], TEXTS[:1], ranked=60, depth=40, top_grade=4)
    assert (alone.low, alone.high, alone.share) == (None, None, 1.0)


def test_a_moment_at_random_stands_for_those_that_were_not_drawn() -> None:
    """Ten queries with 60 of 97,410 moments at random each, of which two are relevant, as in the paper's study."""
    within = [GradedMoment(1 + place % 10, 1 + place // 10, 2) for place in range(279)]
    at_random = [GradedMoment(1 + place % 10, 1000 + place, int(place < 2)) for place in range(600)]
    study = depth_study([*within, *at_random], TEXTS * 5, ranked=60, depth=40, top_grade=4, pool=97_410)
    assert study.share == pytest.approx(0.993, abs=5e-4)
    assert study.stands_for == (97_410 - 60) / 60
    assert study.weighted == pytest.approx(0.079, abs=5e-4)
    assert study.weighted_low is not None and study.weighted_high is not None
    assert study.weighted_low < study.weighted < study.weighted_high <= 1
    says = depth_figures(study)[2].says
    assert "at random 2 of 600 (0.33 %). Each of these stands for 1,622.5 of the 97,410 moments of the pool" in says
    assert (
        f"counted so, {100 * study.weighted:.2f}\u00a0% of all relevant moments lie at ranks 1 to 40, between" in says
    )


def test_what_was_not_graded_at_random_is_not_weighted() -> None:
    rows = [GradedMoment(1, 1, 4), GradedMoment(1, 70, 0), GradedMoment(1, 80, 1), GradedMoment(2, 1, 3)]
    study = depth_study(rows, TEXTS, ranked=60, depth=40, top_grade=4, pool=100)
    assert (study.stands_for, study.weighted) == (20, 1 / 21), "query 2 has no grade at random yet"
    whole = depth_study(rows[:1], TEXTS, ranked=60, depth=40, top_grade=4, pool=60)
    assert (whole.stands_for, whole.weighted, whole.share) == (None, None, 1.0)


def test_what_the_figures_say(study: depth.DepthStudy) -> None:
    *_, by_rank, by_query = depth_figures(study)
    assert by_rank.says == (
        "Of 10 relevant moments found for 2 queries, 7 (70.00 %) lie at ranks 1 to 40, to which the collection is "
        "judged, between 66.67\u00a0% and 71.43\u00a0% with 95\u00a0% confidence (1,000 resamples of the queries). "
        "At later ranks are 1, at random 2 of 3 (66.67 %). Relevant are grades from 1 on. n = 13 pairs in "
        "consensus."
    )
    assert by_rank.rows[0] == ["1-10", 4, 3.25, 1.0, 0, 0, 1, 1, 2]
    assert by_query.says.endswith("2 of 2 queries have one beyond rank 40.")
    assert by_query.rows[0] == [1, TEXTS[0], 4, 4, 1, 1, 1, 2, 1, 2]
    for figure in (by_rank, by_query):
        for inks in (PAGE, PAPER):
            assert ElementTree.fromstring(figure.draw(inks)).tag.endswith("svg")
    assert "A man with a very long beard" in by_query.draw(PAPER)


def test_the_scatter_has_a_dot_a_relevant_moment_in_its_query_s_colour(study: depth.DepthStudy) -> None:
    by_similarity, by_rank, *_ = depth_figures(study)
    assert by_rank.headings == ["query", "rank", "similarity", "grade", "at_random"]
    assert len(by_rank.rows) == 13 and [1, 99, 0.0, 2, 1] in by_rank.rows
    assert "lines are at ranks 40, to which the collection is judged, and 60" in by_rank.says
    assert "(2 of them relevant). Moments of grade 0 (n = 3) are in the data alone." in by_rank.says
    for figure in (by_similarity, by_rank):
        dots = ElementTree.fromstring(figure.draw(PAPER)).iter("{http://www.w3.org/2000/svg}circle")
        colours = Counter(dot.attrib["fill"] for dot in dots if dot.attrib["r"] == "3")
        assert colours == {KINDS[0]: 7, KINDS[1]: 3}
    places = [
        float(dot.attrib["cx"])
        for dot in ElementTree.fromstring(by_rank.draw(PAPER)).iter("{http://www.w3.org/2000/svg}circle")
        if dot.attrib["r"] == "3" and dot.attrib["fill"] == KINDS[0]
    ]
    # Ranks 1 and 10 are as far apart as 10 and 100 would be: 99 is a little nearer.
    lowest, ten, last = min(places), sorted(places)[2], max(places)
    assert last - ten == pytest.approx((ten - lowest) * 0.9956, abs=0.2)


def test_nothing_is_drawn_outside_of_its_sheet() -> None:
    moments = [GradedMoment(query, rank, 4) for query in range(1, 11) for rank in range(1, 121)]
    study = depth_study(moments, TEXTS * 5, ranked=60, depth=40, top_grade=4)
    for figure in depth_figures(study):
        root = ElementTree.fromstring(figure.draw(PAPER))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for box in root.iter("{http://www.w3.org/2000/svg}rect"):
            x, y, w, h = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
            assert x >= 0 and y >= 0 and x + w <= width + 0.1 and y + h <= height + 0.1, figure.key
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            size = (
                0.0
                if text.get("text-anchor", "start") != "start" or text.get("transform")
                else text_width(text.text or "", SMALL)
            )
            assert float(text.attrib["x"]) >= 0 and float(text.attrib["x"]) + size <= width, (figure.key, text.text)


@pytest.mark.parametrize(
    ("moments", "said"),
    [
        ([], "No pair is graded yet."),
        ([GradedMoment(1, 1, 0)], "None of the moments graded so far (n = 1) is relevant."),
    ],
    ids=["nothing graded", "nothing relevant"],
)
def test_before_there_is_anything_to_tell_it_says_so(moments: list[GradedMoment], said: str) -> None:
    *_, by_rank, by_query = depth_figures(depth_study(moments, TEXTS, ranked=60, depth=40, top_grade=4))
    assert by_rank.says.startswith(said)
    assert by_rank.draw(PAPER)
    assert by_query.draw(PAPER)


@pytest.fixture
def studied(db: None) -> World:
    """A depth study whose first four candidates a query are the ranked ones, two graded pairs of them relevant."""
    world = build_world(candidates=3)
    made = build_world(queries=2, candidates=6, name="deep")
    Collection.objects.filter(pk=made.collection.pk).update(purpose="depth", study_of=world.collection)
    made.collection.refresh_from_db()
    Study.objects.create(
        collection=world.collection,
        made=made.collection,
        kind="depth",
        number=1,
        queries=2,
        seed=1,
        depth=4,
        at_random=2,
        state="made",
    )
    for pair in Pair.objects.filter(batch__collection=made.collection):
        grade = {(1, 1): 4, (1, 4): 2, (2, 5): 3}.get((pair.batch.query.position, pair.candidate.rank), 0)
        Pair.objects.filter(pk=pair.pk).update(status="consensus", grade=grade)
    Pair.objects.filter(batch__query=made.queries[1], candidate__rank=6).update(status="discarded", grade=None)
    return made


def test_a_depth_study_s_page_of_figures_has_them_first_with_files(studied: World, client_of: Any) -> None:
    ada = client_of(studied["ada"].account)
    facts = read(ada, "collections/deep/figures")["figures"]
    assert [figure["key"] for figure in facts][:4] == list(DEPTH_KEYS)
    assert facts[2]["says"].startswith("Of 3 relevant moments found for 2 queries, 2 (66.67 %) lie at ranks 1 to 40")
    assert "at random 1 of 3 (33.33 %). Each of these stands for" in facts[2]["says"]
    by_rank = next(figure for figure in facts if figure["key"] == "relevance-by-rank")
    assert [row[0] for row in by_rank["rows"]] == ["1", "2", "3", "4"], "those at random are at no rank of a row"
    rows = list(csv.DictReader(io.StringIO(ada.get("/c/deep/figures/depth-by-query.csv").content.decode())))
    assert [row["relevant_1_4"] for row in rows] == ["2", "0"]
    assert [row["graded_random"] for row in rows] == ["2", "1"], "a discarded pair has no grade"
    assert b"<svg" in ada.get("/c/deep/figures/relevance-by-depth.svg").content
    page = ada.get("/c/deep/figures/").content.decode()
    assert page.index("Relevance by depth") < page.index("Agreement</h2>")


def test_no_other_collection_has_them(studied: World, client_of: Any) -> None:
    main = Collection.objects.get(name="paper")
    assert depth_study_of(main) is None
    assert client_of(studied["ada"].account).get("/c/paper/figures/depth-by-query.csv").status_code == 404
