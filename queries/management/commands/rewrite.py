"""`manage.py rewrite COLLECTION`."""

from decimal import Decimal
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count

from corpus.models import Description
from foundation.collections.command import CollectionCommand
from foundation.counted import counted
from foundation.infra.jobs import JobProgress, JobStopped, ask
from foundation.infra.parallel_tasks import spread, workers_answer
from foundation.infra.task_queue import KEPT
from foundation.models import Collection
from queries.calibration.calibrate import warn_uncalibrated
from queries.models import Caption, RewriteJob
from queries.rewriting.caption_samples import sample_captions
from queries.rewriting.cost_estimates import CostEstimate, estimate, job_with_figures, jobs_with_figures
from queries.rewriting.costs import limit_from, prices_from, read_amount
from queries.rewriting.jobs import begin_job, begin_rules_job, leave_parcels, only_runner
from queries.rewriting.llm_settings import environ_of, llm_settings
from queries.rewriting.refusals import refused_by_rules, take_up_refused
from queries.rewriting.report import MOST_JOBS, as_lines, rewriting_report
from queries.rewriting.rewriters.as_they_are import NAME as AS_THEY_ARE
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import OpenAIRewriter
from queries.rewriting.rewriters.rules import NAME as RULES
from queries.rewriting.run_job import check_here, collection_rewriter, run_job
from queries.rewriting.tasks import AnswerBlock, DescriptionBlock, check_block, rewrite_block

BLOCK = 200
SEED = 1
"""Of the samples in the report: the same ones as on the page at first."""


class Command(CollectionCommand):
    help = (
        "Rewrite every description that has no caption yet, and check it. A stopped run resumes. With "
        "OPENAI_API_KEY an LLM rewrites, otherwise rules do."
    )

    def own_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--report", action="store_true", help="report how rewriting went; rewrite nothing")
        parser.add_argument("--estimate", action="store_true", help="estimate requests, tokens and cost; send nothing")
        parser.add_argument("--limit", metavar="AMOUNT", help="stop before this run costs more, e.g. 5.00")
        parser.add_argument(
            "--batch-api", action="store_true", help="by the Batch endpoints: within a day, at a lower price"
        )
        parser.add_argument(
            "--leave-batch",
            action="store_true",
            help="abandon the batches in flight; their descriptions may be paid for again",
        )
        parser.add_argument(
            "--as-they-are", action="store_true", help="use descriptions that name nobody as captions, in any language"
        )
        parser.add_argument(
            "--background", action="store_true", help="run it in the worker, which resumes it after a restart"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection = self.collection(options["collection"])
        if warning := warn_uncalibrated(collection):
            self.stderr.write(self.style.WARNING(warning))
        if options["report"]:
            self._report(collection, options)
            return
        if llm_settings(collection).is_remote and not options["as_they_are"]:
            self._by_llm(collection, options)
        else:
            self._by_rules(collection, options)

    def _report(self, collection: Collection, options: dict[str, Any]) -> None:
        given = [
            name
            for name in ("estimate", "limit", "batch_api", "leave_batch", "as_they_are", "background")
            if options[name]
        ]
        if given:
            raise CommandError(f"{_flags(given)}: can't be combined with --report.")
        for line in as_lines(rewriting_report(collection), collection, sample_captions(collection, SEED)):
            self.stdout.write(line)
        for job in jobs_with_figures(collection)[:MOST_JOBS]:
            self._tell_job(job)

    def _by_rules(self, collection: Collection, options: dict[str, Any]) -> None:
        given = [name for name in ("limit", "batch_api", "leave_batch") if options[name]]
        if given:
            why = "descriptions are used as they are" if options["as_they_are"] else _why_rules(collection)
            raise CommandError(f"{_flags(given)}: only for an LLM, but {why}.")
        rewriter = AS_THEY_ARE if options["as_they_are"] else RULES
        without = Description.objects.filter(collection=collection, caption__isnull=True)
        if options["estimate"]:
            left = without.count() + refused_by_rules(collection).count()
            how = "used as they are" if options["as_they_are"] else "rewritten by rules"
            self.stdout.write(f"{counted(left, 'description is', 'descriptions are')} left, {how} at no cost.")
            return
        if options["background"]:
            self._by_rules_in_background(collection, rewriter)
            return
        take_up_refused(collection, rewriter)
        pending = list(without.order_by("pk").values_list("pk", flat=True))
        as_they_are = bool(options["as_they_are"])
        blocks = [
            DescriptionBlock(
                collection=collection.pk, descriptions=pending[first : first + BLOCK], as_they_are=as_they_are
            )
            for first in range(0, len(pending), BLOCK)
        ]
        try:
            with self.bar(total=len(pending), unit="descriptions", title="Rewriting") as bar:
                spread(rewrite_block, blocks, progress=bar.update)
        except RewriterError as error:
            raise CommandError(f"{error} What was rewritten so far is kept.") from error
        self._tell_captions(collection)

    def _by_rules_in_background(self, collection: Collection, rewriter: str) -> None:
        with only_runner(collection):
            job = begin_rules_job(collection=collection, rewriter=rewriter)
        self._hand_over(job)

    def _hand_over(self, job: RewriteJob) -> None:
        if not ask(job):
            self.stdout.write(str(KEPT))
        self.stdout.write(
            f"The worker runs job {job.pk}. If you stop the worker, `rewrite {job.collection.name}` resumes the job."
        )

    def _by_llm(self, collection: Collection, options: dict[str, Any]) -> None:
        rewriter = collection_rewriter(collection)
        environ = environ_of(collection)
        prices = prices_from(environ)
        limit = read_amount(options["limit"], "--limit") if options["limit"] else limit_from(environ)
        if options["estimate"]:
            self._tell_estimate(
                estimate(collection=collection, rewriter=rewriter, prices=prices, batch_api=options["batch_api"]),
                rewriter,
            )
            return
        with only_runner(collection):
            if options["leave_batch"]:
                self.stdout.write(f"{counted(leave_parcels(collection=collection), 'batch', 'batches')} abandoned.")
            job = begin_job(
                collection=collection,
                rewriter=rewriter,
                prices=prices,
                limit=limit,
                batch_api=options["batch_api"],
                unattended=options["background"],
            )
            if not options["background"]:
                self._run(job)
        if options["background"]:
            self._hand_over(job)

    def _run(self, job: RewriteJob) -> None:
        """The whole job in this process; checks are spread over the workers, if there are any."""
        total = job.collection.descriptions.filter(caption__isnull=True).count()
        with_workers = bool(total) and workers_answer()

        def check(job: RewriteJob, blocks: list[list[int]]) -> None:
            if not with_workers:
                check_here(job, blocks)
                return
            pieces = [AnswerBlock(job=job.pk, descriptions=block) for block in blocks]
            spread(check_block, pieces, progress=lambda _: None)

        try:
            with self.bar(total=total, unit="descriptions", title="Rewriting") as bar, JobProgress(job) as job_progress:
                job_progress.note(done=0, total=total)

                def progress(captioned: int) -> None:
                    bar.update(captioned)
                    job_progress.count(captioned)

                run_job(job=job, progress=progress, check=check)
        except JobStopped:
            raise CommandError("Stopped in the browser. Answers are stored; repeat the command to resume.") from None
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Answers are stored; repeat the command to resume.") from None
        finally:
            self._tell_job(job)
        self._tell_captions(job.collection)
        if job.problem:
            raise CommandError(f"{job.problem} Answers are stored; repeat the command to resume.")

    def _tell_captions(self, collection: Collection) -> None:
        counts = dict(
            Caption.objects.filter(description__collection=collection).values_list("status").annotate(Count("pk"))
        )
        self.stdout.write(
            f"{counted(counts.get('accepted', 0), 'caption')} accepted, "
            f"{counted(counts.get('review', 0), 'waits', 'wait')} for review, "
            f"{counts.get('refused', 0):,} refused."
        )

    def _tell_job(self, job: RewriteJob) -> None:
        figures = job_with_figures(job)
        estimated = f" ({counted(figures.estimated, 'answer')} by estimate)" if figures.estimated else ""
        out = f", {figures.waiting:,} in batches" if figures.waiting else ""
        self.stdout.write(
            f"Job {job.pk}, {job.model}: {counted(figures.requests_sent, 'request')}{out}, "
            f"{counted(figures.retries, 'retry', 'retries')}, "
            f"{counted(figures.tokens_in, 'token')} sent, {figures.tokens_out:,} answered{estimated}; "
            f"{_money(figures.cost if job.price_in is not None else None)}."
        )

    def _tell_estimate(self, expected: CostEstimate, rewriter: OpenAIRewriter) -> None:
        self.stdout.write(
            f"{counted(expected.descriptions, 'description is', 'descriptions are')} left; "
            f"{counted(expected.texts, 'different text goes', 'different texts go')} to {rewriter.model} at "
            f"{rewriter.chat.place} in {counted(expected.requests, 'request')}."
        )
        learned = (
            f"by what {counted(expected.answers, 'answer')} of this model took"
            if expected.answers
            else "at four characters a token, until answers of this model tell better"
        )
        self.stdout.write(
            f"About {counted(expected.tokens_in, 'token')} sent and {expected.tokens_out:,} answered, {learned}: "
            f"{_money(expected.cost)}."
        )
        if expected.asked_again is not None:
            share = f"{expected.asked_again:.1%}"
            self.stdout.write(f"Of earlier first attempts {share} were asked again; that comes on top.")


def _why_rules(collection: Collection) -> str:
    by_rules = llm_settings(collection).by_rules
    return "the collection's settings choose rules" if by_rules else "OPENAI_API_KEY is not set"


def _flags(names: list[str]) -> str:
    return ", ".join("--" + name.replace("_", "-") for name in names)


def _money(cost: Decimal | None) -> str:
    if cost is None:
        return "what it costs isn't known without REWRITER_PRICE_IN and REWRITER_PRICE_OUT"
    return f"cost {cost:.4f}"
