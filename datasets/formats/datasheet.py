"""A datasheet, `datasheet/DATASHEET.md`, by the questions of "Datasheets for Datasets" (arXiv 1803.09010).

The questions are that paper's in our words. What the system knows it answers from the data; what only the authors know
stays visibly open.
"""

from collections.abc import Mapping
from typing import Any

from annotation.scale import scale_of_release
from datasets.formats.further_files import consent_in_english, further_tables, survey_in_english
from datasets.formats.material import Material, create
from datasets.formats.procedure import has_drawn_queries, procedure_in_english, top_grade
from datasets.formats.scale_in_words import grades_line
from datasets.formats.statistics_tables import statistics_tables
from datasets.formats.text_table import markdown, number, percent
from foundation.counted import counted

OPEN = "> **For the authors to answer.**"

Answers = list[tuple[str, str | None]]
"""(question, answer); None: only the authors know."""


def write_datasheet(material: Material) -> None:
    """Write the file."""
    with create(material.subfolder("datasheet") / "DATASHEET.md") as file:
        file.write(datasheet(material.facts))


def datasheet(facts: Mapping[str, Any]) -> str:
    """The datasheet, from the manifest but for its files."""
    release = f"Release {facts['release']}" if facts["release"] else "A draft"
    parts = [
        f"# Datasheet: {facts['title']}\n",
        f"{release}. Answered from the data by Qreels {facts['code']['version']} wherever it could be; what is marked "
        "as open only the authors can say.\n",
        f"**Captions are {'queries, ' if has_drawn_queries(facts) else ''}never an input of a retrieval system.** "
        "Candidates carry theirs: a system that reads captions or similarities has read the answer sheet.\n",
    ]
    for title, answers in _sections(facts):
        parts.append(f"## {title}\n")
        parts += [f"**{question}**\n\n{answer or OPEN}\n" for question, answer in answers]
    parts.append("## Figures\n")
    parts += [f"### {table.title}\n\n{markdown(table)}" for table in statistics_tables(facts["statistics"])]
    return "\n".join(parts)


def _sections(facts: Mapping[str, Any]) -> list[tuple[str, Answers]]:
    return [
        ("Why it was made", _motivation(facts)),
        ("What it holds", _composition(facts)),
        ("How it came together", _collection(facts)),
        ("Cleaning and labelling", _labelling(facts)),
        ("What it is for", _uses(facts)),
        ("How it is given out", _distribution(facts)),
        ("Who looks after it", _maintenance(facts)),
    ]


def _motivation(facts: Mapping[str, Any]) -> Answers:
    return [
        (
            "What task should it serve, and what was missing before?",
            f"Ranked video moment retrieval with imprecise queries: given {_asked(facts)} as somebody might remember a "
            "scene, rank moments of many videos by how well they show it. Collections with one right moment a query "
            "can't tell which of many fitting moments are better; here graded pairs have one from 0 to "
            f"{top_grade(facts)}.",
        ),
        ("Who made it, and on whose behalf?", facts["about"]["authors"] or None),
        ("Who paid for it?", None),
    ]


def _asked(facts: Mapping[str, Any]) -> str:
    """What a query is."""
    return "a sentence, a picture, a clip or a sound" if "query_media" in facts else "a sentence"


def _offends(facts: Mapping[str, Any]) -> str | None:
    """What annotators were warned of; the rest only the authors know."""
    said = facts.get("content")
    if said is None:
        return None
    told = [
        *(f"{counted(count, 'video')} marked as {kind}" for kind, count in said["kinds"].items()),
        *(f"{counted(count, 'video')} for people of at least {age} years" for age, count in said["ages"].items()),
        *([f"{counted(said['hidden'], 'video')} with regions that no clip shows"] if said["hidden"] else []),
    ]
    sentences = [f"The lead annotator's marks: {'; '.join(told)}."] if told else []
    if said["minimum_age"]:
        sentences.append(f"Annotators are asked to say that they are at least {said['minimum_age']} years old.")
    return f"{' '.join(sentences)}\n\nWhatever else:\n\n{OPEN}"


def _composition(facts: Mapping[str, Any]) -> Answers:
    counts, material = facts["counts"], facts["statistics"]["collection"]
    val, test = counts["val"], counts["test"]
    return [
        (
            "What is one instance, and how many are there?",
            f"A query paired with a moment (video, start, end). With a grade: {counted(val['pairs'], 'pair')} "
            f"of {counted(val['queries'], 'val query', 'val queries')} and {counted(test['pairs'], 'pair')} of "
            f"{counted(test['queries'], 'test query', 'test queries')}. With their most similar moments, which nobody "
            f"judged: {counted(counts['training']['queries'], 'pseudo-training query', 'pseudo-training queries')}. "
            f"Around them: {counted(material['videos'], 'video')}, {number(material['hours'])} hours, "
            f"{counted(material['moments'], 'moment')}.",
        ),
        (
            "Is it all there is, or a sample, and drawn how?",
            f"{procedure_in_english(facts, 'Draw', 'Candidates')}{_chosen_by(facts)} A moment that isn't judged is not "
            "known to be irrelevant.",
        ),
        (
            "What does an instance carry?",
            "The query's text; the moment's video name, start, end and the video's duration in seconds; the caption "
            "and its similarity, for study and not for systems; the grade. "
            + (
                "Pictures, clips and sounds that were queries are in query_media/; nothing of the videos is included."
                if "query_media" in facts
                else "No picture, sound or subtitle is included."
            ),
        ),
        (
            "What is the label, and what do its values mean?",
            grades_line(scale_of_release(facts)),
        ),
        (
            "What is missing?",
            f"{val['pairs_undecided'] + test['pairs_undecided']:,} pairs were not decided yet, "
            f"{val['pairs_withdrawn'] + test['pairs_withdrawn']:,} were taken out by the lead annotator, and "
            f"{val['queries_without_grade'] + test['queries_without_grade']:,} drawn queries have no graded pair: they "
            f"are left out. {counts['videos']['duration_estimated']:,} videos have no stated duration and get the end "
            "of their last moment.",
        ),
        (
            "How are instances related to each other?",
            "Pairs share queries, moments and videos by name; moments of one video may overlap in time.",
        ),
        (
            "Which splits are recommended?",
            "val to tune on, test to report, train for pseudo-training. No query is in two of them, nor two equal "
            "captions (Unicode NFC, case folded, white space collapsed); moments and videos are shared by all splits.",
        ),
        (
            "What errors and noise are known?",
            "People differ: see how pairs were decided, below.",
        ),
        (
            "Does it stand on its own?",
            "No: the videos are not included. They are named as their source names them.",
        ),
        ("Could it hold anything confidential, or offend?", _offends(facts)),
        (
            "Does it speak of people, and could one be recognised?",
            "How captions were rewritten and checked for names of persons is told below. Annotators appear as "
            "pseudonyms alone. Who is seen in the videos only the authors can say.",
        ),
    ]


def _chosen_by(facts: Mapping[str, Any]) -> str:
    """Whose runs a pool was chosen from, with a space before it."""
    if "pool" not in facts:
        return ""
    names = ", ".join(f"{run['team']} {run['system']}" for run in facts["pool"]["runs"])
    return f" The runs were those of {names} ({facts['pool']['file']} says which had each at which rank)."


def _topics(facts: Mapping[str, Any]) -> str:
    """Who wrote topics, and how many have a narrative, with a space before each."""
    topics = facts.get("topics", {"written_by": [], "narratives": 0})
    by = f" Topics were written by {', '.join(topics['written_by'])}." if topics["written_by"] else ""
    return by + (f" {topics['narratives']:,} have a narrative for annotators." if topics["narratives"] else "")


def _raw(facts: Mapping[str, Any]) -> str:
    if {"tvr-ranking", "parquet"}.isdisjoint(facts["formats"]):
        return "Not in this release."
    return "Every counted judgment of a decided pair is in raw_annotations, discarded pairs included."


def _collection(facts: Mapping[str, Any]) -> Answers:
    judging = facts["statistics"]["judging"]["both"]
    return [
        ("Where do videos, moments and their first descriptions come from?", None),
        (
            "How did the queries come about?",
            procedure_in_english(facts, "Queries") + _topics(facts),
        ),
        (
            "Who judged, and how were they paid?",
            f"{counted(facts['counts']['workers'], 'annotator')} gave "
            f"{counted(judging['judgments'], 'judgment')} in this release. " + _work(facts["work"]),
        ),
        (
            "Who were they: origin, education, gender, languages? How were they found, and under which contract?",
            _who(facts),
        ),
        (
            "By which instructions did they judge?",
            _guideline(facts["guideline"]),
        ),
        ("Over which time?", None),
        ("Was it looked at by an ethics board?", None),
        ("Did people who are concerned know and agree?", _agreed(facts)),
    ]


def _who(facts: Mapping[str, Any]) -> str | None:
    """By their own answers, where they were asked; the rest only the authors know."""
    told = survey_in_english(facts)
    if not told:
        return None
    by = f"By their own answers ({facts['survey']['file']}), which were optional, in sums of at least five people:"
    return "\n".join(
        [by, "", *(f"- {each}" for each in told), "", "How they were found, under which contract:", "", OPEN]
    )


def _agreed(facts: Mapping[str, Any]) -> str | None:
    """Annotators, where they were asked; of those in the videos only the authors know."""
    agreed = consent_in_english(facts)
    return f"{agreed}\n\nOf people in the videos:\n\n{OPEN}" if agreed else None


def _work(work: Mapping[str, Any]) -> str:
    """Hours and pay as the site has them; without the lead's, which nobody measured."""
    if not work["hours"]:
        return "No working time is on record."
    rate = work["pay_per_hour"]
    paid = f", paid {work['pay']:,.2f} {work['currency']} together" if work["pay"] is not None else ""
    usual = f", usually {rate:,.2f} {work['currency']} an hour" if rate is not None else ""
    return (
        f"All judging of the collection took {work['people']:,} people {work['hours']:,.2f} hours{paid}{usual}; the "
        "lead annotator's time isn't in it."
    )


def _guideline(guideline: Mapping[str, Any]) -> str:
    given = {version: count for version, count in guideline["judgments_by_version"].items() if version != "0"}
    if not guideline["versions"] or not given:
        return "No version of a guideline is on record for these judgments."
    versions = ", ".join(
        f"version {version} ({counted(count, 'judgment')})" for version, count in sorted(given.items(), key=_by_number)
    )
    return f"By the guideline's {versions}."


def _by_number(item: tuple[str, int]) -> int:
    return int(item[0])


def _labelling(facts: Mapping[str, Any]) -> Answers:
    judging = facts["statistics"]["judging"]["both"]
    return [
        (
            "How was a grade decided?",
            f"{procedure_in_english(facts, 'Judging', 'Review')} {percent(judging['share_in_round_one'])} of the "
            f"decided pairs agreed in the first round, {percent(judging['share_in_round_two'])} in the second, "
            f"{percent(judging['share_discarded'])} were discarded.",
        ),
        (
            "Is the raw material kept?",
            _raw(facts),
        ),
        (
            "Is the software available?",
            f"Qreels {facts['code']['version']}"
            + (f", revision {facts['code']['revision']}" if facts["code"]["revision"] else "")
            + "; settings, models and prompts are in manifest.json.",
        ),
    ]


def _uses(facts: Mapping[str, Any]) -> Answers:
    return [
        ("Has it been used already?", None),
        (
            "What is it good for?",
            f"To train and compare systems that rank moments for {_asked(facts)}, with measures that know "
            "grades (NDCG@K at a least overlap in time); to study agreement among annotators, from the raw "
            "annotations.",
        ),
        (
            "What should it not be used for?",
            "Captions and similarities are no input of a retrieval system. Grades say how well a moment shows "
            f"{_asked(facts)}, nothing about the people in it. Pseudo-training moments were not judged: they are no "
            "ground truth.",
        ),
        ("Which limitations are known?", facts["about"]["limitations"] or None),
        ("Could its making do harm, and what can be done about it?", None),
    ]


def _distribution(facts: Mapping[str, Any]) -> Answers:
    return [
        ("Who gets it, where, and from when on?", None),
        ("Under which licence?", facts["about"]["licence"] or None),
        ("How is it to be cited?", facts["about"]["citation"] or None),
        (
            "In which form?",
            f"As files of the formats {', '.join(facts['formats'])}; manifest.json has the SHA-256 of each."
            + "".join(f" A row of {table.file} is {table.row}." for table in further_tables(facts).values()),
        ),
        ("Do others hold rights in the material?", None),
    ]


def _maintenance(facts: Mapping[str, Any]) -> Answers:
    named = f"release {facts['release']}" if facts["release"] else "this draft"
    return [
        ("Who can be asked, and how?", None),
        ("Is there a list of errors?", None),
        (
            "Will it be updated?",
            f"Never under the same name: {named} stays as it is to the byte, a change is another release.",
        ),
        ("How can others add to it?", None),
    ]
