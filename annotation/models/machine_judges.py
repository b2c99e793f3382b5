"""Machine judges: raters that are declared and no members, what they said of candidates, and the jobs that ask them.

Nothing here counts: consensus, agreement, pay, progress, feedback and exams know judgments of people alone.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, Value
from django.urls import reverse
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import ByMember, Collection, PlainJob, one_unfinished
from queries.models import Candidate


class MachineJudge(ByMember):
    """A machine as it was declared. What it is never changes: another model, prompt or setting is another judge."""

    class Kind(models.TextChoices):
        SERVER = "server", gettext_lazy("a model on a server")
        FILE = "file", gettext_lazy("a file or a program")
        SIMILARITY = "similarity", gettext_lazy("similarity, fitted on people's grades")

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="machine_judges")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    model = models.CharField(max_length=200)
    version = models.CharField(max_length=200, blank=True, help_text="A version or a digest of its weights.")
    family = models.CharField(max_length=100, help_text="What it shares with systems that are scored, e.g. CLIP.")
    prompt_version = models.CharField(max_length=60, blank=True)
    guideline = models.PositiveIntegerField(
        null=True, blank=True, help_text="The version of the guideline that it was given; empty: none."
    )
    parameters = models.JSONField(default=dict, help_text="All else that its grades follow from.")
    frames = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Pictures a clip; empty: none.")
    declared_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Its grades stay, and are used no more.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="one_machine_judge_a_name"),
            models.CheckConstraint(condition=Q(kind__in=["server", "file", "similarity"]), name="machine_judge_kind"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("machine-judge", args=[self.collection.name, self.pk])


class MachineJudging(PlainJob, ByMember):
    """A job that has a judge grade candidates: asked of its server, read from a file, or fitted."""

    TASK = "annotation.tasks.judge_by_machine"
    KIND, TITLE = "machine-judging", gettext_noop("Judging by a machine")
    COLLECTION = "judge__collection"
    UNIT = gettext_noop("pairs")
    KEPT = gettext_noop("What was answered is kept and never paid again: resuming goes on after it.")

    judge = models.ForeignKey(MachineJudge, models.CASCADE, related_name="judgings")
    file_name = models.CharField(max_length=200, blank=True, help_text="As the lead's machine calls it.")
    stored_file = models.CharField(max_length=300, blank=True, help_text="Its name in the storage.")
    scope = models.JSONField(
        default=dict,
        db_default=Value({}, models.JSONField()),
        help_text="Of which candidates: split, ranks, some; empty: of all.",
    )
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="A million tokens sent.")
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="A million tokens answered.")
    limit = models.DecimalField(max_digits=12, decimal_places=6, null=True, help_text="What it may cost at most.")
    found = models.JSONField(default=dict, help_text="What came of it, as counts.")

    class Meta(PlainJob.Meta):
        constraints = [*PlainJob.Meta.constraints, one_unfinished("one_unfinished_machine_judging_a_judge", "judge")]

    def __str__(self) -> str:
        return self.judge.name

    def get_absolute_url(self) -> str:
        return self.judge.get_absolute_url()


class MachineReply(models.Model):
    """A server's answer about one clip and one query, as it came, under all that it follows from.

    A second asking of the same finds it here: nothing is paid twice, and a run replays without the server.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="machine_replies")
    key = models.CharField(
        max_length=64, help_text="SHA-256 of clip's digest, frame times, query, prompt, model and parameters."
    )
    clip = models.CharField(max_length=64, help_text="The clip's digest.")
    frame_times = ArrayField(models.FloatField(), help_text="Seconds from the clip's beginning.")
    reply = models.JSONField(help_text="What the server answered, as it came.")
    served_model = models.CharField(max_length=200, blank=True)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=1, help_text="1 and the retries it took.")
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True, help_text="Empty: no prices.")
    judging = models.ForeignKey(
        MachineJudging, models.SET_NULL, null=True, related_name="replies", help_text="The job that paid for it."
    )
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "machine replies"
        constraints = [models.UniqueConstraint(fields=["collection", "key"], name="one_machine_reply_a_key")]

    def __str__(self) -> str:
        return self.key


class MachineJudgment(models.Model):
    """What a judge says of a candidate: a grade, perhaps how sure it is of each, or that it abstains."""

    class Abstained(models.TextChoices):
        NO = "", gettext_lazy("no")
        REFUSED = "refused", gettext_lazy("it refused")
        NONSENSE = "nonsense", gettext_lazy("its answer has no grade")
        LOW_MASS = "low mass", gettext_lazy("too little of its answer is on grades")
        NO_CLIP = "no clip", gettext_lazy("there is nothing to show it")
        OTHER = "other", gettext_lazy("it said so")

    judge = models.ForeignKey(MachineJudge, models.CASCADE, related_name="judgments", db_index=False)
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="machine_judgments")
    grade = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Empty: it abstained.")
    distribution = ArrayField(
        models.FloatField(), null=True, blank=True, help_text="Probability of each grade from 0 on; empty: not told."
    )
    abstained = models.CharField(max_length=8, choices=Abstained.choices, blank=True)
    reply = models.ForeignKey(MachineReply, models.SET_NULL, null=True, blank=True, related_name="judgments")
    judging = models.ForeignKey(MachineJudging, models.SET_NULL, null=True, related_name="judgments")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judge", "candidate"], name="one_machine_judgment_a_candidate"),
            models.CheckConstraint(
                condition=Q(grade__isnull=True) & ~Q(abstained="") | Q(grade__gte=0, abstained=""),
                name="machine_grade_or_abstained",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} on {self.candidate_id}"
