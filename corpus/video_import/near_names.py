"""Which of the left files may be which of the left videos, by their names. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from corpus.clips.import_videos import VIDEO_SUFFIXES
from foundation.text import composed

LIKE = 0.6
"""From which share of common trigrams on two names are alike."""
MOST_COMPARED = 2000
"""Names of a side that are compared letter by letter; the surer rules have no such bound."""
_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")
_SEPARATORS = re.compile(r"[\s_.\-]+")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A file that may be a video's; `sure`: the names differ in nothing that tells two videos apart."""

    video: str
    file: str
    why: str
    sure: bool


def propose(videos: Iterable[str], files: Iterable[str]) -> list[Proposal]:
    """A file for each video that exactly one file fits which fits no other video; sorted by video.

    The strictest rule that finds a pair decides. Names with different numbers never match: s01e02 isn't s01e03.

    Args: videos: names of videos without a file; files: paths of files without a video, as they are shown.
    """
    left_videos, left_files = dict.fromkeys(videos), dict.fromkeys(files)
    proposals: list[Proposal] = []
    if not left_videos or not left_files:
        return proposals
    for rule, why in _RULES:
        for video, file in _pairs(left_videos, left_files, rule):
            proposals.append(Proposal(video, file, why, True))
            del left_videos[video], left_files[file]
    proposals += [Proposal(video, file, "similar", False) for video, file in _similar(left_videos, left_files)]
    return sorted(proposals, key=lambda proposal: proposal.video)


def _stem(name: str) -> str:
    """A name without the suffix of a video file: others are part of the name ("take.2")."""
    stem, _, suffix = name.rpartition(".")
    return stem if stem and f".{suffix}".lower() in VIDEO_SUFFIXES else name


def _folded(name: str) -> str:
    return composed(composed(name).casefold())


def _last(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _plain(name: str) -> str:
    return _ZEROS.sub("", _SEPARATORS.sub(" ", _folded(_stem(_last(name))))).strip()


def _with_folders(name: str) -> str:
    return _SEPARATORS.sub(" ", _folded(_stem(name)).replace("/", " ").replace("\\", " ")).strip()


_Rule = tuple[Callable[[str], str], Callable[[str], str]]
_RULES: list[tuple[_Rule, str]] = [
    ((_last, lambda file: _stem(_last(file))), "in a folder"),
    ((lambda video: _stem(_last(video)), lambda file: _stem(_last(file))), "another suffix"),
    ((lambda video: _folded(_stem(_last(video))), lambda file: _folded(_stem(_last(file)))), "capital letters"),
    ((_plain, _plain), "separators or zeros"),
    ((_with_folders, _with_folders), "folders in the name"),
]
"""How a video's and a file's names are normalised, and in what names that match then differ."""


def _pairs(videos: Iterable[str], files: Iterable[str], rule: _Rule) -> list[tuple[str, str]]:
    of_form: dict[str, tuple[list[str], list[str]]] = {}
    for file in files:
        of_form.setdefault(rule[1](file), ([], []))[1].append(file)
    for video in videos:
        if (both := of_form.get(rule[0](video))) is not None:
            both[0].append(video)
    alone = [both for form, both in of_form.items() if form and len(both[0]) == len(both[1]) == 1]
    return [(of_videos[0], of_files[0]) for of_videos, of_files in alone]


def _similar(videos: Iterable[str], files: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs that are each other's most similar, with the same numbers."""
    by_numbers: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for file in list(files)[:MOST_COMPARED]:
        by_numbers[_numbers(file)].append(file)
    of_video: dict[str, list[tuple[float, str]]] = {}
    of_file: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for video in list(videos)[:MOST_COMPARED]:
        scored = [(_likeness(video, file), file) for file in by_numbers[_numbers(video)]]
        of_video[video] = sorted((pair for pair in scored if pair[0] >= LIKE), reverse=True)
        for likeness, file in of_video[video]:
            of_file[file].append((likeness, video))
    return [
        (video, best[0][1])
        for video, best in of_video.items()
        if best and _is_best(best, best[0]) and _is_best(of_file[best[0][1]], (best[0][0], video))
    ]


def _is_best(scored: list[tuple[float, str]], best: tuple[float, str]) -> bool:
    return all(other[0] < best[0] for other in scored if other != best)


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"[0-9]{1,18}", _stem(_last(name))))


def _likeness(name: str, other: str) -> float:
    first, second = _trigrams(_plain(name)), _trigrams(_plain(other))
    return len(first & second) / len(first | second)


def _trigrams(name: str) -> set[str]:
    padded = f"  {name} "
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
