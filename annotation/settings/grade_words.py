"""Set how a collection's grades are called, explained and coloured; fixed by the first judgment."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from annotation.models import Judgment
from annotation.scale import GradeText, Scale, as_text, scale_of
from annotation.settings.grade_rows import GradeRow, faults, own_of, row_text
from foundation.infra.advisory_lock import hold_descriptions
from foundation.models import Collection
from foundation.refused import FieldsRefused, Refused


def is_fixed(collection: Collection) -> bool:
    """Whether somebody has judged by the words: then a language may be added, and nothing changed."""
    return Judgment.objects.filter(pair__batch__collection=collection).exists()


@transaction.atomic
def set_grade_words(*, collection: Collection, rows: Sequence[GradeRow]) -> Collection:
    """Set words, descriptions and colours to these, all of them or none; no rows: the usual ones.

    Once something is judged the rows have to say what is there, and may say it in further languages.

    Raises: Refused for an archived collection, or one that is judged; FieldsRefused naming `FIELD-LANGUAGE-GRADE`.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if collection.archived_at is not None:
        raise Refused(gettext("The collection is archived: restore it first."))
    scale = scale_of(collection)
    wrong: dict[str, str] = {}
    for row, bad in faults(rows, scale):
        wrong.setdefault(field_name(bad.field, row), str(bad.refusal()))
    if wrong:
        raise FieldsRefused(wrong)
    texts, colours = own_of(rows, scale)
    if is_fixed(collection):
        _refuse_change(scale, rows)
        shown = [*(scale.languages or _site_languages())]
        stand = {language: _texts_in(scale, language) for language in shown}
        added = {language: own for language, own in texts.items() if language not in stand}
        if not added:
            return collection
        texts, colours = stand | added, dict(scale.colours)
    else:
        # Judgments that are being imported rest on them and aren't to be seen yet.
        hold_descriptions(collection)
    collection.grade_words = as_text(texts, colours)
    collection.save(update_fields=["grade_words"])
    return collection


def field_name(field: str, row: GradeRow) -> str:
    """The field of a form that a row's fault is about; colours are of a grade in all languages."""
    if field in ("colour", "dark_colour"):
        return f"{field}-{row.grade}"
    return f"{'word' if field == 'grade' else field}-{row.language}-{row.grade}"


def _refuse_change(scale: Scale, rows: Sequence[GradeRow]) -> None:
    known = scale.languages or _site_languages()
    for row in rows:
        changed = row.language in known and row_text(scale, row.grade, row.language) != GradeText(
            row.word, row.shows or row.word
        )
        if changed or (row.colour and row.colours != scale.colour(row.grade)):
            raise Refused(
                gettext(
                    "Grades were given by these words and colours, so they stay. A language that is missing can be "
                    "added."
                ),
                field_name("word" if changed else "colour", row),
            )


def _texts_in(scale: Scale, language: str) -> dict[int, GradeText]:
    return {grade: row_text(scale, grade, language) for grade, _ in scale.named(language)}


def _site_languages() -> list[str]:
    """Those of pages, in which the usual words were shown: English first."""
    tags = [tag for tag, _ in settings.LANGUAGES]
    return sorted(tags, key=lambda tag: (tag != settings.LANGUAGE_CODE, tags.index(tag)))
