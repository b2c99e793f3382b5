"""Whole collections with rows of all that endpoints name, two of whatever they list."""

import json
from typing import Any

from django.utils import timezone

from annotation.batches.opening_jobs import ask_for_opening
from annotation.consent.survey import ask_question
from annotation.consent.texts import publish_consent
from annotation.judging.notices import post_notice
from annotation.machine_judges.judges import MachineGrade, declare_judge, store_judgments
from annotation.models import (
    Adjudication,
    Batch,
    Exam,
    ExamItem,
    Factor,
    Flag,
    GoldPair,
    MachineJudge,
    Pair,
    Question,
    Review,
    SetAside,
    SpanRuling,
    Study,
    SurveyAnswer,
    SurveySum,
    WorkedItem,
)
from annotation.qualification.guidelines import publish_guideline
from annotation.qualification.invitations import make_invitation
from annotation.recruiting.entering import enter
from annotation.recruiting.platforms import Ids
from annotation.recruiting.recruitments import Terms, make_recruitment
from campaigns.models import Submission, Team
from corpus.models import Description, Import, ImportPreview, Moment, Subtitles, Video, VideoImport, VideoUpload
from datasets.models import (
    Board,
    BoardEstimate,
    BoardQuery,
    JudgmentAudit,
    JudgmentImport,
    Plan,
    Publication,
    Release,
    Run,
    RunAnswer,
)
from foundation.models import Account, Membership, Webhook
from foundation.uploads.files import announce_file
from queries.models import Caption, CaptionImport, CheckCalibration, PoolRun, RewritePreview
from queries.topics.edit_topics import add_topic
from tests.campaigns.shared_task import campaign_over, send, teams_of
from tests.conftest import build_world, find_world

COUNTS = {"queries": 1, "pairs": 1, "pairs_undecided": 0}
SAID = {
    "title": "Paper",
    "collection": "paper",
    "about": {"authors": "", "licence": "", "citation": "", "limitations": ""},
}
SECOND = {"video_name": "secret_video_name", "timestamp": [1, 2]}


def build_whole_world(name: str = "paper") -> None:
    """A collection with two rows of what endpoints list; ada owns it, and the site."""
    world = build_world(queries=2, candidates=3, clips=True, name=name)
    here, ada, bo = world.collection, world["ada"], world["bo"]
    ada.role = Membership.Role.OWNER
    ada.save()
    Account.objects.filter(pk=ada.account_id).update(is_superuser=True)
    another = Video.objects.create(collection=here, name="another", duration=10)
    Subtitles.objects.create(video=another, language="en", source="another.srt", cues=[[1, 2, "A cup?"]])
    publish_guideline(lead=ada, source="# Grades")
    _asked_about_themselves(ada, bo)
    make_invitation(lead=ada, label="a class")
    make_invitation(lead=ada, label="another class")
    for number in (1, 2):
        _recruited(ada, number)
    ask_for_opening(member=ada)
    for caption in Caption.objects.filter(description__collection=here).order_by("-pk")[:2]:
        Caption.objects.filter(pk=caption.pk).update(status="review")
    values: dict[str, Any] = {"collection": here, "member": ada, "file_name": "a.csv", "stored_file": "x", "size": 1}
    for number in (1, 2):
        Import.objects.create(**values, counts={"added": 1})
        ImportPreview.objects.create(**values, state="done")
        JudgmentImport.objects.create(**values, split="test")
        audit = {"account": ada.account, "file_name": f"{number}.csv", "size": 9, "state": "done"}
        JudgmentAudit.objects.create(**audit, result={"judgments": 1})
        VideoImport.objects.create(collection=here, member=ada)
        RewritePreview.objects.create(collection=here, member=ada, rewriter="rules", seed=number, state="done")
        CaptionImport.objects.create(collection=here, member=ada, file_name="a.csv", doing="look", state="done")
        plan = {"smallest": 0.02, "measure": "NDCG@20,IoU>=0.5", "queries": None, "level": 0.95}
        Plan.objects.create(collection=here, member=ada, asked=plan, state="done")
        CheckCalibration.objects.create(collection=here, member=ada, captions=500, encoder="other", state="done")
        _machine_judge(ada, number)
        announce_file(member=ada, name=f"{number}.csv", size=9, mark="00000000")
        upload = {"name": f"{number}.mp4", "size": 9, "mark": "00000000"}
        VideoUpload.objects.create(collection=here, member=ada, **upload)
        post_notice(lead=ada, text=f"Welcome {number}.")
        topic = {"id": f"30{number}", "text": f"Somebody gives coat {number} away.", "split": "val"}
        add_topic(collection=here, typed=topic)
        sha256 = f"{number}" * 64
        run = {"sha256": sha256, "size": 1, "queries": 1, "predictions": 1, "kept": 1, "videos": 1}
        PoolRun.objects.create(collection=here, team="kite", system=f"run {number}", file_name="r", **run)
        _release(ada, number)
    Membership.objects.filter(pk__in=[world["ed"].pk, world["flo"].pk]).update(status="applicant")
    _judged(world.collection, ada, bo)
    kinds = {"address": "https://hooks.example", "kinds": ["test"], "made_by": ada.account}
    Webhook.objects.create(collection=here, **kinds)
    if not Webhook.objects.filter(collection=None).exists():
        Webhook.objects.create(collection=None, **kinds)
    Factor.objects.create(collection=here, key="hue", place=1, name="Hue", question="Same?", answers=["no", "yes"])
    study = {"kind": "pilot", "number": 1, "queries": 1, "seed": 1, "depth": 1, "state": "refused"}
    Study.objects.create(collection=here, **study)
    for campaign in (f"{name}-boats", f"{name}-kites"):
        made = campaign_over(None, lead=ada, split="val", name=campaign)
        for team in teams_of(made, "kite", f"{name}-raft")[:1]:
            send(team, "one", json.dumps({"query_id": "301", "predictions": [SECOND]}).encode())
            send(team, "two", json.dumps({"query_id": "302", "predictions": [SECOND]}).encode())


def _asked_about_themselves(ada: Membership, bo: Membership) -> None:
    """A consent text, which everybody who judges has confirmed, and two questions, one of which is summed up."""
    publish_consent(lead=ada, source="# Consent", on_withdrawal="kept")
    ada.collection.memberships.update(consent_confirmed=1)
    for text in ("Tea?", "Coffee?"):
        question = ask_question(lead=ada, kind="choice", text=text, options=["yes", "no"])
        SurveySum.objects.create(question=question, people=10, told={"yes": 5})
    SurveyAnswer.objects.create(question=question, annotator=bo, answer="yes")


def _recruited(ada: Membership, number: int) -> None:
    """A recruitment, and two people in a session of it."""
    terms = Terms(name=f"wave {number}", platform="prolific", until="judgments", amount=3)
    recruitment = make_recruitment(lead=ada, terms=terms)
    for person in (f"pid-{number}-1", f"pid-{number}-2"):
        enter(recruitment=recruitment, ids=Ids(person, f"s-{person}", "study"), consent=1)


def _machine_judge(ada: Membership, number: int) -> None:
    """A judge that has graded two of the collection's pairs."""
    facts = {"kind": "file", "model": "ViT-B/32", "family": "CLIP", "parameters": {"seed": number}}
    judge = declare_judge(collection=ada.collection, member=ada, name=f"clipper {number}", **facts)
    some = Pair.objects.filter(batch__collection=ada.collection).order_by("pk")[:2]
    store_judgments(judge=judge, rows=[MachineGrade(pair.candidate_id, 3) for pair in some])


def _judged(here: Any, ada: Membership, bo: Membership) -> None:
    """Batches decided and reviewed, pairs discarded and ruled on, flags and questions, worked items."""
    Batch.objects.filter(collection=here).update(status="decided")
    of_here = Pair.objects.filter(batch__collection=here).order_by("pk")
    for pair in of_here[:2]:
        Pair.objects.filter(pk=pair.pk).update(status="discarded")
        Adjudication.objects.create(pair=pair, grade=2, reason="Seen.", decided_by=ada)
        SpanRuling.objects.create(pair=pair, start=1, end=2, decided_by=ada)
    for pair in of_here[:2]:
        GoldPair.objects.create(collection=here, pair=pair, grade=2, source="lead", added_by=ada)
    SetAside.objects.create(member=bo, since=ada.joined_at, reason="Gold.", judgments=[], barred=[], decided_by=ada)
    for pair in of_here.reverse()[:2]:
        Flag.objects.create(pair=pair, annotator=bo, kind="clip")
        Question.objects.create(pair=pair, annotator=bo, text="Is this a cup?")
    batch = Batch.objects.filter(collection=here).order_by("-pk")[0]
    Review.objects.create(batch=batch, decision="finish", decided_by=ada, threshold=2.5)
    exam = Exam.objects.create(collection=here, number=1, seed=1)
    for rank, about in enumerate(Description.objects.filter(collection=here).order_by("-pk")[:2], start=1):
        item = {"query": f"A cup {about.pk}.", "moment": about.moment}
        WorkedItem.objects.create(collection=here, use="practice", description=about, grade=2, **item)
        ExamItem.objects.create(exam=exam, description=about, rank=rank, **item)


def _release(ada: Membership, number: int) -> None:
    """A release with its board, a scored run of one query, two estimates, and a publication; no file of them is
    stored."""
    hashes = {"test.json": {"sha256": "0" * 64, "size": 2}}
    made = Release.objects.create(
        collection=ada.collection,
        name=f"v{number}",
        created_at=timezone.now(),
        formats=["tvr-ranking"],
        content_hash=f"{number}",
        manifest={"files": hashes, "counts": dict.fromkeys(("val", "test", "training"), COUNTS), **SAID},
        manifest_sha256="0" * 64,
        archive=f"releases/{ada.collection.name}-{number}.tar.gz",
        archive_sha256="0" * 64,
    )
    board = Board.objects.create(release=made, split="test", measures=["R@1,IoU>=0.5"])
    asked = BoardQuery.objects.create(board=board, position=0, query_id="1", text="A cup.", moments=[])
    run = Run.objects.create(
        board=board, member=ada, name="one", file_name="r", stored_file="x", sha256="0" * 64, size=1, state="scored"
    )
    RunAnswer.objects.create(run=run, query=asked, predictions=[], values=[0.5])
    judge, _ = MachineJudge.objects.get_or_create(collection=ada.collection, name="estimates", kind="file")
    for _ in range(2):
        BoardEstimate.objects.create(release=made, split="test", judge=judge, systems=[], result={}, state="done")
    Publication.objects.create(release=made, member=ada, place=f"s3://bucket/{ada.collection.name}", state="planned")


def names_of_rows(name: str = "paper") -> dict[str, Any]:
    """What the paths' names stand for in that world: its first row of each kind."""
    world = find_world(name)
    here = world.collection
    release = here.releases.order_by("pk")[0]
    run = Run.objects.get(board__release=release)
    first = {"batch__collection": here}
    return {
        "name": name,
        "kind": "opening",
        "split": "test",
        "job_id": here.openings.get().pk,
        "member_id": world["bo"].pk,
        "invitation_id": here.invitations.order_by("pk")[0].pk,
        "recruitment_id": here.recruitments.order_by("pk")[0].pk,
        "video_id": here.videos.order_by("pk")[0].pk,
        "rewriting_preview_id": here.rewrite_previews.order_by("pk")[0].pk,
        "check": "of-nobody",
        "preview_id": here.import_previews.order_by("pk")[0].pk,
        "caption_import_id": here.caption_imports.order_by("pk")[0].pk,
        "calibration_id": here.check_calibrations.order_by("pk")[0].pk,
        "plan_id": Plan.objects.filter(collection=here).order_by("pk")[0].pk,
        "judgment_import_id": here.judgment_imports.order_by("pk")[0].pk,
        "factor": Factor.objects.get(collection=here).key,
        "judge_id": MachineJudge.objects.filter(collection=here).order_by("pk")[0].pk,
        "audit_id": JudgmentAudit.objects.filter(account=world["ada"].account).order_by("pk")[0].pk,
        "upload": here.video_uploads.order_by("pk")[0].public_name,
        "file": here.sent_files.order_by("pk")[0].public_name,
        "moment_id": Moment.objects.filter(video__collection=here).order_by("pk")[0].pk,
        "description_id": here.descriptions.order_by("pk")[0].pk,
        "import_id": here.imports.order_by("pk")[0].pk,
        "video_import_id": here.video_imports.order_by("pk")[0].pk,
        "caption_id": Caption.objects.filter(description__collection=here, status="review").order_by("pk")[0].pk,
        "query_id": world.queries[0].pk,
        "topic_id": here.queries.get(topic_id="301").pk,
        "batch_id": world.batch.pk,
        "review_id": Review.objects.get(**first).pk,
        "adjudication_id": Adjudication.objects.filter(pair__batch__collection=here).order_by("pk")[0].pk,
        "ruling_id": SpanRuling.objects.filter(pair__batch__collection=here).order_by("pk")[0].pk,
        "gold_id": here.gold_pairs.order_by("pk")[0].pk,
        "set_aside_id": SetAside.objects.get(member__collection=here).pk,
        "flag_id": Flag.objects.filter(pair__batch__collection=here).order_by("pk")[0].pk,
        "question_id": Question.objects.filter(pair__batch__collection=here).order_by("pk")[0].pk,
        "notice_id": here.notices.order_by("pk")[0].pk,
        "pair_id": Pair.objects.filter(**first, status="discarded").order_by("pk")[0].pk,
        "campaign": f"{name}-boats",
        "campaign_id": here.campaigns.get(name=f"{name}-boats").pk,
        "team_id": Team.objects.get(campaign__name=f"{name}-boats", name="kite").pk,
        "submission_id": Submission.objects.filter(team__campaign__name=f"{name}-boats").order_by("pk")[0].pk,
        "survey_question_id": here.survey_questions.order_by("pk")[0].pk,
        "version": 1,
        "key": "agreement",
        "item_id": WorkedItem.objects.filter(collection=here, use="practice").order_by("pk")[0].pk,
        "exam_item_id": ExamItem.objects.filter(exam__collection=here).order_by("pk")[0].pk,
        "study_id": Study.objects.get(collection=here).pk,
        "release_id": release.pk,
        "other_id": here.releases.order_by("pk")[1].pk,
        "publication_id": release.publications.get().pk,
        "run_id": run.pk,
        "estimate_id": release.estimates.order_by("pk")[0].pk,
        "pool_run_id": here.pool_runs.order_by("pk")[0].pk,
        "answer_id": run.answers.get().pk,
        "webhook_id": Webhook.objects.get(collection=here).pk,
        "webhook_of_the_site": Webhook.objects.get(collection=None).pk,
        "account_id": world["cy"].account_id,
    }
