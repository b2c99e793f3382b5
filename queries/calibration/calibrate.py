"""Measure the checks on a collection's right captions and on wrong ones made of them; adopt what that proposes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from corpus.models import Description
from foundation.models import Collection
from foundation.refused import Refused
from queries.calibration.rates import RIGHT, Measured, Thresholds, at_thresholds, by_kind, propose, table, wrong_passing
from queries.checks.planted import learn_material, planted
from queries.checks.run_checks import CheckedCaption, build_attempt, check_captions, collection_lexicon, limits_of
from queries.checks.thresholds import ships_calibrated
from queries.language.name_tagger import load_tagger
from queries.language.spoken import ENGLISH, knows, languages_of
from queries.models import Caption, CheckCalibration
from queries.retrieval.encoder import load_encoder

NEEDED = 200
"""Right captions: of fewer, one that waits is more than the half percent that a proposal allows."""
USUAL, MOST = 500, 5000
BLOCK = 50
"""Right captions that are measured at once, with the wrong ones made of them."""


def right_captions(collection: Collection) -> QuerySet[Caption]:
    """Accepted captions that were rewritten: those that equal their descriptions say nothing of a rewriter."""
    accepted = Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED)
    return accepted.exclude(normalised=F("description__normalised"))


def calibrate(*, calibration: CheckCalibration, progress: Callable[[int], object] = lambda captions: None) -> None:
    """Measure, and save error rates and proposed thresholds with the row, new or not.

    Args: progress: called often, with the number of right captions measured since the last call, each with the wrong
        ones made of it.
    Raises: Refused if there are too few right captions.
    """
    collection, encoder = calibration.collection, load_encoder()
    refuse_unfit(calibration.captions, calibration.seed)
    drawn = _draw(collection, calibration)
    measured: list[Measured] = []
    lexicon = collection_lexicon(collection)
    material = learn_material((caption.text for caption in drawn), lexicon)
    for first in range(0, len(drawn), BLOCK):
        some = drawn[first : first + BLOCK]
        languages = languages_of(caption.description for caption in some)
        texts = [caption.description.text for caption in some]
        kinds: dict[str, dict[str, str]] = {RIGHT: {caption.description.text: caption.text for caption in some}}
        for caption, spans in zip(some, load_tagger().find_names(texts), strict=True):
            for wrong in planted(caption.description.text, caption.text, spans, material, calibration.seed):
                kinds.setdefault(wrong.kind, {})[caption.description.text] = wrong.caption
        for kind, captions in kinds.items():
            checks = check_captions(collection, lexicon, captions, languages, remember=False)
            measured += [_measured(kind, some[0].description, checked) for checked in checks.values()]
            progress(0)
        progress(len(some))
    calibration.style, calibration.encoder, calibration.identity = (
        collection.rewriting_style,
        encoder.label,
        encoder.identity,
    )
    note_found(calibration, measured, thresholds_of(collection))
    calibration.save()


def _draw(collection: Collection, calibration: CheckCalibration) -> list[Caption]:
    """Right captions of different descriptions in English, by the seed, in the order of import."""
    rows = right_captions(collection).order_by("pk").values_list("description__text", "pk")
    by_text = dict(rows.iterator())
    chosen = random.Random(calibration.seed).sample(sorted(by_text.values()), len(by_text))
    known: list[Caption] = []
    while chosen and len(known) < calibration.captions:
        some, chosen = chosen[:MOST], chosen[MOST:]
        captions = Caption.objects.select_related("description__collection").in_bulk(some)
        known += [captions[pk] for pk in some if pk in captions and _is_measured(captions[pk])]
    refuse_too_few(len(known))
    return sorted(known[: calibration.captions], key=lambda caption: caption.pk)


def refuse_unfit(captions: int, seed: int) -> None:
    """Raises: Refused for a number of right captions, or a seed, that can't be."""
    for name, found, least, most in (("captions", captions, NEEDED, MOST), ("seed", seed, 0, 2**31 - 1)):
        if not least <= found <= most:
            values = {"name": name, "found": found, "least": least, "most": f"{most:,}"}
            raise Refused(_("%(name)s: found %(found)s, expected %(least)s to %(most)s.") % values, name)


def refuse_too_few(found: int) -> None:
    """Raises: Refused for fewer right captions than are needed."""
    if found < NEEDED:
        raise Refused(
            _(
                "Calibration needs at least %(needed)s right captions of different descriptions in English, accepted "
                "by a person or by the checks, that differ from their descriptions; there are %(found)s. Rewrite more, "
                "or decide those that wait."
            )
            % {"needed": NEEDED, "found": found}
        )


def _is_measured(caption: Caption) -> bool:
    language = languages_of([caption.description])[caption.description.text]
    return knows(ENGLISH, language) and knows(load_encoder().languages, language)


def _measured(kind: str, description: Description, checked: CheckedCaption) -> Measured:
    kept = 1.0 if checked.faithfulness is None else checked.faithfulness.ratio
    attempt = build_attempt(description, 0, checked)
    # All checks but the two whose thresholds are sought.
    attempt.similarity_passed = attempt.kept_passed = True
    return Measured(kind, checked.similarity or 0.0, kept, attempt.passed)


def thresholds_of(collection: Collection) -> Thresholds:
    """The two thresholds that the collection's captions are checked by now."""
    limits = limits_of(collection)
    return Thresholds(limits.similarity_threshold, limits.kept_threshold)


def note_found(calibration: CheckCalibration, measured: list[Measured], today: Thresholds) -> None:
    """Note in the row what was measured: error rates by threshold, with the thresholds of now, and as proposed."""
    proposed = propose(measured, today)
    calibration.similarity, calibration.kept = proposed.similarity, proposed.kept
    errors, before = at_thresholds(measured, proposed), at_thresholds(measured, today)
    calibration.found = {
        "captions": {kind: len(some) for kind, some in by_kind(measured).items()},
        "by_similarity": table(measured, "similarity"),
        "by_kept": table(measured, "kept"),
        "today": {**asdict(today), "errors": before},
        "proposed": {**asdict(proposed), "errors": errors},
    }
    calibration.said = (
        f"Proposed: similarity {proposed.similarity:.2f}, words kept {proposed.kept:.2f}. Right captions that wait: "
        f"{errors[RIGHT]:.2%} (with the thresholds of now {before[RIGHT]:.2%}); wrong ones that pass: "
        f"{wrong_passing(errors):.1%} (now {wrong_passing(before):.1%})."
    )


@transaction.atomic
def adopt(*, calibration: CheckCalibration) -> None:
    """Make the proposed thresholds the collection's settings. Repeating it changes nothing.

    Raises: Refused for a calibration that isn't done, or is of another encoder or style than those in use.
    """
    collection = Collection.objects.select_for_update(no_key=True).get(pk=calibration.collection_id)
    if collection.archived_at is not None:
        raise Refused(_("The collection is archived: restore it first."))
    if calibration.similarity is None or calibration.kept is None:
        raise Refused(_("This calibration has proposed nothing."))
    if not holds_for(calibration, collection):
        raise Refused(
            _("This calibration is of the encoder %(encoder)s and the style %(style)s. Calibrate again.")
            % {"encoder": calibration.encoder, "style": calibration.style}
        )
    collection.similarity_threshold, collection.kept_threshold = calibration.similarity, calibration.kept
    collection.save(update_fields=["similarity_threshold", "kept_threshold"])
    calibration.adopted_at = timezone.now()
    calibration.save(update_fields=["adopted_at"])


def holds_for(calibration: CheckCalibration, collection: Collection) -> bool:
    """Whether it is of the encoder and the style that the collection's captions are checked by now."""
    return (calibration.encoder, calibration.style) == (load_encoder().label, collection.rewriting_style)


def warn_uncalibrated(collection: Collection) -> str:
    """What a lead should know of thresholds that nobody measured for the encoder; "" where they are calibrated."""
    encoder, style = load_encoder().label, collection.rewriting_style
    kept = collection.check_calibrations.filter(encoder=encoder, style=style, state=CheckCalibration.State.DONE)
    if ships_calibrated(encoder, style) or kept.exists():
        return ""
    return _(
        "The thresholds of the checks aren't calibrated for the encoder %(encoder)s and the style %(style)s: nobody "
        "knows how many wrong captions pass them. manage.py calibrate_checks %(name)s measures it."
    ) % {"encoder": encoder, "style": style, "name": collection.name}
