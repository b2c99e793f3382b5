"""What a model on a server is asked of a clip and a query: versioned instructions, and material beside them. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotation.machine_judges.server.parameters import CLIP, DESCRIPTION
from annotation.scale import Scale

PROMPT_VERSIONS = {CLIP: "grade-v1", DESCRIPTION: "grade-description-v1"}
"""The newest, by what a judge sees."""
PROMPTS = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Wording:
    """What every request of a judge says: its instructions, the guideline as text ("": none), and the grades."""

    prompt_version: str
    guideline: str
    scale: Scale

    @property
    def instructions(self) -> str:
        """The system prompt."""
        scale, downwards = self.scale, self.scale.named("en")[::-1]
        shown = {grade: scale.description(grade, "en") for grade, _ in downwards}
        if scale.word(0, "en") == shown[0]:
            shown[0] = "nothing of the query"
        grades = "\n".join(f"{grade}: {word}; the clip shows {shown[grade]}" for grade, word in downwards)
        names = "\n".join(f"{grade}: {word}" for grade, word in downwards)
        text = prompt(self.prompt_version).replace("{top}", str(scale.top))
        if scale.slides:
            between = f"\n\nGrades are all multiples of {scale.step} from 0 to {scale.top}, between these, too."
            grades, names, text = grades + between, names + between, text.replace("one digit", "one number")
        return text.replace("{grades}", grades).replace("{names}", names)

    def material(self, query: str, description: str = "") -> str:
        """The guideline, the query and, of a clip that isn't shown, its description as JSON, in which no text of theirs
        can look like anything around it."""
        given = {"guideline": self.guideline} if self.guideline else {}
        given |= {"query": query, "description": description} if description else {"query": query}
        return json.dumps(given, ensure_ascii=False)

    def messages(self, query: str, clip: Sequence[dict[str, Any]], description: str = "") -> list[dict[str, Any]]:
        """The chat that asks for a grade.

        Args: clip: `picture_part`s in the order of time, or one `film_part`; none beside a description, so that the
            message is a text, which is all that models of texts take.
        """
        asked = self.instructions
        material = self.material(query, description)
        # Small models of texts go on with the material, unless what is wanted of them stands behind it.
        content = [{"type": "text", "text": material}, *clip] if clip else f"{material}\n\n{_end(asked)}"
        return [{"role": "system", "content": asked}, {"role": "user", "content": content}]

    def chars(self, query: str) -> int:
        """Characters sent beside the clip."""
        return len(self.instructions) + len(self.material(query))


def _end(instructions: str) -> str:
    """Their last paragraph, which says what an answer is."""
    return instructions.rpartition("\n\n")[2]


def picture_part(jpeg: bytes) -> dict[str, Any]:
    """A picture within a message."""
    return {"type": "image_url", "image_url": {"url": _address("image/jpeg", jpeg)}}


def film_part(mp4: bytes) -> dict[str, Any]:
    """A whole clip within a message, as servers of models that watch films take it (vLLM, Qwen-VL)."""
    return {"type": "video_url", "video_url": {"url": _address("video/mp4", mp4)}}


def _address(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


@lru_cache(maxsize=8)
def prompt(version: str) -> str:
    """The instructions, as versioned in `prompts`: a version is never edited."""
    return (PROMPTS / f"{version}.txt").read_text(encoding="utf-8").strip()
