"""``verify``: does a release's folder give what the release states?"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict, replace
from pathlib import Path

from ..commands.inputs import add_resampling, add_run_format, read_runs
from ..commands.outputs import StageLine
from ..errors import EvaluationError, InputError, shown
from ..formats.table import Table
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading import read_ground_truth
from ..releases.check_certificate import Certified, check_certificate, read_certificate
from ..releases.check_release import verify_release
from ..releases.check_sample_run import SAMPLE_RUN
from ..releases.claims import Claims
from ..releases.manifest import MANIFEST, SIGNATURE
from ..releases.opening import opened
from ..releases.signature import check_signature, read_key
from ..releases.statistics_tables import recounted_tables
from ..releases.tables import Table as StatisticsTable
from ..releases.trace import trace_query
from ..releases.trace_as_prov import as_prov
from ..releases.trace_in_words import as_text
from ..releases.trace_score import score_of_query
from ..releases.untrusted_files import read_object, sha256_of

NAME = "verify"
HELP = "Recompute what a release states from its files alone, and say of each claim that it holds, or what doesn't."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release's folder, or its .tar.gz")
    certificate = "a reusability certificate of the release, computed anew from the --runs"
    parser.add_argument("--certificate", type=Path, metavar="JSON", help=certificate)
    parser.add_argument("--runs", type=Path, nargs="+", default=[], metavar="RUN", help="the certificate's runs")
    trace = "instead, walk from a query's score to the judgments that it rests on; --json: as W3C PROV (JSON-LD)"
    parser.add_argument("--trace", metavar="QUERY_ID", help=trace)
    parser.add_argument("--run", type=Path, help="whose score is traced (default: the sample run, of a query of val)")
    parser.add_argument("--measure", metavar="M", help="of the score that is traced (default: by the ground truth)")
    key = "minisign's public key, or its file: check manifest.json.minisig, in RELEASE or as --signature says"
    parser.add_argument("--key", metavar="KEY", help=key)
    parser.add_argument("--signature", type=Path, metavar="MINISIG", help="the signature that --key checks")
    tables = "first print the tables of the release's statistics, with all figures that its files give counted anew"
    parser.add_argument("--tables", action="store_true", help=tables)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    add_run_format(parser)
    add_resampling(parser, draws=1000)


def perform(options: Namespace) -> int:
    """Recompute, print a line a claim. Returns: 0 if all hold, 1 if not."""
    if bool(options.certificate) != bool(options.runs):
        raise EvaluationError("a certificate is computed from runs: expected --certificate and --runs, or neither")
    if options.trace is None and (options.run or options.measure):
        raise EvaluationError("found --run or --measure without --trace: they are of the score that is traced")
    if options.trace is not None:
        if options.key or options.signature or options.certificate or options.tables:
            others = "--key, --signature, --certificate or --tables"
            raise EvaluationError(f"found --trace beside {others}: it walks and checks none")
        return _traced(options)
    if options.signature and not options.key:
        raise EvaluationError("a signature is checked by its public key: expected --key beside --signature")
    key = read_key(options.key) if options.key else None
    with StageLine() as stage, opened(options.release, stage) as folder:
        claims = verify_release(folder, stage)
        if key:
            signature = options.signature or folder / SIGNATURE
            claims.tell_all("signature", check_signature(folder / MANIFEST, signature, key), SIGNATURE)
        if options.certificate:
            splits = _certified(options, folder)
            resampling = {"draws": options.draws, "seed": options.seed}
            check_certificate(options.certificate, folder, splits, claims, stage, **resampling)
        tables = _tables(folder, claims) if options.tables else []
    if options.json:
        facts = {"release": str(options.release), "holds": claims.hold, "claims": [one.as_data() for one in claims]}
        told = {"tables": [asdict(one) for one in tables]} if options.tables else {}
        print(json.dumps(facts | told, indent=1))
    else:
        for one in tables:
            print(Table(one.title, one.note, one.columns, one.rows).text(), end="\n\n")
        print("\n".join(claims.lines()))
    return 0 if claims.hold else 1


def _tables(folder: Path, claims: Claims) -> list[StatisticsTable]:
    """The tables of the release's statistics; none, which the claims note, where the manifest lacks them."""
    try:
        return recounted_tables(read_object(folder / MANIFEST)["statistics"], claims.figures)
    except (EvaluationError, AttributeError, LookupError, TypeError, ValueError):
        claims.note("statistics", f"no tables: {MANIFEST} doesn't have all that they are made of")
        return []


def _traced(options: Namespace) -> int:
    """Print what a query's score rests on."""
    with StageLine() as stage, opened(options.release, stage) as folder:
        trace = trace_query(folder, options.trace, stage)
        path, scored = options.run or folder / SAMPLE_RUN, None
        if options.run or (trace.split == "val" and path.is_file()):
            truth = read_ground_truth(folder / f"{trace.split}.json")
            (run,) = read_runs(options, [path], truth)
            scored = score_of_query(truth, run, sha256_of(path), trace.query_id, options.measure or "")
    print(json.dumps(as_prov(trace, scored), indent=1) if options.json else as_text(trace, scored))
    return 0


def _certified(options: Namespace, folder: Path) -> dict[str, tuple[Certified, GroundTruth, list[Run]]]:
    """What the certificate is computed from: a run is known by its file's name, or its SHA-256 where that is told."""
    certificate = read_certificate(options.certificate)
    truths = {split: read_ground_truth(folder / f"{split}.json") for split in certificate}
    runs = dict(zip(options.runs, read_runs(options, options.runs, *truths.values()), strict=True))
    hashes = {sha256_of(path): run for path, run in runs.items()}
    names = {run.name: run for run in runs.values()}
    told = {}
    for split, certified in certificate.items():
        own = [hashes.get(certified.sha256.get(name, ""), names.get(name)) for name in certified.names]
        missing = [name for name, run in zip(certified.names, own, strict=True) if run is None]
        if missing:
            raise InputError(options.certificate, split, found=f"the run {shown(missing[0])}", expected="one of --runs")
        known = [replace(run, name=name) for name, run in zip(certified.names, own, strict=True) if run is not None]
        told[split] = certified, truths[split], known
    return told
