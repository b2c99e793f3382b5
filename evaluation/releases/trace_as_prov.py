"""A trace as W3C PROV: the terms of PROV-O (W3C Recommendation, 2013) in JSON-LD 1.1, its context in the document.

PROV-JSONLD is a Member Submission with a context at another site; whatever reads RDF reads PROV-O in JSON-LD, offline.
Each thing has the release's digest in its IRI: two releases share none, and one release's traces of several queries
join into one graph.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from .checked_rows import Row
from .manifest import digest_of
from .origins import TOPIC
from .trace import Scored, Trace, TracedJudgment, TracedPair
from .trace_in_words import CLOSED, rewriter_in_words
from .untrusted_files import RAW

RELATIONS = (
    *("used", "wasGeneratedBy", "wasAssociatedWith", "wasInformedBy", "wasDerivedFrom", "wasAttributedTo"),
    *("hadMember", "hadPlan", "agent"),
)
CONTEXT: dict[str, Any] = {
    "@version": 1.1,
    "prov": "http://www.w3.org/ns/prov#",
    "dcterms": "http://purl.org/dc/terms/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    **{name: {"@id": f"prov:{name}", "@type": "@id"} for name in RELATIONS},
    "qualifiedAssociation": {"@id": "prov:qualifiedAssociation"},
    "label": "rdfs:label",
    "value": "prov:value",
    "endedAtTime": {"@id": "prov:endedAtTime", "@type": "xsd:dateTime"},
    "issued": {"@id": "dcterms:issued", "@type": "xsd:date"},
    "month": {"@id": "dcterms:date", "@type": "xsd:gYearMonth"},
    "identifier": "dcterms:identifier",
}
Kind = str | list[str]
ENTITY, ACTIVITY, AGENT = "prov:Entity", "prov:Activity", "prov:Agent"
COLLECTION, PLAN = [ENTITY, "prov:Collection"], [ENTITY, "prov:Plan"]
SOFTWARE, PERSON = [AGENT, "prov:SoftwareAgent"], [AGENT, "prov:Person"]
"""With what they are kinds of: not every reader infers it."""


def as_prov(trace: Trace, scored: Scored | None = None) -> dict[str, Any]:
    """The document: `@context` and `@graph`, of JSON's types. Args: scored: as of `in_words`."""
    return _Graph(trace, scored).document()


class _Graph:
    """Nodes by id, each once, in the order in which they come."""

    def __init__(self, trace: Trace, scored: Scored | None) -> None:
        self.trace, self.manifest, self.scored = trace, trace.manifest, scored
        self.nodes: dict[str, dict[str, Any]] = {}

    def document(self) -> dict[str, Any]:
        digest = self.manifest.get("digest") or digest_of(self.manifest)
        self._release()
        query = self._caption(self.trace.caption_origin, "query", self.trace.query_id, self.trace.text)
        for pair in self.trace.pairs:
            self._pair(pair, query)
        if self.scored is not None:
            self._score(self.scored)
        base = f"urn:uuid:{uuid5(NAMESPACE_URL, digest)}#"
        return {"@context": CONTEXT | {"r": base}, "@graph": list(self.nodes.values())}

    def _add(self, kind: Kind, name: str, *parts: object, **facts: Any) -> str:
        """The id of a node, which is added unless it is there; facts that are empty are left out."""
        node_id = ".".join([f"r:{name}", *(quote(str(part), safe="") for part in parts)])
        told = {key: fact for key, fact in facts.items() if fact not in (None, "", [])}
        self.nodes.setdefault(node_id, {"@id": node_id, "@type": kind, **told})
        return node_id

    def _release(self) -> None:
        """The release, its files that were read, and what made them."""
        code, name = self.manifest["code"], f"{self.manifest['release']} of {self.manifest['collection']}"
        qreels = self._qreels()
        made_at = self.manifest.get("created_at")
        revision = f", commit {code['revision']}" if code.get("revision") else ""
        making = self._add(
            ACTIVITY,
            "making",
            label=f"making of release {name}{revision}",
            endedAtTime=made_at,
            wasAssociatedWith=qreels,
        )
        files = [
            self._add(ENTITY, "file", file, label=file, identifier=f"sha256:{sha256}", wasGeneratedBy=making)
            for file, sha256 in self.trace.sha256.items()
        ]
        self._add(
            COLLECTION,
            "release",
            label=f"release {name}",
            identifier=f"sha256:{self.manifest['digest']}" if self.manifest.get("digest") else "",
            wasGeneratedBy=making,
            hadMember=files,
        )

    def _qreels(self) -> str:
        return self._add(SOFTWARE, "qreels", label=f"Qreels {self.manifest['code']['version']}")

    def _caption(self, origin: Row | None, name: str, key: str, text: str) -> str:
        """A caption or topic, with what made it."""
        if origin is None or origin["rewriter"] in ("", TOPIC):
            told = "" if origin is None else f" ({rewriter_in_words(origin)})"
            return self._add(ENTITY, name, key, label=f"{name} {key}{told}", value=text)
        description = self._add(ENTITY, f"{name}-description", key, label="its description, which isn't in the release")
        rewriting = self._add(
            ACTIVITY,
            f"{name}-rewriting",
            key,
            label=rewriter_in_words(origin),
            used=description,
            wasAssociatedWith=self._rewriter(origin),
        )
        facts = {"wasGeneratedBy": rewriting, "wasDerivedFrom": description}
        return self._add(ENTITY, name, key, label=f"{name} {key}", value=text, **facts)

    def _rewriter(self, origin: Row) -> list[str]:
        """The agents: what rewrote, and the encoder that checked."""
        named = " ".join(filter(None, (origin["rewriter"], origin["model"], origin["prompt_version"])))
        kind = PERSON if origin["rewriter"] == "person" else SOFTWARE
        agents = [self._add(kind, "rewriter", named, label=named)] if origin["rewriter"] != "as they are" else []
        return agents + ([self._encoder(origin["checked_by"])] if origin["checked_by"] else [])

    def _encoder(self, name: str) -> str:
        return self._add(SOFTWARE, "encoder", name, label=f"encoder {name}")

    def _pair(self, pair: TracedPair, query: str) -> None:
        place = f"{pair.video_name}, {pair.start:g} to {pair.end:g} s"
        moment = self._add(ENTITY, "moment", pair.pair_id, label=place, wasGeneratedBy=self._pooling(pair, query))
        judgments = [
            self._judgment(pair, number, judgment, [query, moment])
            for number, judgment in enumerate(pair.judgments, start=1)
        ]
        rule = self._add(PLAN, "rule", label=f"consensus rule {self.manifest['settings']['consensus']['grade']}")
        decision = self._add(
            ACTIVITY,
            "decision",
            pair.pair_id,
            label="the rule applied",
            used=judgments,
            **self._by(self._qreels(), rule),
        )
        if pair.adjudicated is not None:
            lead = self._add(PERSON, "worker", pair.adjudicated["worker"], label=pair.adjudicated["worker"])
            decision = self._add(
                ACTIVITY,
                "adjudication",
                pair.pair_id,
                label="graded by a lead, since it was discarded",
                endedAtTime=pair.adjudicated["adjudicated_at"],
                used=[query, moment],
                wasInformedBy=decision,
                wasAssociatedWith=lead,
            )
        if pair.grade is not None:
            derived = [] if pair.adjudicated is not None else judgments
            grade = self._add(
                ENTITY,
                "grade",
                pair.pair_id,
                label=f"grade of pair {pair.pair_id}",
                value=pair.grade,
                wasGeneratedBy=decision,
                wasDerivedFrom=derived,
            )
            self._derive(f"r:file.{self.trace.split}.json", grade)
        self._batch(pair, decision)

    def _by(self, agent: str, plan: str) -> dict[str, Any]:
        association = {"@type": "prov:Association", "agent": agent, "hadPlan": plan}
        return {"wasAssociatedWith": agent, "qualifiedAssociation": association}

    def _derive(self, derived: str, source: str) -> None:
        self.nodes[derived].setdefault("wasDerivedFrom", []).append(source)

    def _pooling(self, pair: TracedPair, query: str) -> str:
        """How the moment became one that is judged for the query."""
        used, agents, plan = [query], [], ""
        if pair.caption is not None:
            used.append(self._caption(pair.caption_origin, "caption", pair.pair_id, pair.caption))
        if ranked := pair.caption_origin and pair.caption_origin["ranked_by"]:
            agents.append(self._encoder(ranked))
        label = "ranked by similarity" if pair.pool is None else f"rank {pair.pool['rank']} in the pool"
        if pair.pool is not None:
            version = pair.pool["recipe_version"]
            told = f"pool recipe {pair.pool['recipe']}" + (f", version {version}" if version else "")
            plan = self._add(PLAN, "recipe", pair.pool["recipe"], version, label=told)
            if system := " ".join(filter(None, (pair.pool["team"], pair.pool["system"]))):
                used.append(self._add(ENTITY, "pool-run", system, label=f"run of {system}"))
            elif pair.pool["ranker"] and not ranked:
                agents.append(self._encoder(pair.pool["ranker"]))
        agents = agents or [self._qreels()]
        by: dict[str, Any] = self._by(agents[0], plan) if plan else {}
        return self._add(
            ACTIVITY, "pooling", pair.pair_id, **by | {"label": label, "used": used, "wasAssociatedWith": agents}
        )

    def _judgment(self, pair: TracedPair, number: int, judgment: TracedJudgment, judged: list[str]) -> str:
        origin, facts, plan = judgment.origin, {}, ""
        worker = self._add(AGENT, "worker", judgment.worker, label=judgment.worker)
        label = f"judging of pair {pair.pair_id} by {judgment.worker}"
        if origin is not None and origin["origin"] == "imported":
            label += ", imported"
        elif origin is not None:
            facts["month"] = origin["month"]
            plan = self._guideline(origin["guideline"]) if origin["guideline"] else ""
        by = self._by(worker, plan) if plan else {"wasAssociatedWith": worker}
        used = [*judged, plan] if plan else judged
        judging = self._add(ACTIVITY, "judging", pair.pair_id, number, label=label, used=used, **by, **facts)
        return self._add(
            ENTITY,
            "judgment",
            pair.pair_id,
            number,
            label=f"judgment {number} of pair {pair.pair_id}, in {RAW}",
            value=judgment.grade,
            wasGeneratedBy=judging,
            wasAttributedTo=worker,
        )

    def _guideline(self, version: str) -> str:
        stated: Mapping[str, Any] = self.trace.guidelines.get(version, {})
        sha256 = f"sha256:{stated['sha256']}" if stated else ""
        facts = {"label": f"guideline, version {version}", "issued": stated.get("published"), "identifier": sha256}
        return self._add(PLAN, "guideline", version, **facts)

    def _batch(self, pair: TracedPair, decision: str) -> None:
        """That the pair's batch was closed once it was decided."""
        origin = pair.judgments[0].origin
        if origin is None or not origin["closed"]:
            return
        closed, facts = origin["closed"], {}
        if closed == "policy":
            limits = {name: self.manifest["settings"].get(name) for name in ("auto_extend_from", "auto_finish_to")}
            told = ", ".join(f"{name} {limit}" for name, limit in limits.items() if limit is not None)
            facts = self._by(self._qreels(), self._add(PLAN, "policy", label=f"review policy: {told}"))
        elif closed == "lead":
            facts["wasAssociatedWith"] = self._add(PERSON, "lead", label="a lead, whom the release doesn't name")
        label = f"batch {origin['batch']} of the query, {CLOSED.get(closed, closed)}"
        closing = self._add(
            ACTIVITY, "closing", self.trace.query_id, origin["batch"], label=label, wasInformedBy=[], **facts
        )
        self.nodes[closing].setdefault("wasInformedBy", []).append(decision)

    def _score(self, scored: Scored) -> None:
        """The run's score by each measure, from the run and the release's grades."""
        run = self._add(ENTITY, "run", scored.run, label=f"run {scored.run}", identifier=f"sha256:{scored.sha256}")
        truth = f"r:file.{self.trace.split}.json"
        grades = [f"r:grade.{quote(pair.pair_id, safe='')}" for pair in self.trace.graded]
        for measure, value in scored.values.items():
            plan = self._add(PLAN, "measure", measure, label=measure)
            scoring = self._add(
                ACTIVITY,
                "scoring",
                *(scored.run, measure, self.trace.query_id),
                label=f"scoring of {scored.run} by {measure}",
                used=[run, truth, *grades],
                **self._by(self._add(SOFTWARE, "measures", label="qreels_eval, the measures of Qreels"), plan),
            )
            told = "" if value is not None else ", which has none here"
            self._add(
                ENTITY,
                "score",
                *(scored.run, measure, self.trace.query_id),
                label=f"{measure} of {scored.run} on query {self.trace.query_id}{told}",
                value=value,
                wasGeneratedBy=scoring,
                wasDerivedFrom=[run, *grades],
            )
