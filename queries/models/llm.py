"""Where an LLM is asked: servers that the installation allows, and what a collection chose among them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy, gettext_noop

from foundation.models import Collection, Job, plain_states
from foundation.models.jobs import job_states


class LlmTerms(models.Model):
    """A key, the prices of a model and a limit. Empty: what holds otherwise."""

    model = models.CharField(max_length=200, blank=True)
    key = models.TextField(blank=True, help_text="Encrypted (foundation.infra.sealed).")
    key_end = models.CharField(max_length=4, blank=True, help_text="Its last characters: all that is ever shown.")
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    limit = models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, help_text="What a run may cost."
    )

    class Meta:
        abstract = True


class LlmServer(LlmTerms):
    """A server that speaks the OpenAI protocol, allowed by an owner of the installation."""

    name = models.CharField(max_length=60, unique=True)
    address = models.CharField(max_length=500, blank=True, help_text="The base URL; empty: OpenAI's.")
    is_default = models.BooleanField(default=False, help_text="For collections that chose none.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["is_default"], condition=Q(is_default=True), name="one_default_llm_server"),
        ]

    def __str__(self) -> str:
        return self.name


class LlmChoice(LlmTerms):
    """A collection's own settings for rewriting by an LLM. An address is never among them: it has to be allowed."""

    class Rewriter(models.TextChoices):
        USUAL = "", gettext_lazy("the LLM if there is one, otherwise rules")
        RULES = "rules", gettext_lazy("rules")

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="llm")
    rewriter = models.CharField(max_length=5, choices=Rewriter.choices, blank=True)
    server = models.ForeignKey(
        LlmServer, models.PROTECT, null=True, blank=True, related_name="choices", help_text="Empty: the default."
    )
    key_address = models.CharField(
        max_length=500, blank=True, help_text="The server that the key was given for; it is sent to no other."
    )


class LlmTrial(Job):
    """One small request to see whether an LLM answers: for a server of the installation, or as a collection asks it."""

    State = job_states(gettext_lazy("is being asked"), gettext_lazy("answered"), gettext_lazy("did not answer"))
    TASK = "queries.tasks.try_llm"
    COLLECTION = ""
    KEPT = gettext_noop("Nothing depends on the test.")

    server = models.OneToOneField(LlmServer, models.CASCADE, null=True, blank=True, related_name="trial")
    collection = models.OneToOneField(Collection, models.CASCADE, null=True, blank=True, related_name="llm_trial")

    class Meta:
        constraints = [
            plain_states("llm_trial_state"),
            models.CheckConstraint(
                condition=Q(server__isnull=True, collection__isnull=False)
                | Q(server__isnull=False, collection__isnull=True),
                name="llm_trial_of_one",
            ),
        ]
