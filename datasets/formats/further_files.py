"""The files that a release may have beside its formats' own, in words and as tables: columns, and what they are for.

Pictures, clips and sounds that were queries, what moments are called elsewhere, what machine judges said, how judged
pairs were drawn, how likely each grade is, what annotators used beside the picture, and what they answered beside their
grades. None of them is ground truth.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from datasets.formats.numbers_in_words import number, with_count
from foundation.counted import counted

PAIR = {"query_id": "string", "pair_id": "int64"}
PLACE = {"video_name": "string", "timestamp": "string"}
PAPERS_TOP = 4
EVIDENCE = {
    "context": "`context` (the seconds before and after it)",
    "sound": "`sound`",
    "subtitles": "`subtitles`",
}
CANT_SAY = ", and empty for “can't say”"


@dataclass(frozen=True, slots=True)
class FurtherTable:
    """A CSV file at the top of a release: its columns with their types as pyarrow calls them, and what a row is."""

    file: str
    columns: Mapping[str, str]
    row: str
    use: str


FURTHER_TABLES = {
    "query_media": FurtherTable(
        "query_media.csv",
        {"query_id": "string", "kind": "string", "file": "string", "words": "string", "size": "int64"}
        | {"sha256": "string"},
        "a picture, clip or sound that annotators met as the query, beside its words or instead of them",
        "`file` is its path here. `words` is empty where it stood instead of words: the query's text in other files is "
        "then a label that nobody judged by. `size` is in bytes.",
    ),
    "moment_ids": FurtherTable(
        "moment_ids.csv",
        {"video_name": "string", "start": "float64", "end": "float64", "moment_id": "string"},
        "a moment that has an id elsewhere, such as a shot's",
        "`start` and `end` are in seconds, as in all files; `moment_id` is of one moment alone. Moments without such "
        "an id aren't in it. `python -m evaluation export --to trecvid` calls moments so.",
    ),
    "machine_judgments": FurtherTable(
        "machine_judgments.csv",
        PAIR
        | PLACE
        | dict.fromkeys(("judge", "model", "version", "family", "prompt_version"), "string")
        | {"guideline": "int64", "origin": "string", "grade": "int64", "distribution": "string", "abstained": "string"},
        "what a machine judge said of a moment that is a candidate of a val or test query",
        "No other file has a machine's grade, and none of these is ground truth. `pair_id` is empty where people "
        "weren't given the moment, `grade` where the judge abstained (`abstained` says why). `origin` is `server`, "
        "`file` or `similarity` (fitted on people's grades); `guideline` is the version of the guideline that it "
        "was given; `distribution` is a JSON list of the probability of each grade from 0 on. `python -m evaluation "
        "estimate` takes such grades for all queries and people's for some; its intervals hold whatever the machine "
        "is.",
    ),
    "sampling": FurtherTable(
        "sampling.csv",
        PAIR | {"stratum": "string", "stratum_size": "int64", "drawn": "int64", "probability": "float64"} | PLACE,
        "a query or pair that could be drawn for people to judge",
        "`drawn` of the `stratum_size` units of its stratum were drawn, each with `probability`; strata of pairs "
        "are those of their query. `pair_id` and the moment are empty where whole queries were drawn, and `pair_id` "
        "where people weren't given the moment. `python -m evaluation sampled RUN --truth val.json --sampling "
        "sampling.csv` estimates scores with intervals: of queries by the means over the strata, weighted with "
        "`stratum_size`; of pairs a sum over a query's (gain, relevant moments) by what was judged over "
        "`probability` (Horvitz and Thompson), and average precision by xinfAP. What wasn't drawn is not grade 0, "
        "though it gains nothing in a plain score.",
    ),
    "posteriors": FurtherTable(
        "posteriors.csv",
        PAIR
        | {"grade": "int64", **{f"p{grade}": "float64" for grade in range(5)}}
        | {"expected": "float64", "entropy": "float64", "model": "string"},
        "how likely each grade of a decided pair is (`p0` to `p4`), by one of two models",
        "By `dawid-skene` each annotator has probabilities of giving a grade where another is true, with a prior "
        "that falls with the distance of the two; by `multinomial` all are alike. `grade` is the one in the ground "
        "truth, empty where there is none; `expected` is the mean of the grades, and `entropy` is in bits. A "
        "posterior is no grade. `python -m evaluation posteriors raw_annotations.csv` computes the same, and `score "
        "--posteriors posteriors.csv` gives scores with intervals that the annotators' disagreement is in.",
    ),
    "evidence_used": FurtherTable(
        "evidence_used.csv",
        PAIR | {"worker": "string", "used": "string"},
        "a counted judgment of a decided pair, in the order of raw_annotations.csv",
        "`used` is what its annotator used beside the clip's pictures, words with spaces between them: "
        f"{', '.join(EVIDENCE.values())}; `none` for nothing, and empty where it isn't known.",
    ),
    "factors": FurtherTable(
        "factors.csv",
        PAIR | {"worker": "string", "factor": "string", "value": "int64"},
        "what an annotator answered to a factor, a question asked beside the grade",
        "`pair_id` and `worker` are those of the judgment in raw_annotations; `value` is the answer's place in the "
        f"manifest's `factors`, from 0{CANT_SAY}. Answers decided no grade.",
    ),
    "judgment_origins": FurtherTable(
        "judgment_origins.csv",
        PAIR
        | {"worker": "string", "origin": "string", "month": "string", "guideline": "int64"}
        | {"batch": "int64", "closed": "string"},
        "a counted judgment of a decided pair, in the order of raw_annotations.csv",
        "`origin` is `here` or `imported`; `month` is the calendar month (UTC) of a judgment given here, no closer, so "
        "that nobody's days can be told; `guideline` is the version that its annotator had confirmed, empty for none. "
        "`batch` is the number of the query's batch that the pair was judged in, and `closed` who closed that: `lead`, "
        "`policy`, `alone` (nobody had to), or empty where nobody has yet. `python -m evaluation verify FOLDER --trace "
        "QUERY_ID` walks from a score to the judgments that it rests on.",
    ),
    "caption_origins": FurtherTable(
        "caption_origins.csv",
        PAIR
        | dict.fromkeys(("rewriter", "model", "prompt_version"), "string")
        | {"attempt": "int64"}
        | dict.fromkeys(("accepted", "checked_by", "ranked_by"), "string"),
        "a caption that a decided pair rests on: the query's own, and the one by which its moment was found",
        "`pair_id` is empty of the query's own. `rewriter` made it at this `attempt`: `openai` (an LLM, `model`, by "
        "`prompt_version`), `rules`, `person`, `as they are`, `import`, `elsewhere`, or `topic` for a query that was "
        "never a description; it is empty where the caption was changed since. `accepted` says by what: `checks`, "
        "`person`, or `none` (nothing checked it); `checked_by` is the encoder of its similarity check, and "
        "`ranked_by` the one that ranked the moment for the query.",
    ),
    "survey": FurtherTable(
        "annotators.csv",
        {"question": "string", "answer": "string", "people": "int64"},
        "an answer to a question that annotators were asked about themselves",
        "`people` gave it at least, in fives and never fewer than five; the row with an empty `answer` has the others, "
        "who gave another answer or none. Answering was optional. Each person is in one sum of a question, made once "
        "and never again, so that no release tells of a person by its difference from another.",
    ),
}
"""By the manifest's key, in the order in which they are told."""
WITHDRAWN = {
    "kept": "what they judged stays under the worker id",
    "undecided": "judgments of clips that aren't decided yet are taken back, the others stay under the worker id",
}
"""What becomes of judgments after a withdrawal."""


def consent_file(version: int) -> str:
    """The path of a version of the consent text."""
    return f"consent/version-{version}.md"


def further_tables(facts: Mapping[str, Any]) -> dict[str, FurtherTable]:
    """Those that a release has, by its manifest."""
    return {key: _told_of(key, table, facts) for key, table in FURTHER_TABLES.items() if key in facts}


def _told_of(key: str, table: FurtherTable, facts: Mapping[str, Any]) -> FurtherTable:
    """The table, its words as they are so of this collection."""
    top = facts["settings"]["consensus"]["top_grade"]
    if key == "posteriors" and top != PAPERS_TOP:
        plain, beyond = "posteriors raw_annotations.csv", [f"`p{grade}`" for grade in range(top + 1, PAPERS_TOP + 1)]
        end = f"{', '.join(beyond)} {'is' if len(beyond) == 1 else 'are'} 0: there is no grade above {top}."
        row = table.row.replace("`p0` to `p4`", f"`p0` to `p{top}`")
        use = table.use.replace(f"{plain}`", f"{plain} --top-grade {top}`")
        return replace(table, row=row, use=f"{use} {end}")
    if key == "evidence_used" and facts[key]["used"].keys() != EVIDENCE.keys():
        words = ", ".join(words for kind, words in EVIDENCE.items() if kind in facts[key]["used"])
        return replace(table, use=table.use.replace(", ".join(EVIDENCE.values()), words))
    if key == "factors" and not any(factor["may_skip"] for factor in facts[key]["factors"]):
        return replace(table, use=table.use.replace(CANT_SAY, ""))
    return table


def consent_in_english(facts: Mapping[str, Any]) -> str:
    """What annotators agreed to, in sentences; "" where there was no text to agree to."""
    if "consent" not in facts:
        return ""
    said = facts["consent"]
    texts = ", ".join(
        f"version {text['version']} of {text['published']} ({text['file']}, SHA-256 {text['sha256']})"
        for text in said["versions"]
    )
    ways = {text["version"]: WITHDRAWN[text["on_withdrawal"]] for text in said["versions"]}
    kept = "; ".join(
        dict.fromkeys(ways.values())
        if len(set(ways.values())) == 1
        else (f"who confirmed version {version}, {way}" for version, way in ways.items())
    )
    return (
        f"{said['confirmed']:,} of {counted(said['annotators'], 'annotator')} read a consent text and confirmed it, "
        f"when they joined or before their next sitting: {texts}. They may withdraw at any time: {kept}. What is "
        "published stays."
    )


def survey_in_english(facts: Mapping[str, Any]) -> list[str]:
    """Who annotators were by their own answers, a sentence a question; empty where nothing is told."""
    if "survey" not in facts:
        return []
    return [
        f"{each['question']} "
        + "".join(f"{answer}: at least {people:,}. " for answer, people in each["told"].items())
        + f"Another answer, or none: {each['rest']:,}. (Of {each['people']:,} annotators.)"
        for each in facts["survey"]["questions"]
    ]


def further_files_section(facts: Mapping[str, Any]) -> str:
    """A section of a README; empty where there are none."""
    told = [f"**`consent/`** {consent}\n\n"] if (consent := consent_in_english(facts)) else []
    told += [
        f"**`{table.file}`** has `{'`, `'.join(table.columns)}`: a row is {table.row}. {table.use}\n\n"
        for table in further_tables(facts).values()
    ]
    return "".join(["## Files beside the ground truth\n\n", *told]) if told else ""


def machines_in_words(facts: Mapping[str, Any]) -> list[str]:
    """Which machines judged, too, where what they said is released."""
    said = facts.get("machine_judgments")
    if said is None:
        return []
    judges = [
        with_count(
            ngettext("%(judge)s (%(model)s, %(count)s grade)", "%(judge)s (%(model)s, %(count)s grades)", graded),
            graded,
            judge=judge["name"],
            model=judge["model"],
        )
        for judge in said["judges"]
        for graded in [sum(judge["graded"].values())]
    ]
    words = _("Machines judged, too: %(judges)s. What they said is in %(file)s alone: no grade is a machine's.")
    return [words % {"judges": "; ".join(judges), "file": said["file"]}]


def evidence_in_words(facts: Mapping[str, Any]) -> list[str]:
    """What annotators used beside the picture, where they could."""
    said = facts.get("evidence_used")
    if said is None:
        return []
    used = ", ".join(f"{kind} {number(count)}" for kind, count in said["used"].items())
    words = _(
        "Annotators could use more than a clip's pictures. Of %(known)s judgments %(file)s says who did: %(used)s."
    )
    return [words % {"known": number(said["known"]), "file": said["file"], "used": used}]


def draw_in_words(facts: Mapping[str, Any]) -> list[str]:
    """That what people judged was drawn, where it was."""
    if "sampling" not in facts:
        return []
    said = facts["sampling"]
    words = (
        _("%(drawn)s of %(units)s queries were drawn to be judged, with the probabilities in %(file)s.")
        if said["unit"] == "query"
        else _("%(drawn)s of %(units)s pairs were drawn to be judged, with the probabilities in %(file)s.")
    )
    return [words % {"drawn": number(said["drawn"]), "units": number(said["units"]), "file": said["file"]}]


def factors_in_words(facts: Mapping[str, Any]) -> list[str]:
    """What was asked beside the grades, where something was."""
    said = facts.get("factors")
    if said is None:
        return []
    words = (
        _(
            "After every grade annotators answered questions (%(factors)s): %(file)s has the answers, which decided no "
            "grade."
        )
        if said["asked"] == "every"
        else _(
            "After every grade but the lowest and the highest annotators answered questions (%(factors)s): %(file)s "
            "has the answers, which decided no grade."
        )
    )
    return [words % {"factors": ", ".join(factor["name"] for factor in said["factors"]), "file": said["file"]}]


def spans_in_words(facts: Mapping[str, Any]) -> list[str]:
    """That annotators marked starts and ends, where they did."""
    said = facts.get("spans")
    if said is None:
        return []
    words = _(
        "Annotators could mark where in a moment its start and end should be; marks whose IoU is at least %(least)s "
        "agree, and %(file)s has the times agreed on."
    )
    return [words % {"least": number(said["agreement"]), "file": said["file"]}]


def posteriors_in_words(facts: Mapping[str, Any]) -> list[str]:
    """How much hangs on who judged, where posteriors are released."""
    found = facts.get("posteriors")
    if found is None:
        return []
    words = _(
        "%(file)s says how likely each grade of a pair is; had another person judged in one place, about %(changed)s "
        "of %(pairs)s pairs would have ended otherwise."
    )
    counts = {"changed": number(round(found["changed_by_another"])), "pairs": number(found["pairs"])}
    return [words % {"file": found["file"], **counts}]
