"""Pages that a study doesn't have, by URL name."""

from django.http import Http404

from corpus.models import Collection

NOT_OF_STUDIES = frozenset(
    """
    imports import-upload import-report import-progress import-rejected import-again videos videos-csv video
    rewriting caption-list captions caption-card caption-queue caption-checked caption-undo caption-check caption-decide
    members member-change person-change person-terms archive invitations invitation-withdraw settings settings-change
    guideline-edit qualification training practice exam-begin exam exam-hand-in exam-feedback again
    candidates candidate-results candidate-decide exam-move prepare prepare-draw prepare-explain prepare-explain-exam
    review review-queue review-decide review-decide-clear review-take-back review-decisions review-decisions-csv
    studies study-start study-progress study-again study-put-away
    releases release-make release-progress release-again shared-releases release release-share release-archive
    release-file release-differences release-differences-csv board run-upload run run-progress run-again run-withdraw
    run-file run-query statistics
    publish publish-look publication publication-progress publication-send publication-stop publication-again
    """.split()
)
"""Addresses, by name, of what a study takes from its collection or never has."""


class NotOfStudies(Http404):
    """The page isn't there because this is a study; it says where to go, to a member and to nobody else."""

    def __init__(self, study: Collection) -> None:
        super().__init__(
            f"{study.title} is a study: it has no such page of its own, and nothing of it counts. "
            "Its material, people, guideline and settings are those of its collection."
        )
