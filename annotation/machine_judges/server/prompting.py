"""What a model on a server is asked of a clip and a query: versioned instructions, and material beside them. Pure."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from annotation.grades import NAMES, SHOWN

PROMPT_VERSION = "grade-v1"
PROMPTS = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Wording:
    """What every request of a judge says: its instructions, the guideline as text ("": none), and the grades."""

    prompt_version: str
    guideline: str
    top_grade: int

    @property
    def instructions(self) -> str:
        """The system prompt."""
        grades = "\n".join(
            f"{grade}: {NAMES[grade]}; the clip shows {'nothing of the query' if not grade else SHOWN[grade]}"
            for grade in range(self.top_grade, -1, -1)
        )
        text = prompt(self.prompt_version)
        return text.replace("{grades}", grades).replace("{top}", str(self.top_grade))

    def material(self, query: str) -> str:
        """The guideline and the query as JSON, in which no text of theirs can look like anything around it."""
        given = {"guideline": self.guideline, "query": query} if self.guideline else {"query": query}
        return json.dumps(given, ensure_ascii=False)

    def messages(self, query: str, clip: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The chat that asks for a grade. Args: clip: `picture_part`s in the order of time, or one `film_part`."""
        parts = [{"type": "text", "text": self.material(query)}, *clip]
        return [{"role": "system", "content": self.instructions}, {"role": "user", "content": parts}]

    def chars(self, query: str) -> int:
        """Characters sent beside the clip."""
        return len(self.instructions) + len(self.material(query))


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
