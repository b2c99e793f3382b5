"""Parse a model's answer: captions matched by id, in any wrapping. Pure."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from foundation.counted import counted
from foundation.text import composed, is_seen
from queries.language.words import word_set, words

CaptionsById = dict[str, tuple[str | None, str]]
"""(caption, "") or (None, why) by id."""

ODD_WORDS = 4
"""A caption needs so many words of its own before its language is judged."""
ODD_SHARE = 0.25
"""With less than this share of them in its description, it is in another language, or another sentence."""
EMPTY = "The answer's caption is empty."
_MARK = re.compile(r"(?:[-*•]|([0-9]{1,3})[.):])\s+")
"""A bullet or a number before a line."""
_STAND_INS = word_set(
    "a an the another other woman man person women men people one two three four five six seven eight nine ten "
    "someone somebody girl boy lady guy group several both they them he him his she her hers their and of 's s"
)


def read_answer(
    content: str, texts: Mapping[str, str], *, refusal: str = "", finish_reason: str = "", by_lines: bool = False
) -> CaptionsById:
    """The captions of an answer, and for every description without one the reason.

    Args: content: what the model said; texts: id -> description, as asked; refusal: its refusal, where it gave one;
        finish_reason: as the server said it; by_lines: captions were asked for one a line, in the descriptions' order,
        so that an answer which may have lost one is refused as a whole.
    """
    if refusal:
        return dict.fromkeys(texts, (None, f"The model refuses: {clip(refusal)}"))
    broken = {
        "length": "The answer was cut off at the model's longest answer.",
        "content_filter": "The server's content filter cut the answer off.",
    }.get(finish_reason)
    if by_lines and broken:
        return dict.fromkeys(texts, (None, broken))
    captions = read_lines(content, texts) if by_lines else read_captions(content, texts)
    for id_, (caption, _) in captions.items():
        if caption is None and broken:
            captions[id_] = None, broken
        elif caption is not None and speaks_otherwise(texts[id_], caption):
            captions[id_] = None, f"The caption is in another language, or of something else: {clip(caption)}"
            if by_lines and len(texts) > 1:
                return dict.fromkeys(texts, (None, f"A line doesn't fit its description: {clip(caption)}"))
    return captions


def speaks_otherwise(text: str, caption: str) -> bool:
    """Whether a caption shares hardly any word with its description, apart from words for persons.

    Replacing names keeps every other word, so a caption of other words is in another language or not about this.
    """
    own = [word.text.casefold() for word in words(caption) if word.is_word]
    own = [word for word in own if word not in _STAND_INS]
    if len(own) < ODD_WORDS:
        return False
    described = {word.text.casefold() for word in words(text)}
    return sum(word in described for word in own) < ODD_SHARE * len(own)


def read_captions(content: str, ids: Iterable[str]) -> CaptionsById:
    """The captions in a model's answer, matched by id.

    Args: content: JSON as asked for, or with prose or a code fence around it, or broken off at its end;
        ids: those that were asked.
    Returns: for every id asked (caption, "") or (None, why); ids that were not asked are ignored.
    """
    entries = _entries(content)
    asked = list(ids)
    if entries is None:
        why = "The answer is not the JSON asked for: " + (clip(content) or "it is empty")
        return dict.fromkeys(asked, (None, why))
    times = Counter(id_ for id_, _ in entries)
    captions = dict(entries)
    by_id: CaptionsById = {}
    for id_ in asked:
        caption = captions.get(id_)
        if not times[id_]:
            by_id[id_] = None, "The answer leaves this description out."
        elif times[id_] > 1:
            by_id[id_] = None, "The answer has this description twice."
        elif not isinstance(caption, str) or not _storable(caption):
            by_id[id_] = None, EMPTY
        else:
            by_id[id_] = _storable(caption), ""
    return by_id


def read_lines(content: str, texts: Mapping[str, str]) -> CaptionsById:
    """The captions of an answer that has nothing but them, one a line, in the order of the descriptions.

    Also read are a JSON list of as many texts, as Figure 3 of TVR-Ranking has them, and lines that are numbered or
    bulleted throughout. With any other number of lines there is no telling whose each is: none is taken.
    """
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    listed = json.loads(content) if _is_json(content) else None
    if isinstance(listed, list) and all(isinstance(line, str) for line in listed):
        lines = listed
    if len(lines) != len(texts):
        found = f"The answer has {counted(len(lines), 'line')}, expected {len(texts):,}: {clip(content)}"
        return dict.fromkeys(texts, (None, found))
    marks = [_MARK.match(line) for line in lines]
    are_marked = all(mark and mark[1] in (None, str(place)) for place, mark in enumerate(marks, start=1))
    if are_marked and not any(_MARK.match(text) for text in texts.values()):
        lines = [line[mark.end() :] for line, mark in zip(lines, marks, strict=True) if mark]
    captions = dict(zip(texts, map(_storable, lines), strict=True))
    return {id_: (caption, "") if caption else (None, EMPTY) for id_, caption in captions.items()}


def _storable(caption: str) -> str:
    """A caption on one line, without characters that PostgreSQL can't store; empty where it shows nothing."""
    text = " ".join(composed(storable(caption)).split())
    return text if is_seen(text) else ""


def storable(text: str) -> str:
    """The text without NUL and lone surrogates, which JSON can hold but PostgreSQL can't."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def _entries(content: str) -> list[tuple[str, Any]] | None:
    """(id, caption) of every entry, however the model wrapped them; None when there is none to be read."""
    for candidate in _readings(content):
        listed = candidate
        if isinstance(candidate, dict):
            listed = next((value for value in candidate.values() if isinstance(value, list)), None)
            if listed is None and "id" in candidate:
                listed = [candidate]
            elif listed is None and candidate and all(isinstance(v, str) for v in candidate.values()):
                listed = [{"id": key, "caption": value} for key, value in candidate.items()]
        if isinstance(listed, list):
            rows = [row for row in listed if isinstance(row, dict) and "id" in row]
            if rows or listed == []:
                return [_entry(row) for row in rows]
    loose = [json.loads(part) for part in re.findall(r"\{[^{}]*\}", content) if _is_json(part)]
    return [_entry(row) for row in loose if "id" in row] or None


def _entry(row: Mapping[str, Any]) -> tuple[str, Any]:
    return str(row["id"]).strip(), row.get("caption", row.get("text"))


def _readings(content: str) -> Iterable[Any]:
    """Possible JSON readings: the whole answer, a code fence's content, from first bracket to last."""
    tries = [content, *re.findall(r"```(?:json)?\s*(.*?)```", content, flags=re.DOTALL)]
    for opening, closing in ("{}", "[]"):
        start, end = content.find(opening), content.rfind(closing)
        if 0 <= start < end:
            tries.append(content[start : end + 1])
    for text in tries:
        if _is_json(text):
            yield json.loads(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def clip(text: str, length: int = 200) -> str:
    """The text on one line, cut to a length."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
