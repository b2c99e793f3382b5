"""Word and verb counts of English texts.

Words are those of `evaluation.texts.words_of`. Verbs are told by the tagger
that TextBlob carries (a lexicon of 93,000 words with rules for the context, no model to fetch) and counted by the
lemma that LemmInflect's dictionary gives. The tagger takes some verbs for nouns ("Two people dance."), so that the
number is a lower bound, good to compare collections by. Both libraries are imported when first used.
"""

import sys
from collections import Counter
from functools import lru_cache
from importlib.metadata import version

from evaluation.texts import words_of
from foundation.infra.progress import Advance

CACHED = 8192
"""Texts whose words and verbs are remembered."""


def verbs_of(text: str) -> list[str]:
    """The lemmas of an English text's verbs, in order.

    >>> verbs_of("A man walks into the room and is sitting down.")
    ['walk', 'be', 'sit']
    """
    from lemminflect import getLemma
    from textblob.en import tag

    verbs = [word.casefold() for word, part in tag(text) if part.startswith("VB") and word[0].isalpha()]
    return [(getLemma(verb, "VERB") or (verb,))[0] for verb in verbs]


def is_english(language: str) -> bool:
    """Whether a BCP 47 tag says English, or nothing."""
    return not language or language.casefold().split("-")[0] == "en"


def tagger_named() -> str:
    """The libraries that tagged and counted the verbs, with versions, as a release states them."""
    return f"TextBlob {version('textblob')} (PatternTagger); lemmas by LemmInflect {version('lemminflect')}"


class Reader:
    """Words and verbs of texts. The last ones are cached: the same text is counted as caption, query and in the total,
    and again in the collection's next release.

    Args: progress: called with 1 for each text that is asked for.
    """

    def __init__(self, progress: Advance = lambda texts: None) -> None:
        self._progress = progress

    def read(self, text: str, *, english: bool) -> tuple[list[str], list[str]]:
        """A text's words and, if it is English, the lemmas of its verbs."""
        self._progress(1)
        return _read(text, english)


@lru_cache(maxsize=CACHED)
def _read(text: str, english: bool) -> tuple[list[str], list[str]]:
    # Interned: a hundred thousand texts have a few thousand words.
    return [sys.intern(word) for word in words_of(text)], [sys.intern(v) for v in verbs_of(text)] if english else []


class Vocabulary:
    """The distinct words and verbs of the texts added so far, and the texts' lengths in words."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader or Reader()
        self.words: set[str] = set()
        self.verbs: Counter[str] = Counter()
        self.lengths: list[int] = []
        self.untagged = 0
        """Texts that aren't English: their words are counted, their verbs aren't."""

    def another(self) -> "Vocabulary":
        """An empty vocabulary, whose texts count as progress, too."""
        return Vocabulary(self._reader)

    def add(self, text: str, language: str = "") -> None:
        english = is_english(language)
        words, verbs = self._reader.read(text, english=english)
        self.words.update(words)
        self.lengths.append(len(words))
        self.verbs.update(verbs)
        self.untagged += not english
