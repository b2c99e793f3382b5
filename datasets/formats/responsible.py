"""What Croissant says of a release for its responsible use: RAI 1.0, and its provenance by W3C's PROV-O.

Names are those of http://mlcommons.org/croissant/RAI/1.0 and of section "Provenance Representation" of
http://mlcommons.org/croissant/1.1; `rai:hasSyntheticData` is asked for by NeurIPS' track beside that vocabulary. What
only the authors know is left out where they haven't said it; `docs/releases.md` says which question each answers.
"""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from annotation.scale import scale_of_release
from datasets.formats import answers
from datasets.formats.about import sources_of
from datasets.formats.further_files import (
    consent_in_english,
    machines_in_words,
    posteriors_in_words,
    survey_in_english,
)
from datasets.formats.procedure import (
    has_drawn_queries,
    in_english,
    pairs_by_people,
    procedure,
    procedure_in_english,
)
from datasets.formats.procedure_of_captions import captions_in_words, machine_captions
from datasets.formats.scale_in_words import grades_line

RAI = "http://mlcommons.org/croissant/RAI/1.0"
ACTIVITIES = {
    "Queries": "Q5227332",
    "Draw": "Q4929239",
    "Candidates": "Q4929239",
    "Judging": "Q109719325",
    "Review": "Q3306762",
}
"""Step of the procedure -> Wikidata's item of what it is, as NeurIPS' editor writes it: preprocessing, collection,
annotation, quality review."""


def responsible(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The properties with a value, in the order of the vocabulary."""
    about = facts["about"]
    said = {
        **_collection(facts),
        **_annotation(facts),
        "rai:dataUseCases": [answers.good_for(facts), answers.not_for(facts), about.get("uses")],
        "rai:dataLimitations": about["limitations"],
        "rai:dataBiases": about.get("biases"),
        "rai:personalSensitiveInformation": [
            answers.PSEUDONYMS,
            " ".join(survey_in_english(facts)),
            answers.offends(facts),
            about.get("sensitive"),
        ],
        "rai:dataSocialImpact": about.get("impact"),
        "rai:dataReleaseMaintenancePlan": f"{answers.never_changes(facts)} {about.get('maintenance', '')}".strip(),
        "rai:hasSyntheticData": _machine_made(facts),
    }
    told = {name: _without_empty(value) for name, value in said.items()}
    return {name: value for name, value in told.items() if value not in (None, "", [])}


def _without_empty(value: Any) -> Any:
    return [each for each in value if each] if isinstance(value, list) else value


def _collection(facts: Mapping[str, Any]) -> dict[str, Any]:
    """How its data were collected, and what was done to them."""
    drawn, days = has_drawn_queries(facts), facts["making"].get("days")
    collected = [
        procedure_in_english(facts, "Queries", "Draw", "Candidates") + answers.topics(facts) + answers.chosen_by(facts),
        consent_in_english(facts),
    ]
    return {
        "rai:dataCollection": " ".join(filter(None, collected)),
        "rai:dataCollectionType": [
            "Manual Human Curator",
            "Secondary Data analysis" if facts["making"]["judgments"]["imported"] else "",
            "Software Collection" if machine_captions(facts) or "pool" in facts else "",
            "Surveys" if "survey" in facts else "",
        ],
        "rai:dataCollectionMissingData": f"{answers.missing(facts)} {answers.NOT_JUDGED}",
        "rai:dataCollectionRawData": " ".join(
            filter(None, [facts["about"].get("sources"), answers.WITHOUT_VIDEOS, answers.held(facts)])
        ),
        "rai:dataCollectionTimeframe": [days["first"], days["last"]] if days else [],
        "rai:dataPreprocessingProtocol": [
            " ".join(in_english(captions_in_words, facts)) if drawn else "",
            f"Splits are val, test and train. {answers.APART}",
        ],
        "rai:dataImputationProtocol": (
            f"{answers.filled_in(facts)} No grade is filled in: pairs without one are left out."
        ),
    }


def _annotation(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Who judged, on what, by which rule, and what machines did."""
    models, scale = facts["models"], scale_of_release(facts)
    instructed = [procedure_in_english(facts, "Judging", "Review"), answers.guideline(facts), grades_line(scale)]
    tools = {
        "Captions": in_english(machine_captions, facts),
        "Similarity of captions and descriptions": models["encoders"],
        "Names of persons": models["taggers"],
        "Similarity of queries and captions": models["rankers"]["queries"],
    }
    return {
        "rai:dataAnnotationProtocol": " ".join(instructed),
        "rai:dataAnnotationPlatform": [_software(facts)] if facts["making"]["judgments"]["here"] else [],
        "rai:dataAnnotationAnalysis": [
            answers.agreed(facts),
            *in_english(posteriors_in_words, facts),
            answers.raw(facts),
        ],
        "rai:annotationsPerItem": " ".join(in_english(pairs_by_people, facts)),
        "rai:annotatorDemographics": [
            f"{answers.judged(facts)} {answers.work(facts)}",
            *survey_in_english(facts),
            facts["about"].get("recruitment"),
        ],
        "rai:machineAnnotationTools": [
            *(f"{use}: {'; '.join(names)}." for use, names in tools.items() if names),
            *in_english(machines_in_words, facts),
        ],
    }


def _software(facts: Mapping[str, Any]) -> str:
    return f"Qreels {facts['code']['version']}"


def _machine_made(facts: Mapping[str, Any]) -> bool | None:
    """Whether a machine wrote captions or gave released grades; None where nobody knows who wrote some."""
    if machine_captions(facts) or "machine_judgments" in facts:
        return True
    return None if any(entry["rewriter"] == "import" for entry in facts["models"]["rewriters"]) else False


def provenance(facts: Mapping[str, Any]) -> dict[str, Any]:
    """From what it was derived, as far as the authors say, and by which activities of whom."""
    derived = [
        {"@type": "prov:Entity", "prov:label": label} | ({"@id": address} if address else {})
        for label, address in sources_of(facts["about"])
    ]
    with translation.override("en"):
        steps = procedure(facts)
    activities = [
        {
            "@type": "prov:Activity",
            "@id": f"made/{step.name.lower()}",
            "prov:type": {"@id": f"https://www.wikidata.org/wiki/{ACTIVITIES[step.name]}"},
            "prov:label": step.name,
            "description": step.text,
            **(_times(facts) if step.name == "Judging" else {}),
            **({"prov:wasAssociatedWith": agents} if (agents := _agents(facts, step.name)) else {}),
        }
        for step in steps
    ]
    return ({"prov:wasDerivedFrom": derived} if derived else {}) | {"prov:wasGeneratedBy": activities}


def _times(facts: Mapping[str, Any]) -> dict[str, Any]:
    days = facts["making"].get("days")
    if not days:
        return {}
    return {
        "prov:startedAtTime": {"@type": "http://www.w3.org/2001/XMLSchema#date", "@value": days["first"]},
        "prov:endedAtTime": {"@type": "http://www.w3.org/2001/XMLSchema#date", "@value": days["last"]},
    }


def _agents(facts: Mapping[str, Any], step: str) -> list[dict[str, str]]:
    """Machines by their names, people by their number."""
    judges = facts.get("machine_judgments", {}).get("judges", ())
    machines = {
        "Queries": in_english(machine_captions, facts),
        "Candidates": facts["models"]["rankers"]["queries"],
        "Judging": [_software(facts), *(f"{judge['name']} ({judge['model']})" for judge in judges)],
    }.get(step, [])
    people = [{"@type": "prov:Agent", "prov:label": f"{facts['counts']['workers']:,} annotators"}]
    return [
        *(people if step == "Judging" else []),
        *({"@type": "prov:SoftwareAgent", "prov:label": machine} for machine in machines),
    ]
