"""`manage.py machine_judge COLLECTION JUDGE [--model M --family F ...] [--file FILE | --pairs FILE | --ask | ...]`."""

import csv
import json
from argparse import ArgumentTypeError
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from annotation.machine_judges.brought import bring_grades, read_grades
from annotation.machine_judges.judges import FACTS, declare_judge, refuse_files, retire_judge
from annotation.machine_judges.selectors import PAIR_COLUMNS, rows_to_judge
from annotation.machine_judges.server.costs import estimate, terms_typed
from annotation.machine_judges.server.declared import Declared
from annotation.machine_judges.server.judging import begin_judging, declare_server_judge, refuse_no_server
from annotation.machine_judges.server.pairs import scope_typed
from annotation.machine_judges.server.parameters import SEEN
from annotation.models import MachineJudge, MachineJudging
from foundation.collections.command import CollectionCommand, reading_files, writing_files
from foundation.counted import counted
from foundation.infra.jobs import ask
from foundation.models import Collection


class Command(CollectionCommand):
    help = (
        "Declare a machine judge whose grades are made elsewhere, and bring its grades: CSV or JSON Lines of pair_id "
        "and grade, distribution or abstained; or declare a model on the collection's LLM server, and have it asked. "
        "docs/machine-judges.md describes it."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "judge", metavar="JUDGE", help="its name; one that isn't declared yet needs --model, --family"
        )
        parser.add_argument("--model", help="as its maker calls it")
        parser.add_argument("--family", help="what it shares with systems that are scored, e.g. CLIP")
        parser.add_argument("--model-version", help="a version, or a digest of its weights", dest="version_of_model")
        parser.add_argument("--prompt-version", help="of the instruction that it is given")
        parser.add_argument("--guideline", type=int, metavar="N", help="the version of the guideline that it was given")
        parser.add_argument("--frames", type=int, metavar="N", help="pictures of each clip that it sees")
        parser.add_argument(
            "--parameters", type=_object, metavar="JSON", help="an object: all else that its grades follow from"
        )
        parser.add_argument("--server", action="store_true", help="it is a model on the collection's LLM server")
        parser.add_argument("--sees", choices=SEEN, help="what such a model is shown: the clip, or its description")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--file", type=Path, help="grades to bring")
        what.add_argument("--pairs", type=Path, help="where to write the pairs that it hasn't judged, as CSV")
        what.add_argument("--ask", action="store_true", help="have a worker ask its server about the pairs left")
        what.add_argument("--estimate", action="store_true", help="what --ask would ask and cost")
        what.add_argument("--retire", action="store_true", help="have it judge no more, for good")
        asked = parser.add_argument_group("of --ask and --estimate")
        asked.add_argument("--split", default="", help="val or test: their queries alone")
        asked.add_argument("--ranks", default="", metavar="N", help="the first pairs of each query alone")
        asked.add_argument("--trial", action="store_true", help="five pairs spread over these alone")
        for name, meaning in (("limit", "may cost at most"), ("price-in", "sent"), ("price-out", "answered")):
            told = meaning if name == "limit" else f"price of a million tokens {meaning}"
            asked.add_argument(f"--{name}", default="", metavar="AMOUNT", help=told)

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if options["file"]:
            self._bring(collection, options)
            return
        judge = _judge(collection, options)
        if options["retire"]:
            retire_judge(judge=judge)
            self.stdout.write(f"{judge} is retired.")
        elif options["ask"] or options["estimate"]:
            self._ask(judge, options)
        elif options["pairs"]:
            self._write_pairs(judge, options["pairs"])
        else:
            said = counted(judge.judgments.count(), "pair")
            self.stdout.write(f"{judge} is declared, and has judged {said}.")

    def _ask(self, judge: MachineJudge, options: dict[str, Any]) -> None:
        scope = scope_typed(options)
        if options["ask"]:
            job = begin_judging(judge=judge, member=None, scope=scope, typed=options)
            taken = ask(job)
            self.stdout.write("A worker asks its server." if taken else "The queue is away: it begins once it is back.")
            return
        refuse_no_server(judge)
        declared = Declared.of(judge)
        found = estimate(declared, scope, terms_typed(declared, options)[0])
        cost = "prices aren't set" if found.cost is None else f"about {found.cost:.4f}"
        waiting = f" ({found.waiting:,} others wait for their clips)" if found.waiting else ""
        self.stdout.write(
            f"{counted(found.pairs, 'pair')} left, "
            f"{found.unseen:,} of them without a {declared.parameters.sees}{waiting}: "
            f"{counted(found.requests, 'request')}, {counted(found.pictures, 'picture')}, "
            f"{found.tokens_in:,} tokens sent, {found.tokens_out:,} answered; {cost}."
        )

    def _write_pairs(self, judge: MachineJudge, path: Path) -> None:
        with (
            writing_files(),
            path.open("w", newline="", encoding="utf-8") as file,
            self.bar(total=None, unit="pairs", title="Writing") as bar,
        ):
            writer = csv.writer(file)
            writer.writerow(PAIR_COLUMNS)
            for row in rows_to_judge(judge):
                writer.writerow(row)
                bar.update(1)

    def _bring(self, collection: Collection, options: dict[str, Any]) -> None:
        path: Path = options["file"]
        with transaction.atomic():  # a file that won't do declares no judge
            judge = _judge(collection, options)
            refuse_files(judge)
            with reading_files(), path.open("rb") as file, self.bar(total=None, unit="rows", title="Reading") as bar:
                read, standing = read_grades(judge=judge, file=file, name=path.name, progress=bar.update)
            read.refuse()
        # The row by which the page shows what this process brings.
        job = MachineJudging.objects.create(
            judge=judge,
            file_name=path.name[-200:],
            state=MachineJudging.State.DONE,
            finished_at=timezone.now(),
        )
        with self.bar(total=len(standing.fresh(read.rows)), unit="pairs", title="Storing") as bar:
            report = bring_grades(judge=judge, read=read, standing=standing, judging=job, progress=bar.update)
        MachineJudging.objects.filter(pk=job.pk).update(said=report.in_words(), found=report.counts)
        self.stdout.write(report.in_words())


def _judge(collection: Collection, options: dict[str, Any]) -> MachineJudge:
    """The judge of this name; what is said of one that stands has to be true of it. Raises: Refused, CommandError."""
    if options["sees"] and not options["server"]:
        raise CommandError("--sees is said of a model on a server: add --server.")
    if options["server"]:
        return _server_judge(collection, options)
    standing = MachineJudge.objects.filter(collection=collection, name=options["judge"]).first()
    names = {"version": "version_of_model"}
    said = {fact: options[names.get(fact, fact)] for fact in FACTS if options.get(names.get(fact, fact)) is not None}
    if standing is not None:
        said = {fact: getattr(standing, fact) for fact in FACTS} | said
        if all(getattr(standing, fact) == said[fact] for fact in FACTS):
            return standing
    elif not {"model", "family"} <= said.keys():
        raise CommandError(
            f"No judge of {collection.name} is called {options['judge']!r}: declare it by --model and --family."
        )
    return declare_judge(
        collection=collection, member=None, name=options["judge"], **{"kind": MachineJudge.Kind.FILE, **said}
    )


def _server_judge(collection: Collection, options: dict[str, Any]) -> MachineJudge:
    if not options["model"] or not options["family"]:
        raise CommandError("--server declares a judge: it needs --model and --family.")
    return declare_server_judge(
        collection=collection,
        member=None,
        name=options["judge"],
        model=options["model"],
        family=options["family"],
        version=options["version_of_model"] or "",
        prompt_version=options["prompt_version"] or "",
        guideline=options["guideline"],
        frames=options["frames"],
        parameters=({"sees": options["sees"]} if options["sees"] else {}) | (options["parameters"] or {}),
    )


def _object(text: str) -> dict[str, Any]:
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, dict):
            return value
    raise ArgumentTypeError(f"found {text!r}, expected a JSON object")
