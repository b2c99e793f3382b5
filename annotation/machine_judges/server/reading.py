"""A model's answer read: a grade, how sure it is of each, or why it abstains. Pure.

Only what was asked for is taken as a grade: one number, perhaps with a label, an explanation behind it, or as JSON. A
number somewhere in a text is none.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.scale import USUAL_WORDS

REFUSED, NONSENSE, LOW_MASS = "refused", "nonsense", "low mass"
"""As `MachineJudgment.Abstained` has them."""
DECLINED = "declined"
"""The key under which a reply has the sentence of a server that refused this very request."""

_LABELS = "grade|score|rating|answer|relevance"
_ANSWER = re.compile(
    rf"""(?:[^\d\n:=]{{0,40}}[:=]\s*|(?:[^\W\d]+\s+){{0,3}}(?:{_LABELS})\s+(?:is\s+|of\s+)?)?
    (?P<grade>\d+(?:[.,]\d+)?)(?:\s*(?:/|out\ of|of)\s*(?P<top>\d+))?
    (?P<rest>\s*|\s*[.,;:!)(\-–—\n].*|\s+(?:{"|".join(map(re.escape, USUAL_WORDS))})\W*)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_REFUSAL = re.compile(r"\b(?:sorry|i can'?t|i cannot|unable to|not able to|i won't|as an ai)\b", re.IGNORECASE)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_DRESS = re.compile(r"[*_`\"“”']+")


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer comes to: `grade` is None where it abstains, `distribution` where nothing tells one."""

    grade: int | None = None
    distribution: tuple[float, ...] | None = None
    abstained: str = ""


def read_replies(replies: Sequence[Mapping[str, Any]], top_grade: int, least_mass: float, step: int = 1) -> Reading:
    """What all answers about a pair come to: one by itself, several by their shares.

    Args: replies: as servers gave them, each once; least_mass: with a smaller share of its answers, or of one answer's
        probability, on grades from 0 to `top_grade`, the judge abstains; step: of which grades are multiples.
    Returns: the likeliest grade, of equals the lower.
    """
    readings = [read_reply(reply, top_grade, least_mass, step) for reply in replies]
    if len(readings) == 1:
        return readings[0]
    votes = Counter(reading.grade for reading in readings if reading.grade is not None)
    if not votes:
        return Reading(abstained=Counter(reading.abstained for reading in readings).most_common(1)[0][0])
    return _likeliest([float(votes[grade]) for grade in range(top_grade + 1)], len(readings), least_mass)


def read_reply(reply: Mapping[str, Any], top_grade: int, least_mass: float, step: int = 1) -> Reading:
    """What one answer comes to. Its text has to have a grade; where the server tells probabilities, those of the grades
    in that place are the distribution."""
    if reply.get(DECLINED):
        return Reading(abstained=REFUSED)
    choice = (reply.get("choices") or [{}])[0] or {}
    message = choice.get("message") or {}
    content = message.get("content")
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return Reading(abstained=REFUSED)
    grade = grade_in(content if isinstance(content, str) else "", top_grade)
    if isinstance(grade, str):
        return Reading(abstained=grade)
    if grade % step:
        return Reading(abstained=NONSENSE)
    told = _told(choice, grade, top_grade)
    return Reading(grade) if told is None else _likeliest(told, 1, least_mass)


def _likeliest(weights: Sequence[float], whole: float, least_mass: float) -> Reading:
    mass = sum(weights)
    if mass <= 0 or mass / whole < least_mass:
        return Reading(abstained=LOW_MASS)
    return Reading(max(range(len(weights)), key=weights.__getitem__), tuple(weight / mass for weight in weights))


def grade_in(content: str, top_grade: int) -> int | str:
    """The grade that an answer's text has, or why it has none: REFUSED or NONSENSE.

    >>> grade_in("3", 4), grade_in("Grade: ٣", 4), grade_in("3/4", 4), grade_in('{"grade": 3}', 4)
    (3, 3, 3, 3)
    >>> grade_in("3-4", 4), grade_in("There are 3 men.", 4), grade_in("I'm sorry, I can't judge that.", 4)
    ('nonsense', 'nonsense', 'refused')
    """
    text = _plain(_THOUGHT.sub("", content))
    if "{" in text:
        return _grade_of_json(text, top_grade)
    text = _DRESS.sub("", text).strip()
    if not text[:1].isdigit() and _REFUSAL.search(_plain(content)):
        return REFUSED
    answer = _ANSWER.fullmatch(text.removeprefix("- "))
    if answer is None or answer["top"] not in (None, str(top_grade)):
        return NONSENSE
    others = {float(number.replace(",", ".")) for number in re.findall(r"\d+(?:[.,]\d+)?", answer["rest"])}
    grade = float(answer["grade"].replace(",", "."))
    return int(grade) if grade in range(top_grade + 1) and others <= {grade} else NONSENSE


def _plain(text: str) -> str:
    """The text with the digits of every script, and of every form, as 0 to 9."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    return "".join(str(unicodedata.digit(sign)) if sign.isdigit() else sign for sign in text).strip()


def _grade_of_json(text: str, top_grade: int) -> int | str:
    start, end = text.find("{"), text.rfind("}") + 1
    try:
        pairs = json.loads(text[start:end], object_pairs_hook=list)
    except (ValueError, RecursionError):
        return NONSENSE
    named = [value for name, value in pairs if re.search(_LABELS, str(name).casefold())]
    found = {
        grade_in(str(value), top_grade)
        if isinstance(value, int | float | str) and not isinstance(value, bool)
        else NONSENSE
        for value in named
    }
    outside = text[:start] + text[end:]
    return found.pop() if len(found) == 1 and not re.search(r"\d", outside) else NONSENSE


def _told(choice: Mapping[str, Any], grade: int, top_grade: int) -> list[float] | None:
    """The probability of each grade where the answer has its own; None where the server tells none."""
    for place in _places(choice):
        if _grade_of_token(place.get("token")) != grade:
            continue
        tops = place.get("top_logprobs")
        told = [place, *(top for top in (tops if isinstance(tops, list) else ()) if isinstance(top, dict))]
        weights = [0.0] * (top_grade + 1)
        for token, logprob in {str(one.get("token")): one.get("logprob") for one in told}.items():
            of = _grade_of_token(token)
            if of is not None and of <= top_grade:
                weights[of] += _share(logprob)
        return weights
    return None


def _share(logprob: Any) -> float:
    """The probability whose logarithm this is; 0 for what is none, such as NaN."""
    if isinstance(logprob, bool) or not isinstance(logprob, int | float) or not logprob <= math.inf:
        return 0.0
    return math.exp(max(min(logprob, 0), -1e4))


def _places(choice: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """An answer's tokens with their probabilities, without those that it thought."""
    logprobs = choice.get("logprobs")
    told = logprobs.get("content") if isinstance(logprobs, dict) else None
    places = [place for place in told if isinstance(place, dict)] if isinstance(told, list) else []
    thinking = "".join(str(place.get("token")) for place in places).count("</think>")
    said = ""
    for place in places:
        if said.count("</think>") >= thinking:
            yield place
        said += str(place.get("token"))


def _grade_of_token(token: Any) -> int | None:
    text = _plain(token).strip("\"':*_`{}() \n") if isinstance(token, str) else ""
    return int(text) if len(text) == 1 and text.isdigit() else None
