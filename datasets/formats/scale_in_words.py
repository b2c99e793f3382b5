"""The scale of a release in English sentences and tables, for its files. The paper's is said as it always was."""

from collections.abc import Mapping
from typing import Any

from annotation.scale import Scale, scale_of_release
from evaluation.releases.tables import Table, markdown, number


def grades_line(scale: Scale) -> str:
    """The grades and what they mean, in one sentence."""
    if scale.is_paper or scale.in_papers_words:
        return "; ".join(f"{grade}: {scale.description(grade, 'en')}" for grade in scale.grades) + "."
    meanings = "; ".join(f"{grade} ({word}): {scale.description(grade, 'en')}" for grade, word in scale.named("en"))
    return f"{_numbers(scale)}{meanings}."


def grades_table(facts: Mapping[str, Any]) -> str:
    """The grades, what a moment of each shows, and how many pairs of val and test have it."""
    scale = scale_of_release(facts)
    counts = [facts["counts"][split]["pairs_by_grade"] for split in ("val", "test")]
    papers = scale.is_paper or scale.in_papers_words
    rows = []
    for name, grades in scale.bars:
        of_split = [number(sum(split.get(str(grade), 0) for grade in grades)) for split in counts]
        word, shows = scale.word(grades[0], "en"), scale.description(grades[0], "en")
        rows.append((name, shows, *of_split) if papers else (name, word, shows, *of_split))
    if papers:
        head = "| grade | the moment shows | val | test |\n| ---: | --- | ---: | ---: |\n"
        return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    columns = ("grade", "word", "the moment shows", "val", "test")
    return _numbers(scale, "\n\n") + markdown(Table("Grades", columns, tuple(rows))) + _other_languages(scale)


def grades_section(facts: Mapping[str, Any]) -> str:
    """The table under its heading, for a file that has none where the scale is the paper's; "" there."""
    return "" if scale_of_release(facts).is_paper else f"## Grades\n\n{grades_table(facts)}\n"


def grades_in_brackets(facts: Mapping[str, Any]) -> str:
    """From where to where grades go, for brackets: of another scale than the paper's with the words of its ends."""
    scale = scale_of_release(facts)
    least, best = scale.word(0, "en"), scale.word(scale.top, "en")
    if scale.is_paper:
        return f"0 to {scale.top}"
    steps = f" in steps of {scale.step}" if scale.step > 1 else ""
    return f"0, {least}, to {scale.top}, {best}{steps}"


def _numbers(scale: Scale, after: str = " ") -> str:
    """Which numbers are grades, where words name some of them alone."""
    if not scale.slides:
        return ""
    steps = f" in steps of {scale.step}" if scale.step > 1 else ""
    return f"Grades are whole numbers from 0 to {scale.top}{steps}; words name some of them.{after}"


def _other_languages(scale: Scale) -> str:
    """What annotators read who read another language than these files have."""
    own = [language for language in scale.languages if dict(scale.named(language)) != dict(scale.named("en"))]
    lines = [
        f"- {language}: " + "; ".join(f"{grade} {word}" for grade, word in scale.named(language)) for language in own
    ]
    return "\nIn other languages annotators read:\n\n" + "\n".join(lines) + "\n" if lines else ""
