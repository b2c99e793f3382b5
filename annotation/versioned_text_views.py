"""What the editors of texts with versions have in common: save and preview the draft, or publish it with a note."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from annotation.models.guidelines import VersionedText
from annotation.versioned_texts import LONGEST
from foundation.refused import Refused


@dataclass(frozen=True, slots=True)
class EditedText:
    """What the editor shows: the text and note as they were sent, and what is wrong with them by field; or what was
    published."""

    source: str
    note: str
    wrong: dict[str, str] = field(default_factory=dict)
    published: VersionedText | None = None


def edited_text(
    request: HttpRequest,
    source: str,
    *,
    save: Callable[[str], object],
    publish: Callable[[str, str], VersionedText],
) -> EditedText:
    """Do what a form of the editor asks for. Args: source: the text to edit, where none was sent."""
    note = request.POST.get("note", "")[:1000]
    if request.method != "POST":
        return EditedText(source, note)
    source = request.POST.get("source", "").replace("\r\n", "\n")[:LONGEST]
    try:
        save(source)
        published = publish(source, note) if request.POST.get("action") == "publish" else None
    except Refused as refusal:
        return EditedText(source, note, {refusal.field: str(refusal)})
    if published is not None:
        sentence = _("Version %(version)s is published. Everybody is asked to confirm it.")
        messages.info(request, sentence % {"version": published.version})
    return EditedText(source, note, published=published)
