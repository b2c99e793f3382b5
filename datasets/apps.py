from datetime import timedelta

from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    name = "datasets"

    def ready(self) -> None:
        from annotation import precomputed
        from datasets.content import leakage, statistics
        from datasets.judgment_audits import of_releases, services
        from datasets.leaderboard import plan_came
        from datasets.leaderboard.rights import may_resume, may_see
        from datasets.models import Run
        from datasets.presentation import digest
        from datasets.releases import precomputed_diff
        from datasets.releases.deletion_losses import published, releases_lost
        from foundation.deletion import hooks
        from foundation.jobs.guards import guard

        precomputed.register(
            statistics.STATISTICS,
            statistics.release_statistics,
            stale_after=timedelta(minutes=30),
            at_once_below=statistics.AT_ONCE_BELOW,
            counts="texts",
        )
        precomputed.register(
            leakage.NAME,
            leakage.report_of_draw,
            stale_after=timedelta(minutes=30),
            of_each=True,
            counts="captions",
        )
        precomputed.register(precomputed_diff.NAME, precomputed_diff.keep_differences, stale_after=None, of_each=True)
        precomputed.register(digest.NAME, digest.compute_digest, stale_after=timedelta(days=1), of_each=True)
        precomputed.register(of_releases.NAME, of_releases.compute_audit, stale_after=None, of_each=True)
        precomputed.register(
            plan_came.NAME,
            plan_came.compute_came,
            stale_after=timedelta(minutes=30),
            at_once_below=plan_came.AT_ONCE_BELOW,
            of_each=True,
        )
        services.register()
        hooks.register(hooks.Hooks(losses=releases_lost, obstacle=published))
        guard(Run, sees=may_see, resumes=may_resume)
