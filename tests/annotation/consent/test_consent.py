"""The consent text: versions, confirmed before anything is stored, withdrawn as easily."""

import hashlib
import json
import uuid
from typing import Any

import pytest

from annotation.assignment.next_tasks import live_seats, next_tasks
from annotation.consent.mails import says_consent
from annotation.consent.people import consent_counts
from annotation.consent.standing import confirm_consent, withdraw_consent
from annotation.consent.survey import answer_survey, ask_question
from annotation.consent.texts import consent_draft, current_consent, publish_consent
from annotation.judging.judgments import give_judgment
from annotation.judging.requests import NewJudgment
from annotation.models import ConsentAct, InvitationUse, Judgment, Pair, SurveyAnswer, WorkClock
from annotation.people.erasure import erase_account, part_member
from annotation.people.own_data import own_data
from annotation.qualification.guidelines import publish_guideline
from annotation.qualification.invitations import accept_invitation, make_invitation
from annotation.qualification.mails import says_guideline
from foundation.models import Account, AuditEntry, MailItem, Membership
from foundation.refused import Refused
from tests.conftest import PASSWORD, World, find_world

pytestmark = pytest.mark.django_db


def publish(world: World, source: str = "We store *grades*.", note: str = "", then: str = "kept") -> int:
    version = publish_consent(lead=world["ada"], source=source, note=note, on_withdrawal=then).version
    world.__dict__.update(find_world().__dict__)
    return version


def ask(client: Any, what: str, **sent: Any) -> Any:
    return client.post(f"/c/paper/judge/{what}", json.dumps(sent), content_type="application/json")


def grade(client: Any, pair: str, value: int = 2) -> Any:
    return ask(client, "grade", pair=pair, grade=value, key=str(uuid.uuid4()), played=1.0)


class TestVersions:
    def test_there_is_none_before_a_lead_publishes_one(self, world: World, client_of: Any) -> None:
        assert world["bo"].agrees and current_consent(world.collection) is None
        source, then = consent_draft(world.collection)
        assert "It is up to you" in source and then == "kept"
        answer = ask(client_of(world["bo"].account), "next").json()
        assert answer["tasks"] and "consent" not in answer
        assert "Consent" not in client_of(world["bo"].account).get("/c/paper/judge/").content.decode()

    def test_the_lead_s_page_drafts_publishes_and_counts(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        page = "/c/paper/consent/edit/"
        assert "Taking part" in ada.get(page).content.decode()
        ada.post(page, {"source": "Half <b>a</b> thought", "action": "save", "on_withdrawal": "undecided"})
        assert consent_draft(world.collection) == ("Half <b>a</b> thought", "undecided")
        shown = ada.get(page).content.decode()
        assert "Half &lt;b&gt;a" in shown and "<b>a</b>" not in shown
        assert ada.post(page, {"source": "", "action": "publish", "on_withdrawal": "kept"}).status_code == 400
        wrong = ada.post(page, {"source": "x", "action": "publish", "on_withdrawal": "burnt"})
        assert wrong.status_code == 400 and "expected kept or undecided" in wrong.content.decode()
        sent = {"source": "One.", "action": "publish", "on_withdrawal": "kept"}
        assert ada.post(page, sent).status_code == 302
        assert ada.post(page, sent).status_code == 302, "the same again changes nothing"
        assert ada.post(page, {**sent, "source": "Two."}).status_code == 400, "a change needs a note"
        assert ada.post(page, {**sent, "on_withdrawal": "undecided", "note": "more"}).status_code == 302
        confirm_consent(member=find_world()["bo"], version=2)
        assert consent_counts(find_world().collection)["newest"] == 1
        shown = ada.get(page).content.decode()
        assert "The newest version: 1. An older one: 0. None yet: 4. Withdrawn: 0." in shown
        assert client_of(world["bo"].account).get(page).status_code == 403

    def test_only_the_newest_version_can_be_confirmed(self, world: World) -> None:
        with pytest.raises(Refused, match="no consent text"):
            confirm_consent(member=world["bo"], version=0)
        publish(world)
        publish(world, "New.", "more")
        with pytest.raises(Refused, match="has changed"):
            confirm_consent(member=world["bo"], version=1)
        for _ in range(2):
            confirm_consent(member=world["bo"], version=2)
        act = ConsentAct.objects.get()
        assert (act.annotator, act.kind, act.version) == (world["bo"], "confirmed", 2)
        assert act.digest == hashlib.sha256(b"New.").hexdigest()


class TestJoining:
    def link(self, world: World) -> str:
        return make_invitation(lead=world["ada"]).token

    def test_nothing_is_stored_before_it_is_confirmed(self, world: World, client: Any) -> None:
        publish(world)
        token = self.link(world)
        account = {"username": "nora", "password1": "a-paper-lantern", "password2": "a-paper-lantern"}
        page = client.get(f"/join/{token}/").content.decode()
        assert "We store <em>grades</em>." in page and "version 1 of the consent text" in page
        for consent in ({}, {"consent": "2"}, {"consent": "x"}, {"consent": ""}):
            refused = client.post(f"/join/{token}/", {**account, **consent})
            assert refused.status_code == 400 and "onsent text" in refused.content.decode()
            assert not Account.objects.filter(username="nora").exists() and not InvitationUse.objects.exists()
        ask_question(lead=world["ada"], kind="language", text="Which language?", options=[])
        joined = client.post(f"/join/{token}/", {**account, "consent": "1"})
        assert joined.url == "/c/paper/survey/"
        nora = Membership.objects.get(account__username="nora")
        assert nora.consent_confirmed == 1 and nora.consent_acts.get().version == 1

    def test_whoever_has_an_account_confirms_it_too(self, world: World, client_of: Any) -> None:
        publish(world)
        token, mal = self.link(world), Account.objects.create(username="mal")
        client = client_of(mal)
        assert client.post(f"/join/{token}/").status_code == 400
        with pytest.raises(Refused, match="Read the consent text"):
            accept_invitation(token=token, account=mal)
        assert not mal.memberships.exists()
        assert client.post(f"/join/{token}/", {"consent": "1"}).status_code == 302
        assert mal.memberships.get().agrees

    def test_a_version_published_while_it_was_read_is_shown_anew(self, world: World, client: Any) -> None:
        publish(world)
        token = self.link(world)
        publish(world, "Other words.", "more")
        refused = client.post(f"/join/{token}/", {"consent": "1"})
        assert "has changed meanwhile" in refused.content.decode() and "Other words." in refused.content.decode()


class TestJudging:
    def test_a_sitting_that_has_begun_is_finished_first(self, world: World, client_of: Any) -> None:
        bo = client_of(world["bo"].account)
        tasks = ask(bo, "next").json()["tasks"]
        publish(world)
        assert bo.get("/c/paper/judge/").status_code == 200
        for number, task in enumerate(tasks):
            answer = grade(bo, task["pair"]).json()
            assert ("consent" in answer) == (number == len(tasks) - 1)
        assert answer["consent"] == "/c/paper/consent/" and answer["tasks"] == []
        assert "consent text" in answer["empty"]
        assert Judgment.objects.count() == len(tasks)
        assert bo.get("/c/paper/judge/").url == "/c/paper/consent/"

    def test_who_has_no_sitting_reads_it_first(self, world: World, client_of: Any) -> None:
        publish(world)
        di = client_of(world["di"].account)
        assert di.get("/c/paper/judge/").url == "/c/paper/consent/"
        assert ask(di, "next").json()["consent"] == "/c/paper/consent/"
        assert not world["di"].seats.exists()
        assert "I have read version 1 and agree" in di.get("/c/paper/consent/").content.decode()
        assert di.post("/c/paper/consent/confirm", {"version": "1"}).url == "/c/paper/judge/"
        assert ask(di, "next").json()["tasks"]

    def test_training_waits_for_it(self, world: World, client_of: Any) -> None:
        Membership.objects.filter(pk=world["bo"].pk).update(status="applicant")
        publish(world)
        bo = client_of(world["bo"].account)
        for page in ("qualification/", "training/", "practice/", "exam/"):
            assert bo.get(f"/c/paper/{page}").url == "/c/paper/consent/", page
        for request in ("practice/next", "practice/grade", "exam/next", "exam/grade"):
            refused = bo.post(f"/c/paper/{request}", "{}", content_type="application/json")
            assert refused.status_code == 403 and "consent text" in refused.content.decode(), request
        bo.post("/c/paper/consent/confirm", {"version": "1"})
        assert bo.get("/c/paper/qualification/").status_code == 200


class TestWithdrawal:
    def test_a_button_ends_it_and_nothing_more_is_stored(self, world: World, client_of: Any) -> None:
        publish(world)
        confirm_consent(member=world["bo"], version=1)
        question = ask_question(lead=world["ada"], kind="choice", text="Tea?", options=["yes", "no"])
        answer_survey(member=world["bo"], answers={question.pk: "yes"})
        bo = client_of(world["bo"].account)
        first, second, *_ = (task["pair"] for task in ask(bo, "next").json()["tasks"])
        grade(bo, first)
        page = bo.get("/account/erase/").content.decode()
        assert "Withdraw my consent in Paper" in page and "under the worker id, and count" in page
        assert bo.post("/c/paper/consent/withdraw", follow=True).status_code == 200
        bo_now = find_world()["bo"]
        assert not live_seats(bo_now).exists() and not SurveyAnswer.objects.exists()
        for what, sent in (("grade", {"grade": 2, "key": str(uuid.uuid4())}), ("flag", {"kind": "other"})):
            refused = ask(bo, what, pair=second, played=1.0, **sent)
            assert refused.status_code == 403 and "withdrawn your consent" in refused.content.decode(), what
        assert ask(bo, "next").status_code == ask(bo, "undo").status_code == 403
        assert bo.get("/c/paper/judge/").url == "/c/paper/consent/"
        assert [judgment.counted for judgment in Judgment.objects.all()] == [True]
        assert list(bo_now.consent_acts.order_by("pk").values_list("kind", "version")) == [
            ("confirmed", 1),
            ("withdrawn", 1),
        ]
        given = bo_now.consent_acts.earliest("pk").at
        assert f"{given:%d.%m.%Y}" in bo.get("/c/paper/consent/", headers={"accept-language": "de"}).content.decode()
        assert "Withdrawn: 1" in client_of(world["ada"].account).get("/c/paper/consent/edit/").content.decode()
        # And given again, by the same page.
        assert bo.post("/c/paper/consent/confirm", {"version": "1"}).status_code == 302
        assert grade(bo, second).status_code == 200

    def test_a_judgment_that_overtakes_it_is_refused_too(self, world: World) -> None:
        """The request was let in before the withdrawal, and is decided after it."""
        publish(world)
        confirm_consent(member=world["bo"], version=1)
        before = find_world()["bo"]
        tasks = next_tasks(member=before)
        sent = [NewJudgment(pair=uuid.UUID(task.pair), grade=1, key=uuid.uuid4(), played=1.0) for task in tasks]
        give_judgment(member=before, sent=sent[0])
        read = WorkClock.objects.get()
        withdraw_consent(member=find_world()["bo"])
        assert WorkClock.objects.get().until > read.until, "what had read the clock has to look again"
        import annotation.judging.judgments as judgments

        kept = judgments.keep_judgment
        calls: list[int] = []

        def stale(*args: Any, **kwargs: Any) -> bool:
            calls.append(1)
            return kept(*args, **{**kwargs, "read": type(kwargs["read"])(read.until, read.seconds)})

        judgments.keep_judgment = stale
        try:
            with pytest.raises(Refused, match="withdrawn your consent"):
                give_judgment(member=before, sent=sent[1])
        finally:
            judgments.keep_judgment = kept
        assert calls and Judgment.objects.count() == 1
        assert next_tasks(member=before) == [] and not live_seats(before).exists()

    def test_what_isn_t_decided_is_taken_back_where_the_text_says_so(self, world: World) -> None:
        publish(world, then="undecided")
        for name in ("bo", "cy"):
            confirm_consent(member=world[name], version=1)
        pairs = [task.pair for task in next_tasks(member=world["bo"])]
        next_tasks(member=world["cy"])

        def give(name: str, pair: str, value: int) -> None:
            sent = NewJudgment(pair=uuid.UUID(pair), grade=value, key=uuid.uuid4(), played=1.0)
            give_judgment(member=find_world()[name], sent=sent)

        give("bo", pairs[0], 2)
        give("cy", pairs[0], 2)
        give("bo", pairs[1], 2)
        give("bo", pairs[2], 0)
        assert withdraw_consent(member=world["bo"]) == 2
        states = {
            str(pair.public_id): (pair.status, pair.judgments.filter(counted=True).count())
            for pair in Pair.objects.all()
        }
        assert states == {pairs[0]: ("consensus", 2), pairs[1]: ("open", 0), pairs[2]: ("open", 0)}
        assert not live_seats(find_world()["bo"]).exists()
        assert withdraw_consent(member=world["bo"]) == 0

    def test_one_that_broke_off_goes_on_by_the_text_that_held(self, world: World, monkeypatch: Any) -> None:
        publish(world, then="undecided")
        confirm_consent(member=world["bo"], version=1)
        task = next_tasks(member=world["bo"])[0]
        give_judgment(
            member=find_world()["bo"],
            sent=NewJudgment(pair=uuid.UUID(task.pair), grade=1, key=uuid.uuid4(), played=1.0),
        )
        publish(world, "Other.", "more", then="kept")

        def killed(**kwargs: Any) -> None:
            raise SystemExit

        with monkeypatch.context() as broken, pytest.raises(SystemExit):
            broken.setattr("annotation.consent.standing.take_back_last", killed)
            withdraw_consent(member=world["bo"])
        assert find_world()["bo"].consent_withdrawn_at is not None and Judgment.objects.get().counted
        assert withdraw_consent(member=find_world()["bo"]) == 1
        assert not Judgment.objects.get().counted and ConsentAct.objects.filter(kind="withdrawn").count() == 1

    def test_it_is_possible_without_having_confirmed_and_in_the_archive(self, world: World, client_of: Any) -> None:
        publish(world)
        from django.utils import timezone

        world.collection.archived_at = timezone.now()
        world.collection.save()
        bo = client_of(world["bo"].account)
        assert bo.post("/c/paper/consent/withdraw").status_code == 302
        act = ConsentAct.objects.get()
        assert (act.kind, act.version, act.digest) == ("withdrawn", 0, "")
        assert bo.post("/c/paper/consent/confirm", {"version": "1"}).status_code == 403

    def test_studies_follow(self, world: World, client_of: Any) -> None:
        from foundation.collections.studies import place_in_study
        from foundation.models import Collection

        publish(world)
        confirm_consent(member=world["bo"], version=1)
        study = Collection.objects.create(
            name="paper-pilot-1", title="Pilot", purpose="pilot", study_of=world.collection, consent_version=1
        )
        place_in_study(world["bo"], study)
        assert Membership.objects.get(collection=study).agrees
        publish(world, "Two.", "more")
        assert not Membership.objects.select_related("collection").get(collection=study).agrees
        bo = client_of(world["bo"].account)
        assert bo.get("/c/paper-pilot-1/judge/").url == "/c/paper/consent/"
        bo.post("/c/paper/consent/confirm", {"version": "2"})
        assert bo.get("/c/paper-pilot-1/judge/").status_code == 200
        withdraw_consent(member=find_world()["bo"])
        assert Membership.objects.get(collection=study).consent_withdrawn_at is not None


class TestRecords:
    def test_own_data_has_it_and_the_trail_tells_nobody_s_place(self, world: World) -> None:
        publish(world)
        before = AuditEntry.objects.count()
        confirm_consent(member=world["bo"], version=1)
        assert AuditEntry.objects.count() == before, "what a person does with their own place is no entry"
        question = ask_question(lead=world["ada"], kind="choice", text="Tea?", options=["yes", "no"])
        answer_survey(member=find_world()["bo"], answers={question.pk: "no"})
        data = json.loads("".join(own_data(world["bo"].account)))
        (place,) = data["collections"]
        assert [(act["kind"], act["version"]) for act in place["consent"]] == [("confirmed", 1)]
        assert place["survey"] == [{"question__text": "Tea?", "answer": "no"}]

    @pytest.mark.parametrize("whole", [True, False])
    def test_erasure_takes_the_answers_and_keeps_the_acts_under_the_worker_id(self, world: World, whole: bool) -> None:
        publish(world)
        confirm_consent(member=world["bo"], version=1)
        question = ask_question(lead=world["ada"], kind="choice", text="Tea?", options=["yes", "no"])
        for name in ("bo", "cy"):
            confirm_consent(member=find_world()[name], version=1)
            answer_survey(member=find_world()[name], answers={question.pk: "no"})
        if whole:
            erase_account(account=world["bo"].account)
        else:
            part_member(member=find_world()["bo"])
        assert SurveyAnswer.objects.get().annotator == world["cy"]
        assert ConsentAct.objects.filter(annotator=world["bo"]).count() == 1
        assert Membership.objects.get(pk=world["bo"].pk).account is None


def test_a_new_version_is_told_by_mail_until_it_is_confirmed(world: World, settings: Any) -> None:
    publish(world)
    item = MailItem(account=world["bo"].account, collection=find_world().collection)
    said = says_consent(item)
    assert said is not None and said.path == "/c/paper/consent/"
    confirm_consent(member=find_world()["bo"], version=1)
    assert says_consent(item) is None
    publish(world, "Two.", "more")
    assert says_consent(item) is not None
    withdraw_consent(member=find_world()["bo"])
    assert says_consent(item) is None, "who has withdrawn is left alone"
    publish_guideline(lead=world["ada"], source="Grade by what is seen.")
    assert says_guideline(item) is None
    confirm_consent(member=find_world()["bo"], version=2)
    assert says_guideline(item) is not None


def test_whoever_logs_in_by_password_meets_it_too(world: World, client: Any) -> None:
    account = world["bo"].account
    account.set_password(PASSWORD)
    account.save()
    publish(world)
    assert client.login(username="bo", password=PASSWORD)
    assert client.get("/c/paper/judge/").url == "/c/paper/consent/"
