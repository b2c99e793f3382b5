"""Sampling designs: which queries, or which pairs of each query, people judge, drawn with known probabilities.

A design's frame is kept whole, with the permanent random number of each unit: of a stratum those with the lowest
numbers are drawn, so that a larger sample holds the smaller one.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.models.machine_judges import MachineJudge
from foundation.models import ByMember, Collection
from queries.models import Candidate, Query


class SamplingDesign(ByMember):
    """How a collection's sample is drawn. Once judging has begun nothing of it changes but how many are drawn."""

    class Unit(models.TextChoices):
        QUERY = "query", gettext_lazy("whole queries")
        PAIR = "pair", gettext_lazy("pairs of each query")

    class Strata(models.TextChoices):
        NONE = "", gettext_lazy("nothing")
        SPLIT = "split", gettext_lazy("split of the query")
        RANK = "rank", gettext_lazy("band of ranks")
        RUN = "run", gettext_lazy("run that found it")
        MACHINE = "machine", gettext_lazy("grade by a machine judge")

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="sampling_design")
    unit = models.CharField(max_length=5, choices=Unit.choices)
    strata = models.CharField(max_length=7, choices=Strata.choices, blank=True, help_text="Of queries: split, or none.")
    bands = ArrayField(
        models.PositiveIntegerField(), default=list, help_text="The last rank of each band but the last band's."
    )
    judge = models.ForeignKey(
        MachineJudge, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Whose grades are strata."
    )
    seed = models.BigIntegerField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(unit="query", strata__in=["", "split"])
                | Q(unit="pair", strata__in=["", "rank", "run", "machine"]),
                name="sampling_design_strata",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.unit}, seed {self.seed}"

    def get_absolute_url(self) -> str:
        return reverse("sampling", args=[self.collection.name])


class SamplingStage(ByMember):
    """The first draw of a design, or an extension of it."""

    design = models.ForeignKey(SamplingDesign, models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField(help_text="From 1.")
    asked = ArrayField(
        models.PositiveIntegerField(),
        help_text="How many are drawn from then on, of queries, or of each query's pairs: in all, or of each stratum.",
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["design", "number"], name="one_sampling_stage_a_number")]

    def __str__(self) -> str:
        return f"stage {self.number}"


class SamplingStratum(models.Model):
    """A stratum of a design: of all queries, or of one query's candidates. `drawn` of `size` are drawn by now."""

    design = models.ForeignKey(SamplingDesign, models.CASCADE, related_name="of_strata")
    query = models.ForeignKey(
        Query, models.PROTECT, null=True, blank=True, related_name="+", help_text="Empty: a stratum of queries."
    )
    name = models.CharField(max_length=200)
    place = models.PositiveIntegerField(help_text="Among the strata beside it, from 0.")
    size = models.PositiveIntegerField(help_text="N_h: units in the frame.")
    drawn = models.PositiveIntegerField(help_text="n_h: those drawn by now.")

    class Meta:
        verbose_name_plural = "sampling strata"
        constraints = [
            models.UniqueConstraint(
                fields=["design", "query", "name"], name="one_sampling_stratum_a_name", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(size__gte=1, drawn__lte=F("size")), name="sampling_stratum_drawn"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def probability(self) -> float:
        """The inclusion probability of each of its units by now, in [0, 1]."""
        return self.drawn / self.size


class SampledUnit(models.Model):
    """A query or a candidate in a design's frame, drawn (`drawn_at`) or not; all of the frame are here.

    `probability` is that of its inclusion by now, drawn or not; what it was at an earlier stage follows from how many
    of its stratum had `stage` by then.
    """

    design = models.ForeignKey(SamplingDesign, models.CASCADE, related_name="units", db_index=False)
    stratum = models.ForeignKey(SamplingStratum, models.CASCADE, related_name="units")
    query = models.ForeignKey(Query, models.PROTECT, related_name="sampled")
    candidate = models.ForeignKey(
        Candidate, models.PROTECT, null=True, blank=True, related_name="sampled", help_text="Empty: the whole query."
    )
    number = models.FloatField(help_text="Its permanent random number, in [0, 1).")
    probability = models.FloatField(help_text="Of its inclusion by now: n_h / N_h.")
    stage = models.PositiveSmallIntegerField(null=True, blank=True, help_text="That drew it; empty: not drawn.")
    drawn_at = models.DateTimeField(null=True, blank=True, help_text="Empty: not drawn.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["design", "query", "candidate"], name="one_sampled_unit_a_pair", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(number__gte=0, number__lt=1), name="sampled_unit_number"),
            models.CheckConstraint(
                condition=Q(probability__gte=0, probability__lte=1), name="sampled_unit_probability"
            ),
            models.CheckConstraint(
                condition=Q(stage__isnull=True, drawn_at__isnull=True)
                | Q(stage__isnull=False, drawn_at__isnull=False, probability__gt=0),
                name="sampled_unit_drawn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.query_id} {self.candidate_id or ''}".strip()
