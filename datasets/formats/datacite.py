"""DataCite's metadata (schema 4) of a release, from its manifest alone, and the same as InvenioRDM's records say it.

Source: DataCite Metadata Schema 4.6; InvenioRDM's metadata reference.
"""

import re
from collections.abc import Mapping
from html import escape
from types import MappingProxyType
from typing import Any

from django.utils import translation

from datasets.formats.about import SPDX, Author, authors_of, licence_address
from datasets.formats.procedure import summary

SUBJECTS = ("video moment retrieval", "test collection", "graded relevance")
UNKNOWN = ":unav"
"""DataCite's word for what isn't known: who publishes a release is, until somebody does."""
NONE: Mapping[str, str] = MappingProxyType({})
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"{}<>,;]*[^\s\"{}<>,;.)]")


def datacite_of(facts: Mapping[str, Any], versions: Mapping[str, str] = NONE) -> dict[str, Any]:
    """The metadata as DataCite's JSON has them; `doi` and `url` come with publishing.

    Args:
        facts: the manifest; `about` may have no authors, which DataCite wants before it registers anything.
        versions: by relation (IsNewVersionOf, IsVersionOf) a DOI that the release's record has it to.
    """
    about = facts["about"]
    with translation.override("en"):
        abstract = " ".join(summary(facts))
    descriptions = [{"description": abstract, "descriptionType": "Abstract"}]
    if about["limitations"]:
        descriptions.append({"description": f"Limitations: {about['limitations']}", "descriptionType": "Other"})
    document: dict[str, Any] = {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Test collection"},
        "titles": [{"title": facts["title"]}],
        "creators": [_creator(author) for author in authors_of(about)],
        "publisher": {"name": UNKNOWN},
        "subjects": [{"subject": subject} for subject in SUBJECTS],
        "descriptions": descriptions,
    }
    if facts.get("release"):
        document["version"] = facts["release"]
    if facts.get("created_at"):
        date = facts["created_at"][:10]
        document |= {"publicationYear": date[:4], "dates": [{"date": date, "dateType": "Issued"}]}
    if facts["languages"]:
        document["language"] = facts["languages"][0]
    if about["licence"]:
        document["rightsList"] = [_rights(about["licence"])]
    # The paper that readers are asked to cite is where the collection is told of.
    related = [(doi, "IsDocumentedBy") for doi in dict.fromkeys(_DOI.findall(about["citation"]))]
    if related := related + [(doi, relation) for relation, doi in versions.items()]:
        document["relatedIdentifiers"] = [
            {"relatedIdentifier": doi, "relatedIdentifierType": "DOI", "relationType": relation}
            for doi, relation in related
        ]
    return document


def _creator(author: Author) -> dict[str, Any]:
    found: dict[str, Any] = {"name": author.family, "nameType": "Organizational"}
    if author.given:
        found = {"name": f"{author.family}, {author.given}", "nameType": "Personal"}
        found |= {"givenName": author.given, "familyName": author.family}
    if author.orcid:
        scheme = {"nameIdentifierScheme": "ORCID", "schemeUri": "https://orcid.org"}
        found["nameIdentifiers"] = [{"nameIdentifier": author.orcid_address, **scheme}]
    return found


def _rights(licence: str) -> dict[str, str]:
    name = SPDX.get(licence.lower())
    if name is None:
        return {"rights": licence}
    return {
        "rights": name,
        "rightsUri": licence_address(name),
        "rightsIdentifier": name.lower(),
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": "https://spdx.org/licenses/",
    }


def invenio_metadata(facts: Mapping[str, Any], sha256: str, versions: Mapping[str, str] = NONE) -> dict[str, Any]:
    """The same for a record of InvenioRDM (Zenodo is one), which names its own publisher.

    Args:
        sha256: the manifest's, which the description states: by it the record is found again.
        versions: as of `datacite_of`.
    """
    said = datacite_of(facts, versions)
    paragraphs = [one["description"] for one in said["descriptions"]] + [f"SHA-256 of manifest.json: {sha256}"]
    found: dict[str, Any] = {
        "resource_type": {"id": "dataset"},
        "title": said["titles"][0]["title"],
        "creators": [{"person_or_org": _person_or_org(author)} for author in authors_of(facts["about"])],
        "publication_date": said["dates"][0]["date"],
        "version": said["version"],
        "description": "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs),
        "subjects": said["subjects"],
    }
    if "rightsList" in said:
        (rights,) = said["rightsList"]
        known = rights.get("rightsIdentifier")
        found["rights"] = [{"id": known} if known else {"title": {"en": rights["rights"]}}]
    if "relatedIdentifiers" in said:
        found["related_identifiers"] = [
            {
                "identifier": one["relatedIdentifier"],
                "scheme": "doi",
                "relation_type": {"id": one["relationType"].lower()},
            }
            for one in said["relatedIdentifiers"]
        ]
    return found


def _person_or_org(author: Author) -> dict[str, Any]:
    if not author.given:
        return {"type": "organizational", "name": author.family}
    found: dict[str, Any] = {"type": "personal", "family_name": author.family, "given_name": author.given}
    if author.orcid:
        found["identifiers"] = [{"scheme": "orcid", "identifier": author.orcid}]
    return found
