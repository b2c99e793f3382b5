"""The pages of machine judges: declared, fed and retired by a lead, with single grades of decided pairs alone."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from annotation.machine_judges.brought import bring_rows
from annotation.machine_judges.jobs import judge_by_machine
from annotation.models import MachineJudge, MachineJudging, Pair
from foundation.models import Collection
from tests.annotation.judging_steps import judge as grade
from tests.annotation.judging_steps import sit
from tests.annotation.machine_judges.test_judges import declared
from tests.conftest import World

pytestmark = pytest.mark.django_db


def client(world: World, name: str = "ada") -> Client:
    made = Client()
    made.force_login(world[name].account)  # type: ignore[arg-type]
    return made


def sent(world: World, page: str, row: MachineJudge | None = None, /, **values: Any) -> HttpResponse:
    where = reverse(page, args=["paper", *([row.pk] if row else [])])
    response: HttpResponse = client(world).post(where, values)
    return response


def shown(world: World, judge: MachineJudge) -> str:
    return client(world).get(judge.get_absolute_url()).content.decode()


FACTS = {"name": "clipper", "model": "ViT-B/32", "family": "CLIP"}


def test_a_lead_declares_a_judge_and_finds_it_in_the_list(world: World) -> None:
    assert "once you declare one" in client(world).get(reverse("machine-judges", args=["paper"])).content.decode()
    more = {"frames": "8", "guideline": "", "parameters": '{"seed": 1}', "version": "sha256:5e"}
    response = sent(world, "machine-judge-declare", **FACTS, **more)
    judge = MachineJudge.objects.get()
    assert response["Location"] == judge.get_absolute_url()
    assert (judge.member, judge.kind, judge.frames, judge.guideline) == (world["ada"], "file", 8, None)
    assert judge.parameters == {"seed": 1}
    page = client(world).get(reverse("machine-judges", args=["paper"])).content.decode()
    assert "clipper" in page
    assert "0 of 3" in page
    assert "sha256:5e" in shown(world, judge)
    assert sent(world, "machine-judge-declare", **FACTS, **more)["Location"] == judge.get_absolute_url()


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("name", "", "This field is required"),
        ("family", "\u200b", "This field is required"),
        ("frames", "many", "expected a whole number from 1"),
        ("guideline", "7", "expected one that was published"),
        ("parameters", "[1]", "Enter a JSON object"),
        ("parameters", "{" * 5000, "Enter a JSON object"),
        ("parameters", '{"a": "\\u0000"}', "Enter a JSON object"),
        ("model", "x" * 201, "at most 200"),
    ],
)
def test_a_wrong_field_is_marked_and_what_was_typed_stays(world: World, field: str, typed: str, says: str) -> None:
    response = sent(world, "machine-judge-declare", **(FACTS | {"version": "kept-typed", field: typed}))
    assert response.status_code == 400
    assert says in response.content.decode()
    assert "kept-typed" in response.content.decode()
    assert not MachineJudge.objects.exists()


def test_another_judge_of_the_same_name_is_refused_beside_the_name(world: World) -> None:
    sent(world, "machine-judge-declare", **FACTS)
    response = sent(world, "machine-judge-declare", **(FACTS | {"model": "ViT-L/14"}))
    assert response.status_code == 400
    assert "declared already, with another model" in response.content.decode()


def test_an_uploaded_file_shows_what_came_of_it(world: World, transactional_db: None) -> None:
    judge, pair = declared(world), Pair.objects.order_by("pk")[0]
    assert sent(world, "machine-judge-grades", judge).status_code == 400
    rows = SimpleUploadedFile("grades.csv", f"pair_id,grade\n{pair.public_id},3\n".encode())
    assert sent(world, "machine-judge-grades", judge, file=rows)["Location"] == judge.get_absolute_url()
    again = SimpleUploadedFile("again.csv", b"pair_id,grade\n")
    response = sent(world, "machine-judge-grades", judge, file=again)
    assert response.status_code == 400
    assert "Another file of this judge waits" in response.content.decode()
    judge_by_machine(MachineJudging.objects.get().pk)
    page = shown(world, judge)
    assert "1 grade and 0 abstentions added" in page
    assert "grades.csv" in page


def test_a_single_grade_is_shown_once_people_have_decided_the_pair(world: World) -> None:
    judge, (pair, other, _) = declared(world), Pair.objects.order_by("pk")
    bring_rows(judge=judge, rows=[{"pair_id": str(one.public_id), "grade": 3} for one in (pair, other)])
    sit(world["bo"], world["cy"])
    grade(world["bo"], pair, 2)
    assert "secret_video_name" not in shown(world, judge)
    grade(world["cy"], pair, 2)
    page = shown(world, judge)
    assert page.count("secret_video_name") == 1
    assert '<span class="chip grade-2">2</span>' in page
    listed = client(world).get(reverse("machine-judge-pairs", args=["paper", judge.pk]))
    assert len(b"".join(listed).splitlines()) == 2  # type: ignore[call-overload]


def test_a_retired_judge_takes_nothing_more_and_says_so(world: World) -> None:
    judge = declared(world)
    assert sent(world, "machine-judge-retire", judge)["Location"] == judge.get_absolute_url()
    page = shown(world, judge)
    assert "its grades are kept, and used no more" in page
    assert reverse("machine-judge-grades", args=["paper", judge.pk]) not in page
    rows = SimpleUploadedFile("grades.csv", b"pair_id,grade\n")
    assert sent(world, "machine-judge-grades", judge, file=rows).status_code == 400


def test_a_judge_of_another_collection_is_not_found(world: World) -> None:
    judge = declared(world)
    MachineJudge.objects.update(collection=Collection.objects.create(name="other", title="Other"))
    for name in ("machine-judge", "machine-judge-pairs"):
        assert client(world).get(reverse(name, args=["paper", judge.pk])).status_code == 404
    for name in ("machine-judge-grades", "machine-judge-retire"):
        assert sent(world, name, judge).status_code == 404
    assert MachineJudge.objects.get().retired_at is None


@pytest.mark.parametrize("page", ["machine-judges", "machine-judge", "machine-judge-pairs"])
def test_pages_take_as_many_queries_whatever_the_number_of_pairs(
    world: World, page: str, django_assert_max_num_queries: Any
) -> None:
    judge = declared(world)
    bring_rows(judge=judge, rows=[{"pair_id": str(Pair.objects.all()[0].public_id), "grade": 3}])
    asking = client(world)
    where = reverse(page, args=["paper", *([] if page == "machine-judges" else [judge.pk])])
    with django_assert_max_num_queries(20):
        asking.get(where)
