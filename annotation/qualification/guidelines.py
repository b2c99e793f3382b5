"""Guidelines: drafted, published, confirmed; worked examples and practice items."""

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.judging.watched_clip import refuse_bad_grade
from annotation.models import Guideline, GuidelineDraft, PracticeAnswer, WorkedItem
from annotation.qualification.exam_rule import is_out
from annotation.qualification.mails import guideline_published
from annotation.qualification.training_time import SaidTime, work_on
from annotation.scale import Scale, scale_of
from annotation.versioned_texts import TextKind
from corpus.models import Clip, clip_ready
from evaluation.judgments.grade_classes import unit_of
from foundation.models import Collection, Membership
from foundation.refused import Refused

GUIDELINE = TextKind(Guideline, GuidelineDraft, "guideline_version", Path(__file__).parent / "guideline.md")


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A worked example as it is shown; `clip` is the public name of its moment's clip, None without one."""

    query: str
    grade: int
    why: str
    clip: str | None


def draft_source(collection: Collection) -> str:
    """The text to edit: the draft, else the newest version, else the text shipped with Qreels."""
    standing = GUIDELINE.to_edit(collection)
    return standing.source if standing is not None else collection.guideline or first_draft(scale_of(collection))


def first_draft(scale: Scale) -> str:
    """The text shipped with Qreels; on another scale than the paper's it has that scale's grades, and no examples."""
    text = GUIDELINE.first.read_text()
    if scale.is_paper:
        return text
    before, _, others = text.partition("## The five grades\n")
    _, _, doubt = others.partition("- Watch it again")
    rows = "\n".join(f"| **{grade}** | {word} | {scale.description(grade)} |" for grade, word in scale.named()[::-1])
    table = f"| grade | name | the clip shows |\n| --- | --- | --- |\n{rows}\n"
    steps = f"Grades are the multiples of {scale.step} from 0 to {scale.top}.\n\n" if scale.slides else ""
    return f"{before}## The grades\n\n{steps}{table}\n## When in doubt\n\n- Watch it again{doubt}"


def current_guideline(collection: Collection) -> Guideline | None:
    """The newest published version."""
    return GUIDELINE.current(collection)


def save_draft(*, lead: Membership, source: str) -> GuidelineDraft:
    """Save the lead's draft."""
    return GUIDELINE.save_draft(lead=lead, source=source)


@transaction.atomic
def publish_guideline(*, lead: Membership, source: str, note: str = "") -> Guideline:
    """Publish a text with the present worked examples as the next version: `TextKind.publish`. Raises: Refused."""
    examples = _examples_now(lead.collection)
    published, new = GUIDELINE.publish(lead=lead, source=source, note=note, examples=examples)
    if new:
        guideline_published(published)
    return published


def _examples_now(collection: Collection) -> list[dict[str, Any]]:
    items = collection.worked_items.filter(use=WorkedItem.Use.EXAMPLE, grade__isnull=False).order_by("grade", "pk")
    return [{"query": item.query, "moment": item.moment_id, "grade": item.grade, "why": item.why} for item in items]


def examples_of(guideline: Guideline) -> list[ShownExample]:
    """A version's examples with their clips."""
    return _with_clips(guideline.examples)


def draft_examples(collection: Collection) -> list[ShownExample]:
    """The examples that publishing would take now."""
    return _with_clips(_examples_now(collection))


def _with_clips(rows: list[dict[str, Any]]) -> list[ShownExample]:
    clips = dict(
        Clip.objects.filter(clip_ready(), moment_id__in=[row["moment"] for row in rows]).values_list(
            "moment_id", "public_name"
        )
    )
    return [ShownExample(row["query"], row["grade"], row["why"], clips.get(row["moment"])) for row in rows]


@transaction.atomic
def confirm_guideline(*, member: Membership, version: int) -> None:
    """Record that a member has read the newest version. Repeating it changes nothing.

    Raises: Refused if another version is the newest.
    """
    newest = Collection.objects.values_list("guideline_version", flat=True).get(pk=member.collection_id)
    if version != newest or not newest:
        sentence = _("The guideline has changed meanwhile. Read the new version, then confirm it.")
        raise Refused(sentence, "version")
    Membership.objects.filter(pk=member.pk, guideline_confirmed__lt=version).update(guideline_confirmed=version)
    member.guideline_confirmed = max(member.guideline_confirmed, version)


@dataclass(frozen=True, slots=True)
class Practice:
    """Somebody's progress in practice: the number of items, and those left."""

    items: int
    left: list[WorkedItem]

    @property
    def done(self) -> int:
        return self.items - len(self.left)


def practice_of(member: Membership) -> Practice:
    """The member's practice items, query by query, in an order unrelated to the grades."""
    items = list(
        member.collection.worked_items.filter(use=WorkedItem.Use.PRACTICE, grade__isnull=False)
        .select_related("moment__clip")
        .order_by("description_id", "public_id")
    )
    done = set(PracticeAnswer.objects.filter(annotator=member, item__in=items).values_list("item_id", flat=True))
    return Practice(len(items), [item for item in items if item.pk not in done])


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on an answer: the grade given, the true one (a half is possible), and why; `unit` is the scale's."""

    grade: int
    truth: float
    why: str
    unit: int

    @property
    def out(self) -> bool:
        return is_out(self.grade, self.truth, self.unit)


@transaction.atomic
def answer_practice(
    *, member: Membership, item_id: uuid.UUID, grade: int, played: float | None, said: SaidTime | None = None
) -> Feedback:
    """Feedback on a practice grade. The first answer marks the item as done.

    Args: said: what the page says of its time; None where nobody worked on a page.
    Raises: WorkedItem.DoesNotExist; Refused if too little of the clip was seen.
    """
    item = member.collection.worked_items.get(public_id=item_id, use=WorkedItem.Use.PRACTICE, grade__isnull=False)
    refuse_bad_grade(member.collection, grade, played)
    answer, new = PracticeAnswer.objects.get_or_create(item=item, annotator=member, defaults={"grade": grade})
    if new:
        work = work_on(member=member, moment_id=item.moment_id, said=said)
        for name, value in work.items():
            setattr(answer, name, value)
        answer.save()
    assert item.grade is not None
    return Feedback(grade, float(item.grade), item.why, unit_of(member.collection.top_grade))
