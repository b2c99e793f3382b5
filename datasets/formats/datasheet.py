"""A datasheet, `datasheet/DATASHEET.md`, by the questions of "Datasheets for Datasets" (arXiv 1803.09010).

The questions are that paper's in our words. What the system knows it answers from the data; what only the authors know
stays visibly open.
"""

from collections.abc import Mapping
from typing import Any

from annotation.grades import SHOWN
from datasets.formats.approximate_search_in_words import approximate_search
from datasets.formats.material import Material, create
from datasets.formats.statistics_tables import statistics_tables
from datasets.formats.text_table import markdown, number, percent
from datasets.formats.topics_in_words import about_topics, has_drawn_queries

OPEN = "> **For the authors to answer.**"

Answers = list[tuple[str, str | None]]
"""(question, answer); None: only the authors know."""


def write_datasheet(material: Material) -> None:
    """Write the file."""
    with create(material.subfolder("datasheet") / "DATASHEET.md") as file:
        file.write(datasheet(material.facts))


def datasheet(facts: Mapping[str, Any]) -> str:
    """The datasheet, from the manifest but for its files."""
    release = f"Release {facts['release']}" if facts.get("release") else "A draft"
    parts = [
        f"# Datasheet: {facts['title']}\n",
        f"{release}. Answered from the data by Qreels {facts['code']['version']} wherever it could be; what is marked "
        "as open only the authors can say.\n",
        "**Captions are queries, never an input of a retrieval system.** A query is one moment's caption, and each "
        "candidate carries its own: a system that reads captions or similarities has read the answer sheet.\n",
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
            "Ranked video moment retrieval with imprecise queries: given a sentence as somebody might remember a "
            "scene, rank moments of many videos by how well they show it. Collections with one right moment a query "
            "can't tell which of many fitting moments are better; here each candidate has a grade from 0 to 4.",
        ),
        ("Who made it, and on whose behalf?", facts.get("about", {}).get("authors") or None),
        ("Who paid for it?", None),
    ]


def _composition(facts: Mapping[str, Any]) -> Answers:
    counts, material = facts["counts"], facts["statistics"]["collection"]
    val, test = counts["val"], counts["test"]
    return [
        (
            "What is one instance, and how many are there?",
            f"A query paired with a moment (video, start, end). {val['pairs']:,} pairs of {val['queries']:,} val "
            f"queries and {test['pairs']:,} pairs of {test['queries']:,} test queries have a grade; "
            f"{counts['training']['queries']:,} pseudo-training queries have their most similar moments, which nobody "
            f"judged. Around them: {material['videos']:,} videos, {number(material['hours'])} hours, "
            f"{material['moments']:,} moments.",
        ),
        (
            "Is it all there is, or a sample, and drawn how?",
            _sample(facts)
            + approximate_search(facts)
            + _pairs(facts)
            + "a moment that isn't judged is not known to be irrelevant.",
        ),
        (
            "What does an instance carry?",
            "The query's text; the moment's video name, start, end and the video's duration in seconds; the caption "
            "and its similarity, for study and not for systems; the grade. No picture, sound or subtitle is included.",
        ),
        (
            "What is the label, and what do its values mean?",
            "; ".join(f"{grade}: {words}" for grade, words in enumerate(SHOWN)) + ".",
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
            "People differ: see how pairs were decided, below. The judgments behind each grade are in raw_annotations.",
        ),
        (
            "Does it stand on its own?",
            "No: the videos are not included. They are named as their source names them.",
        ),
        ("Could it hold anything confidential, or offend?", None),
        (
            "Does it speak of people, and could one be recognised?",
            "Captions had names of persons replaced by generic nouns and were checked for names that remained. "
            "Annotators appear as pseudonyms alone. Who is seen in the videos only the authors can say.",
        ),
    ]


def _pairs(facts: Mapping[str, Any]) -> str:
    """How the judged pairs were found, up to a colon."""
    if "pool" in facts:
        recipes = ", ".join(dict.fromkeys(one["recipe"] for one in facts["pool"]["recipes"]))
        names = ", ".join(f"{one['team']} {one['system']}" for one in facts["pool"]["runs"])
        return (
            f" The pairs judged are what the recipe {recipes} chose from the runs of {names} "
            f"({facts['pool']['file']} says which run had each at which rank): "
        )
    if "pairs_without_similarity" in facts:
        return (
            " The pairs judged are moments of each query's pool, not all found by sentence similarity of query and "
            "caption: "
        )
    return (
        " The pairs judged are each query's most similar moments, by sentence similarity of query "
        "and caption, so that moments of other kinds are not among them: "
    )


def _sample(facts: Mapping[str, Any]) -> str:
    draw, topics = facts["draw"], about_topics(facts)
    if topics and not has_drawn_queries(facts):
        return topics
    return f"{_drawn(draw)} {topics}".strip()


def _drawn(draw: Mapping[str, Any] | None) -> str:
    if draw is None:
        return "The val and test queries came with judgments that were made elsewhere."
    how = (
        f" so that every value of {draw['stratify'].partition(' sha256:')[0]} had its share" if draw["stratify"] else ""
    )
    return (
        f"{draw['val']:,} val and {draw['test']:,} test queries were drawn at random (seed {draw['seed']}){how} from "
        "the distinct captions."
    )


def _captions(facts: Mapping[str, Any]) -> str:
    each = "Each other query" if "topics" in facts else "Each"
    return (
        f"{each} is a description of a moment, rewritten so that it names nobody. Rewritten by: "
        + _rewriters(facts)
        + ". Sentence similarity to the description had to be at least "
        + f"{facts['settings']['similarity_threshold']:g} (by {_named(facts['models']['encoders'])}), no name with "
        + f"a score above {facts['settings']['name_threshold']:g} was left (by "
        + f"{_named(facts['models']['taggers'])}); doubtful ones were seen by a person."
    )


def _collection(facts: Mapping[str, Any]) -> Answers:
    judging = facts["statistics"]["judging"]["both"]
    return [
        ("Where do videos, moments and their first descriptions come from?", None),
        (
            "How did the queries come about?",
            f"{about_topics(facts)} {_captions(facts)}".strip() if has_drawn_queries(facts) else about_topics(facts),
        ),
        (
            "Who judged, and how were they paid?",
            f"{facts['counts']['workers']:,} annotators gave the {judging['judgments']:,} judgments in this release. "
            + _work(facts.get("work")),
        ),
        ("Who were they: origin, education, gender, languages? How were they found, and under which contract?", None),
        (
            "By which instructions did they judge?",
            _guideline(facts["guideline"])
            + " An annotator saw one query and one clip at a time, never the caption, the "
            "similarity, the rank, or another's grade.",
        ),
        ("Over which time?", None),
        ("Was it looked at by an ethics board?", None),
        ("Did people who are concerned know and agree?", None),
    ]


def _work(work: Mapping[str, Any] | None) -> str:
    """Hours and pay as the site has them; without the lead's, which nobody measured."""
    if not work or not work["hours"]:
        return "No working time is on record."
    rate = work["pay_per_hour"]
    paid = f", paid {work['pay']:,.2f} {work['currency']} together" if work["pay"] is not None else ""
    usual = f", usually {rate:,.2f} {work['currency']} an hour" if rate is not None else ""
    return (
        f"All judging of the collection took {work['people']:,} people {work['hours']:,.2f} hours{paid}{usual}; the "
        "lead annotator's time isn't in it."
    )


def _rewriters(facts: Mapping[str, Any]) -> str:
    found = facts["models"]["rewriters"]
    told = [
        f"{entry['rewriter']}"
        + (f" {entry['model']}" if entry["model"] else "")
        + (f", prompt {entry['prompt_version']}" if entry["prompt_version"] else "")
        + (f", temperature {entry['temperature']:g}" if entry["temperature"] is not None else "")
        + f" ({entry['captions']:,} captions)"
        for entry in found
    ]
    return "; ".join(told) or "nobody"


def _named(models: list[str]) -> str:
    return ", ".join(models) or "no model"


def _guideline(guideline: Mapping[str, Any]) -> str:
    given = {version: count for version, count in guideline["judgments_by_version"].items() if version != "0"}
    if not guideline["versions"] or not given:
        return "No version of a guideline is on record for these judgments."
    told = ", ".join(
        f"version {version} ({count:,} judgments)" for version, count in sorted(given.items(), key=_by_number)
    )
    return f"By the guideline's {told}."


def _by_number(item: tuple[str, int]) -> int:
    return int(item[0])


def _labelling(facts: Mapping[str, Any]) -> Answers:
    rule, judging = facts["settings"]["consensus"], facts["statistics"]["judging"]["both"]
    return [
        (
            "How was a grade decided?",
            f"{rule['first_round']} people judged each pair independently. Grades that differ by at most "
            f"{rule['largest_difference']} give their mean, rounded {rule['rounding']}; otherwise "
            f"{rule['second_round']} others judged too, one highest and one lowest grade were dropped, and the rest "
            f"decided in the same way or the pair was discarded. {percent(judging['share_in_round_one'])} of the "
            f"decided pairs agreed in the first round, {percent(judging['share_in_round_two'])} in the second, "
            f"{percent(judging['share_discarded'])} were discarded.",
        ),
        ("Is the raw material kept?", "Every counted judgment is in raw_annotations, discarded pairs included."),
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
            "To train and compare systems that rank moments for a sentence, with measures that know grades (NDCG@K at "
            "a least overlap in time); to study agreement among annotators, from the raw annotations.",
        ),
        (
            "What should it not be used for?",
            "Captions and similarities are no input of a retrieval system. Grades say how well a moment shows a "
            "sentence, nothing about the people in it. Pseudo-training moments were not judged: they are no ground "
            "truth.",
        ),
        ("Which limitations are known?", facts.get("about", {}).get("limitations") or None),
        ("Could its making do harm, and what can be done about it?", None),
    ]


def _distribution(facts: Mapping[str, Any]) -> Answers:
    return [
        ("Who gets it, where, and from when on?", None),
        ("Under which licence?", facts.get("about", {}).get("licence") or None),
        ("How is it to be cited?", facts.get("about", {}).get("citation") or None),
        (
            "In which form?",
            f"As files of the formats {', '.join(facts['formats'])}; manifest.json has the SHA-256 of each.",
        ),
        ("Do others hold rights in the material?", None),
    ]


def _maintenance(facts: Mapping[str, Any]) -> Answers:
    named = f"release {facts['release']}" if facts.get("release") else "this draft"
    return [
        ("Who can be asked, and how?", None),
        ("Is there a list of errors?", None),
        (
            "Will it be updated?",
            f"Never under the same name: {named} stays as it is to the byte, a change is another release.",
        ),
        ("How can others add to it?", None),
    ]
