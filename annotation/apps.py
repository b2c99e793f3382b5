from datetime import timedelta

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        from annotation import precomputed
        from annotation.agreement import paper_figure_counts
        from annotation.assignment.next_tasks import leave_seats
        from annotation.batches import pool_preview
        from annotation.batches.missing_clips import waiting_moments
        from annotation.consent import mails as consent_mails
        from annotation.consent.survey import forget_answers
        from annotation.factors import figures as factor_figures
        from annotation.judging import evidence_figures
        from annotation.judging import mails as judging_mails
        from annotation.judging.at_hand import has_at_hand
        from annotation.judging.progress import context_moments, judged_moments
        from annotation.machine_judges import ways
        from annotation.machine_judges.brought import bring_file
        from annotation.machine_judges.calibration import figures as machine_calibration
        from annotation.machine_judges.server.judging import judge_by_server
        from annotation.machine_judges.similarity.fit_and_judge import judge_by_similarity
        from annotation.people import annotator_model_figures, people_figures
        from annotation.people import mails as people_mails
        from annotation.people.deletion_losses import judgments_lost, paid_work_lost
        from annotation.qualification import mails as qualification_mails
        from annotation.recruiting.entering import forget_accounts, forget_erased
        from annotation.review import span_figures
        from annotation.tryout.selectors import tryout_moments
        from corpus.clips.moment_hooks import register, register_context
        from foundation.accounts import erasure_hooks
        from foundation.collections import leave_hooks
        from foundation.deletion import hooks

        register("waiting", waiting_moments)
        register("judged", judged_moments)
        register("tryout", tryout_moments)
        register("context", context_moments)
        register_context(has_at_hand)
        leave_hooks.register(leave_seats)
        erasure_hooks.register(forget_answers)
        erasure_hooks.register(forget_erased)
        for mails in (judging_mails, people_mails, qualification_mails, consent_mails):
            mails.register_mails()
        ways.register("file", bring_file)
        ways.register("server", judge_by_server)
        ways.register("similarity", judge_by_similarity)
        hooks.register(hooks.Hooks(losses=judgments_lost, warning=paid_work_lost, sweep=forget_accounts))
        precomputed.register(
            people_figures.NAME, people_figures.compute_people, at_once_below=people_figures.AT_ONCE_BELOW
        )
        precomputed.register(pool_preview.NAME, pool_preview.compute_preview, stale_after=timedelta(minutes=30))
        precomputed.register(
            machine_calibration.NAME,
            machine_calibration.compute_calibration,
            at_once_below=2000,
            of_each=True,
        )
        precomputed.register(
            evidence_figures.NAME,
            evidence_figures.compute_evidence_use,
            stale_after=timedelta(minutes=30),
            at_once_below=2000,
        )
        precomputed.register(span_figures.NAME, span_figures.compute_spans, at_once_below=2000)
        precomputed.register(
            factor_figures.NAME, factor_figures.compute_factors, at_once_below=factor_figures.AT_ONCE_BELOW
        )
        precomputed.register(
            annotator_model_figures.NAME, annotator_model_figures.compute_model, stale_after=timedelta(hours=1)
        )
        precomputed.register(
            paper_figure_counts.NAME,
            paper_figure_counts.appendix_of,
            stale_after=timedelta(minutes=30),
            at_once_below=2000,
        )
