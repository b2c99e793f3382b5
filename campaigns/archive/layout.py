"""What lies where in a campaign's archive. Pure."""

import re

FORMAT = "qreels campaign 1"
MANIFEST = "manifest.json"


def safe_part(name: str, otherwise: str) -> str:
    """A name as one part of a path: letters, digits, dot, hyphen and underscore of any script, at most 60 characters.

    >>> safe_part("../Tea & Sons", "team"), safe_part("///", "team")
    ('Tea_Sons', 'team')
    """
    words = re.sub(r"[^\w.-]+", "_", name).strip("._-")[:60].strip("._-")
    return words or otherwise


def run_name(team_number: int, submission: int, name: str) -> str:
    """Where a run's files lie, without folder and ending: by number, so that no two meet, then by name.

    >>> run_name(3, 17, "BM25 / captions")
    'team-03/0017-BM25_captions'
    """
    return f"team-{team_number:02d}/{submission:04d}-{safe_part(name, 'run')}"


ENDINGS = {"qreels": ".jsonl", "qvhighlights": ".jsonl", "tvr": ".json", "tvr-ranking": ".json", "trec": ".txt"}
"""Of a run's file, by its format as `evaluation.reading` calls it."""


def run_ending(form: str, beginning: bytes) -> str:
    """The ending of a run's file.

    >>> run_ending("trec", b"\\x1f\\x8b\\x08"), run_ending("qreels", b"{}")
    ('.txt.gz', '.jsonl')
    """
    return ENDINGS.get(form, ".run") + (".gz" if beginning.startswith(b"\x1f\x8b") else "")
