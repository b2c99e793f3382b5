"""The dataset card for the Hugging Face Hub.

The Hub reads the card at a repository's root alone, and finds files by their paths from there. So there are two: one at
the top of the release, and one beside the tables for whoever takes `parquet/` for itself.

The metadata block, which is YAML, has the fields of the Hub's specification (`datasetcard.md` of huggingface/hub-docs)
that the manifest answers. Its strings are written in double quotes, so that no title can break it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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
    *(
        "mit",
        "apache-2.0",
        "bsd-2-clause",
        "bsd-3-clause",
        "cc0-1.0",
        "cc-by-2.0",
        "cc-by-2.5",
        "cc-by-3.0",
        "cc-by-4.0",
    ),
    *(
        "cc-by-sa-3.0",
        "cc-by-sa-4.0",
        "cc-by-nc-2.0",
        "cc-by-nc-3.0",
        "cc-by-nc-4.0",
        "cc-by-nd-4.0",
        "cc-by-nc-nd-3.0",
    ),
    *("cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0", "cdla-sharing-1.0", "c-uda"),
    *("cdla-permissive-1.0", "cdla-permissive-2.0", "odbl", "odc-by", "pddl", "gpl-3.0", "lgpl-3.0", "agpl-3.0"),
}
"""As the Hub calls them: SPDX's identifiers in small letters, those of Open Data Commons without a version."""
ADDRESS_IN_TEXT = re.compile(r"https?://[^\s<>\"]*[^\s<>\".,;:)]")
HUB_DATA_SET = re.compile(r"huggingface\.co/datasets/([\w-][\w.-]*/[\w.-]*[\w-])", re.ASCII)

TABLES_IN_WORDS = {
    "grades": "a row a graded pair of val and test: query, moment, and the grade in `relevance`",
    "train": "a row a pseudo-training query and one of its most similar moments, `rank` from 1; nobody judged them",
    "raw_annotations": "a row a judgment behind the grades, discarded pairs included; `worker` is a pseudonym",
    "moments": "every moment of the collection",
    "videos": "every video with its duration in seconds",
}


class Part(NamedTuple):
    """A table's split as it was written: its rows, its bytes in memory as Arrow has them, and those of the file."""

    rows: int
    in_memory: int
    in_file: int


class Written(NamedTuple):
    """A table as it was written: the types of its columns, as Arrow and the Hub call them, and its splits."""

    columns: Mapping[str, str]
    splits: dict[str, Part]

    def with_rows(self) -> "Written":
        """Without the splits that have no row: the library `datasets` loads no table that lists one."""
        return self._replace(splits={split: part for split, part in self.splits.items() if part.rows})


def dataset_card(facts: Mapping[str, Any], tables: Mapping[str, Written], *, below: str = "", scoring: str = "") -> str:
    """The dataset card as Markdown with a YAML header.

    Args:
        facts: the manifest but for its files.
        tables: by their names.
        below: where the tables lie from the card, "" or a folder with a slash behind it.
        scoring: the section on scoring a run, if the card lies beside the files that it names.
    """
    return _metadata(facts, tables, below) + "\n" + _text(facts, tables, scoring)


def split_name(table: str, split: str) -> str:
    """The Hub's split name of a table's part; a table without splits uses its own name, since "all" is reserved.

    >>> split_name("grades", "val"), split_name("videos", "all")
    ('val', 'videos')
    """
    return table if split == "all" else split


def _metadata(facts: Mapping[str, Any], tables: Mapping[str, Written], below: str) -> str:
    total = sum(part.rows for table in tables.values() for part in table.splits.values())
    languages = facts["languages"]
    lines = [
        "---",
        f"pretty_name: {quoted(_title(facts))}",
        *hub_licence(facts["about"]["licence"]),
        *_list("language", sorted(set(filter(None, map(_iso_639, languages))))),
        *_list("language_details", [tag for tag in languages if tag != _iso_639(tag)]),
        *_list("multilinguality", ["multilingual" if len(languages) > 1 else "monolingual"]),
        *_list("language_creators", _who_wrote(facts)),
        *_list("annotations_creators", _who_graded(facts["making"]["judgments"])),
        *_list("source_datasets", list(dict.fromkeys(HUB_DATA_SET.findall(facts["about"].get("sources", ""))))),
        *_list("task_categories", ["other"]),
        *_list("tags", list(TAGS)),
        *_list("size_categories", [size_category(total)]),
        "configs:",
    ]
    loaded = {name: kept for name, own in tables.items() if (kept := own.with_rows()).splits}
    for table, (_, splits) in loaded.items():
        lines += [f"- config_name: {table}", "  data_files:"]
        for split in splits:
            lines += [f"  - split: {split_name(table, split)}", f"    path: {below}{table}/{split}.parquet"]
        if table == "grades":
            lines.append("  default: true")
    lines += ["dataset_info:", *(line for name, table in loaded.items() for line in _dataset_info(name, table))]
    return "\n".join([*lines, "---", ""])


def _dataset_info(name: str, table: Written) -> Iterable[str]:
    """Columns and sizes."""
    yield from (f"- config_name: {name}", "  features:")
    for column, kind in table.columns.items():
        yield from (f"  - name: {column}", f"    dtype: {kind}")
    yield "  splits:"
    for split, part in table.splits.items():
        yield f"  - name: {split_name(name, split)}"
        yield from (f"    num_bytes: {part.in_memory}", f"    num_examples: {part.rows}")
    yield f"  download_size: {sum(part.in_file for part in table.splits.values())}"
    yield f"  dataset_size: {sum(part.in_memory for part in table.splits.values())}"


def _who_graded(judgments: Mapping[str, int]) -> list[str]:
    """The Hub's words. Nobody here knows whether those who judged were a crowd or experts: `other`."""
    return [word for word, count in (("found", judgments["imported"]), ("other", judgments["here"])) if count]


def _who_wrote(facts: Mapping[str, Any]) -> list[str]:
    """The Hub's words for whose texts queries are: `other` are people, a crowd or experts."""
    by = {entry["rewriter"] for entry in facts["models"]["rewriters"] if has_drawn_queries(facts)}
    found, people = {"as they are", "import", "elsewhere"}, {"person"}
    told = {"found": by & found, "machine-generated": by - found - people, "other": by & people or "topics" in facts}
    return [word for word, is_so in told.items() if is_so]


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


def _text(facts: Mapping[str, Any], tables: Mapping[str, Written], scoring: str) -> str:
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
        _tables(tables),
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
    """The Hub's fields: its own name of a licence that it knows; of any other an id, and its address where it has one.

    >>> hub_licence("CC-BY-4.0"), hub_licence("ODbL-1.0")
    (['license: cc-by-4.0'], ['license: odbl'])
    >>> hub_licence("Ours, 2026 (https://example.org/terms).")
    ['license: other', 'license_name: "ours-2026"', 'license_link: "https://example.org/terms"']
    """
    if not licence:
        return ["license: unknown"]
    for name in (licence.lower(), licence.lower().removesuffix("-1.0")):
        if name in HUB_LICENCES:
            return [f"license: {name}"]
    words = re.findall("[a-z0-9.]*[a-z0-9]", ADDRESS_IN_TEXT.sub("", licence.splitlines()[0].lower()))
    address = ADDRESS_IN_TEXT.search(licence)
    named = ["license: other", f"license_name: {quoted('-'.join(words)[:60] or 'custom')}"]
    return [*named, *([f"license_link: {quoted(address[0])}"] if address else [])]


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


def _tables(tables: Mapping[str, Written]) -> str:
    lines = ["| table | rows | what a row is |", "| --- | --- | --- |"]
    for table, (_, splits) in tables.items():
        counted = ", ".join(f"{split} {part.rows:,}" for split, part in splits.items())
        lines.append(f"| `{table}` | {counted} | {TABLES_IN_WORDS[table]} |")
    return "\n".join(lines) + "\n"
