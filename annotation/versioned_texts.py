"""Texts that people confirm: drafted by leads, published in numbered versions, each of which stays as it is."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models.guidelines import TextDraft, VersionedText
from foundation.models import Collection, Membership
from foundation.refused import Refused

LONGEST = 200_000
"""Characters of a text."""
Text = TypeVar("Text", bound=VersionedText)
Draft = TypeVar("Draft", bound=TextDraft)


@dataclass(frozen=True, slots=True)
class TextKind(Generic[Text, Draft]):
    """A kind of text. `newest` is the collection's field with the version to confirm; `first` is the file of the text
    that is shipped with Qreels, the draft of collections without one."""

    text: type[Text]
    draft: type[Draft]
    newest: str
    first: Path

    def current(self, collection: Collection) -> Text | None:
        """The newest published version."""
        return self.text._default_manager.filter(collection=collection).order_by("-version").first()

    def to_edit(self, collection: Collection) -> Draft | Text | None:
        """What a lead goes on with: the draft, else the newest version; None: the text shipped with Qreels."""
        draft = self.draft._default_manager.filter(collection=collection).first()
        return self.current(collection) if draft is None else draft

    @transaction.atomic
    def save_draft(self, *, lead: Membership, source: str, **more: Any) -> Draft:
        """Save the lead's draft, with what else its kind has."""
        values = {"source": source, "edited_by": lead, **more}
        return self.draft._default_manager.update_or_create(collection=lead.collection, defaults=values)[0]

    @transaction.atomic
    def publish(self, *, lead: Membership, source: str, note: str, **more: Any) -> tuple[Text, bool]:
        """Publish a text as the next version, which everybody has to confirm, and say whether it is a new one:
        publishing what is published already changes nothing.

        Raises: Refused if there is no text, or if it changes a version without a note.
        """
        collection = Collection.objects.select_for_update(no_key=True).get(pk=lead.collection_id)
        if not source.strip():
            raise Refused(_("There is nothing to publish: the text is empty."), "source")
        newest = self.current(collection)
        values = {"source": source, **more}
        same = newest is not None and all(getattr(newest, name) == value for name, value in values.items())
        if newest is None or not same:
            if newest is not None and not note.strip():
                raise Refused(_("Say in one line what has changed since the previous version."), "note")
            version = newest.version + 1 if newest else 1
            newest = self.text._default_manager.create(
                collection=collection, version=version, note=note.strip(), published_by=lead, **values
            )
            setattr(collection, self.newest, version)
            collection.save(update_fields=[self.newest])
        self.draft._default_manager.filter(collection=collection).delete()
        return newest, not same
