"""Read and change a collection's settings; those that judgments rest on are frozen."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from django.utils.translation import gettext

from annotation.batches.missing_clips import ask_for_missing_clips
from annotation.batches.transitions import rule_of
from annotation.models import Batch, Judgment
from annotation.settings.setting_texts import LABELS, MEANINGS, PAPER, WHY_FIXED
from evaluation.judgments.grade_classes import unit_of
from foundation.access.form_input import with_point
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.jobs import as_sentence
from foundation.models import Collection
from foundation.refused import Busy, Refused

NO_SETTINGS = {
    "id",
    "name",
    "created_at",
    "archived_at",
    "marks_content",
    "purpose",
    "study_of",
    "cast",
    "context",
    "cast_set_at",
    "guideline",
    "guideline_version",
    "grade_words",
    "consent_version",
}
"""Fields that aren't settings: they are changed elsewhere, or never."""
FOLLOWED_BY_STUDIES = (
    "seat_minutes",
    "idle_seconds",
    "break_minutes",
    "show_agreement",
    "context_seconds",
    "compare_clips",
    "pay_per_hour",
    "currency",
)
"""Settings whose change applies to pilots and depth studies too; others stay as when a study began."""
FROZEN = frozenset(WHY_FIXED)
"""Settings fixed by the first judgment, since they decide grades. The batch size is fixed by the first batch."""
LIMITS = {
    "end_slack": (0, 3600),
    "similarity_threshold": (-1, 1),
    "name_threshold": (0, 1),
    "kept_threshold": (0, 1),
    "max_attempts": (1, 20),
    "batch_size": (1, 1000),
    "max_batches": (1, 1000),
    "context_seconds": (0, 60),
    "seat_minutes": (0.05, 10_080),
    "idle_seconds": (0, 86_400),
    "played_fraction": (0, 1),
    "break_minutes": (0, 1440),
    "repeat_share": (0, 0.1),
    "repeat_days": (0, 3650),
    "gold_share": (0, 0.2),
}
"""Limits of settings, beyond which they are meaningless or overflow dates."""


IN_GRADES = frozenset({"largest_difference", "extend_threshold", "auto_extend_from", "auto_finish_to"})
"""Settings in units of the scale."""


class SettingsRefused(Refused):
    """A setting can't be changed; the message says which one, what was found and what was expected.

    `field` is the setting's name, `why` the same as a sentence of its page; `field` is empty where it isn't about one.
    """

    def __init__(self, message: str, *, field: str = "", why: str = "") -> None:
        super().__init__(message, field)
        self.why = why or as_sentence(message)


@dataclass(frozen=True, slots=True)
class Setting:
    """One of a collection's settings, as a person reads it."""

    name: str
    label: str
    value: Any
    default: Any
    meaning: str
    frozen: bool
    paper: str
    """What the paper did, in words."""
    why_fixed: str
    """Why judging fixes it; empty for what may be changed at any time."""
    choices: list[tuple[str, str]]
    """What it may be, where that is a list: value and words."""
    kind: str
    """text, number, yes-no, choice, or choices for several of them."""


def settings_of(collection: Collection) -> list[Setting]:
    """Every setting, in the order of the model."""
    fixed = _fixed(collection)
    return [
        Setting(
            name=field.name,
            label=str(LABELS[field.name]),
            value=getattr(collection, field.name),
            default=field.get_default(),
            meaning=str(MEANINGS[field.name]),
            frozen=field.name in fixed,
            paper=str(PAPER[field.name]),
            why_fixed=str(WHY_FIXED.get(field.name, "")),
            choices=[(str(value), str(words)) for value, words in _choices(field)],
            kind=_kind(field),
        )
        for field in _fields().values()
    ]


@transaction.atomic
def configure(*, collection: Collection, changes: Mapping[str, str]) -> Collection:
    """Change settings, all of them or none. `changes`: name -> value as text; lists with commas, empty for none.

    Pay and the pace of work hold in the collection's studies too. With the scale to 100 go the settings in its units
    that aren't changed, too: a difference of 1 on 0-4 is one of 25 there.

    Raises: SettingsRefused for an unknown name, a value that can't be one, or a setting that judgments rest on.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    unit = unit_of(collection.top_grade)
    fields = _fields()
    fixed = _fixed(collection)
    if collection.archived_at is not None:
        raise SettingsRefused(gettext("The collection is archived: restore it first."))
    for name, text in sorted(changes.items(), key=lambda change: change[0] != "top_grade"):
        if name not in fields:
            raise SettingsRefused(f"found the setting {name!r}, expected one of {', '.join(fields)}")
        value = _read(fields[name], name, text, collection.top_grade)
        if name in fixed and value != getattr(collection, name):
            raise SettingsRefused(
                f"{name} is {getattr(collection, name)} for good: {WHY_FIXED[name]} "
                "See what another value would change: replay_consensus.",
                field=name,
                why=gettext("This setting stays at %(value)s: %(why)s")
                % {"value": getattr(collection, name), "why": WHY_FIXED[name]},
            )
        if name in WHY_FIXED and value != getattr(collection, name):
            # Judgments that are being imported rest on it and aren't to be seen yet.
            try:
                hold_descriptions(collection)
            except Busy as busy:
                raise SettingsRefused(
                    f"{name} can't be changed now. {busy}",
                    field=name,
                    why=gettext("This setting can't be changed now. %(busy)s") % {"busy": busy},
                ) from busy
        if name in ("top_grade", "grade_step") and value != getattr(collection, name):
            collection.grade_words = ""  # they were another scale's
        setattr(collection, name, value)
    times = unit_of(collection.top_grade) / unit
    for name in IN_GRADES - changes.keys() if times != 1 else ():
        value = getattr(collection, name)
        setattr(collection, name, None if value is None else type(value)(value * times))
    try:
        rule_of(collection)
        collection.full_clean()
    except ValidationError as error:
        text = "; ".join(f"{name}: {' '.join(sentences)}" for name, sentences in error.message_dict.items())
        name, sentences = next(iter(error.message_dict.items()))
        raise SettingsRefused(text, field=name if name in fields else "", why=" ".join(sentences)) from error
    except ValueError as error:
        raise SettingsRefused(str(error)) from error
    collection.save()
    if "context_seconds" in changes and collection.context_seconds:
        # Of what is open already; of what is opened later it comes with the clips.
        ask_for_missing_clips(collection=collection)
    collection.studies.update(**{name: getattr(collection, name) for name in FOLLOWED_BY_STUDIES})
    return collection


def _fields() -> "dict[str, models.Field[Any, Any]]":
    fields = {field.name: field for field in Collection._meta.concrete_fields if field.name not in NO_SETTINGS}
    # What a collection is comes before what is set for it, whichever Django declares first.
    return {**{name: fields[name] for name in ("title", "has_clips")}, **fields}


def as_text(value: Any) -> str:
    """A setting's value as text, as `configure` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(value)
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _choices(field: Any) -> list[tuple[Any, Any]]:
    return list(getattr(field, "base_field", field).choices or [])


def _kind(field: Any) -> str:
    if hasattr(field, "base_field"):
        return "choices"
    if isinstance(field, models.BooleanField):
        return "yes-no"
    if field.choices:
        return "choice"
    return "number" if isinstance(field, models.IntegerField | models.FloatField | models.DecimalField) else "text"


def _fixed(collection: Collection) -> frozenset[str]:
    """The settings that can't change any more, since earlier work depends on them."""
    if Judgment.objects.filter(pair__batch__collection=collection).exists():
        return FROZEN
    # With another size the next batch would take candidates that an open one has.
    opened = Batch.objects.filter(collection=collection).exists()
    return frozenset({"batch_size"}) if opened else frozenset()


def _read(field: Any, name: str, text: str, top_grade: int) -> Any:
    if hasattr(field, "base_field"):
        return [part.strip() for part in text.split(",") if part.strip()]
    if text == "" and field.null:
        return None
    if isinstance(field, models.BooleanField):
        words = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}
        if text.lower() not in words:
            raise _expected(name, text, gettext("yes or no"))
        return words[text.lower()]
    if field.choices and text not in (values := [str(value) for value, _ in field.choices]):
        raise _expected(name, text, " or ".join(values))
    number = _kind(field) == "number"
    try:
        value = field.to_python(with_point(text) if number else text)
    except ValidationError as error:
        if not number:
            raise SettingsRefused(
                f"{name}: {' '.join(error.messages)}",
                field=name,
                why=" ".join(error.messages),
            ) from error
        whole = isinstance(field, models.IntegerField)
        raise _expected(
            name, text, gettext("a whole number, such as 20") if whole else gettext("a number, such as 12.5")
        ) from error
    limits = (0, top_grade + 1) if name == "extend_threshold" else LIMITS.get(name)
    if name in ("auto_extend_from", "auto_finish_to") and value > top_grade:
        limits = (0, top_grade)
    if limits is not None and not limits[0] <= value <= limits[1]:
        raise _expected(
            name, text, gettext("%(lowest)s to %(highest)s") % {"lowest": f"{limits[0]:g}", "highest": f"{limits[1]:g}"}
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise _expected(name, text, gettext("a finite number"))
    if isinstance(value, Decimal) and value < 0:
        raise _expected(name, text, gettext("0 or more"))
    return value


def _expected(name: str, text: str, expected: str) -> SettingsRefused:
    why = gettext("Found %(said)s, expected %(expected)s.") if text else gettext("Expected %(expected)s.")
    return SettingsRefused(
        f"found {name}={text!r}, expected {expected}", field=name, why=why % {"said": text, "expected": expected}
    )
