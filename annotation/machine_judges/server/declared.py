"""A judge on a server as it was declared: what its requests say, and where they go."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.machine_judges.server.frames import frame_times
from annotation.machine_judges.server.pairs import PairToSee
from annotation.machine_judges.server.parameters import DESCRIPTION, ServerParameters
from annotation.machine_judges.server.prompting import Wording
from annotation.machine_judges.server.replies import Ask, asked_with, reply_key
from annotation.models import MachineJudge
from annotation.scale import scale_of
from queries.rewriting.llm_settings import LlmSettings, llm_settings
from queries.rewriting.rewriters.chat import TOPS, Chat
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import patience_from


@dataclass(frozen=True)
class Declared:
    """What all requests of a judge have in common."""

    judge: MachineJudge
    wording: Wording
    parameters: ServerParameters

    @classmethod
    def of(cls, judge: MachineJudge) -> Declared:
        collection = judge.collection
        source = ""
        if judge.guideline is not None:
            source = collection.guidelines.get(version=judge.guideline).source
        wording = Wording(judge.prompt_version, source, scale_of(collection))
        return cls(judge, wording, ServerParameters(**judge.parameters))

    @property
    def reads(self) -> bool:
        """Whether it is told descriptions, and shown no clips."""
        return self.parameters.sees == DESCRIPTION

    @property
    def number(self) -> int:
        """The same for all judges whose equal requests are one."""
        alike = [self.wording.instructions, self.wording.material(""), self.judge.model, asked_with(self.parameters)]
        return int(hashlib.sha256(json.dumps(alike).encode()).hexdigest()[:12], 16)

    def asks(self, pair: PairToSee, digest: str) -> tuple[Ask, ...]:
        """The requests about a pair, one a sample. Args: digest: of its clip, or of its description."""
        times = () if self.reads else frame_times(pair.duration, self.judge.frames or 0)
        return tuple(
            Ask(
                key=reply_key(
                    wording=self.wording,
                    model=self.judge.model,
                    parameters=self.parameters,
                    clip=digest,
                    times=times,
                    query=pair.query,
                    sample=sample,
                ),
                clip="" if self.reads else pair.file,
                digest=digest,
                times=times,
                query=pair.query,
                sample=sample,
                description=pair.description,
            )
            for sample in range(self.parameters.samples)
        )

    @property
    def settings(self) -> LlmSettings:
        """What holds for this judge's model: server, key, prices and limit."""
        return llm_settings(self.judge.collection, model=self.judge.model)

    def chat(self, settings: LlmSettings) -> Chat:
        """The server that settings name, asked for this judge's model.

        Raises: RewriterError where they name none, or another one than the judge was declared with.
        """
        chat = chat_of(settings)
        chat.tops = TOPS[0] if self.parameters.samples == 1 else 0
        if chat.place != self.parameters.server:
            raise RewriterError(
                f"The settings lead to {chat.place}, and this judge was declared with {self.judge.model} at "
                f"{self.parameters.server}: declare another one, or set that server again."
            )
        return chat


def chat_of(settings: LlmSettings) -> Chat:
    """The server and the model that settings name. Raises: RewriterError where they name none."""
    environ = settings.environ
    if not settings.is_remote:
        raise RewriterError(_("No LLM server is set for this collection: it is set under LLM settings."))
    address = environ.get("OPENAI_BASE_URL", "").strip() or None
    chat = Chat(environ["REWRITER_MODEL"], environ["OPENAI_API_KEY"].strip(), address, patience_from(environ))
    chat.key_from, chat.states_format = settings.key_from, False
    return chat
