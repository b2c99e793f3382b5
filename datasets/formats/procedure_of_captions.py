"""Who wrote a release's captions, and how they came to be accepted, in words."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from datasets.formats.numbers_in_words import number, with_count


def captions_in_words(facts: Mapping[str, Any]) -> list[str]:
    """Who wrote captions, and how they came to be accepted."""
    sentences = []
    if written := _written(facts["models"]["rewriters"]):
        sentences.append(_("Captions were written by: %(rewriters)s.") % {"rewriters": "; ".join(written)})
    return [*sentences, _accepted(facts["making"]["captions"])]


def machine_captions(facts: Mapping[str, Any]) -> list[str]:
    """Which machines wrote captions, with how many."""
    entries = facts["models"]["rewriters"]
    return _written([entry for entry in entries if entry["rewriter"] not in ("person", "as they are", "import")])


def _written(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    captions_by: Counter[str] = Counter()
    for entry in entries:
        captions_by[_rewriter(entry)] += entry["captions"]
    return [
        with_count(ngettext("%(who)s (%(count)s caption)", "%(who)s (%(count)s captions)", captions), captions, who=who)
        for who, captions in captions_by.most_common()
    ]


def _accepted(counts: Mapping[str, Any]) -> str:
    """How captions came to be accepted."""
    checks = _("%(count)s by checks alone, in which no name of a person scores above %(names)s") % {
        "count": number(counts["by_checks"]),
        "names": number(counts["highest_name_score"] or 0),
    }
    if counts["least_similarity"] is not None:
        values = {"checks": checks, "similarity": number(counts["least_similarity"])}
        checks = _("%(checks)s and the similarity to the description is at least %(similarity)s") % values
    people = [
        words % {"count": number(counts[name])}
        for name, words in (
            ("by_people", _("%(count)s by people")),
            ("written", _("%(count)s of these written anew")),
            ("together", _("%(count)s of these accepted many at once")),
        )
        if counts[name]
    ]
    ways = [
        *([checks] if counts["by_checks"] else []),
        *([_("%(count)s without a check") % {"count": number(counts["unchecked"])}] if counts["unchecked"] else []),
        ", ".join(people) or _("none by a person"),
    ]
    return _("Accepted were: %(told)s.") % {"told": "; ".join(ways)}


def _rewriter(entry: Mapping[str, Any]) -> str:
    known = {
        "person": _("people"),
        "rules": _("rules"),
        "as they are": _("nobody, descriptions as they are"),
        "import": _("whoever made the judgments that were imported"),
    }
    if entry["rewriter"] == "elsewhere":
        return _("%(who)s, outside of Qreels") % {"who": entry["model"]}
    return known.get(entry["rewriter"]) or str(entry["model"] or _("a language model"))
