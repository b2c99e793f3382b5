"""A collection in which everything that annotators must not know is a word or figure found nowhere else."""

from django.utils import timezone

from annotation.machine_judges.judges import MachineGrade, store_judgments
from annotation.models import (
    ConsentAct,
    Exam,
    ExamItem,
    GoldPair,
    MachineJudge,
    MachineJudging,
    MachineReply,
    Pair,
    SampledUnit,
    SamplingDesign,
    SamplingStratum,
    SurveyAnswer,
    SurveyQuestion,
    SurveySum,
    WorkedItem,
)
from annotation.qualification.exams import open_exam
from annotation.recruiting.entering import enter
from annotation.recruiting.platforms import Ids
from annotation.recruiting.recruitments import Terms, make_recruitment
from corpus.models import ContextClip, Description, Moment, Subtitles, Video
from datasets.models import StoppingGoal, StoppingLook
from evaluation.guarantees.stopping import Look, as_data
from evaluation.guarantees.stopping import Pair as PairOfRuns
from foundation.models import Membership
from queries.models import Candidate, CandidateSource, Caption, PoolPlan, PoolRun, PoolRunAnswer, QueryPool
from tests.conftest import World, build_world

SIMILARITY = 0.734219


def planted_world() -> World:
    """Two queries with clips; captions, descriptions and the video's name are words found nowhere else."""
    made = build_world(queries=2, candidates=6, clips=True)
    for member in made.people.values():
        member.worker = f"zephyr-{member.worker}"
        member.save(update_fields=["worker"])
    Video.objects.update(name="zanzibar_s03e07")
    Moment.objects.update(external_id="zanzibar_shot")
    for caption in Caption.objects.all():
        caption.text = f"Xylocaption {caption.pk} of a woman."
        caption.save(update_fields=["text"])
    for description in Description.objects.all():
        description.text = f"Quaxolotl {description.pk} waves."
        description.save(update_fields=["text"])
    for place, candidate in enumerate(Candidate.objects.order_by("pk")):
        candidate.similarity = round(SIMILARITY - place / 1000, 6)
        candidate.caption_text = f"Xylocaption {place} of a woman."
        candidate.save()
    pool_by_runs(made)
    judged_by_machines(made)
    sample_queries(made)
    look_at_what_is_settled(made)
    say_more_than_is_asked(made)
    show_context(made)
    list_gold(made)
    asked_about_themselves(made)
    recruit_others(made)
    return made


def say_more_than_is_asked(made: World) -> None:
    """Annotators read the subtitles of their moments: not those of others, and not whose they are."""
    made.collection.evidence = ["picture", "sound", "subtitles"]
    made.collection.save(update_fields=["evidence"])
    cues = [[0.0, 100.0, "Good day to you."], [100.0, 1000.0, "Murkwords."]]
    Subtitles.objects.create(video=Video.objects.get(), language="en", source="Grimfile.srt", cues=cues)


def show_context(made: World) -> None:
    """Annotators may look at what surrounds a clip, and at their own last clips; one of the former couldn't be cut."""
    type(made.collection).objects.update(context_seconds=4.0, compare_clips=True)
    for place, moment in enumerate(Moment.objects.order_by("pk")):
        cut = {"problem": "Fafnirproblem"} if place == 0 else {"video_file": f"clips/zanzibar{place}.mp4"}
        ContextClip.objects.create(moment=moment, seconds=4.0, before=min(4.0, moment.start), duration=9.0, **cut)


def list_gold(made: World) -> None:
    """Every pair is gold, with the lead's reason; it is given once its query is finished."""
    GoldPair.objects.bulk_create(
        GoldPair(
            collection=made.collection,
            pair=pair,
            grade=pair.pk % 5,
            explanation="Because Fafnirwhy.",
            source="lead",
            added_by=made["ada"],
        )
        for pair in Pair.objects.order_by("pk")
    )


def asked_about_themselves(made: World) -> None:
    """What somebody else answered, confirmed and withdrew, and a sum."""
    values = {"collection": made.collection, "made_by": made["ada"], "kind": "language", "text": "Which language?"}
    question = SurveyQuestion.objects.create(**values)
    SurveyAnswer.objects.create(question=question, annotator=made["cy"], answer="Ostrogothic")
    SurveySum.objects.create(question=question, people=357913579, told={"Ostrogothic": 246802468})
    ConsentAct.objects.create(annotator=made["cy"], kind="confirmed", version=1, digest="a9a9a9" * 10)


def recruit_others(made: World) -> None:
    """Somebody was sent by a platform: by which id, for what pay, is nobody's business but the lead's."""
    terms = Terms("Skadiwave", "prolific", "judgments", amount=3, code="Brokkcode", people=971)
    enter(recruitment=make_recruitment(lead=made["ada"], terms=terms), ids=Ids("Sindriperson", "Eitrisession"))
    Membership.objects.filter(recruited=True).update(worker="zephyr-sent")


def look_at_what_is_settled(made: World) -> None:
    """A lead's goal, and what a look found."""
    runs = list(PoolRun.objects.values_list("pk", flat=True))
    goal = StoppingGoal.objects.create(
        collection=made.collection, runs=runs, measure="Quillmeasure", first=1, level=0.9137, member=made["ada"]
    )
    pair = PairOfRuns("Vortexlab", "Wyvernrank", ">", 30, 0.1, 0.05, 0.15)
    found = Look(30, 60, 0.0123, 3.3, 1, ("Vortexlab", "Wyvernrank"), (pair,), None)
    StoppingLook.objects.create(goal=goal, state="done", judged=30, result=as_data(found), said=found.in_words)


def sample_queries(made: World) -> None:
    """Queries know with which probability, and of which stratum, they were drawn."""
    design = SamplingDesign.objects.create(collection=made.collection, unit="query", seed=80912735)
    stratum = SamplingStratum.objects.create(design=design, name="Umbrastratum", place=0, size=2, drawn=2)
    for query in made.queries:
        SampledUnit.objects.create(
            design=design, stratum=stratum, query=query, number=0.5, probability=1, stage=1, drawn_at=timezone.now()
        )


def pool_by_runs(made: World) -> None:
    """Candidates know from which system's run, at which place, by which recipe."""
    run = PoolRun.objects.create(
        collection=made.collection,
        team="Vortexlab",
        system="Wyvernrank",
        file_name="yonderfile.jsonl",
        sha256="5e" * 32,
        size=1,
        queries=2,
        predictions=12,
        kept=12,
        videos=1,
    )
    plan = PoolPlan.objects.create(
        collection=made.collection, version=1, recipe="max-mean", iou=0.5, least_grade=1, by_itself=True
    )
    for query in made.queries:
        QueryPool.objects.create(query=query, plan=plan, left=7, stale=False)
        moments = list(query.candidates.order_by("rank").values_list("moment_id", flat=True))
        PoolRunAnswer.objects.create(
            run=run, query=query, videos=[1] * 6, starts=[0] * 6, ends=[1] * 6, moments=moments, ious=[0.8] * 6
        )
    CandidateSource.objects.bulk_create(
        CandidateSource(candidate=candidate, plan=plan, run=run, rank=place)
        for place, candidate in enumerate(Candidate.objects.order_by("pk"), start=1)
    )


def judged_by_machines(made: World) -> None:
    """A machine has judged every candidate: by a job, of a server's replies, with a distribution."""
    judge = MachineJudge.objects.create(
        collection=made.collection,
        name="Yggjudge",
        kind="file",
        model="Krakenvision",
        version="7c" * 32,
        family="Umbrafamily",
        prompt_version="Jotunprompt",
        parameters={"seed": "Nornseed"},
    )
    job = MachineJudging.objects.create(judge=judge, file_name="oraclefile.csv", state="done", said="Mimirsaid.")
    for candidate in Candidate.objects.order_by("pk"):
        reply = MachineReply.objects.create(
            collection=made.collection,
            key=f"{candidate.pk:064}",
            clip="c",
            frame_times=[0.5],
            reply={"text": "Huginnreply"},
            judging=job,
        )
        store_judgments(
            judge=judge,
            rows=[MachineGrade(candidate.pk, 4, (0.048271, 0, 0, 0, 0.951729), reply=reply.pk)],
            judging=job,
        )


def open_an_exam(world: World) -> Exam:
    """Four items and one of practice, with the lead's grade and reasons, over words that aren't secret."""
    exam = Exam.objects.create(collection=world.collection, number=1, seed=1)
    descriptions = list(Description.objects.order_by("-pk")[:3])
    for number, description in enumerate(descriptions[:2], start=1):
        for rank, item in enumerate((description, descriptions[2]), start=1):
            ExamItem.objects.create(
                exam=exam,
                description=description,
                query=f"A man peels {number} carrots.",
                moment_id=item.moment_id,
                rank=rank,
                why="Because Zyxwhy.",
            )
    WorkedItem.objects.create(
        collection=world.collection,
        use="practice",
        description=descriptions[2],
        query="A man peels a pear.",
        moment_id=descriptions[2].moment_id,
        grade=3,
        why="Because Zyxwhy.",
    )
    open_exam(exam=exam)
    return exam


def secrets_of(world: World) -> list[str]:
    """Words and figures of which none may be in any answer."""
    similarities = [f"{candidate.similarity:.4f}" for candidate in Candidate.objects.exclude(similarity=None)]
    partners = [world[name].worker for name in ("cy", "di", "ed", "flo")]
    of_runs = ["Vortexlab", "Wyvern", "yonderfile", "5e5e5e", "max-mean"]
    of_machines = ["Yggjudge", "Krakenvision", "7c7c7c", "Umbrafamily", "Jotunprompt", "Nornseed", "oraclefile"]
    of_machines += ["Mimirsaid", "Huginnreply", "048271", "951729"]
    of_people = ["Ostrogothic", "357913579", "246802468", "a9a9a9"]
    of_recruiting = ["Skadiwave", "Brokkcode", "Sindri", "Eitri", "zephyr-sent"]
    of_samples = ["Umbra", "80912735", "stratum", "Quillmeasure", "0.9137"]
    return [
        "Fafnirproblem",
        *of_people,
        *of_samples,
        *of_recruiting,
        *of_runs,
        *of_machines,
        *("Murkwords", "Grimfile"),
        "Zyxwhy",
        "Fafnirwhy",
        "paper-gold",
        "Xylocaption",
        "Quaxolotl",
        "zanzibar",
        "similarity",
        "rank",
        *similarities,
        *partners,
    ]
