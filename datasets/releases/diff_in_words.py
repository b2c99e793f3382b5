"""What changed between two releases, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from datasets.content.splits import SPLITS
from foundation.counted import counted_words

FOLLOWS = {"counts", "statistics"}
"""Parts of a manifest that follow from the queries and grades."""
PARTS = {
    "about": gettext_lazy("what its authors say of it"),
    "adjudication": gettext_lazy("adjudicated grades"),
    "code": gettext_lazy("the version of Qreels"),
    "draw": gettext_lazy("the draw of queries"),
    "formats": gettext_lazy("formats"),
    "guideline": gettext_lazy("versions of the guideline"),
    "languages": gettext_lazy("languages"),
    "leakage": gettext_lazy("how near training captions come to queries"),
    "models": gettext_lazy("models"),
    "settings": gettext_lazy("settings"),
    "title": gettext_lazy("the title"),
    "training_depths": gettext_lazy("depths of the training files"),
    "work": gettext_lazy("paid work"),
}
_CHANGES = {
    ("query", "added"): ngettext_lazy("%(shown)s query more", "%(shown)s queries more", "count"),
    ("query", "removed"): ngettext_lazy("%(shown)s query fewer", "%(shown)s queries fewer", "count"),
    ("query", "changed"): ngettext_lazy("%(shown)s query reworded", "%(shown)s queries reworded", "count"),
    ("pair", "added"): ngettext_lazy("%(shown)s pair more", "%(shown)s pairs more", "count"),
    ("pair", "removed"): ngettext_lazy("%(shown)s pair fewer", "%(shown)s pairs fewer", "count"),
    ("pair", "changed"): ngettext_lazy(
        "%(shown)s pair with another moment or caption", "%(shown)s pairs with another moment or caption", "count"
    ),
    ("grade", "changed"): ngettext_lazy("%(shown)s grade changed", "%(shown)s grades changed", "count"),
}


def in_words(counts: Mapping[str, Any], settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Sentences about `DiffCounts.counts` and `ReleaseDiff.settings`: how val and test differ, and where they do, the
    training queries and the manifests."""
    judged, training = _changes([counts[split] for split in SPLITS]), _changes([counts["training"]])
    if judged and not any(counts[split]["grade"]["changed"] for split in SPLITS):
        judged.append(_("no grade changed"))
    sentences = [", ".join(judged) + "." if judged else _("Queries, pairs and grades of val and test are the same.")]
    if training:
        sentences.append(_("For training: %(what)s.") % {"what": ", ".join(training)})
    parts = dict.fromkeys(setting["name"].partition(".")[0] for setting in settings)
    named = [str(PARTS.get(part, part)) for part in parts if part not in FOLLOWS]
    if named:
        sentences.append(_("The manifests also differ in %(what)s.") % {"what": ", ".join(named)})
    return sentences


def _changes(splits: Sequence[Mapping[str, Any]]) -> list[str]:
    changes = []
    for (kind, change), words in _CHANGES.items():
        number = sum(split.get(kind, {}).get(change, 0) for split in splits)
        if number:
            changes.append(counted_words(number, words))
    return changes
