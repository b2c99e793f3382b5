"""What a caption made elsewhere is made of: its fields read strictly. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowKind
from foundation.text import composed, is_seen
from queries.review.decisions import LONGEST_CAPTION, clean

LONGEST_MAKER = 200
"""Characters."""
OF_CAPTIONS = Fields(
    ("id", "caption"),
    ("made_by",),
    {
        "id": "description description_id desc_id source_id",
        "caption": "text rewritten imprecise query",
        "made_by": "by model maker author rewriter annotator worker",
    },
)


class SourceCaption(NamedTuple):
    """A caption of a file. `made_by`: who or what made it; empty where the row doesn't say."""

    line: int
    description: str
    """The description's id in its own source."""
    text: str
    made_by: str


def caption_row(values: Mapping[str, Any], line: int = 0) -> SourceCaption:
    """A caption of its fields by name. Raises: BadRow naming the field that won't do."""
    text = values["caption"]
    if not fields.is_text(text):
        raise BadRow("caption", text if text is None or is_seen(str(text)) else None, "a sentence")
    if len(text) > LONGEST_CAPTION:
        raise BadRow.saying("caption", f"{len(text):,} characters", f"at most {LONGEST_CAPTION:,}")
    return SourceCaption(line, fields.source_id(values["id"], "id"), clean(text), read_maker(values.get("made_by")))


def read_maker(value: object) -> str:
    """Who or what made captions, as one line; "" where nothing is said. Raises: BadRow."""
    if value is None or (isinstance(value, str) and not is_seen(value)):
        return ""
    if not fields.is_text(value):
        raise BadRow("made_by", value, "the name of a model or person")
    if len(maker := " ".join(composed(value).split())) > LONGEST_MAKER:
        raise BadRow.saying("made_by", f"{len(maker):,} characters", f"at most {LONGEST_MAKER}")
    return maker


CAPTIONS = RowKind("captions", OF_CAPTIONS, caption_row)
