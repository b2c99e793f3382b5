"""What a topic's author says of it stands under the query while people judge, and tells nothing else."""

from typing import Any

import pytest

from annotation.models import Judgment, Repeat
from foundation.models import Collection
from tests.annotation.judging.test_judge_pages import judgment, post
from tests.conftest import World, build_world
from tests.queries.topics.worlds import NARRATIVE, turn_into_topics

pytestmark = pytest.mark.django_db


@pytest.fixture
def topics(db: None) -> World:
    world = build_world(queries=2, candidates=6)
    turn_into_topics(world.collection)
    world.collection.queries.filter(topic_id="T2").update(narrative="")
    return world


def test_a_task_has_the_narrative_of_its_topic_and_nothing_that_tells_of_one(topics: World, client_of: Any) -> None:
    client = client_of(topics["bo"].account)
    tasks = post(client, "next", ahead=20).json()["tasks"]
    told = {task["query"]: task.get("narrative") for task in tasks}
    assert told == {"A woman does thing 0.": NARRATIVE, "A woman does thing 1.": None}
    assert {frozenset(task) for task in tasks} == {
        frozenset({"pair", "query", "clip", "poster", "narrative"}),
        frozenset({"pair", "query", "clip", "poster"}),
    }
    answer = post(client, "grade", **judgment(tasks[0], grade=2)).json()
    assert [task.get("narrative") for task in answer["tasks"]] == [task.get("narrative") for task in tasks[1:5]]
    said = str(answer) + str(tasks)
    assert not [word for word in ("T1", "The team", "topic", "split", "rank") if word in said]


def test_a_hidden_repeat_looks_as_the_first_time(topics: World, client_of: Any) -> None:
    client = client_of(topics["bo"].account)
    tasks = post(client, "next", ahead=20).json()["tasks"]
    first = next(task for task in tasks if "narrative" in task)
    post(client, "grade", **judgment(first, grade=2))
    given = Judgment.objects.get()
    Repeat.objects.create(pair=given.pair, annotator=topics["bo"], first=given, before_batch=given.pair.batch)
    Collection.objects.update(repeat_share=0.1)
    known = {task["pair"] for task in tasks}
    (again,) = [task for task in post(client, "next", ahead=20).json()["tasks"] if task["pair"] not in known]
    assert again == first | {"pair": again["pair"]}


def test_languages_route_topics_as_they_route_descriptions(topics: World, client_of: Any) -> None:
    topics.collection.queries.filter(topic_id="T1").update(language="de-AT")
    topics.collection.memberships.filter(pk=topics["bo"].pk).update(languages=["en"])
    topics.collection.memberships.filter(pk=topics["cy"].pk).update(languages=["de"])
    asked = {
        name: {task["query"] for task in post(client_of(topics[name].account), "next", ahead=20).json()["tasks"]}
        for name in ("bo", "cy")
    }
    assert "A woman does thing 0." not in asked["bo"] and "A woman does thing 0." in asked["cy"]
    assert "A woman does thing 1." in asked["bo"], "not stated: for everybody"
