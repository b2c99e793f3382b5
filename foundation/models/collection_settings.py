"""The settings of a collection, grouped by what reads them; all are columns of its row."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Value
from django.utils.translation import gettext_lazy

from foundation.lazy import LazyStr
from foundation.text import LANGUAGE_TAG, LONGEST_TAG


class Kind(models.TextChoices):
    """What a description is about: the video, the subtitles, or both."""

    VIDEO = "v", gettext_lazy("video")
    SUBTITLE = "t", gettext_lazy("subtitle")
    BOTH = "vt", gettext_lazy("video and subtitle")


class Evidence(models.TextChoices):
    """What a grade is to be based on: what the guideline asks annotators to see, hear or read."""

    PICTURE = "picture", gettext_lazy("picture")
    SOUND = "sound", gettext_lazy("sound")
    SUBTITLES = "subtitles", gettext_lazy("subtitles")


def default_evidence() -> list[str]:
    return [Evidence.PICTURE]


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


class GoldFeedback(models.TextChoices):
    """Whether annotators are told the known grade of gold."""

    NEVER = "never", gettext_lazy("never")
    AT_ONCE = "at-once", gettext_lazy("at once, when no more gold of that query is left to them")


class Rounding(models.TextChoices):
    """How a mean between two grades is rounded."""

    UP = "up", gettext_lazy("up")
    DOWN = "down", gettext_lazy("down")
    NEAREST = "nearest", gettext_lazy("to the nearest, halves up")


class ConsensusRule(models.TextChoices):
    """By which kind of rule people's grades become one (rule 6); the paper trims."""

    PAPER = "paper", gettext_lazy("paper: mean, without the highest and lowest of both rounds")
    MEAN = "mean", gettext_lazy("mean: of all grades")
    MEDIAN = "median", gettext_lazy("median: of all grades")
    MAJORITY = "majority", gettext_lazy("majority: the grade of more than half")


HIGHEST_GRADE = 100
"""No scale goes higher: one of 1 to 4 has a step of 1, one of 100 one of `STEPS_TO_100`."""
STEPS_TO_100 = (1, 5, 10, 20, 25)


class FactorsAsked(models.TextChoices):
    """After which grades annotators answer the collection's factors."""

    NEVER = "never", gettext_lazy("never")
    EVERY = "every", gettext_lazy("after every grade")
    BETWEEN = "between", gettext_lazy("after every grade but the lowest and the highest")


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
        validators=[MinValueValidator(0.0), MaxValueValidator(HIGHEST_GRADE)],
        help_text="A batch whose last five grades average at least this is extended without a review; empty: never.",
    )
    auto_finish_to = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0), MaxValueValidator(HIGHEST_GRADE)],
        help_text="A batch whose last five grades average at most this is finished without a review; empty: never.",
    )

    class Meta:
        abstract = True


class ConsensusSettings(models.Model):
    """Who judges a pair, on which scale, and when they agree (rule 6); for `annotation/consensus.py`."""

    top_grade = models.PositiveSmallIntegerField(default=4, help_text="Grades go from 0 to this: 1 to 4, or 100.")
    grade_step = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="What grades are multiples of: 1; of a top grade of 100 also 5, 10, 20, 25."
    )
    consensus_rule = models.CharField(
        max_length=8, choices=ConsensusRule.choices, default=ConsensusRule.PAPER, db_default=ConsensusRule.PAPER
    )
    grade_words = models.TextField(
        blank=True,
        default="",
        db_default="",
        help_text="Own words and colours of its grades, as annotation/scale.py writes them; empty: the usual.",
    )
    first_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Annotators who judge each pair independently."
    )
    second_round_people = models.PositiveSmallIntegerField(
        default=2, help_text="Others who judge a pair when the first differ; 0 discards it at once."
    )
    largest_difference = models.PositiveSmallIntegerField(
        default=1, help_text="Grades agree when they differ by at most this."
    )
    rounding = models.CharField(max_length=7, choices=Rounding.choices, default=Rounding.UP)
    trimmed_grades = models.PositiveSmallIntegerField(
        default=1, db_default=1, help_text="By the paper's rule: how many highest and lowest grades of both rounds go."
    )
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
    evidence = ArrayField(
        models.CharField(max_length=9, choices=Evidence.choices),
        default=default_evidence,
        db_default=Value(["picture"], ArrayField(models.CharField(max_length=9))),
        help_text="What of a clip the guideline asks for.",
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
    context_seconds = models.FloatField(
        default=0.0,
        db_default=0.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(60.0)],
        help_text="Seconds before and after a moment that annotators may look at while they judge it; 0: none.",
    )
    compare_clips = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether annotators may look at the last clips of the same query that they judged themselves.",
    )
    break_minutes = models.PositiveIntegerField(
        default=50, help_text="Minutes of judging after which the page suggests a break; 0 never does."
    )
    show_agreement = models.BooleanField(
        default=False, help_text="Whether annotators see how often they agree with their partners."
    )
    factors_asked = models.CharField(
        max_length=7,
        choices=FactorsAsked.choices,
        default=FactorsAsked.NEVER,
        db_default=FactorsAsked.NEVER,
        help_text="After which grades the collection's factors are asked.",
    )
    needs_exam = models.BooleanField(
        default=True, help_text="Whether who is invited trains and sits the exam before judging."
    )
    offers_tryout = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether anybody may try judging on six of its decided pairs, without an account.",
    )
    minimum_age = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        validators=[MaxValueValidator(99)],
        help_text="Years of age from which on people may join and judge, by their own word; 0 asks nobody.",
    )
    repeat_share = models.FloatField(
        default=0.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.1)],
        help_text="The part of each person's work that is a hidden repeat, 0 to 0.1; 0 gives none.",
    )
    repeat_days = models.PositiveSmallIntegerField(
        default=7, help_text="Days after which a pair may come again as a hidden repeat."
    )
    gold_share = models.FloatField(
        default=0.0,
        db_default=0.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.2)],
        help_text="Gold beside each person's work, as a share of it, 0 to 0.2; 0 gives none.",
    )
    gold_feedback = models.CharField(
        max_length=7,
        choices=GoldFeedback.choices,
        default=GoldFeedback.NEVER,
        db_default=GoldFeedback.NEVER,
        help_text="Whether the known grade is told once gold was answered.",
    )

    class Meta:
        abstract = True

    @property
    def more_than_pictures(self) -> bool:
        """Whether the guideline asks for something else than pictures alone."""
        return self.evidence != default_evidence()

    @property
    def evidence_words(self) -> list[LazyStr]:
        """What counts, in words."""
        return [Evidence(kind).label for kind in self.evidence]

    @property
    def counts_sound(self) -> bool:
        """Whether clips are heard, and only what is heard counts as played."""
        return Evidence.SOUND in self.evidence

    @property
    def counts_subtitles(self) -> bool:
        """Whether annotators are given the subtitles of clips."""
        return Evidence.SUBTITLES in self.evidence


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
