"""Person names in text: an adapter to a Flair `SequenceTagger`, imported on first use."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from foundation.infra.devices import device_of
from foundation.refused import Refused
from queries.language.spoken import ENGLISH, known_languages
from queries.language.words import Word, words

SHIPPED_MODEL = Path(__file__).parents[1] / "weights" / "name-tagger.pt"
PERSON_LABELS = ("PER", "PERSON")
MODEL_FILES = ("final-model.pt", "best-model.pt", "pytorch_model.bin")
"""How Flair and the model hub call a tagger's file in its folder."""
BATCH_SIZE = 64
REMEMBERED = 4096
"""Texts whose names a tagger remembers: a rewriter by rules and the checks ask for the same ones in turn."""
SMALL = 5_000_000
"""Parameters up to which a model is faster on one thread."""


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A span of a text, [start, end) in characters, that the tagger takes for a person's name."""

    start: int
    end: int
    text: str
    score: float
    """How sure the tagger is, in [0, 1]."""


class NameTagger:
    """Finds person names with any Flair sequence tagger that has a label for persons."""

    def __init__(
        self,
        model: str | Path,
        *,
        device: str = "",
        languages: Sequence[str] = ENGLISH,
        person_labels: Sequence[str] = PERSON_LABELS,
    ) -> None:
        """Args:
        model: a file, a folder with one of MODEL_FILES, or a name that Flair knows ("flair/ner-english-large");
            loaded when used.
        device: as for `device_of`.
        languages: those that the model knows.
        person_labels: what it calls persons, in any case.
        """
        self.languages = languages
        self._device = device
        self._person_labels = {label.upper() for label in person_labels}
        self.model_name = Path(model).stem if Path(model).suffix == ".pt" else str(model)
        self._model = str(model)
        self._tagger: Any = None
        self._remembered: dict[str, list[NameSpan]] = {}

    def find_names(self, texts: Sequence[str]) -> list[list[NameSpan]]:
        """The person names of every text, in order of their places; equal texts are tagged once.

        Raises: Refused if the model's folder has no model, or the model no label for persons.
        """
        spans_by_text = {text: self._remembered[text] for text in dict.fromkeys(texts) if text in self._remembered}
        cut = {text: words(text) for text in texts if text not in spans_by_text}
        full = [text for text, parts in cut.items() if parts]
        if full:
            from flair.data import Sentence

            tagger = self._loaded()
            sentences = [Sentence([_readable(word) for word in cut[text]]) for text in full]
            with _one_thread(tagger):
                tagger.predict(sentences, mini_batch_size=BATCH_SIZE)
            for text, sentence in zip(full, sentences, strict=True):
                persons = [
                    span for span in sentence.get_spans(tagger.label_type) if span.tag.upper() in self._person_labels
                ]
                spans_by_text[text] = list(_spans(text, cut[text], persons))
            self._remember(spans_by_text, full)
        return [list(spans_by_text.get(text, ())) for text in texts]

    def forget(self) -> None:
        """Forget cached tags, so that a measurement tags every text again."""
        self._remembered = {}

    def _remember(self, spans_by_text: Mapping[str, list[NameSpan]], texts: Sequence[str]) -> None:
        # Whole generations are forgotten: cheaper than an order of use, and the next question is for the last texts.
        if len(self._remembered) + len(texts) > REMEMBERED:
            self._remembered = {}
        self._remembered.update({text: spans_by_text[text] for text in texts[-REMEMBERED:]})

    def _loaded(self) -> Any:
        if self._tagger is None:
            import flair
            import torch
            from flair.models import SequenceTagger

            flair.device = torch.device(device_of(self._device, variable="NER_DEVICE"))
            flair.logger.setLevel(logging.WARNING)  # it would print the whole vocabulary
            tagger: Any = SequenceTagger.load(_model_file(self._model))
            labels = _labels_of(tagger)
            if not self._person_labels & {label.upper() for label in labels}:
                raise Refused(
                    f"NER_MODEL: found a tagger of {', '.join(sorted(labels))}, expected one with "
                    f"{' or '.join(sorted(self._person_labels))}: NER_PERSON_LABELS says what it calls persons."
                )
            self._tagger = tagger
        return self._tagger


def load_tagger(environ: Mapping[str, str] = os.environ) -> NameTagger:
    """The tagger that NER_MODEL and NER_DEVICE name, or the shipped one, for the languages of NER_LANGUAGES, with the
    labels of NER_PERSON_LABELS; the same object each time in a process."""
    model, device = environ.get("NER_MODEL", "").strip() or str(SHIPPED_MODEL), environ.get("NER_DEVICE", "").strip()
    labels = tuple(environ.get("NER_PERSON_LABELS", "").replace(",", " ").split()) or PERSON_LABELS
    return _tagger(model, device, known_languages("NER_LANGUAGES", environ), labels)


def _model_file(model: str) -> str:
    """The file of a model in a folder; a file or name is itself. Raises: Refused for a folder without any."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    for name in MODEL_FILES:
        if (folder / name).is_file():
            return str(folder / name)
    raise Refused(f"NER_MODEL: found the folder {model}, expected {' or '.join(MODEL_FILES)} in it.")


def _labels_of(tagger: Any) -> set[str]:
    """What a tagger tells apart, without the places in a span: PER of S-PER and B-PER."""
    labels = {re.sub(r"^[BIESLU]-", "", label) for label in tagger.label_dictionary.get_items()}
    return labels - {"O", "<unk>", "<START>", "<STOP>"}


@contextmanager
def _one_thread(tagger: Any) -> Iterator[None]:
    """Run a small model on one thread: several would mostly wait for each other."""
    import torch

    before = torch.get_num_threads()
    if sum(parameter.numel() for parameter in tagger.parameters()) > SMALL:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@lru_cache(maxsize=2)
def _tagger(model: str, device: str, languages: tuple[str, ...], person_labels: tuple[str, ...]) -> NameTagger:
    return NameTagger(model, device=device, languages=languages, person_labels=person_labels)


def _spans(text: str, parts: Sequence[Word], spans: Iterable[Any]) -> Iterable[NameSpan]:
    for span in spans:
        start, end = parts[span.tokens[0].idx - 1].start, parts[span.tokens[-1].idx - 1].end
        yield NameSpan(start, end, text[start:end], float(span.score))


def _readable(word: Word) -> str:
    """A word as one Flair token: never empty or white space."""
    return "".join(letter if letter.isprintable() else "?" for letter in word.text)
