"""The dataset card for the Hugging Face Hub.

The Hub reads the card at a repository's root alone, and finds files by their paths from there. So there are two: one at
the top of the release, and one beside the tables for whoever takes `parquet/` for itself.

Strings of the metadata block, which is YAML, are written in double quotes, so that no title can break it.
"""

import json
from collections.abc import Mapping
from typing import Any

from datasets.formats.further_files import further_files_section
from datasets.formats.procedure import has_drawn_queries, procedure_in_english, top_grade
from datasets.formats.scale_in_words import grades_table
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import markdown

CARD = "README.md"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
SIZES_ABOVE = ((10_000_000, "1M<n<10M"), (100_000_000, "10M<n<100M"))

TAGS = ("video-moment-retrieval", "video", "retrieval", "graded-relevance", "qreels")
MORE = {
    "address": "Address",
    "sources": "Sources",
    "uses": "Uses",
    "biases": "Biases",
    "sensitive": "Personal or sensitive information",
    "impact": "Social impact",
    "recruitment": "Annotators",
    "maintenance": "Maintenance",
}
"""What authors may say beside licence, citation and limitations: field -> how it begins."""
HUB_LICENCES = {
    *("mit", "apache-2.0", "bsd-3-clause", "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0"),
    *("cc-by-nd-4.0", "cc-by-nc-nd-4.0", "odbl", "odc-by", "gpl-3.0"),
}
"""As the Hub calls them; SPDX's identifiers in small letters."""

TABLES_IN_WORDS = {
    "grades": "a row a graded pair of val and test: query, moment, and the grade in `relevance`",
    "train": "a row a pseudo-training query and one of its most similar moments, `rank` from 1; nobody judged them",
    "raw_annotations": "a row a judgment behind the grades, discarded pairs included; `worker` is a pseudonym",
    "moments": "every moment of the collection",
    "videos": "every video with its duration in seconds",
}


def dataset_card(
    facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]], *, below: str = "", scoring: str = ""
) -> str:
    """The dataset card as Markdown with a YAML header.

    Args:
        facts: the manifest but for its files.
        rows: table -> split -> number of rows.
        below: where the tables lie from the card, "" or a folder with a slash behind it.
        scoring: the section on scoring a run, if the card lies beside the files that it names.
    """
    return _metadata(facts, rows, below) + "\n" + _text(facts, rows, scoring)


def split_name(table: str, split: str) -> str:
    """The Hub's split name of a table's part; a table without splits uses its own name, since "all" is reserved.

    >>> split_name("grades", "val"), split_name("videos", "all")
    ('val', 'videos')
    """
    return table if split == "all" else split


def _metadata(facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]], below: str) -> str:
    total = sum(sum(splits.values()) for splits in rows.values())
    lines = [
        "---",
        f"pretty_name: {quoted(_title(facts))}",
        *hub_licence(facts["about"]["licence"]),
        *_list("language", sorted(set(filter(None, map(_iso_639, facts["languages"]))))),
        *_list("language_bcp47", [tag for tag in facts["languages"] if tag != _iso_639(tag)]),
        *_list("task_categories", ["other"]),
        *_list("tags", list(TAGS)),
        *_list("size_categories", [size_category(total)]),
        "configs:",
    ]
    for table, splits in rows.items():
        lines += [f"- config_name: {table}", "  data_files:"]
        for split in splits:
            lines += [f"  - split: {split_name(table, split)}", f"    path: {below}{table}/{split}.parquet"]
        if table == "grades":
            lines.append("  default: true")
    return "\n".join([*lines, "---", ""])


def _list(name: str, values: list[str]) -> list[str]:
    return [f"{name}:", *(f"- {quoted(value)}" for value in values)] if values else []


def _iso_639(tag: str) -> str:
    """A BCP 47 tag's language as the Hub accepts it, in two or three letters; "" if it has none."""
    language = tag.split("-")[0].lower()
    return language if 2 <= len(language) <= 3 and language.isalpha() else ""


def quoted(text: str) -> str:
    r"""A double-quoted YAML string; unprintable characters are escaped.

    >>> print(quoted("The \"End\"\x7f"))
    "The \"End\"\U0000007f"
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in quoted)


def size_category(rows: int) -> str:
    """The Hub's size category for a number of rows.

    >>> size_category(999), size_category(2_800_000)
    ('n<1K', '1M<n<10M')
    """
    return next((name for limit, name in SIZES + SIZES_ABOVE if rows < limit), "100M<n<1B")


def _title(facts: Mapping[str, Any]) -> str:
    return f"{facts['title']}, release {facts['release']}" if facts["release"] else f"{facts['title']} (draft)"


def _text(facts: Mapping[str, Any], rows: Mapping[str, Mapping[str, int]], scoring: str) -> str:
    parts = [
        f"# {_title(facts)}\n",
        "A test collection for ranked video moment retrieval: a system is given a query and ranks moments "
        f"of videos, and relevant ones have a grade up to {top_grade(facts)}. It was built with Qreels "
        f"{facts['code']['version']}; how is told below.\n",
        ("Captions are where queries come from. " if has_drawn_queries(facts) else "")
        + "A system under test must not read the columns `caption` and `similarity`, or it reads the answer."
        + (" Both are null where a moment was found without captions." if "pairs_without_similarity" in facts else "")
        + "\n",
        "## Tables\n",
        _tables(rows),
        "\nWith the Python library `datasets`, a table is loaded by its name:\n\n"
        '    load_dataset("OWNER/REPOSITORY", "grades", split="test")\n',
        "\nTimes are seconds. `moment_id` is the video's name, `@`, start and end, with a name's special characters "
        "percent-encoded. A pair that isn't in `grades` isn't judged, which is not the same as grade 0.\n",
        *([scoring] if scoring else []),
        "## Grades\n",
        grades_table(facts),
        _discarded(facts),
        "## How it was made\n",
        procedure_in_english(facts),
        *([further] if (further := further_files_section(facts)) else []),
        "## Splits\n",
        "No training query has the caption of a val or test query. Tables have queries with a graded pair alone.\n",
        "## Statistics\n",
        *(f"### {table.title}\n\n{markdown(table)}" for table in statistics_tables(facts["statistics"])),
        "## License and citation\n",
        licence_and_citation(facts["about"]),
    ]
    return "\n".join(parts)


def _discarded(facts: Mapping[str, Any]) -> str:
    """Where pairs are that have no grade."""
    if not sum(facts["adjudication"].get("pairs", {}).values()):
        return "Discarded pairs have no grade: they are in `raw_annotations` alone.\n"
    file = facts["adjudication"]["file"]
    return f"Discarded pairs have no grade but a lead's ({file}): the others are in `raw_annotations` alone.\n"


def hub_licence(licence: str) -> list[str]:
    """The Hub's fields: its own name of a licence that it knows, any other by its name."""
    if not licence:
        return ["license: unknown"]
    if licence.lower() in HUB_LICENCES:
        return [f"license: {licence.lower()}"]
    return ["license: other", f"license_name: {quoted(licence.splitlines()[0])}"]


def licence_and_citation(about: Mapping[str, str]) -> str:
    """Licence, citation and limitations as the authors say them, or that they are still to be filled in; and whatever
    else they say."""
    open_ = "*To be filled in by the authors: {}.*"
    return (
        f"Licence: {about['licence'] or open_.format('the licence; set `license` above too')}\n\n"
        f"Citation:\n\n{_indented(about['citation']) or open_.format('how to cite, whom to ask')}\n\n"
        f"Limitations: {about['limitations'] or open_.format('known limitations')}\n"
        + "".join(f"\n{words}: {about[field]}\n" for field, words in MORE.items() if about.get(field))
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _tables(rows: Mapping[str, Mapping[str, int]]) -> str:
    lines = ["| table | rows | what a row is |", "| --- | --- | --- |"]
    for table, splits in rows.items():
        counted = ", ".join(f"{split} {count:,}" for split, count in splits.items())
        lines.append(f"| `{table}` | {counted} | {TABLES_IN_WORDS[table]} |")
    return "\n".join(lines) + "\n"
