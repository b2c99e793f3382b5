"""A datasheet, `datasheet/DATASHEET.md`, by the questions of "Datasheets for Datasets" (arXiv 1803.09010).

The questions are that paper's in our words. What the system knows it answers from the data; what only the authors know
stays visibly open.
"""

from collections.abc import Mapping
from typing import Any

from annotation.scale import scale_of_release
from datasets.formats import answers
from datasets.formats.further_files import consent_in_english, further_tables, survey_in_english
from datasets.formats.material import Material, create
from datasets.formats.procedure import has_drawn_queries, procedure_in_english, top_grade
from datasets.formats.scale_in_words import grades_line
from evaluation.releases.statistics_tables import statistics_tables
from evaluation.releases.tables import markdown, number
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
    for title, asked in _sections(facts):
        parts.append(f"## {title}\n")
        parts += [f"**{question}**\n\n{answer or OPEN}\n" for question, answer in asked]
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
            f"Ranked video moment retrieval with imprecise queries: given {answers.asked(facts)} as somebody might "
            "remember a scene, rank moments of many videos by how well they show it. Collections with one right moment "
            "a query can't tell which of many fitting moments are better; here graded pairs have one from 0 to "
            f"{top_grade(facts)}.",
        ),
        ("Who made it, and on whose behalf?", facts["about"]["authors"] or None),
        ("Who paid for it?", None),
    ]


def _instances(facts: Mapping[str, Any]) -> str:
    counts, material = facts["counts"], facts["statistics"]["collection"]
    val, test = counts["val"], counts["test"]
    return (
        f"A query paired with a moment (video, start, end). With a grade: {counted(val['pairs'], 'pair')} "
        f"of {counted(val['queries'], 'val query', 'val queries')} and {counted(test['pairs'], 'pair')} of "
        f"{counted(test['queries'], 'test query', 'test queries')}. With their most similar moments, which nobody "
        f"judged: {counted(counts['training']['queries'], 'pseudo-training query', 'pseudo-training queries')}. "
        f"Around them: {counted(material['videos'], 'video')}, {number(material['hours'])} hours, "
        f"{counted(material['moments'], 'moment')}."
    )


def _composition(facts: Mapping[str, Any]) -> Answers:
    about, drawn = facts["about"], has_drawn_queries(facts)
    return [
        ("What is one instance, and how many are there?", _instances(facts)),
        (
            "Is it all there is, or a sample, and drawn how?",
            f"{procedure_in_english(facts, 'Draw', 'Candidates')}{answers.chosen_by(facts)} {answers.NOT_JUDGED}",
        ),
        (
            "What does an instance carry?",
            "The query's text; the moment's video name, start, end and the video's duration in seconds; the caption "
            "and its similarity, for study and not for systems; the grade. " + answers.held(facts),
        ),
        (
            "What is the label, and what do its values mean?",
            grades_line(scale_of_release(facts)),
        ),
        ("What is missing?", answers.missing(facts)),
        (
            "How are instances related to each other?",
            "Pairs share queries, moments and videos by name; moments of one video may overlap in time.",
        ),
        (
            "Which splits are recommended?",
            f"val to tune on, test to report, train for pseudo-training. {answers.APART}",
        ),
        ("What errors and noise are known?", "People differ: see how pairs were decided, below."),
        ("Which biases are known?", about.get("biases")),
        (
            "Does it stand on its own?",
            f"No: {answers.WITHOUT_VIDEOS[0].lower()}{answers.WITHOUT_VIDEOS[1:]}",
        ),
        ("Could it hold anything confidential, or offend?", _with_authors(answers.offends(facts), "Whatever else:")),
        (
            "Does it speak of people, and could one be recognised?",
            ("How captions were rewritten and checked for names of persons is told below. " if drawn else "")
            + f"{answers.PSEUDONYMS} "
            + (about.get("sensitive") or "Who is seen in the videos only the authors can say."),
        ),
    ]


def _collection(facts: Mapping[str, Any]) -> Answers:
    return [
        ("Where do videos, moments and their first descriptions come from?", facts["about"].get("sources")),
        ("How did the queries come about?", procedure_in_english(facts, "Queries") + answers.topics(facts)),
        ("Who judged, and how were they paid?", f"{answers.judged(facts)} {answers.work(facts)}"),
        (
            "Who were they: origin, education, gender, languages? How were they found, and under which contract?",
            _who(facts),
        ),
        ("By which instructions did they judge?", answers.guideline(facts)),
        ("Over which time?", answers.days(facts)),
        ("Was it looked at by an ethics board?", None),
        (
            "Did people who are concerned know and agree?",
            _with_authors(consent_in_english(facts), "Of people in the videos:"),
        ),
    ]


def _who(facts: Mapping[str, Any]) -> str:
    """By their own answers, where they were asked, and what the authors say of them."""
    told, recruitment = survey_in_english(facts), facts["about"].get("recruitment", "")
    if not told:
        return str(recruitment)
    by = f"By their own answers ({facts['survey']['file']}), which were optional, in sums of at least five people:"
    if recruitment:
        return "\n".join([by, "", *(f"- {each}" for each in told), "", recruitment])
    return _with_authors(
        "\n".join([by, "", *(f"- {each}" for each in told)]), "How they were found, under which contract:"
    )


def _with_authors(said: str, more: str) -> str:
    """What is said, and under `more` that the rest only the authors know; "" where nothing is said."""
    return f"{said}\n\n{more}\n\n{OPEN}" if said else ""


def _labelling(facts: Mapping[str, Any]) -> Answers:
    return [
        (
            "How was a grade decided?",
            f"{procedure_in_english(facts, 'Judging', 'Review')} {answers.agreed(facts)}",
        ),
        ("Is the raw material kept?", answers.raw(facts)),
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
        ("What is it good for?", answers.good_for(facts)),
        ("What should it not be used for?", answers.not_for(facts)),
        ("For what do its authors want it used, and for what not?", facts["about"].get("uses")),
        ("Which limitations are known?", facts["about"]["limitations"] or None),
        ("Could its making do harm, and what can be done about it?", facts["about"].get("impact")),
    ]


def _distribution(facts: Mapping[str, Any]) -> Answers:
    return [
        ("Who gets it, where, and from when on?", facts["about"].get("address")),
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
    return [
        ("Who can be asked, and how?", facts["about"].get("maintenance")),
        ("Is there a list of errors?", None),
        ("Will it be updated?", answers.never_changes(facts)),
        ("How can others add to it?", None),
    ]
