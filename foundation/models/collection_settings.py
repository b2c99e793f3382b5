"""The settings of a collection, grouped by what reads them; all are columns of its row."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Value
from django.utils.translation import gettext_lazy

from foundation.text import LANGUAGE_TAG, LONGEST_TAG


class Kind(models.TextChoices):
    """What a description is about: the video, the subtitles, or both."""

    VIDEO = "v", gettext_lazy("video")
    SUBTITLE = "t", gettext_lazy("subtitle")
    BOTH = "vt", gettext_lazy("video and subtitle")


def default_query_kinds() -> list[str]:
    return [Kind.VIDEO]


def default_pool_kinds() -> list[str]:
    return list(Kind.values)


class CaptionReviewPolicy(models.TextChoices):
    """Which rewritten captions a person reviews before they count (rule 2). Batches have another policy."""

    REPROCESSED = "reprocessed", gettext_lazy("every caption that was rewritten again")
    FAILING = "failing", gettext_lazy("only what still fails a check")


class RewritingStyle(models.TextChoices):
    """How far a caption may go from its description."""

    FAITHFUL = "faithful", gettext_lazy("faithful: names are replaced, every other word stays")
    DIVERSE = "diverse", gettext_lazy("diverse: as in the paper, varied words for persons and more general groups")


class NoName(models.TextChoices):
    """Why words that the name tagger takes for somebody's name may be none."""

    LISTED = "listed", gettext_lazy("listed: peoples, places, brands and days that Qreels knows")
    THING = "thing", gettext_lazy("thing: where English has a thing, as in “his Vicodin”, “the Voyager probe”")
    LETTERS = "letters", gettext_lazy("letters: capitals inside a sentence that stand for something, as in “an MRI”")
    OPENING = "opening", gettext_lazy("opening: an ordinary word that opens a sentence, as in “Cars pull up”")


class Rounding(models.TextChoices):
    """How a mean between two grades is rounded."""

    UP = "up", gettext_lazy("up")
    DOWN = "down", gettext_lazy("down")


class MaterialSettings(models.Model):
    """What descriptions are taken and how they are read; for `corpus` and `queries`."""

    language = models.CharField(
        max_length=LONGEST_TAG,
        default="en",
        db_default="en",
        validators=[RegexValidator(LANGUAGE_TAG.pattern, gettext_lazy("a language tag such as en or pt-BR"))],
        help_text="BCP 47: the language of descriptions that state none.",
    )
    query_kinds = ArrayField(models.CharField(max_length=2, choices=Kind.choices), default=default_query_kinds)
    pool_kinds = ArrayField(models.CharField(max_length=2, choices=Kind.choices), default=default_pool_kinds)
    end_slack = models.FloatField(
        default=1.0, help_text="Seconds that a moment may end after its video's stated duration."
    )

    class Meta:
        abstract = True


class CaptionSettings(models.Model):
    """How captions are rewritten and what they must pass (rule 2); for `queries`."""

    cast = models.TextField(
        blank=True, help_text='Who occurs in the videos, a line each: "Name, f", "Name, m" or "Name, ?".'
    )
    cast_set_at = models.DateTimeField(null=True, blank=True, help_text="When its cast last became another one.")
    context = models.TextField(blank=True, help_text="What a rewriter should know besides: the shows' names.")
    rewriting_style = models.CharField(
        max_length=8, choices=RewritingStyle.choices, default=RewritingStyle.FAITHFUL, db_default="faithful"
    )
    similarity_threshold = models.FloatField(
        null=True, blank=True, help_text="Empty: the one calibrated for the encoder and the style."
    )
    name_threshold = models.FloatField(default=0.8)
    discarded_names = ArrayField(
        models.CharField(max_length=8, choices=NoName.choices),
        default=list,
        db_default=Value([], ArrayField(models.CharField(max_length=8))),
        blank=True,
        help_text="Which names that the tagger found don't count, by why they may be none; empty: all count.",
    )
    kept_threshold = models.FloatField(
        null=True,
        blank=True,
        help_text="Empty: the style's. The share of the words beside the names that a caption has to keep.",
    )
    max_attempts = models.PositiveSmallIntegerField(
        default=2,
        validators=[MinValueValidator(1)],
        help_text="How often a description is rewritten, the first time included, before a person sees it.",
    )
    review_policy = models.CharField(
        max_length=12, choices=CaptionReviewPolicy.choices, default=CaptionReviewPolicy.REPROCESSED
    )

    class Meta:
        abstract = True


class PoolSettings(models.Model):
    """How many candidates a query gets, how they are searched for, and when it gets more (rules 4 and 7); for `queries`
    and `annotation`."""

    least_recall = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.5), MaxValueValidator(0.999)],
        help_text="Candidates are searched for approximately, and found at this share of the exact ones at least;"
        " empty: exactly.",
    )
    batch_size = models.PositiveSmallIntegerField(default=20, validators=[MinValueValidator(1)])
    max_batches = models.PositiveSmallIntegerField(default=2, validators=[MinValueValidator(1)])
    extend_threshold = models.FloatField(
        default=2.5,
        help_text="The second batch is recommended when the last five grades average at least this.",
    )
    auto_extend_from = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(4.0)],
        help_text="A batch whose last five grades average at least this is extended without a review; empty: never.",
    )
    auto_finish_to = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(4.0)],
        help_text="A batch whose last five grades average at most this is finished without a review; empty: never.",
    )

    class Meta:
        abstract = True


class ConsensusSettings(models.Model):
    """Who judges a pair, on which scale, and when they agree (rule 6); for `annotation/consensus.py`."""

    top_grade = models.PositiveSmallIntegerField(default=4, help_text="Grades go from 0 to this, at most 4.")
    first_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Annotators who judge each pair independently."
    )
    second_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Others who judge a pair when the first differ; 0 discards it at once."
    )
    largest_difference = models.PositiveSmallIntegerField(
        default=1, help_text="Grades agree when they differ by at most this."
    )
    rounding = models.CharField(max_length=4, choices=Rounding.choices, default=Rounding.UP)
    span_agreement = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="IoU from which on starts and ends that annotators marked agree; empty: they mark none.",
    )

    class Meta:
        abstract = True


class JudgingSettings(models.Model):
    """What annotators meet while they judge (rule 5); for `annotation`."""

    guideline = models.TextField(blank=True)
    guideline_version = models.PositiveIntegerField(
        default=0, help_text="The published version that annotators have to confirm; 0 when there is none."
    )
    consent_version = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="The consent text's published version that annotators have to confirm; 0 when there is none.",
    )
    seat_minutes = models.FloatField(
        default=30.0,
        validators=[MinValueValidator(0.05)],
        help_text="Minutes of silence after which a seat is free for somebody else.",
    )
    played_fraction = models.FloatField(
        default=0.8,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="The part of a clip that has to be seen before a grade is accepted.",
    )
    break_minutes = models.PositiveIntegerField(
        default=50, help_text="Minutes of judging after which the page suggests a break; 0 never does."
    )
    show_agreement = models.BooleanField(
        default=False, help_text="Whether annotators see how often they agree with their partners."
    )
    needs_exam = models.BooleanField(
        default=True, help_text="Whether who is invited trains and sits the exam before judging."
    )
    offers_tryout = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether anybody may try judging on six of its decided pairs, without an account.",
    )
    repeat_share = models.FloatField(
        default=0.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.1)],
        help_text="The part of each person's work that is a hidden repeat, 0 to 0.1; 0 gives none.",
    )
    repeat_days = models.PositiveSmallIntegerField(
        default=7, help_text="Days after which a pair may come again as a hidden repeat."
    )

    class Meta:
        abstract = True


class PaySettings(models.Model):
    """Which time counts as work, and what it pays; for `annotation`."""

    idle_seconds = models.PositiveIntegerField(
        default=60, help_text="Longest time that counts as work between two judgments."
    )
    pay_per_hour = models.DecimalField(max_digits=8, decimal_places=2, null=True, blank=True)
    currency = models.CharField(
        max_length=3,
        default="USD",
        validators=[RegexValidator(r"^[A-Z]{3}\Z", "three capital letters, as in ISO 4217")],
    )
    pay_training = models.BooleanField(
        default=False, db_default=False, help_text="Whether work in practice and exam is paid like judging."
    )

    class Meta:
        abstract = True
