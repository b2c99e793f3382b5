"""`consent/` and `annotators.csv`: what annotators agreed to, and who they were, in sums of at least five people."""

from pathlib import Path
from typing import Any

from annotation.consent.people import confirmed_of
from annotation.consent.survey_rule import LEAST
from annotation.consent.survey_sums import QuestionSums, rows_of, sums_of
from annotation.models import Judgment
from datasets.content.splits import DECIDED
from datasets.formats.further_files import FURTHER_TABLES, consent_file
from datasets.formats.material import create, create_csv
from foundation.models import Collection, Membership

TABLE = FURTHER_TABLES["survey"]


def describe_consent(collection: Collection) -> dict[str, Any] | None:
    """The manifest's `consent`: each version with its file and the SHA-256 of its text, and how many of the release's
    annotators confirmed one; None where there is none."""
    texts = list(collection.consent_texts.order_by("version"))
    if not texts:
        return None
    judged = Judgment.objects.filter(pair__batch__query__collection=collection, counted=True, pair__status__in=DECIDED)
    people = Membership.objects.filter(pk__in=judged.values("annotator"))
    return {
        "versions": [
            {
                "version": text.version,
                "published": text.published_at.date().isoformat(),
                "file": consent_file(text.version),
                "sha256": text.digest,
                "on_withdrawal": text.on_withdrawal,
            }
            for text in texts
        ],
        "annotators": people.count(),
        "confirmed": confirmed_of(people),
    }


def write_consent(collection: Collection, folder: Path) -> None:
    """Write each version's text as it was published."""
    (folder / "consent").mkdir()
    for text in collection.consent_texts.order_by("version"):
        with create(folder / consent_file(text.version)) as file:
            file.write(text.source)


def describe_survey(collection: Collection) -> tuple[dict[str, Any], list[QuestionSums]] | None:
    """The manifest's `survey`: the file and what is told of each question, and the sums; None where nothing is."""
    sums = [each for each in sums_of(collection) if each.people]
    if not sums:
        return None
    questions = [
        {"question": each.question.text, "people": each.people, "told": each.told, "rest": each.rest} for each in sums
    ]
    return {"file": TABLE.file, "least": LEAST, "questions": questions}, sums


def write_survey(sums: list[QuestionSums], folder: Path) -> None:
    """Write a row for each answer that is told, and one for the rest of each question."""
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        writer.writerows(rows_of(sums))
