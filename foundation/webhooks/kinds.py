"""Which events a webhook can be told of, and in which words pages offer them."""

from django.utils.translation import gettext_lazy as _

JOB_ENDED = "job.ended"
BATCH_DECIDED = "batch.decided"
QUERY_FINISHED = "query.finished"
PAIR_DISCARDED = "pair.discarded"
RELEASE_MADE = "release.made"
RUN_SCORED = "run.scored"
SUBMISSION_ACCEPTED = "submission.accepted"
SUBMISSION_REFUSED = "submission.refused"
PERSON_ALERT = "person.alert"
TEST = "test"
"""Sent by the button of the page alone."""

KINDS = {
    JOB_ENDED: _("A job has ended: done, refused or stopped"),
    BATCH_DECIDED: _("All pairs of a batch are decided"),
    QUERY_FINISHED: _("A query is finished"),
    PAIR_DISCARDED: _("Annotators dispute a pair: it is discarded without a grade"),
    RELEASE_MADE: _("A release is made"),
    RUN_SCORED: _("A run is scored"),
    SUBMISSION_ACCEPTED: _("A team's run is accepted by a campaign"),
    SUBMISSION_REFUSED: _("A team's run is refused by a campaign"),
    PERSON_ALERT: _("The work of a person has a new alert"),
}
"""By name, in the order of the page. What each says is in docs/webhooks.md, which a test compares."""
