"""A release's public page: what it shows, to whom, when, and what never."""

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Batch, Exam, Judgment, Pair, Repeat
from annotation.precomputed import refresh_computed
from annotation.review.decisions import review_batch, take_back_review
from corpus.models import Clip, Moment
from datasets.content.still_judged import ended_queries, still_judged
from datasets.leaderboard.runs import open_board
from datasets.models import Release, ReleasePage, Run
from datasets.presentation.digest import digest_of
from datasets.presentation.public_views import FILES_FROM_AN_ADDRESS
from datasets.presentation.services import make_public, show_run, withdraw_page
from datasets.releases.make_release import create_release
from foundation.access.throttle import take
from foundation.deletion.hooks import obstacles_of
from foundation.models import Account, Collection, Membership
from foundation.refused import Refused
from tests.datasets.boards import ground_truth, lines, perfect, reversed_run, scored
from tests.datasets.conftest import World

ADDRESS = "/published/tiny/v1/"


@pytest.fixture
def release(judged: World) -> Release:
    """Both splits judged and every batch reviewed; clips of all moments; olga owns the collection."""
    finish(judged)
    collection = judged.collection
    collection.has_clips = True
    collection.save()
    for moment in Moment.objects.filter(video__collection=collection):
        for ending in ("mp4", "jpg"):
            default_storage.save(f"clips/{moment.pk}.{ending}", ContentFile(f"{moment.pk} {ending}".encode()))
        Clip.objects.create(moment=moment, video_file=f"clips/{moment.pk}.mp4", poster_file=f"clips/{moment.pk}.jpg")
    judged.members["olga"] = Membership.objects.create(
        collection=collection,
        account=Account.objects.create(username="olga", email="olga@example.org"),
        role=Membership.Role.OWNER,
        worker="w99",
    )
    made = create_release(
        collection=collection, name="v1", about={"authors": "Curie, Marie; The Paper Team", "licence": "CC-BY-4.0"}
    )
    refresh_computed(collection=collection, name=f"release-digest:{made.pk}")
    return made


def finish(world: World) -> None:
    for batch in Batch.objects.filter(collection=world.collection, status=Batch.Status.DECIDED):
        review_batch(member=world.members["ada"], batch_id=batch.pk, decision="finish")


def publish(world: World, release: Release, **chosen: Any) -> ReleasePage:
    chosen = {"pictures": "clips", "files": "all", "indexed": False, **chosen}
    return make_public(member=world.members["olga"], release=release, **chosen)


def logged_in(world: World, name: str) -> Client:
    client = Client()
    client.force_login(world.members[name].account)  # type: ignore[arg-type]
    return client


def said(address: str = ADDRESS) -> str:
    answer = Client().get(address)
    assert answer.status_code == 200
    return str(answer.content.decode())


def samples_in(page: str) -> str:
    return page.split('id="samples"')[1].split('id="made"')[0]


def pictures(page: str, ending: str) -> list[str]:
    return re.findall(rf'(?:src|data-play)="({ADDRESS}\d+\.{ending})"', page)


def test_an_owner_makes_it_public_and_takes_it_back_at_once(judged: World, release: Release) -> None:
    form = reverse("release-public", args=["tiny", release.pk])
    olga, ada = logged_in(judged, "olga"), logged_in(judged, "ada")
    never = Client().get("/published/tiny/v0/")
    assert never.status_code == 404
    chosen = {"pictures": "posters", "files": "without-test"}
    assert ada.post(form, {**chosen, "agreed": "on"}).status_code == 403
    unsure = olga.post(form, chosen)
    assert unsure.status_code == 400 and "Confirm this first." in unsure.content.decode()
    wrong = olga.post(form, {"pictures": "films", "files": "some", "agreed": "on"})
    assert "expected one of none, posters, clips" in wrong.content.decode()
    assert Client().get(ADDRESS).content == never.content
    assert olga.post(form, {**chosen, "agreed": "on"}).status_code == 302
    for client in (Client(), olga, ada, logged_in(judged, "bo")):
        answer = client.get(ADDRESS)
        assert answer.status_code == 200
        assert not answer.cookies and "Cookie" not in answer.get("Vary", "")
    again = Client().get(ADDRESS, headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    files = [f"{ADDRESS}files/val.json", f"{ADDRESS}files/test.json", f"{ADDRESS}all", pictures(said(), "jpg")[0]]
    assert [Client().get(one).status_code for one in files] == [200, 404, 404, 200]
    assert "make it private first" in " ".join(obstacles_of(judged.collection))
    Collection.objects.update(archived_at=timezone.now())
    assert ada.post(reverse("release-public-off", args=["tiny", release.pk])).status_code == 403
    assert olga.post(reverse("release-public-off", args=["tiny", release.pk])).status_code == 302
    for address in (ADDRESS, *files):
        gone = Client().get(address, headers={"If-None-Match": answer["ETag"]})
        assert (gone.status_code, gone.content) == (404, never.content)
    with pytest.raises(Refused, match="You are lead annotator here"):
        withdraw_page(member=judged.members["ada"], release=release)


def test_it_tells_what_the_release_says_and_what_the_leads_typed(judged: World, release: Release) -> None:
    publish(judged, release)
    ada, form = logged_in(judged, "ada"), reverse("release-citation", args=["tiny", release.pk])
    wrong = ada.post(form, {"title": "x", "year": "MMXX", "address": "javascript:alert(1)"})
    assert wrong.status_code == 400
    assert "expected a year from 1900" in wrong.content.decode() and "expected a DOI" in wrong.content.decode()
    ada.post(form, {"title": "Tiny & Fine", "year": "2031", "address": "doi:10.5555/tiny"})
    page = said()
    assert "Tiny &amp; Fine, release v1" in page and 'href="https://doi.org/10.5555/tiny"' in page
    assert "author = {Curie, Marie and {The Paper Team}}" in page and "year = {2031}" in page
    assert "CC-BY-4.0" in page and "Krippendorff" in page and "qreels-eval score val.json" in page
    counts = release.manifest["counts"]
    assert f"{counts['val']['pairs'] + counts['test']['pairs']} pairs of query and moment" in page
    assert '<meta name="robots" content="noindex">' in page
    for path, sha256 in release.files.items():
        assert sha256 in page
        answer = Client().get(f"{ADDRESS}files/{path}")
        assert hashlib.sha256(b"".join(answer.streaming_content)).hexdigest() == sha256  # type: ignore[arg-type]
    publish(judged, release, indexed=True)
    assert "noindex" not in said() and "X-Robots-Tag" not in Client().get(ADDRESS)


def test_it_names_nobody_and_leads_nowhere_into_the_site(judged: World, release: Release, tmp_path: Any) -> None:
    board = open_board(release=release, split="test")
    queries = ground_truth(release, tmp_path / "v1")
    run = scored(board, "good", lines(perfect(queries)))
    hidden = scored(board, "not shown", lines(reversed_run(queries)))
    Run.objects.update(member=judged.members["bo"])
    show_run(run=run, shown=True)
    publish(judged, release)
    page = said()
    assert "good" in page and "not shown" not in page and hidden.pk
    for member in judged.members.values():
        assert member.account is not None
        for secret in (member.worker, member.account.username, f"{member.account.username}@example.org"):
            assert secret and not re.search(rf"\b{re.escape(secret)}\b", page), secret
    for description in judged.collection.descriptions.all():
        assert description.text not in page
    own = re.findall(r'(?:href|src|data-play)="(/[^"]*)"', page)
    assert own and all(address.startswith((ADDRESS, "/static/")) for address in own)
    assert "similarity" not in samples_in(page)


def test_it_is_in_the_browser_s_language_and_kept_for_each(judged: World, release: Release) -> None:
    publish(judged, release)
    drawn = re.findall('<rect class="g[^>]*>', said())
    assert len(drawn) == 5 and not any("," in one for one in drawn)
    for language, words in (("de", "So ist es entstanden"), ("es", "Cómo se hizo"), ("zh-hans", "制作方法")):
        answer = Client().get(ADDRESS, headers={"Accept-Language": language})
        page = answer.content.decode()
        assert words in page and f'<html lang="{language}"' in page and "How it was made" not in page
        assert re.findall('<rect class="g[^>]*>', page) == drawn
        again = Client().get(ADDRESS, headers={"Accept-Language": language, "If-None-Match": answer["ETag"]})
        assert again.status_code == 304 and answer["Vary"] == again["Vary"] == "Accept-Language"
        other = Client().get(ADDRESS, headers={"If-None-Match": answer["ETag"]})
        assert other.status_code == 200 and "How it was made" in other.content.decode()
    article = logged_in(judged, "ada").get(f"/c/tiny/releases/{release.pk}/").context["article"]
    assert [step.name for step in article["procedure"]][:2] == ["Queries", "Draw"]


def test_a_run_is_listed_by_whoever_uploaded_it(judged: World, release: Release, tmp_path: Any) -> None:
    run = scored(
        open_board(release=release, split="test"), "good", lines(perfect(ground_truth(release, tmp_path / "v1")))
    )
    form = reverse("run-show", args=["tiny", run.pk])
    Run.objects.update(member=judged.members["olga"])
    assert logged_in(judged, "ada").post(form, {"shown": "on"}).status_code == 404
    assert logged_in(judged, "olga").post(form, {"shown": "on"}).status_code == 302
    publish(judged, release)
    assert "Leaderboard of test" in said()
    Run.objects.update(member=None)
    logged_in(judged, "ada").post(form, {})
    assert "Leaderboard of test" not in said()


def test_pictures_and_files_are_as_chosen_and_of_the_samples_alone(judged: World, release: Release) -> None:
    publish(judged, release)
    page = said()
    posters, clips = pictures(page, "jpg"), pictures(page, "mp4")
    assert posters and len(posters) == len(clips)
    assert Client().get(clips[0], headers={"Range": "bytes=0-1"}).status_code == 206
    assert Client().get(posters[0])["Cache-Control"] == "public, no-cache"
    names = Clip.objects.values_list("public_name", flat=True)
    assert not any(name in page for name in names), "the address that annotators know"
    for clip in Clip.objects.all():
        assert Client().get(reverse("clip", args=[clip.public_name, "jpg"])).status_code == 404
    assert Client().get(f"{ADDRESS}999.jpg").status_code == 404
    publish(judged, release, pictures="posters", files="none")
    assert pictures(said(), "jpg") and not pictures(said(), "mp4")
    assert [Client().get(one).status_code for one in (posters[0], clips[0], f"{ADDRESS}files/val.json")] == [
        200,
        404,
        404,
    ]
    publish(judged, release, pictures="none")
    assert "Sample queries" in said() and not pictures(said(), "jpg")
    assert Client().get(posters[0]).status_code == 404


def test_another_release_and_a_study_stay_hidden(judged: World, release: Release) -> None:
    later = create_release(collection=judged.collection, name="v2")
    publish(judged, later, files="none")
    assert Client().get(ADDRESS).status_code == 404
    assert "v1" not in said("/published/tiny/v2/").replace("application", "")
    publish(judged, release)
    assert "Since v1" in said("/published/tiny/v2/")
    study = Collection.objects.create(name="pilot", title="Pilot", purpose="pilot", study_of=judged.collection)
    Release.objects.filter(pk=later.pk).update(collection=study)
    assert Client().get("/published/pilot/v2/").status_code == 404


def test_samples_and_files_go_while_somebody_can_still_be_asked(judged: World, release: Release) -> None:
    publish(judged, release)
    shown = [query for query in judged.collection.queries.filter(split="val") if query.text in said()]
    assert len(shown) == 2
    poster = pictures(said(), "jpg")[0]

    # One query's review is taken back: its sample goes, the other's stays, files are held back.
    batch = shown[0].batches.get()
    review = batch.review
    take_back_review(member=judged.members["ada"], batch_id=batch.pk, review_id=review.pk)
    page = said()
    assert shown[0].text not in page and shown[1].text in page
    videos = list(judged.collection.videos.values_list("name", flat=True))
    assert not any(name in samples_in(page) for name in videos), "its moments may be candidates of the other one"
    assert "can be downloaded here when judging has ended" in page
    for address in (f"{ADDRESS}files/val.json", f"{ADDRESS}files/manifest.json", f"{ADDRESS}all"):
        assert Client().get(address).status_code == 404
    assert poster in page or Client().get(poster).status_code == 404

    # Where hidden repeats are given, any pair may be asked for again.
    Collection.objects.update(repeat_share=0.1)
    assert "Sample queries" not in said()
    finish(judged)
    page = said()
    assert shown[0].text in page and shown[1].text in page and any(name in samples_in(page) for name in videos)
    assert Client().get(f"{ADDRESS}files/val.json").status_code == 200


def test_nothing_is_given_out_while_it_is_judged_in_any_way(judged: World, release: Release) -> None:
    collection = judged.collection
    ids = [str(one) for one in collection.queries.values_list("description__source_id", flat=True)]
    assert still_judged(collection) == "" and ended_queries(collection, ids) == set(ids)
    judgment = Judgment.objects.filter(pair__status="consensus").first()
    assert judgment is not None
    repeat = Repeat.objects.create(
        pair=judgment.pair, annotator=judgment.annotator, first=judgment, slipped_in_at=timezone.now()
    )
    assert still_judged(collection) == "pairs wait to be judged a second time"
    assert ended_queries(collection, ids) == set()
    Repeat.objects.filter(pk=repeat.pk).update(closed_at=timezone.now() + timedelta(seconds=1))
    Membership.objects.filter(pk=judged.members["bo"].pk).update(status="applicant")
    assert still_judged(collection) == "people are in training" and not Exam.objects.exists()
    assert ended_queries(collection, ids) == set(ids), "an exam asks for other queries"
    study = Collection.objects.create(name="depth", title="Depth", purpose="depth", study_of=collection)
    query = collection.queries.first()
    assert query is not None
    own, source_id = query.pk, query.description.source_id
    query.pk, query.collection = None, study
    query.save(force_insert=True)
    Batch.objects.create(collection=study, query=query, number=1)
    assert still_judged(collection) == "batches are being judged or wait for review" and own != query.pk
    assert ended_queries(collection, ids) == set(ids) - {source_id}
    Collection.objects.update(archived_at=timezone.now())
    assert still_judged(collection) == ""
    assert Pair.objects.exists()


def test_test_samples_are_public_only_with_all_files(judged: World, release: Release) -> None:
    digest = digest_of(release)
    assert digest is not None and digest["split"] == "val"
    computed = judged.collection.computed.get(name=f"release-digest:{release.pk}")
    computed.value = {**digest, "split": "test"}
    computed.save()
    publish(judged, release, files="without-test")
    assert "Sample queries" not in said()
    publish(judged, release, files="all")
    assert "Sample queries" in said()


def test_files_that_name_somebody_stay(judged: World, release: Release) -> None:
    computed = judged.collection.computed.get(name=f"release-digest:{release.pk}")
    computed.value = {**computed.value, "identities": ["README.md holds the mail address of a person"]}
    computed.save()
    with pytest.raises(Refused, match=r"README\.md holds the mail address"):
        publish(judged, release)
    computed.delete()
    with pytest.raises(Refused, match="still being searched"):
        publish(judged, release)
    publish(judged, release, files="none")
    assert "How it was made" in said() and "Sample queries" not in said(), "the page needs no digest"


def test_who_asks_too_often_waits(judged: World, release: Release) -> None:
    publish(judged, release)
    for _ in range(FILES_FROM_AN_ADDRESS.attempts):
        take(FILES_FROM_AN_ADDRESS, "127.0.0.1", what="")
    answer = Client().get(f"{ADDRESS}files/val.json")
    assert (answer.status_code, answer["Content-Type"]) == (429, "text/plain; charset=utf-8")
    assert int(answer["Retry-After"]) > 0
    assert Client().get(ADDRESS).status_code == 200
