"""Train the name tagger.

It learns from sentences that Qreels makes up and from any descriptions given to it, labelled by what they
betray about their own cast, with names of many languages swapped in. The model is an ordinary Flair
`SequenceTagger`; only the training loop is ours, since Flair's own embeds word by word (five times slower).

The shipped weights: 16 epochs, then `--go-on-from` them `--epochs 4 --rate 0.0008 --seed 3`, after misspelt
ordinary words had joined what `roughen` does; about ten minutes on two cores. One episode in twelve was held
out and is what `benchmarks/name_tagger.py` measures on.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from queries.language.lexicon import build_lexicon
from queries.language.name_tagger import SHIPPED_MODEL
from queries.language.words import words
from queries.tagger_training.silver_labels import label_names
from queries.tagger_training.synthetic_sentences import (
    InventedNames,
    Labelled,
    SwapNames,
    all_names,
    made_up_sentence,
    roughen,
    swap_names,
)

HELD_OUT_ONE_IN = 12
MADE_UP = 5000
SWAPS = 2
BATCH_SIZE = 48
CHARACTERS = "".join(map(chr, [*range(32, 127), *range(0xA1, 0x250)])) + "’‘“”–—…ʼ"


@dataclass(frozen=True)
class Settings:
    """Sizes of the model and of the training."""

    epochs: int = 16
    seed: int = 1
    character_size: int = 32
    character_hidden: int = 96
    word_size: int = 64
    hidden: int = 192
    rate: float = 2e-3


@dataclass(frozen=True)
class NameCounts:
    """Counts of found and missed name words on held-out sentences."""

    names: int
    found: int
    flagged: int

    @property
    def recall(self) -> float:
        return self.found / max(self.names, 1)

    @property
    def precision(self) -> float:
        return self.found / max(self.flagged, 1)


def is_held_out(video: str) -> bool:
    """Whether a video's descriptions are held out of training, by its episode ("friends_s01e03")."""
    return crc32(video.split("_seg")[0].encode()) % HELD_OUT_ONE_IN == 0


def read_descriptions(files: Sequence[Path]) -> list[tuple[str, str]]:
    """(video, description) of every row of TVR's JSON Lines; any other line is a description by itself."""
    rows = []
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.lstrip().startswith("{"):
                row = json.loads(line)
                rows.append((str(row.get("vid_name", "")), str(row["desc"])))
            elif line.strip():
                rows.append((line, line))
    return rows


def silver(descriptions: Sequence[str]) -> list[Labelled]:
    """Descriptions with silver labels, without those where a word stays undecided."""
    lexicon = build_lexicon(descriptions)
    labelled = []
    for text in dict.fromkeys(descriptions):
        parts = words(text)
        labels = label_names(parts, lexicon)
        if parts and labels is not None:
            labelled.append([(part.text, label) for part, label in zip(parts, labels, strict=True)])
    return labelled


def training_sentences(real: Sequence[Labelled], names: SwapNames, random_: random.Random) -> list[Labelled]:
    """One epoch's sentences: the real ones as they are and with new names, and made-up ones."""
    epoch = [roughen(sentence, random_) for sentence in real]
    for _ in range(SWAPS):
        epoch += [roughen(swap_names(sentence, names, random_), random_) for sentence in real]
    epoch += [roughen(made_up_sentence(names, random_), random_) for _ in range(MADE_UP)]
    random_.shuffle(epoch)
    return epoch


def vocabulary(sentences: Sequence[Labelled]) -> list[str]:
    """Words seen at least three times as non-names; all others, names included, share one vector."""
    seen = Counter(word for sentence in sentences for word, is_name in sentence if not is_name)
    return sorted(word for word, count in seen.items() if count >= 3)


def build_tagger(vocabulary: Sequence[str], settings: Settings) -> Any:
    """An untrained Flair tagger of characters and words; loading it needs no other file and no hub."""
    from flair.data import Dictionary
    from flair.embeddings import CharacterEmbeddings, OneHotEmbeddings, StackedEmbeddings
    from flair.models import SequenceTagger

    characters = Dictionary(add_unk=True)
    for character in CHARACTERS:
        characters.add_item(character)
    known = Dictionary(add_unk=True)
    for word in vocabulary:
        known.add_item(word)
    tags = Dictionary(add_unk=False)
    tags.add_item("PER")
    tags.span_labels = True
    embeddings = StackedEmbeddings(
        [
            CharacterEmbeddings(characters, settings.character_size, settings.character_hidden),
            OneHotEmbeddings(known, embedding_length=settings.word_size),
        ]
    )
    return SequenceTagger(
        embeddings,
        tags,
        "ner",
        tag_format="BIO",
        hidden_size=settings.hidden,
        reproject_embeddings=False,
        dropout=0.3,
        word_dropout=0.05,
        locked_dropout=0.0,
    )


def train(tagger: Any, real: Sequence[Labelled], names: SwapNames, settings: Settings) -> None:
    """Train a tagger in place; progress goes to standard error."""
    import torch

    random_ = random.Random(settings.seed)
    optimiser = torch.optim.AdamW(tagger.parameters(), lr=settings.rate, weight_decay=1e-3)
    per_epoch = ((1 + SWAPS) * len(real) + MADE_UP) // BATCH_SIZE + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=per_epoch * settings.epochs + 1, pct_start=0.1
    )
    for epoch in range(settings.epochs):
        started, total, count = time.monotonic(), 0.0, 0
        tagger.train()
        for batch in _batches(training_sentences(real, names, random_), random_):
            loss = _loss(tagger, batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(tagger.parameters(), 5.0)
            optimiser.step()
            schedule.step()
            total, count = total + float(loss.detach()) * len(batch), count + len(batch)
        seconds = time.monotonic() - started
        print(f"epoch {epoch + 1}/{settings.epochs}: loss {total / count:.4f}, {seconds:.0f} s", file=sys.stderr)
    tagger.eval()


def measure(tagger: Any, sentences: Sequence[Labelled]) -> NameCounts:
    """How many name words a tagger finds, through Flair's own prediction."""
    from flair.data import Sentence

    asked = [Sentence([word for word, _ in sentence]) for sentence in sentences]
    tagger.predict(asked, mini_batch_size=64)
    names = found = flagged = 0
    for sentence, answer in zip(sentences, asked, strict=True):
        hit = {token.idx - 1 for span in answer.get_spans("ner") for token in span.tokens}
        true = {place for place, (_, is_name) in enumerate(sentence) if is_name}
        names, found, flagged = names + len(true), found + len(true & hit), flagged + len(hit)
    return NameCounts(names, found, flagged)


def _batches(sentences: list[Labelled], random_: random.Random) -> Iterator[list[Labelled]]:
    """Batches of sentences of like length, in random order."""
    by_length = sorted(sentences, key=len, reverse=True)
    starts = list(range(0, len(by_length), BATCH_SIZE))
    random_.shuffle(starts)
    for start in starts:
        yield by_length[start : start + BATCH_SIZE]


def _loss(tagger: Any, batch: list[Labelled]) -> Any:
    """Flair's loss per sentence of a batch, longest first, embedded all at once."""
    import torch

    characters, known = tagger.embeddings.embeddings
    distinct = sorted({word for sentence in batch for word, _ in sentence}, key=len, reverse=True)
    place = {word: at for at, word in enumerate(distinct)}
    spelt = [[characters.char_dictionary.get_idx_for_item(c) for c in word] for word in distinct]
    lengths = torch.tensor([len(letters) for letters in spelt])
    padded = torch.nn.utils.rnn.pad_sequence([torch.tensor(letters) for letters in spelt])
    packed = torch.nn.utils.rnn.pack_padded_sequence(characters.char_embedding(padded), lengths)
    states, _ = torch.nn.utils.rnn.pad_packed_sequence(characters.char_rnn(packed)[0])
    by_letters = states[lengths - 1, torch.arange(len(distinct))]
    by_word = known.embedding_layer(torch.tensor([known.vocab_dictionary.get_idx_for_item(w) for w in distinct]))
    vectors = torch.cat([by_letters, by_word], dim=1)
    rows = [vectors[[place[word] for word, _ in sentence]] for sentence in batch]
    sizes = torch.tensor([len(sentence) for sentence in batch])
    scores = tagger.forward(torch.nn.utils.rnn.pad_sequence(rows, batch_first=True), sizes)
    gold = [tagger.label_dictionary.get_idx_for_item(tag) for sentence in batch for tag in _tags(sentence)]
    return tagger._calculate_loss(scores, torch.tensor(gold))[0] / len(batch)


def _tags(sentence: Labelled) -> Iterator[str]:
    inside = False
    for _, is_name in sentence:
        yield ("I-PER" if inside else "B-PER") if is_name else "O"
        inside = is_name


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; prints one JSON object of figures as its last line."""
    parser = argparse.ArgumentParser(prog="queries.tagger_training", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--descriptions", nargs="*", type=Path, default=[], metavar="FILE")
    parser.add_argument("--out", type=Path, default=SHIPPED_MODEL)
    parser.add_argument("--epochs", type=int, default=Settings.epochs)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--rate", type=float, default=Settings.rate, help="highest learning rate")
    parser.add_argument("--go-on-from", type=Path, metavar="MODEL", help="a model to train further")
    options = parser.parse_args(arguments)

    import flair.models
    import torch

    logging.getLogger("flair").setLevel(logging.WARNING)
    torch.manual_seed(options.seed)
    settings = Settings(epochs=options.epochs, seed=options.seed, rate=options.rate)
    rows = read_descriptions(options.descriptions)
    learnt = silver([text for video, text in rows if not is_held_out(video)])
    unseen = silver([text for video, text in rows if is_held_out(video)])
    names = all_names()
    strangers = InventedNames(names)
    random_ = random.Random(options.seed + 1)
    if options.go_on_from:
        tagger = flair.models.SequenceTagger.load(str(options.go_on_from))
    else:
        tagger = build_tagger(vocabulary(training_sentences(learnt, names, random_)), settings)
    train(tagger, learnt, names, settings)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    tagger.save(options.out)
    swapped = [swap_names(sentence, strangers, random_) for sentence in unseen]
    as_written, renamed = measure(tagger, unseen), measure(tagger, swapped)
    print(
        json.dumps(
            {
                "sentences": len(unseen),
                "names_found": round(as_written.recall, 4),
                "names_found_swapped": round(renamed.recall, 4),
                "precision": round(as_written.precision, 4),
                "bytes": options.out.stat().st_size,
            }
        )
    )
    return 0
