"""Celery tasks of the caption review."""

from typing import Any

from celery import shared_task

from foundation.refused import Refused
from queries.checks.run_checks import check_captions, collection_lexicon
from queries.language.spoken import languages_of
from queries.models import Caption
from queries.review.decisions import clean, edit_caption
from queries.review.rewrite_again import rewrite_again


@shared_task(name="queries.tasks.check_edit")
def check_edit(caption_id: int, member_id: int, text: str) -> str:
    """Check a person's caption and put it in place. Returns why it couldn't be, "" if it was."""
    try:
        edit_caption(caption_id=caption_id, member_id=member_id, text=text)
    except Refused as error:
        return str(error)
    return ""


@shared_task(name="queries.tasks.check_text")
def check_text(caption_id: int, text: str) -> dict[str, Any]:
    """Check a text while it is typed; nothing is stored. Returns {"caption", "text", "checked": `Checked.as_json`}."""
    caption = Caption.objects.select_related("description__collection").get(pk=caption_id)
    description, collection, text = caption.description, caption.description.collection, clean(text)
    lexicon, languages = collection_lexicon(collection), languages_of([description])
    checks = check_captions(collection, lexicon, {description.text: text}, languages, remember=False)
    return {"caption": caption_id, "text": text, "checked": checks[description.text].as_json()}


@shared_task(name="queries.tasks.ask_again")
def ask_again(caption_id: int) -> bool:
    """Rewrite a caption in review once more. Returns whether there is a new attempt."""
    return rewrite_again(caption_id=caption_id) is not None
