"""Parts of speech of single English words, from the list of TextBlob's tagger, read from its file. Pure."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


def tag_of(word: str) -> str:
    """The tag that a word most often has (Penn Treebank: "NN", "JJ"), as written, else in lower case; "" if unknown."""
    tags = tags_by_word()
    return tags.get(word) or tags.get(word.casefold(), "")


@lru_cache(maxsize=1)
def tags_by_word() -> dict[str, str]:
    """The 94,000 words of the list with their tags; importing the library itself takes seconds."""
    package = find_spec("textblob")
    assert package is not None and package.origin is not None, "requirements.txt has it"
    lines = (Path(package.origin).parent / "en" / "en-lexicon.txt").read_text(encoding="utf-8").splitlines()
    return {word: tag for word, tag in (line.split(" ", 1) for line in lines if line.strip())}
